"""Parameters: files, sets, and the transforms that make one of the other."""
