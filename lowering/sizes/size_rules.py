"""How a size follows from an op: rules for `index` values and for dims of tensors and memrefs, by the name of the op.

%s = arith.addi %a, %b         the sum of both, exactly or as an upper bound
%m = arith.minsi %d, %c8       8 as an upper bound, where %d depends on data
%t = tensor.reshape %x(%e)     the elements of %e
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, Protocol, TypeAlias

from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, i64
from xdsl.ir import Operation, SSAValue

from ...records import record
from .index_expr import BINARY, Atom, Expr, binary, compare, const, maximum, select
from .op_sizes import constant_index, reassociation, yields_of


@record(frozen=False)
class ResultDim:
    """A dim of a function result: its size, or the upper bound of one that depends on data."""

    expr: Expr
    exact: bool


ResultDims = list[list[ResultDim]]
"""One list per result of a function; empty for a result that is no tensor."""


class KnownSizes(Protocol):
    """The sizes of the values that an op reads; `exact` asks for more than an upper bound."""

    callees: Mapping[str, ResultDims]

    def value(self, value: SSAValue, exact: bool = True) -> Expr | None:
        """Returns an `index` value."""
        ...

    def dim(self, value: SSAValue, dim: int, exact: bool = True) -> Expr | None:
        """Returns the size of a dim of a tensor or memref."""
        ...


def value_of(sizes: KnownSizes, op: Operation, result: SSAValue, exact: bool) -> Expr | None:
    """Returns an integer result of an op, None where it is not known."""
    rule = _binary if op.name in BINARY else _VALUES.get(op.name)
    return None if rule is None else rule(sizes, op, result, exact)


def dim_of(sizes: KnownSizes, op: Operation, result: SSAValue, dim: int, exact: bool) -> Expr | None:
    """Returns the size of a dim of a result, None where it is not known; `dim_source` comes first."""
    rule = _DIMS.get(op.name)
    return None if rule is None else rule(sizes, op, result, dim, exact)


# ---- index values ----


def _constant(sizes: KnownSizes, op: arith.ConstantOp, result: SSAValue, exact: bool) -> Expr | None:
    known = constant_index(result)
    return None if known is None else const(known)


def _size_of_dim(sizes: KnownSizes, op: tensor.DimOp | memref.DimOp, result: SSAValue, exact: bool) -> Expr | None:
    dim = constant_index(op.index)
    return None if dim is None else sizes.dim(op.source, dim, exact)


def _index_cast(sizes: KnownSizes, op: arith.IndexCastOp, result: SSAValue, exact: bool) -> Expr | None:
    """Returns a cast value; an exact one only where the cast cannot cut it off."""
    is_wide = isinstance(op.input.type, IndexType) or op.input.type == i64
    return sizes.value(op.input, exact) if is_wide or not exact else None


def _extended(sizes: KnownSizes, op: Operation, result: SSAValue, exact: bool) -> Expr | None:
    return None if exact else sizes.value(op.operands[0], exact)


def _compare(sizes: KnownSizes, op: arith.CmpiOp, result: SSAValue, exact: bool) -> Expr | None:
    lhs, rhs = (sizes.value(o) if exact else None for o in (op.lhs, op.rhs))
    return None if lhs is None or rhs is None else compare(op.predicate.value.data, lhs, rhs)


def _select(sizes: KnownSizes, op: arith.SelectOp, result: SSAValue, exact: bool) -> Expr | None:
    on_true, on_false = sizes.value(op.lhs, exact), sizes.value(op.rhs, exact)
    if on_true is None or on_false is None:
        return None
    condition = sizes.value(op.cond) if on_true != on_false else None
    return _join([on_true, on_false], exact) if condition is None else select(condition, on_true, on_false)


def _extract(sizes: KnownSizes, op: tensor.ExtractOp, result: SSAValue, exact: bool) -> Expr | None:
    return _element(sizes, op.tensor, constant_index(op.indices[0]), exact) if len(op.indices) == 1 else None


def _branch(sizes: KnownSizes, op: Operation, result: SSAValue, exact: bool) -> Expr | None:
    return _join([sizes.value(y, exact) for y in yields_of(op, op.results.index(result))], exact)


def _element(sizes: KnownSizes, source: SSAValue, index: int | None, exact: bool) -> Expr | None:
    owner = source.owner
    if index is not None and isinstance(owner, tensor.FromElementsOp):
        return sizes.value(owner.elements[index], exact)
    if (
        index is None
        or not isinstance(owner, arith.ConstantOp)
        or not isinstance(owner.value, DenseIntOrFPElementsAttr)
    ):
        return None
    element = owner.value.get_values()[index]
    return const(element) if isinstance(element, int) else None


def _binary(sizes: KnownSizes, op: Operation, result: SSAValue, exact: bool) -> Expr | None:
    lhs, rhs = (sizes.value(o, exact) for o in op.operands)
    if not exact:
        return _upper_bound(sizes, op, lhs, rhs)
    return None if lhs is None or rhs is None else binary(op.name, lhs, rhs)


def _upper_bound(sizes: KnownSizes, op: Operation, lhs: Expr | None, rhs: Expr | None) -> Expr | None:
    """Returns an upper bound of an op, of whose operands upper bounds are given."""
    # Invariant: a bound of an operand is used only where the result does not fall as the operand grows; a subtrahend or a divisor
    # must be known exactly.
    is_minimum = op.name in ("arith.minsi", "arith.minui")
    if is_minimum and (lhs is None or rhs is None):
        return rhs if lhs is None else lhs
    if lhs is None or rhs is None or is_minimum:
        return rhs if is_minimum else None
    if op.name in ("arith.addi", "arith.maxsi") or (op.name == "arith.muli" and lhs.nonnegative and rhs.nonnegative):
        return binary(op.name, lhs, rhs)
    if op.name != "arith.subi" and "div" not in op.name:
        return None
    exact = sizes.value(op.operands[1])
    if exact is not None:
        return binary(op.name, lhs, exact)
    return lhs if op.name == "arith.subi" and _counts(op.operands[1]) else None


_DEPTH_OF_COUNTS = 8
"""How many ops are read to see that a value is a count: no chain of them is longer, and none may nest deeply."""


def _counts(value: SSAValue, depth: int = _DEPTH_OF_COUNTS) -> bool:
    """Returns whether a value is known not to be negative although it depends on data.

    Dims are counts, and what is made of counts without a difference is one, too.
    """
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        known = constant_index(value)
        return known is not None and known >= 0
    if isinstance(owner, tensor.DimOp | memref.DimOp):
        return True
    if depth == 0 or not isinstance(owner, Operation):
        return False
    operands = (_counts(o, depth - 1) for o in owner.operands)
    if isinstance(owner, arith.MaxSIOp):
        return any(operands)
    return owner.name in _OF_COUNTS and all(operands)


_OF_COUNTS = frozenset(
    ("arith.addi", "arith.muli", "arith.minsi", "arith.divsi", "arith.divui", "arith.ceildivsi", "arith.floordivsi")
)
"""Results of these are counts where their operands are."""


def _join(parts: Sequence[Expr | None], exact: bool) -> Expr | None:
    """Returns a size that is any of the parts: the same for all, or their maximum as an upper bound."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    if all(part == known[0] for part in known):
        return known[0]
    return None if exact else reduce(maximum, known)


