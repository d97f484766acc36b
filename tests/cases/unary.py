"""Cases of the element-wise ops of one tensor; the oracle is torch in float64, or integers of Python's width wrapped around."""

from __future__ import annotations

import struct

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ALL, INTEGERS, NUMERIC, numpy_dtype, ui8, ui32, ui64
from xdsl_relax.dialects.relax.ops import unary

SPECIAL = np.array([0.0, -0.0, 1e-7, -1e-7, 0.3, -0.5, 0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 20.0, np.inf, -np.inf, np.nan])


def torch_of(name, **options):
    """Returns a function of torch as a function of float64 arrays."""

    def call(*arrays):
        import torch

        return getattr(torch, name)(*[torch.from_numpy(np.asarray(array)) for array in arrays], **options).numpy()

    return call


def wrapped(element, function):
    """Returns a function of integers whose results wrap around in an element type."""
    return lambda *arrays: np.asarray(function(*arrays)).astype(numpy_dtype(element)).astype(np.int64)


def within(low, high):
    """Returns a sampler of numbers in a range, evenly spread."""
    return lambda rng, shape: rng.uniform(low, high, shape)


def with_special(low, high):
    """Returns a sampler of the special numbers, then of numbers in a range."""
    return lambda rng, shape: np.concatenate([SPECIAL, rng.uniform(low, high, shape[0] - len(SPECIAL))])


def half_of(elements, index):
    """Returns every other element type, so that neighbors in a table of ops have them all together."""
    return elements[index % 2 :: 2]


def special(rng, shape):
    """Returns numbers where formulas break, repeated."""
    return np.resize(SPECIAL, shape)


def integers(element):
    """Returns a sampler of integers over the whole range of a type, with both ends (of 62 bits at most)."""

    def make(rng, shape):
        limits = np.iinfo(numpy_dtype(element))
        low, high = max(limits.min, -(2**62)), min(limits.max, 2**62)
        values = rng.integers(low, high, shape, dtype=np.int64, endpoint=True)
        edges = np.array([limits.min, limits.min + 1, 0, 1, 5, min(limits.max, 2**63 - 1)]).astype(np.int64)
        values.reshape(-1)[: min(6, values.size)] = edges[: min(6, values.size)]
        return values

    return make


# Name, op, range of the arguments, oracle (default: torch's function of that name).
_FLOATS = (
    ("abs", unary.AbsOp, (-5, 5), None),
    ("acos", unary.AcosOp, (-1, 1), None),
    ("acosh", unary.AcoshOp, (1, 9), None),
    ("asin", unary.AsinOp, (-1, 1), None),
    ("asinh", unary.AsinhOp, (-9, 9), None),
    ("atan", unary.AtanOp, (-9, 9), None),
    ("atanh", unary.AtanhOp, (-1, 1), None),
    ("ceil", unary.CeilOp, (-9, 9), None),
    ("cos", unary.CosOp, (-9, 9), None),
    ("cosh", unary.CoshOp, (-9, 9), None),
    ("erf", unary.ErfOp, (-4, 4), None),
    ("exp", unary.ExpOp, (-9, 9), None),
    ("floor", unary.FloorOp, (-9, 9), None),
    ("log", unary.LogOp, (0, 9), None),
    ("negative", unary.NegativeOp, (-9, 9), None),
    ("round", unary.RoundOp, (-9, 9), None),
    ("rsqrt", unary.RsqrtOp, (0, 9), None),
    ("sigmoid", unary.SigmoidOp, (-9, 9), None),
    ("sign", unary.SignOp, (-9, 9), None),
    ("sin", unary.SinOp, (-9, 9), None),
    ("sinh", unary.SinhOp, (-9, 9), None),
    ("sqrt", unary.SqrtOp, (0, 9), None),
    ("square", unary.SquareOp, (-9, 9), None),
    ("tan", unary.TanOp, (-1.5, 1.5), None),
    ("tanh", unary.TanhOp, (-4, 4), None),
    ("isfinite", unary.IsFiniteOp, (-9, 9), None),
    ("isinf", unary.IsInfOp, (-9, 9), None),
    ("isnan", unary.IsNanOp, (-9, 9), None),
)

_INTEGERS = (
    ("abs", unary.AbsOp, np.abs),
    ("ceil", unary.CeilOp, np.positive),
    ("floor", unary.FloorOp, np.positive),
    ("round", unary.RoundOp, np.positive),
    ("negative", unary.NegativeOp, np.negative),
    ("sign", unary.SignOp, np.sign),
    ("square", unary.SquareOp, np.square),
    ("bitwise_not", unary.BitwiseNotOp, np.invert),
)

_CHECKS = (
    ("isfinite", unary.IsFiniteOp, np.ones_like),
    ("isinf", unary.IsInfOp, np.zeros_like),
    ("isnan", unary.IsNanOp, np.zeros_like),
)


def _saturated(element):
    """Returns float to integer conversion by Python's own integers."""
    limits = np.iinfo(numpy_dtype(element))

    def number(value):
        if np.isnan(value):
            return 0
        if np.isinf(value):
            return limits.max if value > 0 else limits.min
        return min(max(int(value), limits.min), limits.max)

    return lambda x: (
        np.array([number(value) for value in x.flat], object)
        .astype(np.uint64 if limits.max > 2**63 else np.int64)
        .astype(np.int64)
        .reshape(x.shape)
    )


