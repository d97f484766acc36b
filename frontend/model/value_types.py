"""What converters ask of values: their elements, their sizes, their axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import dims_of, element_type_of
from ...dialects.symbolic.nodes import Known
from .problems import Unsupported


def element_of(value: SSAValue) -> Attribute:
    """Returns the element type of a value."""
    return element_type_of(value.type)


def sizes_of(value: SSAValue, what: str = "a value") -> tuple[Known, ...]:
    """Returns the dims of a value; raises `Unsupported` if one has no name."""
    dims = dims_of(value.type)
    if dims is None or None in dims:
        raise Unsupported(f"the shape of {what} is not known")
    return tuple(dim for dim in dims if dim is not None)


def normalized(axis: int, rank: int, what: str = "axis") -> int:
    """Returns an axis counted from 0; raises `Unsupported`, in the words of the model's system, if there is no such dim."""
    if not -rank <= axis < rank:
        raise Unsupported(f"{what} {axis} is not one of a tensor of {rank} dims")
    return axis % rank


def normalized_axes(axes: Sequence[int], rank: int) -> list[int]:
    """Returns axes counted from 0."""
    return [normalized(axis, rank) for axis in axes]
