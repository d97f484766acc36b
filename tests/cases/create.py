"""Cases of the creation of tensors; the oracle is torch and numpy in float64 and int64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ALL, ui8, ui32
from xdsl_relax.dialects.relax.ops import create

_SIZES = {"n": 5, "m": 3, "z": 0, "one": 1}


def _shape(*dims):
    return Arg(dims, shape_value=True)


def _arange(start, end, step):
    """Returns numbers by counting, independently of any formula for how many there are."""
    numbers, value, index = [], start, 0
    while (value < end) if step > 0 else (value > end):
        numbers.append(value)
        index += 1
        value = start + index * step
    return np.array(numbers, np.float64 if isinstance(start + step, float) else np.int64)


def _torch_hamming(size, periodic, alpha, beta):
    import torch

    return torch.hamming_window(size, periodic, alpha, beta, dtype=torch.float64).numpy()


_INTEGER_RANGES = ((0, 10, 1), (3, 11, 2), (10, 0, -1), (10, 1, -3), (5, 5, 1), (5, 0, 1), (-4, 4, 3), (0, 1, 100))
_FLOAT_RANGES = ((0.0, 1.0, 0.25), (1.0, -1.0, -0.3), (0.0, 0.9, 0.1), (2.0, 1.0, 0.5))

CASES = (
    *(
        Case(f"zeros-{element}", create.ZerosOp, [_shape("n", 2)], lambda s: np.zeros(s), {"dtype": element}, _SIZES)
        for element in ALL
    ),
    *(
        Case(f"ones-{element}", create.OnesOp, [_shape(3, "n")], lambda s: np.ones(s), {"dtype": element}, _SIZES)
        for element in ALL
    ),
    Case("zeros-scalar", create.ZerosOp, [_shape()], lambda s: np.zeros(s), {"dtype": f32}),
    Case("ones-empty", create.OnesOp, [_shape("z", 2)], lambda s: np.ones(s), {"dtype": f32}, _SIZES),
    *(
        Case(
            f"full-{element}", create.FullOp, [_shape("n", 2), Arg((), element)], lambda s, v: np.full(s, v), {}, _SIZES
        )
        for element in ALL
    ),
    Case(
        "full-converted",
        create.FullOp,
        [_shape(4), Arg((), f32, lambda rng, shape: 300.7)],
        lambda s, v: np.full(s, 255),
        {"dtype": ui8},
    ),
    Case(
        "full-to-bool",
        create.FullOp,
        [_shape(4), Arg((), i32, lambda rng, shape: 256)],
        lambda s, v: np.full(s, 1),
        {"dtype": i1},
    ),
    *(
        Case(f"zeros_like-{element}", create.ZerosLikeOp, [Arg(("n", 3), element)], np.zeros_like, {}, _SIZES)
        for element in (f32, i8, i1)
    ),
    *(
        Case(f"ones_like-{element}", create.OnesLikeOp, [Arg(("n", 3), element)], np.ones_like, {}, _SIZES)
        for element in (bf16, ui32, i1)
    ),
    Case("ones_like-dtype", create.OnesLikeOp, [Arg(("n",), f32)], np.ones_like, {"dtype": i64}, _SIZES),
    Case(
        "full_like", create.FullLikeOp, [Arg(("n", 3), f16), Arg((), f32)], lambda x, v: np.full_like(x, v), {}, _SIZES
    ),
    Case(
        "full_like-dtype",
        create.FullLikeOp,
        [Arg((2, "n"), f16), Arg((), i32)],
        lambda x, v: np.full(x.shape, v),
        {"dtype": i32},
        _SIZES,
    ),
    *(
        Case(
            f"arange-{start}-{end}-{step}",
            create.ArangeOp,
            [],
            lambda bounds=(start, end, step): _arange(*bounds),
            {"start": start, "end": end, "step": step},
        )
        for start, end, step in (*_INTEGER_RANGES, *_FLOAT_RANGES)
    ),
    *(
        Case(
            f"arange-{element}",
            create.ArangeOp,
            [],
            lambda: _arange(1, 20, 3),
            {"start": 1, "end": 20, "step": 3, "dtype": element},
        )
        for element in ALL
        if element != i1
    ),
    Case("arange-end", create.ArangeOp, [], lambda: np.arange(4), {"end": 4}),
    Case("arange-symbol", create.ArangeOp, [_shape(0, "n", 1)], lambda s: _arange(*s), {}, _SIZES),
    Case("arange-symbol-step", create.ArangeOp, [_shape("m", 17, 4)], lambda s: _arange(*s), {"dtype": f32}, _SIZES),
    Case("arange-symbol-empty", create.ArangeOp, [_shape("n", "m", 1)], lambda s: _arange(*s), {}, _SIZES),
    Case("arange-symbol-down", create.ArangeOp, [_shape("n", 0, -2)], lambda s: _arange(*s), {}, _SIZES),
    *(
        Case(
            f"eye-{dims}-{k}",
            create.EyeOp,
            [_shape(*dims)],
            lambda s, k=k: np.eye(s[0], s[1] if len(s) > 1 else None, k),
            {"k": k},
            _SIZES,
        )
        for dims in (("n", "n"), ("n", 3), (2, "m"), ("z", 3))
        for k in (0, 1, -2, 9)
    ),
    *(
        Case(f"eye-{element}", create.EyeOp, [_shape(3, 4)], lambda s: np.eye(*s), {"dtype": element})
        for element in ALL
    ),
    *(
        Case(
            f"eye_like-{k}",
            create.EyeLikeOp,
            [Arg(("n", 4), f64)],
            lambda x, k=k: np.eye(x.shape[0], x.shape[1], k or 0),
            {"k": k, "dtype": i8},
            _SIZES,
        )
        for k in (None, -1, 2)
    ),
    *(
        Case(f"{name}-{dims}-{k}", op, [Arg(dims)], lambda x, k=k, oracle=oracle: oracle(x, k or 0), {"k": k}, _SIZES)
        for name, op, oracle in (("tril", create.TrilOp, np.tril), ("triu", create.TriuOp, np.triu))
        for dims in (("n", 4), (2, "n", 3), ("z", 2), (1, 1))
        for k in (None, 1, -2, 9)
    ),
    *(
        Case(f"{name}-far-{k}", op, [Arg((3, 4))], lambda x, all_=all_: x * all_, {"k": k})
        for name, op, k, all_ in (
            ("tril", create.TrilOp, (1 << 63) - 1, 1),
            ("tril", create.TrilOp, -1 << 63, 0),
            ("triu", create.TriuOp, -1 << 63, 1),
            ("triu", create.TriuOp, (1 << 63) - 1, 0),
        )
    ),
    *(
        Case(f"{name}-{element}", op, [Arg((3, 3), element)], oracle)
        for name, op, oracle in (("tril", create.TrilOp, np.tril), ("triu", create.TriuOp, np.triu))
        for element in ALL
    ),
    *(
        Case(
            f"hamming_window-{element}-{size}-{periodic}",
            create.HammingWindowOp,
            [_shape(size)],
            lambda s, periodic=periodic: _torch_hamming(s[0], periodic, 0.54, 0.46),
            {"dtype": element, "periodic": periodic},
            _SIZES,
        )
        for element in (f64, f32, f16, bf16)
        for size in ("n", 1, "one", 9)
        for periodic in (True, False)
    ),
    Case(
        "hamming_window-coefficients",
        create.HammingWindowOp,
        [_shape(7)],
        lambda s: _torch_hamming(s[0], True, 0.5, 0.25),
        {"dtype": f32, "alpha": 0.5, "beta": 0.25},
    ),
)
