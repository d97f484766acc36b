"""Passes that keep what a program computes and drop or tidy the rest: dead code, duplicates, unused parameters, types."""
