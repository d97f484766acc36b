"""Emission of ops that several steps share."""
