"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import RelaxOp
from .emit import Emitter

Rule: TypeAlias = Callable[[Emitter, Any, Sequence[Any]], Any]
"""Writes what an op becomes, from a builder, the op and its operands; returns the result, or a list of several."""

Rules: TypeAlias = dict[str, Rule]


def result_shape(op: RelaxOp, index: int = 0) -> list[int]:
    """Returns the sizes of a result, which are numbers."""
    return [size for size in dims_of(op.results[index].type) or () if isinstance(size, int)]


def result_element(op: RelaxOp, index: int = 0) -> str:
    """Returns the name of the element type of a result."""
    return str(element_type_of(op.results[index].type))


def axes_of(op: RelaxOp, name: str, rank: int) -> list[int]:
    """Returns the axes that an op names, all of them by default, counted from 0."""
    given = op.prop(name)
    axes = range(rank) if given is None else (given,) if isinstance(given, int) else given
    return sorted(axis % rank for axis in axes)
