"""Sorts of rows: keys whose order is that of integers, how they are sorted, and the search for the first k. No rule of an op."""
