"""What importers of models share: problems reported at once, sizes computed during the import, weights, locations.

Knows no format: `files` tells which importer reads a file, `compiled` compiles what it read.
"""
