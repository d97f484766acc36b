"""The numpy interpreter, the reference that native code is held against: rules by dialect, the engine, evaluation of single ops.

May import dialects, and nothing that transforms, lowers or compiles.
"""
