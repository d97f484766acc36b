"""LLVM IR text from the llvm dialect."""
