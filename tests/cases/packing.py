"""Cases of packed weights; the oracles are numpy's product, and the definition of the layout element by element."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i8, i32
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops import packing


def in_panels(panel):
    """Returns what gives the packed layout with panels of so many columns, by its definition."""

    def pack(weight):
        rows, columns = weight.shape
        result = np.zeros((-(-columns // panel), rows, panel), weight.dtype)
        for p, k, j in np.ndindex(result.shape):
            if panel * p + j < columns:
                result[p, k, j] = weight[k, panel * p + j]
        return result

    return pack


pack = in_panels(64)


def grouped(group, panel=64):
    """Returns what gives the packed layout with groups of rows, by its definition."""

    def pack_groups(weight):
        rows, columns = weight.shape
        result = np.zeros((-(-columns // panel), -(-rows // group), panel, group), weight.dtype)
        for p, g, j, s in np.ndindex(result.shape):
            if panel * p + j < columns and group * g + s < rows:
                result[p, g, j, s] = weight[group * g + s, panel * p + j]
        return result

    return pack_groups


GROUPS = {i8: 4, ui8: 4, bf16: 2}


def packed_matmul(name, lhs, rows, columns, element: Attribute = f32, out=None, weight=None, panel=64, **sizes):
    weight = weight or element
    shape = (-(-columns // panel), rows, panel)
    group = GROUPS.get(weight, 1)
    if group > 1:
        shape = (shape[0], -(-rows // group), panel, group)

    def oracle(x, p):
        order = (1, 3, 0, 2) if p.ndim == 4 else (1, 0, 2)
        matrix = p.transpose(order).reshape(-1, p.shape[0] * panel)[:rows, :columns]
        return (x.astype(np.int64) @ matrix.astype(np.int64)).astype(np.int32) if out == i32 else x @ matrix

    return Case(f"packed_matmul-{name}", packing.PackedMatmulOp, [Arg(lhs, element), Arg(shape, weight)],
                oracle, {"columns": columns, "out_dtype": out}, sizes)  # fmt: skip


CASES = (
    *(
        Case(f"pack_weight-{e}", packing.PackWeightOp, [Arg((5, 67), e)], pack)
        for e in (*FLOATS, i32)
        if e not in GROUPS
    ),
    *(Case(f"pack_weight-{e}", packing.PackWeightOp, [Arg((5, 67), e)], grouped(group)) for e, group in GROUPS.items()),
    Case(
        "pack_weight-bytes-symbolic", packing.PackWeightOp, [Arg(("k", "n"), i8)], grouped(4), sizes={"k": 9, "n": 70}
    ),
    Case(
        "pack_weight-pairs-symbolic", packing.PackWeightOp, [Arg(("k", "n"), bf16)], grouped(2), sizes={"k": 9, "n": 70}
    ),
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
    packed_matmul("narrower-weight", ("n", 37), 37, 70, f32, weight=f16, n=13),
    packed_matmul("one-row-of-a-narrower-weight", (1, 70), 70, 130, f32, weight=f16),
    packed_matmul("weight-of-bf16", (2, "b", 33), 33, 65, f32, weight=bf16, b=3),
    packed_matmul("weight-of-f32", ("n", 9), 9, 65, f64, weight=f32, n=3),
    packed_matmul("narrower-weight-and-result", ("n", 9), 9, 65, f32, f16, f16, n=3),
    packed_matmul("integers", ("n", 8), 8, 65, i8, i32, n=3),
    packed_matmul("integers-of-their-own", ("n", 9), 9, 65, i8, n=13),
    packed_matmul("unsigned-by-signed", (31, 70), 70, 130, ui8, i32, i8),
    packed_matmul("signed-by-unsigned", ("n", 37), 37, 10, i8, i32, ui8, n=50),
    packed_matmul("unsigned", (2, "b", 67), 67, 64, ui8, i32, b=20),
    packed_matmul("one-row-of-bytes", (1, 131), 131, 100, ui8, i32, i8),
    packed_matmul("bytes-in-a-vector", (130,), 130, 65, i8, i32),
    Case("pack_weight-panels-of-16", packing.PackWeightOp, [Arg((5, 67))], in_panels(16), {"panel": 16}),
    Case("pack_weight-panels-of-32", packing.PackWeightOp, [Arg((5, 67))], in_panels(32), {"panel": 32}),
    Case("pack_weight-bytes-by-16", packing.PackWeightOp, [Arg((9, 67), i8)], grouped(4, 16), {"panel": 16}),
    Case("pack_weight-by-16", packing.PackWeightOp, [Arg(("k", "n"))], in_panels(16), {"panel": 16}, {"k": 9, "n": 70}),
    *(packed_matmul(f"{e}-by-16", ("n", 39), 39, 70, e, panel=16, n=15) for e in FLOATS),
    packed_matmul("by-32", ("n", 33), 33, 128, n=13, panel=32),
    packed_matmul("one-row-by-16", (1, 1031), 1031, 100, panel=16),
    packed_matmul("vector-by-16", (19,), 19, 100, panel=16),
    packed_matmul("one-step-by-16", (1, 1), 1, 100, panel=16),
    packed_matmul("one-row-of-a-narrower-weight-by-16", (1, 70), 70, 130, f32, weight=f16, panel=16),
    packed_matmul("unsigned-by-signed-by-16", (31, 70), 70, 130, ui8, i32, i8, panel=16),
    packed_matmul("one-row-of-bytes-by-16", (1, 131), 131, 100, ui8, i32, i8, panel=16),
    packed_matmul("few-bytes", (40, 3), 3, 100, i8, i32),
)
