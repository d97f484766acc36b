"""Padding of a tensor for windows that slide over it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ...dialects.relax.attrs import dims_of
from ...dialects.symbolic.expressions import Dim, add, apply, sub
from ..emit.tensor_builder import Size
from .builder import LinalgBuilder


def padded(
    b: LinalgBuilder,
    value: SSAValue,
    original: SSAValue,
    fill: SSAValue,
    before: Sequence[int],
    after: Sequence[int],
    spread: Sequence[int] | None = None,
) -> SSAValue:
    """Returns a tensor with `before` and `after` items of a value around each dim, and `spread - 1` between each two."""
    steps = spread or [1] * len(before)
    if not any(before) and not any(after) and all(step == 1 for step in steps):
        return value
    sizes = [
        _size(b, value, axis, dim, step, front + back)
        for axis, (dim, step, front, back) in enumerate(
            zip(dims_of(original.type) or (), steps, before, after, strict=True)
        )
    ]
    return b.insert_slice(value, b.fill(fill, sizes), before, steps)


def _size(b: LinalgBuilder, value: SSAValue, axis: int, dim: Dim, step: int, extra: int) -> Size:
    """Returns `(dim - 1) * step + 1 + extra`; at `step` 1 that is `dim + extra`."""
    if dim is not None:
        return b.size(add(apply("*", sub(dim, 1), step), extra + 1))
    size = b.dim(value, axis)
    if isinstance(size, int):
        return (size - 1) * step + 1 + extra
    scaled = b.insert(arith.MuliOp(size, b.index(step)))
    return b.insert(arith.AddiOp(scaled, b.index(extra + 1 - step)))
