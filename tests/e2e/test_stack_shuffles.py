"""Channel shuffles, which `relax-stack-shuffles` makes one copy, against numpy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i1": np.bool_,
}


def text(shape: tuple[int, ...], count: int, axis: int, dtype: str, cuts: str) -> str:
    """The shuffle of as many tensors along an axis, split."""

    def tensor(*dims: int) -> str:
        return f"tensor<{'x'.join(map(str, dims))}x{dtype}>"

    before, size, behind = shape[:axis], shape[axis], shape[axis + 1 :]
    x, whole = tensor(*shape), tensor(*before, count * size, *behind)
    groups, turns = (*before, count, size, *behind), (*before, size, count, *behind)
    order = [*range(axis), axis + 1, axis, *range(axis + 2, len(groups))]
    names = ", ".join(f"%x{n}" for n in range(count))
    bounds = [0, *map(int, cuts.split(", ")), count * size]
    parts = [tensor(*before, end - begin, *behind) for begin, end in pairwise(bounds)]
    results = [f"%p{n}" for n in range(len(parts))]
    return f"""
func.func @main({", ".join(f"%x{n}: {x}" for n in range(count))}) -> ({", ".join(parts)}) {{
  %c = relax.concat {names} {{axis = {axis} : i64}} : ({", ".join([x] * count)}) -> {whole}
  %s = relax.shape : () -> !relax.shape<{[*groups]}>
  %g = relax.reshape %c, %s : ({whole}, !relax.shape<{[*groups]}>) -> {tensor(*groups)}
  %t = relax.permute_dims %g {{axes = array<i64: {", ".join(map(str, order))}>}} : ({tensor(*groups)}) -> {tensor(*turns)}
  %u = relax.shape : () -> !relax.shape<{[*before, count * size, *behind]}>
  %r = relax.reshape %t, %u : ({tensor(*turns)}, !relax.shape<{[*before, count * size, *behind]}>) -> {whole}
  {", ".join(results)} = relax.split %r {{indices = array<i64: {cuts}>, axis = {axis} : i64}} : ({whole}) -> ({", ".join(parts)})
  return {", ".join(results)} : {", ".join(parts)}
}}
"""


@pytest.mark.sweep(10)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "count", "axis", "cuts"),
    [
        ((1, 58, 7, 5), 2, 1, "58"),
        ((1, 58, 7, 5), 2, 1, "57"),
        ((2, 9, 3), 3, 1, "6, 6, 21"),
        ((5, 16), 4, 0, "20"),
        ((3, 37), 2, 1, "2"),
        ((4, 0, 3), 2, 1, "0"),
        ((2, 3, 0), 2, 1, "2"),
        ((1, 256, 33), 2, 1, "256"),
    ],
)
def test_shuffles(shape: tuple[int, ...], count: int, axis: int, cuts: str, dtype: str):
    random = np.random.default_rng(0)
    arrays = [random.integers(0, 100, shape).astype(DTYPES[dtype]) for _ in range(count)]
    wanted = np.stack(arrays, axis + 1).reshape(*shape[:axis], count * shape[axis], *shape[axis + 1 :])
    parts = np.split(wanted, [int(cut) for cut in cuts.split(", ")], axis)
    for threads in (1, 2):
        results = xdsl_relax.compile(text(shape, count, axis, dtype, cuts), threads=threads)["main"](*arrays)
        for result, part in zip(results, parts, strict=True):
            np.testing.assert_array_equal(result, part)
