"""Rules of relax ops on numpy arrays, one file a family. May not look at control flow, nor at ops of other dialects."""
