"""Whether two memrefs share memory, and which ops touch none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from ...dialects.relax.vocabulary.attributes import MAY_ALIAS
from ...kinds import kind_test
from ...records import record
from ..sizes.op_sizes import VIEWS, constant_index, mixed
from .view_types import is_compact

_is_view = kind_test(*VIEWS)
_is_repeatable = kind_test(*VIEWS, memref.GetGlobalOp)

_OF_VALUES = ("arith", "math", "vector")
"""Dialects whose ops compute results, but for those that take memory."""


def computes(op: Operation) -> bool:
    """Returns whether all that an op does is to compute its results of its operands, as views do, too."""
    if is_side_effect_free(op):
        return True
    # xDSL does not say it of all of these.
    on_values = op.dialect_name() in _OF_VALUES and bool(op.results)
    return on_values and not any(isinstance(operand.type, MemRefType) for operand in op.operands)


def apart(a: SSAValue, b: SSAValue) -> bool:
    """Returns whether two memrefs are known to share no memory: distinct buffers, or parts of one that do not meet."""
    (x, views_of_a), (y, views_of_b) = _path(a), _path(b)
    if not _is_same(x, y):
        return _is_distinct(x) and _is_distinct(y)
    for view, other in zip(views_of_a, views_of_b):
        if not _is_same(view.results[0], other.results[0]):
            return _are_apart(view, other)
        if isinstance(view, memref.ReinterpretCastOp) and not is_compact(view.result.type):
            # Its elements may be one place, along a stride of 0.
            return False
    return False


def is_may_alias(value: SSAValue) -> bool:
    """Returns whether a value is an argument of a function that is marked to overlap others."""
    parent = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return isinstance(parent, func.FuncOp) and MAY_ALIAS.is_on_argument(parent, cast("int", getattr(value, "index")))


def _path(value: SSAValue) -> tuple[SSAValue, list[Operation]]:
    """Returns the buffer that a memref is a view of, and the views that lead from there to it."""
    views: list[Operation] = []
    while _is_view(value.owner):
        views.append(value.owner)
        value = value.owner.operands[0]
    return value, views[::-1]


def _is_same(a: SSAValue, b: SSAValue) -> bool:
    """Returns whether two values are one, or results of ops that make the same of the same."""
    constant = constant_index(a)
    if a is b or constant is not None:
        return a is b or constant == constant_index(b)
    x, y = a.owner, b.owner
    # Of the same op there are as many operands where the properties are the same.
    if not _is_repeatable(x) or not _is_repeatable(y) or type(x) is not type(y) or a.type != b.type:
        return False
    return x.properties == y.properties and all(map(_is_same, x.operands, y.operands))


def _is_distinct(buffer: SSAValue) -> bool:
    """Returns whether a buffer overlaps no other one: arguments, constants and what is allocated do not."""
    if isinstance(buffer.owner, Block):
        return isinstance(buffer.owner.parent_op(), func.FuncOp) and not is_may_alias(buffer)
    return isinstance(buffer.owner, memref.AllocaOp | memref.AllocOp | memref.GetGlobalOp)


def _are_apart(view: Operation, other: Operation) -> bool:
    """Returns whether two views of the same memory show parts of it that do not meet."""
    if isinstance(view, memref.ViewOp) and isinstance(other, memref.ViewOp):
        return _do_not_meet(_bytes_of(view), _bytes_of(other))
    if isinstance(view, memref.SubviewOp) and isinstance(other, memref.SubviewOp):
        return any(map(_do_not_meet, _ranges_of(view), _ranges_of(other)))
    return False


_Terms: TypeAlias = Mapping[object, int]
"""A sum: how often it has each term, `_UNIT`, a size or another value."""

_Range: TypeAlias = tuple[_Terms, _Terms] | None
"""The first place of a range and the one behind its last; None where they are not known."""

_UNIT = 1


def _do_not_meet(a: _Range, b: _Range) -> bool:
    return a is not None and b is not None and (_at_most(a[1], b[0]) or _at_most(b[1], a[0]))


def _at_most(a: _Terms, b: _Terms) -> bool:
    """Returns whether one sum is at most another, as what they differ by are sizes, which are not negative."""
    difference = _sum(b, a, -1)
    return all(count == 0 or (count > 0 and isinstance(term, _Size | int)) for term, count in difference.items())


@record
class _Size:
    """The size of a dim of a memref."""

    memref: SSAValue
    dim: int


def _terms(value: int | SSAValue) -> _Terms:
    """Returns a number as a sum."""
    constant = value if isinstance(value, int) else constant_index(value)
    if isinstance(value, int) or constant is not None:
        return {_UNIT: constant or 0}
    match value.owner:
        case arith.AddiOp(lhs=lhs, rhs=rhs):
            return _sum(_terms(lhs), _terms(rhs))
        case arith.SubiOp(lhs=lhs, rhs=rhs):
            return _sum(_terms(lhs), _terms(rhs), -1)
        case memref.DimOp(source=source, index=index) if (dim := constant_index(index)) is not None:
            return {_Size(source, dim): 1}
        case _:
            return {value: 1}


def _sum(a: _Terms, b: _Terms, factor: int = 1) -> _Terms:
    """Returns a sum and so many times another."""
    return {term: a.get(term, 0) + factor * b.get(term, 0) for term in (*a, *b)}


def _range(start: int | SSAValue, size: int | SSAValue, stride: int | SSAValue) -> _Range:
    """Returns the range of so many places; of none it may end before it begins, which meets nothing in either case."""
    if not isinstance(stride, int) or stride < 1:
        return None
    first = _terms(start)
    return first, _sum(_sum(first, _terms(size), stride), {_UNIT: 1 - stride})


def _bytes_of(view: memref.ViewOp) -> _Range:
    """Returns the bytes that a view of a workspace has."""
    type_ = cast(MemRefType, view.results[0].type)
    shape, element = type_.get_shape(), type_.element_type
    if DYNAMIC_INDEX in shape or not isinstance(element, FixedBitwidthType):
        return None
    return _range(view.byte_shift, prod(shape) * element.size, 1)


def _ranges_of(view: memref.SubviewOp) -> Iterator[_Range]:
    """Yields for each axis of its source the range that a slice is from."""
    starts = mixed(view.static_offsets.get_values(), view.offsets)
    sizes = mixed(view.static_sizes.get_values(), view.sizes)
    strides = mixed(view.static_strides.get_values(), view.strides)
    return map(_range, starts, sizes, strides)
