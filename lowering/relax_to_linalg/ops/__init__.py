"""The rules from relax ops to linalg, one file a family."""
