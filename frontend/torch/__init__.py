"""Models of PyTorch to the dialect, on `torch.export` and torch's own decompositions.

`ops/` has the converters, one file a family; `graph` walks the nodes, `decompositions` says what torch takes apart before, `importer` makes
the signature. Nothing here knows of lowering.
"""

from __future__ import annotations

from .importer import from_exported_program, import_exported_program

__all__ = ["from_exported_program", "import_exported_program"]
