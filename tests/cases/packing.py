"""Cases of packed weights; the oracles are numpy's product, and the definition of the layout element by element."""

from __future__ import annotations

import numpy as np
from op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl_relax.dialects.relax import packing
from xdsl_relax.dialects.relax.dtypes import ui8


def pack(weight):
    """Returns the packed layout, by its definition."""
    rows, columns = weight.shape
    result = np.zeros((-(-columns // 64), rows, 64), weight.dtype)
    for p, k, j in np.ndindex(result.shape):
        if 64 * p + j < columns:
            result[p, k, j] = weight[k, 64 * p + j]
    return result


def packed_matmul(name, lhs, rows, columns, element=f32, out=None, **sizes):
    def oracle(x, p):
        weight = p.transpose(1, 0, 2).reshape(rows, -1)[:, :columns]
        return x @ weight

    panels = -(-columns // 64)
    return Case(f"packed_matmul-{name}", packing.PackedMatmulOp, [Arg(lhs, element), Arg((panels, rows, 64), element)],
                oracle, {"columns": columns, "out_dtype": out}, sizes)  # fmt: skip


CASES = (
    *(Case(f"pack_weight-{e}", packing.PackWeightOp, [Arg((5, 67), e)], pack) for e in (*FLOATS, i8, ui8, i32)),
    Case("pack_weight-whole", packing.PackWeightOp, [Arg((3, 128))], pack),
    Case("pack_weight-narrow", packing.PackWeightOp, [Arg((7, 1))], pack),
    Case("pack_weight-symbolic", packing.PackWeightOp, [Arg(("k", "n"))], pack, sizes={"k": 3, "n": 70}),
    *(packed_matmul(f"{e}", ("n", 9), 9, 70, e, n=5) for e in FLOATS),
    packed_matmul("whole", ("n", 33), 33, 128, n=13),
    packed_matmul("one-row", (1, 17), 17, 100),
    packed_matmul("vector", (17,), 17, 100),
    packed_matmul("batch", ("b", 3, 8), 8, 65, b=2),
    packed_matmul("batches", (2, "b", 3, 8), 8, 10, b=2),
    packed_matmul("empty", ("n", 8), 8, 65, n=0),
    packed_matmul("out", ("n", 8), 8, 65, f16, f32, n=3),
    packed_matmul("integers", ("n", 8), 8, 65, i8, i32, n=3),
)
