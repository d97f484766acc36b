"""What passes ask about a program: call graphs, effects, symbols, order. Nothing here changes a program."""
