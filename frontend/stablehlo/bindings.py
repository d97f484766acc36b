"""jax's own bindings of MLIR, all that is imported of them."""

# The type checker runs without jax too.
# pyright: reportMissingImports=false

from __future__ import annotations

from jax._src.interpreters.mlir import make_ir_context
from jaxlib._jax import CompileOptions, DeviceList
from jaxlib._jax.mlir import refine_polymorphic_shapes
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

__all__ = [
    "CompileOptions",
    "DeviceList",
    "ir",
    "make_ir_context",
    "passmanager",
    "refine_polymorphic_shapes",
    "stablehlo",
]
