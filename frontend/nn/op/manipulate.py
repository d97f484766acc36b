"""Tensors joined, cut and with their dims in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor, apply


def concat(x: Sequence[Tensor], dim: int, name: str = "concat") -> Tensor:
    """Returns tensors joined along a dim."""
    return apply("concat", *x, axis=dim, name=name)


def split(
    ary: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0, name: str = "split"
) -> tuple[Tensor, ...]:
    """Returns the parts of a tensor along an axis: a number of equal ones, or those between indices."""
    sections: dict[str, Any] = (
        {"sections": indices_or_sections}
        if isinstance(indices_or_sections, int)
        else {"indices": list(indices_or_sections)}
    )
    parts = apply("split", ary, axis=axis, name=name, **sections)
    return parts if isinstance(parts, tuple) else (parts,)


def permute_dims(x: Tensor, axes: Sequence[int] | None = None, name: str = "permute_dims") -> Tensor:
    """Returns the tensor with its dims in another order, reversed without axes."""
    return apply("permute_dims", x, axes=None if axes is None else list(axes), name=name)
