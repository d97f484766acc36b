"""The bytes of memory that allocations and calls need, as expressions over shape inputs."""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FixedBitwidthType, IndexType
from xdsl.ir import Attribute

from ...dialects.upstream.op_error import OpError
from ..sizes.index_expr import Atom, Expr, const, maximum
from ..sizes.sizes import SizeAnalysis


def byte_width(type_: Attribute) -> int:
    """Returns the bytes of an element in memory; `i1` takes one, `index` eight."""
    if isinstance(type_, IndexType):
        return 8
    if isinstance(type_, FixedBitwidthType):
        return -(-type_.bitwidth // 8)
    raise ValueError(f"no size in memory is known for {type_}")


def alloc_bytes(op: memref.AllocOp, sizes: SizeAnalysis) -> Expr:
    """Returns the bytes of an allocation, or an upper bound."""
    type_ = op.memref.type
    total = const(byte_width(type_.element_type))
    for d in range(type_.get_num_dims()):
        size = sizes.dim(op.memref, d, exact=False)
        if size is None:
            raise OpError(
                op,
                f"plan-arena: dim {d} of a scratch buffer {type_} depends on data and has no upper bound "
                "(arith.minsi %size, %bound)",
            )
        # A negative size is refused when the program runs; it must not move the items behind it before that.
        total = total * maximum(size, const(0))
    return total


def call_bytes(op: func.CallOp, sizes: SizeAnalysis, need: Expr) -> Expr:
    """Returns the bytes of workspace of a call, or an upper bound; `need` is in terms of the arguments of the callee."""

    def value_of(atom: Atom) -> Expr | None:
        operand = op.operands[atom.argument]
        if atom.kind == "arg":
            return sizes.value(operand, need.constant is None and not need.nonnegative) or sizes.value(operand, False)
        # An upper bound of a size is enough where the bytes grow with it.
        return sizes.dim(operand, atom.dim, exact=not need.nonnegative)

    size = need.substitute(value_of)
    if size is None:
        callee = op.callee.string_value()
        raise OpError(op, f"plan-arena: the workspace of @{callee} depends on data without an upper bound")
    return size
