"""Rules of relax ops on numpy arrays, one file a family."""
