"""Models of ONNX to the dialect and back, on the packages `onnx` (its schemas, definitions of functions and reference implementation).

`ops/` has the converters, one file a family; `graph` walks the nodes, `fold` computes what needs no input, `tensors` reads weights,
`exporter/` writes models.
Nothing here knows of lowering.
"""

from __future__ import annotations

from .exporter.module import save_model, to_onnx
from .importer import from_onnx, import_onnx

__all__ = ["from_onnx", "import_onnx", "save_model", "to_onnx"]
