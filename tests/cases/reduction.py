"""Cases of reductions; the oracle is torch in float64 and int64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import INTEGERS, numpy_dtype, ui8, ui64
from xdsl_relax.dialects.relax.ops import reduction

from cases.unary import special, within, wrapped

# Name, op, torch's name for it, its options.
_FLOATS = (
    ("sum", reduction.SumOp, "sum", {}),
    ("prod", reduction.ProdOp, "prod", {}),
    ("mean", reduction.MeanOp, "mean", {}),
    ("max", reduction.MaxOp, "amax", {}),
    ("min", reduction.MinOp, "amin", {}),
    ("variance", reduction.VarianceOp, "var", {"correction": 0}),
    ("std", reduction.StdOp, "std", {"correction": 0}),
)
_INTEGERS = tuple(entry for entry in _FLOATS if entry[0] in ("sum", "prod", "max", "min"))
_PLACES = (("argmax", reduction.ArgMaxOp), ("argmin", reduction.ArgMinOp))

# Dims, axis, keepdims.
_FORMS = (
    (("n", 7), (1,), False),
    (("n", 7), (0,), True),
    (("n", 7), None, False),
    (("n", 3, 5), (2, 0), False),
    ((2, "n", 5), (-1, -2), True),
    ((2, "n", 5), None, True),
    ((), None, False),
    ((1, 4), (0,), False),
    ((3, 4), (), True),
)


def torch_reduction(name, axis, keepdims, options):
    """Returns one of torch's reductions over a list of axes as a function of arrays."""

    def call(x):
        import torch

        result = torch.from_numpy(np.asarray(x))
        axes = tuple(range(result.ndim)) if axis is None else axis
        if name == "prod":
            # torch multiplies over one axis only.
            for dim in sorted((place % result.ndim for place in axes), reverse=True):
                result = torch.prod(result, dim, keepdim=keepdims)
            return result.numpy()
        if not axes:
            return {"mean": x, "sum": x, "amax": x, "amin": x}.get(name, x * 0)
        return getattr(torch, name)(result, dim=axes, keepdim=keepdims, **options).numpy()

    return call


def _attrs(axis, keepdims):
    return {"axis": axis, "keepdims": keepdims or None}


def _case(label, op, name, options, form, element: Attribute = f32, values=None, sizes=None, wrap=False):
    shape, axis, keepdims = form
    oracle = torch_reduction(name, axis, keepdims, options)
    return Case(
        f"{label}-{element}-{'x'.join(map(str, shape))}-{axis}-{keepdims}",
        op,
        [Arg(shape, element, values)],
        wrapped(element, oracle) if wrap else oracle,
        _attrs(axis, keepdims),
        sizes or {"n": 4},
    )


def _torch_place(name, axis, keepdims):
    def call(x):
        import torch

        tensor = torch.from_numpy(np.asarray(x))
        if axis is None:
            result = getattr(torch, name)(tensor.reshape(-1), dim=0)
            return result.reshape([1] * tensor.ndim if keepdims else []).numpy()
        return getattr(torch, name)(tensor, dim=axis, keepdim=keepdims).numpy()

    return call


def _with_nan(rng, shape):
    values = rng.standard_normal(shape)
    values[..., 3:5] = np.nan
    return values


def _place_case(name, op, shape, axis, keepdims, element: Attribute = f32, values=None, size=4):
    return Case(
        f"{name}-{element}-{'x'.join(map(str, shape))}-{axis}-{keepdims}{'-special' if values else ''}",
        op,
        [Arg(shape, element, values)],
        _torch_place(name, axis, keepdims),
        {"axis": axis, "keepdims": keepdims or None},
        {"n": size},
    )


def _tied(rng, shape):
    """Returns few different numbers in long rows: ties, zeros of both signs, in every third row NaN, and one row of the least number."""
    values = rng.choice(np.array([-2.0, -0.0, 0.0, 1.0, 1.0, np.inf, -np.inf]), shape)
    values[::3, 70:75] = np.nan
    values[1] = -np.inf
    values[2] = np.inf
    return values


def _first_place(name, shape, axis, element):
    """A case whose oracle is numpy, which finds the first of equals and of NaN."""
    integer = element in INTEGERS
    values = (lambda rng, shape: rng.choice([0, 1, 100], shape)) if integer else _tied
    oracle = lambda x: np.asarray(getattr(np, name)(x, axis))  # noqa: E731
    label = f"{name}-first-{element}-{'x'.join(map(str, shape))}-{axis}"
    return Case(label, dict(_PLACES)[name], [Arg(shape, element, values)], oracle, {"axis": axis}, {"n": 131})


