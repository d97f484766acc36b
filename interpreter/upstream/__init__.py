"""Rules of the ops of other dialects on numpy arrays: arith, math, linalg, tensor, scf, cf. May not know an op of relax."""
