"""The algebra of sizes: expressions, their parser, bounds and conditions. Knows nothing of ops."""