def _wide(element):
    """Returns a sampler of integers that overflow when added."""
    return lambda rng, shape: rng.integers(0, np.iinfo(numpy_dtype(element)).max // 2, shape)


def _empty_oracle(value):
    return lambda x: np.full(3, value)


_EMPTY = (
    ("sum", reduction.SumOp, f32, 0.0),
    ("prod", reduction.ProdOp, f16, 1.0),
    ("mean", reduction.MeanOp, f32, np.nan),
    ("max", reduction.MaxOp, f32, -np.inf),
    ("min", reduction.MinOp, bf16, np.inf),
    ("variance", reduction.VarianceOp, f64, np.nan),
    ("max", reduction.MaxOp, i8, -128),
    ("min", reduction.MinOp, ui8, 255),
    ("argmax", reduction.ArgMaxOp, f32, 0),
)


def _truth(op, shape, axis, keepdims, size=4):
    """A case of an extreme of truth values."""

    def oracle(x):
        function = np.any if op is reduction.MaxOp else np.all
        return function(x, axis=axis, keepdims=keepdims).astype(np.int64)

    label = f"{op.name.removeprefix('relax.')}-i1-{'x'.join(map(str, shape))}-{axis}-{keepdims}-{size}"
    truths = lambda rng, shape: rng.random(shape) < (0.1 if op is reduction.MaxOp else 0.9)  # noqa: E731
    return Case(label, op, [Arg(shape, i1, truths)], oracle, _attrs(axis, keepdims), {"n": size})


# Rows that are long enough for more partial results, with a rest and NaN.
_LONG = ((7, 1103), (1,), False)

# Larger than a vector register, with a rest.
_LARGE = ((("n", 133), (1,), False), (("n", 133), (0,), False), ((3, "n", 19), (0, 2), True), (("n", 133), None, False))

CASES = (
    *(
        _truth(op, *form, size=size)
        for op in (reduction.MaxOp, reduction.MinOp)
        for form in _FORMS
        for size in ((0, 4, 133) if form[0] == ("n", 7) else (4,))
    ),
    *(
        _case(label, op, name, options, form, element, within(-1.1, 1.1), {"n": 37})
        for label, op, name, options in _FLOATS
        if label != "prod"
        for form, element in zip(_LARGE, (f32, f32, f64, f16), strict=True)
    ),
    *(
        _place_case(name, op, shape, axis, False, f32, size=37)
        for name, op in _PLACES
        for shape in (("n", 133),)
        for axis in (1, 0, None)
    ),
    *(
        _case(label, op, name, options, _LONG, f32, _tied)
        for label, op, name, options in _FLOATS
        if label in ("max", "min")
    ),
    *(_case(label, op, name, options, form) for label, op, name, options in _FLOATS for form in _FORMS),
    *(
        _case(label, op, name, options, (("n", 9), (1,), False), element, within(-2, 2))
        for label, op, name, options in _FLOATS
        for element in FLOATS
        if element != f32
    ),
    *(
        _case(label, op, name, options, (("n", 2), (1,), False), element, special, {"n": 16})
        for label, op, name, options in _FLOATS
        for element in (f32, f64)
    ),
    *(
        _case(label, op, name, options, ((3, "n"), (1,), False), element, wrap=True)
        for label, op, name, options in _INTEGERS
        for element in INTEGERS
    ),
    *(
        _case(label, op, name, options, ((5, "n"), (0, 1), False), element, _wide(element), wrap=True)
        for label, op, name, options in _INTEGERS
        for element in (i16, i32, ui8)
    ),
    Case(
        "sum-f16-f32-accumulator",
        reduction.SumOp,
        [Arg((4096,), f16, lambda rng, shape: np.ones(shape))],
        lambda x: np.float64(4096),
    ),
    *(
        _place_case(name, op, shape, axis, keepdims)
        for name, op in _PLACES
        for shape, axis, keepdims in (
            (("n", 7), 1, False),
            (("n", 7), 0, True),
            (("n", 7), None, False),
            ((2, "n", 5), -2, False),
            ((2, "n", 5), None, True),
            ((), None, False),
            ((1, 3), 0, False),
        )
    ),
    *(
        _place_case(name, op, ("n", 9), 1, False, element)
        for name, op in _PLACES
        for element in (f64, f16, bf16, i8, i64, ui8, ui64)
    ),
    *(
        _first_place(name, shape, axis, element)
        for name, _ in _PLACES
        for shape, axis, element in (
            *(((6, "n"), 1, element) for element in (f32, f64, f16, i8, ui8, i64)),
            (("n", 90), 0, f32),
            ((7, 200), 1, f32),
            ((7, 1103), 1, f32),
            ((7, 1103), 1, i32),
            ((4, "n"), None, f32),
        )
    ),
    *(_place_case(name, op, ("n", 9), axis, False, f32, _with_nan) for name, op in _PLACES for axis in (1, None)),
    *(
        Case(
            f"{name}-{element}-empty",
            op,
            [Arg((3, "n"), element)],
            _empty_oracle(value),
            {"axis": 1 if name == "argmax" else (1,)},
            {"n": 0},
        )
        for name, op, element, value in _EMPTY
    ),
)