ValueRule: TypeAlias = "Callable[[KnownSizes, Any, SSAValue, bool], Expr | None]"
"""From an op and one of its results to the value of that."""

_VALUES: Mapping[str, ValueRule] = {
    "arith.constant": _constant,
    "tensor.dim": _size_of_dim,
    "memref.dim": _size_of_dim,
    "arith.index_cast": _index_cast,
    "arith.index_castui": _extended,
    "arith.extsi": _extended,
    "arith.extui": _extended,
    "arith.cmpi": _compare,
    "arith.select": _select,
    "tensor.extract": _extract,
    "scf.if": _branch,
    "scf.index_switch": _branch,
}


# ---- dims ----


def _collapsed(
    sizes: KnownSizes, op: tensor.CollapseShapeOp | memref.CollapseShapeOp, result: SSAValue, dim: int, exact: bool
) -> Expr | None:
    product = const(1)
    for d in reassociation(op)[dim]:
        factor = sizes.dim(op.src, d, exact)
        if factor is None:
            return None
        product = product * factor
    return product


def _expanded(sizes: KnownSizes, op: tensor.ExpandShapeOp, result: SSAValue, dim: int, exact: bool) -> Expr | None:
    """Returns the one unknown size of a group: that of the source over the known ones."""
    shape = op.result.type.get_shape()
    source, group = next((source, group) for source, group in enumerate(reassociation(op)) if dim in group)
    whole, known = sizes.dim(op.src, source, exact), prod(shape[d] for d in group if d != dim)
    return None if whole is None or known <= 0 else binary("arith.divui", whole, const(known))


def _reshaped(sizes: KnownSizes, op: tensor.ReshapeOp, result: SSAValue, dim: int, exact: bool) -> Expr | None:
    return _element(sizes, op.shape, dim, exact)


def _called(sizes: KnownSizes, op: func.CallOp, result: SSAValue, dim: int, exact: bool) -> Expr | None:
    callee = sizes.callees.get(op.callee.string_value())
    summary = None if callee is None else callee[op.results.index(result)][dim]
    if summary is None or (exact and not summary.exact):
        return None

    def of_caller(atom: Atom) -> Expr | None:
        operand = op.operands[atom.argument]
        return sizes.value(operand, exact) if atom.kind == "arg" else sizes.dim(operand, atom.dim, exact)

    return summary.expr.substitute(of_caller)


def _yielded(
    sizes: KnownSizes, op: scf.IfOp | scf.IndexSwitchOp, result: SSAValue, dim: int, exact: bool
) -> Expr | None:
    parts = [sizes.dim(y, dim, exact) for y in yields_of(op, op.results.index(result))]
    condition = sizes.value(op.cond) if exact and isinstance(op, scf.IfOp) and len(parts) == 2 else None
    if condition is not None and parts[0] is not None and parts[1] is not None:
        return select(condition, parts[0], parts[1])
    return _join(parts, exact)


def _passed_on(sizes: KnownSizes, op: scf.WhileOp, result: SSAValue, dim: int, exact: bool) -> Expr | None:
    condition = op.before_region.block.last_op
    assert isinstance(condition, scf.ConditionOp)
    return sizes.dim(condition.operands[1:][op.results.index(result)], dim, exact)


DimRule: TypeAlias = "Callable[[KnownSizes, Any, SSAValue, int, bool], Expr | None]"
"""From an op, one of its results and a dim of that to its size."""

_DIMS: Mapping[str, DimRule] = {
    "tensor.collapse_shape": _collapsed,
    "memref.collapse_shape": _collapsed,
    "tensor.expand_shape": _expanded,
    "tensor.reshape": _reshaped,
    "func.call": _called,
    "scf.if": _yielded,
    "scf.index_switch": _yielded,
    "scf.while": _passed_on,
}
