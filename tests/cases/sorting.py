"""Cases of sorting; the oracle is torch's stable sort."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f32, f64, i1, i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ALL, ui8, ui64
from xdsl_relax.dialects.relax.ops import sorting as so

from cases.manipulate import on_torch

SPECIAL = np.array([3.0, np.nan, -0.0, np.inf, 0.0, -np.inf, np.nan, 3.0, 0.0, -1.5, -0.0])


def _special(rng, shape):
    return np.resize(SPECIAL, shape)


def _ties(rng, shape):
    return rng.integers(-5, 6, shape).astype(np.float64)


def _high_bits(rng, shape):
    return rng.choice(np.array([0, 1, 2**63, 2**64 - 1, 2**63 + 5], np.uint64), shape)


def _sort(axis=-1, descending=False, which=0):
    return on_torch(lambda t, x: t.sort(x, dim=axis, descending=descending, stable=True)[which])


def _topk(k, axis=-1, largest=True, which=slice(None)):
    def run(t, x):
        pair = t.sort(x, dim=axis, descending=largest, stable=True)
        return tuple(part.narrow(axis, 0, k).contiguous() for part in pair[which])

    return on_torch(run)


CASES = (
    *(Case(f"sort-{e}", so.SortOp, [Arg((2, "n"), e)], _sort(), sizes={"n": 13}) for e in ALL if e != ui64),
    *(Case(f"sort-down-{e}", so.SortOp, [Arg(("n", 3), e)], _sort(0, True), {"axis": 0, "descending": True}, {"n": 7})
      for e in (f32, i8, ui8)),
    *(Case(f"sort-special-{e}-{down}", so.SortOp, [Arg((11,), e, _special)], _sort(-1, down), {"descending": down})
      for e in FLOATS for down in (False, True)),
    *(Case(f"argsort-special-{down}", so.ArgsortOp, [Arg((11,), f64, _special)], _sort(-1, down, 1),
           {"descending": down}) for down in (False, True)),
    Case("argsort-ui64", so.ArgsortOp, [Arg((9,), ui64, _high_bits)],
         lambda x: np.argsort(x.astype(np.uint64), kind="stable")),
    *(Case(f"argsort-{n}", so.ArgsortOp, [Arg(("n",), i32)], _sort(which=1), {"dtype": i64}, {"n": n})
      for n in (0, 1, 2, 3, 64, 100)),
    Case("argsort-middle", so.ArgsortOp, [Arg((2, 5, 3), i8)], _sort(1, True, 1), {"axis": 1, "descending": True}),
    *(Case(f"argsort-many-{e}", so.ArgsortOp, [Arg((2, 300), e, _ties if e in FLOATS else None)], _sort(which=1),
           {"dtype": i64}) for e in ALL if e != ui64),
    Case("argsort-many-down", so.ArgsortOp, [Arg(("n", 3), f32, _special)], _sort(0, True, 1),
         {"axis": 0, "descending": True, "dtype": i64}, {"n": 131}),
    *(Case(f"argsort-few-{n}", so.ArgsortOp, [Arg((n,), f32, _ties)], _sort(which=1)) for n in (0, 1, 17, 64, 65)),
    Case("argsort-ui8", so.ArgsortOp, [Arg((5,), i1)], _sort(which=1), {"dtype": ui8}),
    Case("topk", so.TopKOp, [Arg((3, "n"))], _topk(4), {"k": 4}, {"n": 9}),
    Case("topk-default", so.TopKOp, [Arg((3, 5))], _topk(1)),
    Case("topk-smallest", so.TopKOp, [Arg((6, 2), i64)], _topk(3, 0, False), {"k": 3, "axis": 0, "largest": False}),
    Case("topk-all", so.TopKOp, [Arg((5,), i8)], _topk(5), {"k": 0, "dtype": i64}),
    Case("topk-beyond", so.TopKOp, [Arg(("n",), i8)], _topk(3), {"k": 9}, {"n": 3}),
    *(Case(f"topk-few-{e}-{largest}", so.TopKOp, [Arg((2, 1000), e)], _topk(7, largest=largest),
           {"k": 7, "largest": largest, "dtype": i64}) for e in (f32, f64, i1, i8, i64, ui8) for largest in (True, False)),
    *(Case(f"topk-few-special-{largest}", so.TopKOp, [Arg((197, 3), f32, _special)], _topk(2, 0, largest),
           {"k": 2, "axis": 0, "largest": largest}) for largest in (True, False)),
    Case("topk-equal", so.TopKOp, [Arg((5000,), f32, lambda rng, shape: np.ones(shape))], _topk(70), {"k": 70}),
    Case("topk-values", so.TopKOp, [Arg((11,), f32, _special)], _topk(4, which=slice(0, 1)),
         {"k": 4, "ret_type": "values"}),
    Case("topk-indices", so.TopKOp, [Arg((11,), f32, _special)], _topk(4, which=slice(1, 2)),
         {"k": 4, "ret_type": "indices"}),
)  # fmt: skip
