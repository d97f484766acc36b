"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import RelaxOp
from ....dialects.relax.dtypes import is_float
from ....dialects.symbolic.expressions import Dim
from ...model.problems import Unsupported
from .emit import Emitter

Rule: TypeAlias = Callable[[Emitter, Any, Sequence[Any]], Any]
"""Writes what an op becomes, from a builder, the op and its operands; returns the result, or a list of several."""

Rules: TypeAlias = dict[str, Rule]


class Fields(tuple[Any, ...]):
    """The fields of a tuple, which StableHLO has as values of their own."""


def known_sizes(dims: Sequence[Dim]) -> list[int]:
    """Returns sizes, all of which must be numbers."""
    for size in dims:
        if size is None:
            raise Unsupported("a size that depends on values has no counterpart")
        if not isinstance(size, int):
            raise Unsupported(
                f"sizes must be numbers, got {size} (--dim of relax-export fixes symbols, as does relax-bind-symbolic-vars)"
            )
    return [size for size in dims if isinstance(size, int)]


def scalar_element(value_type: Attribute) -> str:
    """Returns the name of the element type that a scalar has as a tensor."""
    if str(value_type) == "index":
        return "i64"
    if not isinstance(value_type, IntegerType) and not is_float(value_type):
        raise Unsupported(f"values of type {value_type} have no counterpart")
    return str(value_type)


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
