"""Converters of ops of ATen, one file a family; each file enters its functions into a table."""
