"""Tables of op cases, one module per op family."""
