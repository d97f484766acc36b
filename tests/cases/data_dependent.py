"""Cases of ops whose result dims depend on the data; the oracles walk over the elements one by one."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl.dialects.builtin import f32, f64, i8, i64
from xdsl_relax.dialects.relax.dtypes import ALL, ui8
from xdsl_relax.dialects.relax.ops import data_dependent as dd


def _sparse(rng, shape):
    return rng.integers(0, 2, shape)


def _with_nan(rng, shape):
    return np.resize(np.array([2.0, np.nan, -0.0, 0.0, -1.0, np.nan, 2.0, 0.5]), shape)


def _nonzero(x):
    places = [position for position in np.ndindex(x.shape) if x[position] != 0]
    if x.ndim == 0:
        return np.zeros((1, int(x != 0)), np.int64)
    return np.array(places, np.int64).reshape(-1, x.ndim).T


def _key(row):
    return tuple((np.isnan(value), 0.0 if np.isnan(value) else value + 0.0) for value in row)


def _unique(axis=None, in_order=True):
    def oracle(x):
        rows = list(x.reshape(-1, 1)) if axis is None else [row.ravel() for row in np.moveaxis(x, axis, 0)]
        groups: dict[tuple, list[int]] = {}
        for index, row in enumerate(rows):
            groups.setdefault(_key(row), []).append(index)
        keys = sorted(groups) if in_order else list(groups)
        first = np.array([groups[key][0] for key in keys], np.int64)
        inverse = np.array([keys.index(_key(row)) for row in rows], np.int64)
        counts = np.array([len(groups[key]) for key in keys], np.int64)
        distinct = x.reshape(-1)[first] if axis is None else np.take(x, first, axis)
        return distinct, first, inverse, counts

    return oracle


_ALL = {"return_index": True, "return_inverse": True, "return_counts": True}


def unique(name, arg, axis=None, in_order=True, **sizes):
    attrs = {**_ALL, "axis": axis, "sorted": in_order}
    return Case(f"unique-{name}", dd.UniqueOp, [arg], _unique(axis, in_order), attrs, sizes)


CASES = (
    *(Case(f"nonzero-{e}", dd.NonzeroOp, [Arg((3, "n"), e, _sparse)], _nonzero, sizes={"n": 4}) for e in ALL),
    Case("nonzero-cube", dd.NonzeroOp, [Arg((2, 3, 2), i8, _sparse)], _nonzero),
    Case("nonzero-nan", dd.NonzeroOp, [Arg((9,), f32, _with_nan)], _nonzero),
    Case("nonzero-scalar", dd.NonzeroOp, [Arg((), i64)], _nonzero),
    Case("nonzero-empty", dd.NonzeroOp, [Arg(("n",))], _nonzero, sizes={"n": 0}),
    Case("nonzero-all", dd.NonzeroOp, [Arg(("n",), f32, lambda rng, shape: np.ones(shape))], _nonzero, sizes={"n": 5}),
    *(unique(f"{e}", Arg(("n",), e, lambda rng, shape: rng.integers(0, 4, shape)), n=11) for e in ALL),
    unique("matrix", Arg((3, "n"), i8), n=5),
    unique("nan", Arg((13,), f64, _with_nan)),
    unique("arrival", Arg((13,), f32, _with_nan), None, False),
    unique("arrival-ints", Arg((4, 5), ui8), None, False),
    unique("empty", Arg(("n",)), n=0),
    unique("one", Arg((1,))),
    unique("rows", Arg(("n", 2), i8, _sparse), 0, n=9),
    unique("columns", Arg((2, 7), f32, _sparse), 1),
    unique("rows-arrival", Arg(("n", 2), i8, _sparse), 0, False, n=9),
    unique("rows-nan", Arg((8, 1), f32, _with_nan), 0),
    unique("middle", Arg((1, 6, 2), i64, _sparse), 1),
    Case("unique-plain", dd.UniqueOp, [Arg((7,), i8)], lambda x: np.unique(x)),
    Case("unique-counts", dd.UniqueOp, [Arg((7,), i8)], lambda x: np.unique(x, return_counts=True),
         {"return_counts": True}),
)  # fmt: skip
