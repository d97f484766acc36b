"""Finds where a wrong result comes from: the first pass that changes it, the kernels that compute it, and a small program that shows it.

Programs are cut here, compared pass by pass, and written; what the user sees of it is the tools' business.
"""
