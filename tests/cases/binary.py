"""Cases of the element-wise ops of two tensors; the oracle is torch in float64, or Python's own integers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1
from xdsl_relax.dialects.relax.dtypes import ALL, INTEGERS, numpy_dtype
from xdsl_relax.dialects.relax.ops import binary

from cases.unary import SPECIAL, half_of, integers, torch_of


def _numbers(pairing, low, high):
    """Returns a sampler of all pairs of special numbers (`pairing` makes one of the two sides), then of numbers in a range."""

    def make(rng, shape):
        pairs = pairing(SPECIAL, len(SPECIAL))
        return np.concatenate([pairs, rng.uniform(low, high, shape[0] - len(pairs))])

    return make


def _elementwise(element, function):
    """Returns a function of arrays from one of Python integers, whose results wrap around."""

    def call(x, y):
        dtype = numpy_dtype(element)
        x, y = (np.asarray(operand).astype(dtype) for operand in (x, y))
        x, y = np.broadcast_arrays(x, y)
        bits = 8 * dtype.itemsize
        numbers = [function(int(a), int(b), bits) % 2**bits for a, b in zip(x.flat, y.flat, strict=True)]
        return np.array(numbers, np.uint64).astype(dtype).astype(np.int64).reshape(x.shape)

    return call


def _divide(x, y, bits):
    return 0 if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def _mod(x, y, bits):
    return 0 if y == 0 else x - y * _divide(x, y, bits)


def _power(x, y, bits):
    if y < 0:
        return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    return pow(x, y, 2**bits)


def _left_shift(x, y, bits):
    return x << y if 0 <= y < bits else 0


def _right_shift(x, y, bits):
    return x >> (y if 0 <= y < bits else bits)


def _exact_mod(x, y):
    """Returns C's fmod, by Python's math module."""
    return np.vectorize(lambda a, b: math.nan if math.isinf(a) or b == 0 else math.fmod(a, b), otypes=[float])(x, y)


def _exact_floor_mod(x, y):
    rest = _exact_mod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def _exact_floor_divide(x, y):
    """Returns the quotient less what is over, by Python's fractions: that of floats may be rounded up to an integer."""

    def divide(a, b):
        if b == 0 or not math.isfinite(a) or not math.isfinite(b):
            return float(np.floor_divide(a, b))
        quotient = Fraction(a) / Fraction(b)
        return math.floor(quotient) or math.copysign(0.0, a) * math.copysign(1.0, b)

    return np.vectorize(divide, otypes=[float])(x, y)


# Name, op, oracle (default: torch's function of that name), range of the operands.
_FLOATS = (
    ("add", binary.AddOp, None, (-9, 9)),
    ("subtract", binary.SubtractOp, None, (-9, 9)),
    ("multiply", binary.MultiplyOp, None, (-9, 9)),
    ("divide", binary.DivideOp, None, (1, 9)),
    ("power", binary.PowerOp, torch_of("pow"), (0.1, 3)),
    ("mod", binary.ModOp, _exact_mod, (-9, 9)),
    ("floor_mod", binary.FloorModOp, _exact_floor_mod, (-9, 9)),
    ("maximum", binary.MaximumOp, None, (-9, 9)),
    ("minimum", binary.MinimumOp, None, (-9, 9)),
    ("log_add_exp", binary.LogAddExpOp, torch_of("logaddexp"), (-9, 9)),
    ("equal", binary.EqualOp, torch_of("eq"), (-9, 9)),
    ("not_equal", binary.NotEqualOp, torch_of("ne"), (-9, 9)),
    ("less", binary.LessOp, torch_of("lt"), (-9, 9)),
    ("less_equal", binary.LessEqualOp, torch_of("le"), (-9, 9)),
    ("greater", binary.GreaterOp, torch_of("gt"), (-9, 9)),
    ("greater_equal", binary.GreaterEqualOp, torch_of("ge"), (-9, 9)),
)

