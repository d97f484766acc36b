"""Compiled programs as files: an object, a header and a source file of C, packed parameters, the interface record, a shared library.

What C calls is written from the interface record alone. Nothing here compiles a program or imports a model.
"""
