"""Tensors joined, cut, padded, in other shapes, and with their dims in another order."""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import checked
from ..errors import ModelError
from ..symbols import IntExpr
from ..tensor import Tensor, apply


@checked
def unsqueeze(x: Tensor, dim: int, name: str = "unsqueeze") -> Tensor:
    """Returns the tensor with a new dim of size 1."""
    return apply("expand_dims", x, axis=dim, name=name)


@checked
def squeeze(x: Tensor, axis: int | Sequence[int] | None = -1, name: str = "squeeze") -> Tensor:
    """Returns the tensor without dims of size 1: those named, or all of them if `axis` is `None`."""
    return apply("squeeze", x, axis=axis, name=name)


@checked
def concat(x: Sequence[Tensor], dim: int, name: str = "concat") -> Tensor:
    """Returns tensors joined along a dim."""
    if not isinstance(x, list | tuple):
        raise ModelError(f"concat expected a list of tensors, got {x!r}")
    return apply("concat", *x, axis=dim, name=name)


@checked
def split(
    ary: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0, name: str = "split"
) -> tuple[Tensor, ...]:
    """Returns the parts of a tensor along an axis: a number of equal ones, or those between indices."""
    key = "indices" if isinstance(indices_or_sections, list | tuple) else "sections"
    parts = apply("split", ary, axis=axis, name=name, **{key: indices_or_sections})
    return parts if isinstance(parts, tuple) else (parts,)


@checked
def chunk(x: Tensor, chunks: int, dim: int = 0, name: str = "chunk") -> tuple[Tensor, ...]:
    """Returns a number of equal parts of a tensor along a dim."""
    return split(x, chunks, dim, name)


@checked
def broadcast_to(x: Tensor, shape: Sequence[IntExpr], name: str = "broadcast_to") -> Tensor:
    """Returns the tensor repeated along new dims and along those of size 1."""
    return apply("broadcast_to", x, shape, name=name)


@checked
def permute_dims(x: Tensor, axes: Sequence[int] | None = None, name: str = "permute_dims") -> Tensor:
    """Returns the tensor with its dims in another order, reversed without axes."""
    return apply("permute_dims", x, axes=axes, name=name)


@checked
def permute(x: Tensor, axes: Sequence[int] | None, name: str = "permute") -> Tensor:
    """Returns the tensor with its dims in another order, reversed without axes."""
    return permute_dims(x, axes, name)


@checked
def reshape(x: Tensor, shape: Sequence[IntExpr], name: str = "reshape") -> Tensor:
    """Returns the elements in another shape; 0 is the size at the same place of `x`, -1 is what is left."""
    return x.reshape(shape, name=name)


@checked
def repeat(x: Tensor, repeats: int, axis: int | None = None, name: str = "repeat") -> Tensor:
    """Returns each element repeated along an axis, of the flattened tensor without one."""
    return apply("repeat", x, repeats=repeats, axis=axis, name=name)


@checked
def take(x: Tensor, indices: Tensor, axis: int | None = None, name: str = "take") -> Tensor:
    """Returns the items of a tensor at indices along an axis; a tensor of rank 1 needs none."""
    return apply("take", x, indices, axis=axis, name=name)


@checked
def pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: float = 0.0, name: str = "pad") -> Tensor:
    """Returns the tensor with a border: `pad` is how much before and after each dim, one after the other."""
    return apply("nn.pad", x, pad_width=pad, pad_mode=mode, pad_value=value, name=name)