_INTEGERS = (
    ("add", binary.AddOp, lambda x, y, bits: x + y),
    ("subtract", binary.SubtractOp, lambda x, y, bits: x - y),
    ("multiply", binary.MultiplyOp, lambda x, y, bits: x * y),
    ("divide", binary.DivideOp, _divide),
    ("floor_divide", binary.FloorDivideOp, lambda x, y, bits: x // y if y else 0),
    ("power", binary.PowerOp, _power),
    ("mod", binary.ModOp, _mod),
    ("floor_mod", binary.FloorModOp, lambda x, y, bits: x % y if y else 0),
    ("maximum", binary.MaximumOp, lambda x, y, bits: max(x, y)),
    ("minimum", binary.MinimumOp, lambda x, y, bits: min(x, y)),
    ("bitwise_and", binary.BitwiseAndOp, lambda x, y, bits: x & y),
    ("bitwise_or", binary.BitwiseOrOp, lambda x, y, bits: x | y),
    ("bitwise_xor", binary.BitwiseXorOp, lambda x, y, bits: x ^ y),
    ("left_shift", binary.LeftShiftOp, _left_shift),
    ("right_shift", binary.RightShiftOp, _right_shift),
)

_COMPARE = (
    ("equal", binary.EqualOp, lambda x, y: x == y),
    ("not_equal", binary.NotEqualOp, lambda x, y: x != y),
    ("less", binary.LessOp, lambda x, y: x < y),
    ("less_equal", binary.LessEqualOp, lambda x, y: x <= y),
    ("greater", binary.GreaterOp, lambda x, y: x > y),
    ("greater_equal", binary.GreaterEqualOp, lambda x, y: x >= y),
)

_BOOLEANS = (
    ("logical_and", binary.LogicalAndOp, lambda x, y: x & y),
    ("logical_or", binary.LogicalOrOp, lambda x, y: x | y),
    ("logical_xor", binary.LogicalXorOp, lambda x, y: x ^ y),
    ("bitwise_and", binary.BitwiseAndOp, lambda x, y: x & y),
    ("bitwise_or", binary.BitwiseOrOp, lambda x, y: x | y),
    ("bitwise_xor", binary.BitwiseXorOp, lambda x, y: x ^ y),
)


def _edges(element, pairing):
    """Returns a sampler of all pairs of a type's ends and small numbers (`pairing` makes one side), then of random numbers."""

    def make(rng, shape):
        limits = np.iinfo(numpy_dtype(element))
        negative = [-1, -2, -3, -8] if limits.min else []
        operands = [0, 1, 2, 3, 7, 8, 31, 64, limits.max, limits.min, limits.min + 1, *negative]
        pairs = pairing(np.array(operands, object).astype(numpy_dtype(element)), len(operands))
        return np.concatenate([pairs, integers(element)(rng, (shape[0] - len(pairs),)).astype(pairs.dtype)])

    return make


def _exactly(element, function):
    """Returns a comparison of the numbers that an element type gives the bits of int64 arrays."""
    return lambda x, y: function(x.astype(numpy_dtype(element)), y.astype(numpy_dtype(element))).astype(np.int64)


def _broadcast_cases():
    shapes = (
        ((3, 1, 5), (4, 1)),
        ((), (2, 3)),
        (("n", 4), (4,)),
        ((1,), ("n",)),
        ((0, 3), (1, 3)),
        (("n", 1, "m"), (1, 2, "m")),
        ((1, 1), (1,)),
    )
    for index, (lhs, rhs) in enumerate(shapes):
        args = [Arg(lhs, f32), Arg(rhs, f32)]
        yield Case(f"subtract-broadcast-{index}", binary.SubtractOp, args, np.subtract, sizes={"n": 3, "m": 2})


def _where_cases():
    for element in ALL:
        args = [Arg(("n", 3), i1), Arg(("n", 3), element), Arg(("n", 3), element)]
        yield Case(f"where-{element}", binary.WhereOp, args, np.where, sizes={"n": 5})
    shapes = ((3, 1), (1, 4), ()), ((), ("n",), (1,)), ((2, 1, 1), (3,), (4, 1))
    for index, (condition, x1, x2) in enumerate(shapes):
        args = [Arg(condition, i1), Arg(x1), Arg(x2)]
        yield Case(f"where-broadcast-{index}", binary.WhereOp, args, np.where, sizes={"n": 3})


CASES = (
    *(
        Case(
            f"{name}-{element}",
            op,
            [Arg(("n",), element, _numbers(np.repeat, *domain)), Arg(("n",), element, _numbers(np.tile, *domain))],
            oracle or torch_of(name),
            sizes={"n": 300},
        )
        for name, op, oracle, domain in _FLOATS
        for element in FLOATS
    ),
    *(
        Case(
            f"floor_divide-{element}",
            binary.FloorDivideOp,
            [
                Arg((9,), element, lambda rng, shape: np.arange(-4, 5) * 1.5),
                Arg((1,), element, lambda rng, shape, value=value: [value]),
            ],
            _exact_floor_divide,
        )
        for element, value in ((f32, 2), (f64, -2), (f16, 0.5), (bf16, 0), (f32, np.nan), (f32, 0.1))
    ),
    *(
        Case(
            f"{name}-{element}-large-quotient",
            op,
            [
                Arg(("n",), element, lambda rng, shape: rng.standard_normal(shape) * 2.0 ** rng.integers(0, 15, shape)),
                Arg(
                    ("n",), element, lambda rng, shape: rng.standard_normal(shape) * 2.0 ** rng.integers(-14, 0, shape)
                ),
            ],
            oracle,
            sizes={"n": 300},
        )
        for name, op, oracle in (
            ("mod", binary.ModOp, _exact_mod),
            ("floor_mod", binary.FloorModOp, _exact_floor_mod),
            ("floor_divide", binary.FloorDivideOp, _exact_floor_divide),
        )
        for element in FLOATS
    ),
    *(
        Case(
            f"{name}-{element}",
            op,
            [Arg(("n",), element, _edges(element, np.repeat)), Arg(("n",), element, _edges(element, np.tile))],
            _elementwise(element, oracle),
            sizes={"n": 260},
        )
        for index, (name, op, oracle) in enumerate(_INTEGERS)
        for element in half_of(INTEGERS, index)
    ),
    *(
        Case(
            f"{name}-{element}",
            op,
            [Arg((260,), element, _edges(element, np.repeat)), Arg((260,), element, _edges(element, np.tile))],
            _exactly(element, oracle),
        )
        for index, (name, op, oracle) in enumerate(_COMPARE)
        for element in half_of(INTEGERS, index)
    ),
    *(Case(f"{name}-i1", op, [Arg((9,), i1), Arg((9,), i1)], oracle) for name, op, oracle in _COMPARE),
    *(
        Case(f"{name}-i1", op, [Arg(("n", 5), i1), Arg((5,), i1)], oracle, sizes={"n": 6})
        for name, op, oracle in _BOOLEANS
    ),
    *_broadcast_cases(),
    *_where_cases(),
)
