"""The interface record: all that the runtime knows of a compiled module beside its machine code. It imports no pass and no lowering."""