def _astype_oracle(source, target):
    if target == i1:
        return lambda x: (x != 0).astype(np.int64)
    if target in FLOATS:
        return lambda x: x.astype(np.float64)
    return _saturated(target) if source in FLOATS else wrapped(target, np.positive)


def _wide_floats(element):
    """Returns a sampler of numbers that no integer type holds, as far as the element type does."""

    def make(rng, shape):
        values = np.concatenate([[-0.7, 0.7, 300.5, -300.5, 1e5, -1e5, 3e9, -3e9, 1e19, -1e19], SPECIAL])
        with np.errstate(over="ignore"):
            return np.resize(values.astype(numpy_dtype(element)).astype(np.float64), shape)

    return make


def _small(rng, shape):
    return rng.integers(0, 100, shape)


def _astype_case(source, target):
    values = _wide_floats(source) if source in FLOATS else None if source == i1 else integers(source)
    if target == f16 and source in INTEGERS:
        values = _small
    return Case(
        f"astype-{source}-{target}",
        unary.AsTypeOp,
        [Arg(("n", 9), source, values)],
        _astype_oracle(source, target),
        {"dtype": target},
        {"n": 3},
    )


_LETTERS = {"f64": "d", "f32": "f", "f16": "e", "8": "b", "16": "h", "32": "i", "64": "q"}


def _letter(element):
    """Returns the letter of `struct` for an element type; that of a signed integer for all of them."""
    return _LETTERS[str(element).lstrip("u").removeprefix("i") if element in INTEGERS else str(element)]


def _packed(value, element):
    if element == bf16:
        return struct.pack("<f", value)[2:]
    if element in INTEGERS:
        bits = numpy_dtype(element).itemsize * 8
        value = (int(value) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return struct.pack("<" + _letter(element), value)


def _unpacked(data, element):
    if element == bf16:
        return struct.unpack("<f", b"\0\0" + data)[0]
    (value,) = struct.unpack("<" + _letter(element), data)
    return value % (1 << (8 * len(data))) if str(element).startswith("ui") and len(data) < 8 else value


def _bitcast_case(source, target):
    def oracle(x):
        return np.array([_unpacked(_packed(value, source), target) for value in x.flat]).reshape(x.shape)

    def bits(rng, shape):
        dtype = numpy_dtype(source)
        values = rng.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8).view(dtype).reshape(shape)
        return np.where(values == values, values, 1).astype(dtype)

    return Case(
        f"bitcast-{source}-{target}",
        unary.BitcastOp,
        [Arg(("n", 9), source, bits)],
        oracle,
        {"dtype": target},
        {"n": 3},
    )


_BITCASTS = [
    (source, target)
    for source in NUMERIC
    for target in NUMERIC
    if numpy_dtype(source).itemsize == numpy_dtype(target).itemsize
]

_CLIPS = (
    (f32, special, -0.5, 1.5),
    (f64, special, -0.5, float("inf")),
    (f16, special, -1, 1),
    (bf16, special, 2.0, -1.0),
    (i8, integers(i8), -5, 1000),
    (ui8, integers(ui8), -5, 200),
    (ui8, integers(ui8), 7, 3),
    (i32, integers(i32), -100, 100),
    (ui32, integers(ui32), 10, 2**40),
    (i64, integers(i64), -(2**40), 2**40),
    (ui64, integers(ui64), 5, 2**40),
)


def _clip(element, low, high):
    def call(x):
        if element in INTEGERS:
            limits = np.iinfo(numpy_dtype(element))
            bounds = [min(max(bound, limits.min), limits.max) for bound in (low, high)]
        else:
            bounds = [float(np.asarray(bound).astype(numpy_dtype(element))) for bound in (low, high)]
        return np.minimum(np.maximum(x, bounds[0]), bounds[1])

    return call


CASES = (
    *(
        Case(
            f"{name}-{element}",
            op,
            [Arg(("n",), element, with_special(*domain))],
            oracle or torch_of(name),
            sizes={"n": 37},
        )
        for name, op, domain, oracle in _FLOATS
        for element in FLOATS
    ),
    *(
        Case(
            f"{name}-{element}",
            op,
            [Arg((2, "n"), element, integers(element))],
            wrapped(element, oracle),
            sizes={"n": 5},
        )
        for index, (name, op, oracle) in enumerate(_INTEGERS)
        for element in half_of(INTEGERS, index)
    ),
    *(
        Case(f"{name}-{element}", op, [Arg((3,), element)], oracle)
        for name, op, oracle in _CHECKS
        for element in (i8, ui64)
    ),
    Case("bitwise_not-i1", unary.BitwiseNotOp, [Arg((7,), i1)], lambda x: 1 - x),
    Case("logical_not", unary.LogicalNotOp, [Arg(("n", 7), i1)], lambda x: 1 - x, sizes={"n": 2}),
    *(
        Case(
            f"clip-{index}",
            unary.ClipOp,
            [Arg((17,), element, values)],
            _clip(element, low, high),
            {"min": low, "max": high},
        )
        for index, (element, values, low, high) in enumerate(_CLIPS)
    ),
    *(_astype_case(source, target) for source in ALL for target in ALL),
    *(_bitcast_case(source, target) for source, target in _BITCASTS),
    *(
        Case(f"exp-shape-{index}", unary.ExpOp, [Arg(shape, f32)], np.exp, sizes={"n": 0, "m": 1})
        for index, shape in enumerate([(), (0,), (1,), ("n", 4), (3, "n", 2), ("m", "m"), (1, 1, 1, 1, 5)])
    ),
)
