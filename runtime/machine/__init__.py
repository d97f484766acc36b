"""Machine code and threads."""
