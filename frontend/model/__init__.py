"""What importers of models share: problems reported at once, sizes computed during the import, weights, locations.

`inserter` and `node` have the bases of their classes: what inserts ops, and one op as its converter sees it.
Knows no format: `files` tells which importer reads a file, `compiled` compiles what it read.
"""
