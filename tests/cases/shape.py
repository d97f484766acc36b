"""Cases of shape values; the oracle is plain arithmetic."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops import shape

_SIZES = {"n": 5, "m": 0}


def _shape(*dims):
    return Arg(dims, shape_value=True)


CASES = (
    Case("shape_to_tensor", shape.ShapeToTensorOp, [_shape("n", 3, "m")], lambda s: np.array(s), {}, _SIZES),
    Case("shape_to_tensor-scalar", shape.ShapeToTensorOp, [_shape()], lambda s: np.zeros(0)),
    *(
        Case(
            f"symbol_value-{dtype}",
            shape.SymbolValueOp,
            [_shape("n", 300)],
            lambda s: np.float64(s[0]),
            {"dtype": dtype},
            _SIZES,
        )
        for dtype in (None, f64, f32, f16, bf16, i8, i32, i64)
    ),
    Case("symbol_value-index", shape.SymbolValueOp, [_shape("n", 7)], lambda s: np.int64(s[1]), {"index": 1}, _SIZES),
    Case("symbol_value-wraps", shape.SymbolValueOp, [_shape(300)], lambda s: np.int64(44), {"dtype": ui8}),
)
