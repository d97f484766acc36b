"""Passes that place values on devices."""
