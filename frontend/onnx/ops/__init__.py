"""The converters, one file a family of ops; `rules` has them all. A converter reads a node and inserts what it becomes."""
