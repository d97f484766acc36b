"""Padding of a tensor for windows that slide over it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects.symbolic.expressions import Dim, add
from ..emit.tensor_builder import Size
from .builder import LinalgBuilder


def padded(
    b: LinalgBuilder,
    value: SSAValue,
    dims: Sequence[Dim],
    fill: SSAValue,
    before: Sequence[int],
    after: Sequence[int],
) -> SSAValue:
    """Returns a tensor, of these dims, with `before` and `after` items of a value around each."""
    if not any(before) and not any(after):
        return value
    sizes = [
        _size(b, value, axis, dim, front + back)
        for axis, (dim, front, back) in enumerate(zip(dims, before, after, strict=True))
    ]
    return b.insert_slice(value, b.fill(fill, sizes), before)


def _size(b: LinalgBuilder, value: SSAValue, axis: int, dim: Dim, extra: int) -> Size:
    return b.add(b.dim(value, axis), extra) if dim is None else b.size(add(dim, extra))
