"""The numpy interpreter, the reference that native code is held against. May import dialects, and nothing that lowers or compiles."""
