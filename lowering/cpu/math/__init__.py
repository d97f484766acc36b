"""Polynomials in arith in place of math functions."""
