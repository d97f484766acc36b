"""A differential fuzzer: random relax programs, compiled natively, against the interpreter. `python -m tests.fuzz --help`."""
