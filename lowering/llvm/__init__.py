"""From the loops stage to the llvm dialect alone, in one walk per function."""
