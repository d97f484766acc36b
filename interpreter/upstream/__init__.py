"""Rules of the ops of other dialects: arith, math, linalg, tensor, scf."""
