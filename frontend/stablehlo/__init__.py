"""Programs of StableHLO and functions of jax to the dialect, on jax's own bindings of MLIR and the passes of the StableHLO project.

`ops/` has the converters, one file a family; `regions` walks the ops, `fold` computes what needs no input, `load` reads files.
`exporter/` writes StableHLO. Nothing here knows of lowering.
"""

from __future__ import annotations

from .exporter import to_stablehlo, to_stablehlo_bytecode
from .importer import from_jax, from_stablehlo, import_jax, import_stablehlo
from .node import CustomCall

__all__ = [
    "CustomCall",
    "from_jax",
    "from_stablehlo",
    "import_jax",
    "import_stablehlo",
    "to_stablehlo",
    "to_stablehlo_bytecode",
]
