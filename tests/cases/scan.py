"""Cases of scans; the oracle is torch in float64 and int64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i32, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import INTEGERS, numpy_dtype, ui8
from xdsl_relax.dialects.relax.ops import scan

from cases.unary import within

_OPS = (("cumsum", scan.CumsumOp, 0), ("cumprod", scan.CumprodOp, 1))


def torch_scan(name, neutral, axis, exclusive, element, convert=lambda x: x):
    """Returns torch's scan as a function of arrays; integers wrap around in `element`."""

    def call(x):
        import torch

        data = torch.from_numpy(np.ascontiguousarray(convert(x)))
        place = 0 if axis is None else axis
        data = data.reshape(-1) if axis is None else data
        if exclusive and data.shape[place]:
            first = torch.full_like(data.narrow(place, 0, 1), neutral)
            data = torch.cat([first, data.narrow(place, 0, data.shape[place] - 1)], place)
        result = getattr(torch, name)(data, place).numpy()
        return result.astype(numpy_dtype(element)).astype(np.int64) if element in INTEGERS else result

    return call


def _case(entry, shape, axis, element: Attribute = f32, dtype=None, exclusive=False, values=None, convert=lambda x: x):
    name, op, neutral = entry
    label = f"{name}-{element}-{dtype}-{'x'.join(map(str, shape))}-{axis}-{exclusive}"
    oracle = torch_scan(name, neutral, axis, exclusive, dtype or element, convert)
    attrs = {"axis": axis, "dtype": dtype, "exclusive": exclusive or None}
    return Case(label, op, [Arg(shape, element, values)], oracle, attrs, {"n": 5, "z": 0})


def _truth(entry, shape, axis, exclusive):
    """A scan of truth values in their own type: whether one so far holds, or all."""
    name, op, neutral = entry
    combine = np.logical_or if neutral == 0 else np.logical_and

    def oracle(x):
        data = x.astype(bool).reshape(-1) if axis is None else x.astype(bool)
        along = np.moveaxis(data, 0 if axis is None else axis, 0)
        rows = np.concatenate([np.full_like(along[:1], bool(neutral)), along[:-1]]) if exclusive else along
        result = combine.accumulate(rows, axis=0).astype(np.int64)
        return np.moveaxis(result, 0, 0 if axis is None else axis)

    label = f"{name}-i1-i1-{'x'.join(map(str, shape))}-{axis}-{exclusive}"
    return Case(label, op, [Arg(shape, i1)], oracle, {"axis": axis, "exclusive": exclusive or None}, {"n": 5, "z": 0})


_SHAPES = (
    (("n",), 0),
    (("n", 3), 0),
    ((3, "n"), -1),
    ((2, "n", 3), 1),
    ((2, "n", 3), None),
    ((), None),
    (("z", 3), 0),
    ((3, "z"), None),
    ((1, 1), 1),
)

CASES = (
    *(
        _case(entry, shape, axis, element, exclusive=exclusive, values=within(-1.25, 1.25))
        for entry in _OPS
        for shape, axis in (
            ((2, 6, 5), 2),
            (("n", 1, 9), 2),
            ((2, "n", 3, 1), 1),
            ((3, 2, 4, 5), 1),
            ((0, 5), 1),
            ((5, 0), 0),
        )
        for element, exclusive in ((f32, False), (f16, True))
    ),
    *(
        _case(entry, shape, axis, exclusive=exclusive)
        for entry in _OPS
        for shape, axis in _SHAPES
        for exclusive in (False, True)
    ),
    *(_case(entry, (4, 3), 0, element, values=within(-2, 2)) for entry in _OPS for element in FLOATS if element != f32),
    *(_case(entry, ("n", 7), 1, element) for entry in _OPS for element in INTEGERS),
    *(
        _case(entry, (9,), 0, element, values=lambda rng, shape: np.full(shape, 100))
        for entry in _OPS
        for element in (i8, ui8, i32)
    ),
    _case(_OPS[0], ("n", 7), 1, i1, i32),
    _case(_OPS[1], ("n", 7), 1, i1, i64),
    *(
        _truth(entry, shape, axis, exclusive)
        for entry in _OPS
        for shape, axis in _SHAPES
        for exclusive in (False, True)
    ),
    _case(_OPS[0], ("n", 7), 1, i8, f32),
    _case(_OPS[0], ("n", 7), 1, i8, i64, values=lambda rng, shape: np.full(shape, 127)),
    _case(_OPS[0], ("n", 7), 1, f32, i32, values=within(-9, 9), convert=lambda x: np.trunc(x).astype(np.int64)),
    _case(_OPS[1], (3, 2), 0, f64, bf16, values=lambda rng, shape: np.full(shape, 1.5)),
    _case(_OPS[0], (6,), 0, f64, f16, exclusive=True, values=lambda rng, shape: np.full(shape, 0.5)),
    _case(_OPS[0], (600,), 0, bf16, values=lambda rng, shape: np.ones(shape)),
)
