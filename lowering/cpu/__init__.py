"""Code for CPUs: schedules, loops and vectors, polynomials of math functions."""
