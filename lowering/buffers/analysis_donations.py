"""Sees that results lie in the arguments that are donated to them.

    func.func @f(%x: tensor<4xf32> {relax.donate = 0 : i64}) -> tensor<4xf32> {
      %a = linalg.generic outs(%x)      // in place: nobody reads %x any more
      func.return %a                    // in the buffer of %x

A result that is made in a new buffer is made in that of the argument instead, where the argument is not read from then on. Everything
else is refused: a copy at the end would be what the donation is there to avoid.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import DIMS, DONATE
from ...dialects.upstream.op_error import OpError
from ..sizes.index_expr import Atom, Expr, argument_dim
from .analysis_control_flow import adopt, can_adopt, free_since
from .analysis_state import Analysis
from .buffers import Buffer


def return_in_argument(analysis: Analysis, op: func.ReturnOp, result: int) -> None:
    """Sees that a result lies in the argument that is donated to it; otherwise `analysis.refused` says why it does not."""
    # Invariant: where nothing is refused, the result is all of the argument's memory, and nothing else is read from there.
    value, body = op.operands[result], analysis.function.body.block
    argument = body.args[analysis.donations[result]]
    placed, target = analysis.placed[value], analysis.placed[argument]
    buffer, lent = analysis.buffer_of(value), analysis.buffer_of(argument)
    if buffer is lent and placed.whole and placed.type == target.type:
        analysis.bound.add(result)
        return
    is_new = buffer is not lent and can_adopt(buffer, placed, body) and _same_sizes(analysis, value, argument)
    if is_new and lent not in analysis.conflicts and free_since(analysis, lent, buffer, body):
        adopt(analysis, buffer, lent, argument)
        analysis.bound.add(result)
        return
    at, reason = _reason(analysis, lent, buffer.root if is_new else None)
    name = f"'{argument.name_hint}'" if argument.name_hint else str(argument.index)
    analysis.refused[result] = OpError(
        at or analysis.function,
        f"@{analysis.function.sym_name.data}: {DONATE}: result {result} cannot take the memory of argument {name}: {reason}",
    )


def _same_sizes(analysis: Analysis, value: SSAValue, argument: BlockArgument) -> bool:
    """Returns whether a value provably has the sizes of an argument, where those of arguments are what the function declares."""
    rank = analysis.placed[argument].type.get_num_dims()
    sizes = [analysis.sizes.dim(value, d) for d in range(rank)]
    declared = [None if size is None else size.substitute(lambda atom: _declared(analysis, atom)) for size in sizes]
    expected = [argument_dim(argument.index, d).substitute(lambda atom: _declared(analysis, atom)) for d in range(rank)]
    static = analysis.placed[argument].type.get_shape()
    return all(
        size is not None and (size == wanted or size.constant == known)
        for size, wanted, known in zip(declared, expected, static, strict=True)
    )


def _declared(analysis: Analysis, atom: Atom) -> Expr:
    """Returns a size of an argument in terms of the symbols of the function, as far as it has any."""
    dims = DIMS.of_argument(analysis.function, atom.argument)
    dim = None if dims is None else dims[0 if atom.kind == "arg" else atom.dim]
    return Expr(atom if dim is None else dim)


def _reason(analysis: Analysis, lent: Buffer, made: Operation | None) -> tuple[Operation | None, str]:
    """Returns the op that is in the way of a donation, and what it does; `made` is the op that makes the result, if one does."""
    if lent in analysis.conflicts:
        writer, reader = analysis.conflicts[lent]
        return reader, f"{_name(reader)} reads the argument after {_name(writer)} has overwritten it"
    if made is None:
        return None, "the result is not computed in one piece of memory of its own"
    start = analysis.order.start[made]
    reads = [(at, user) for member in lent.members for at, user, _ in analysis.reads(member) if at >= start]
    reader = max(reads, key=lambda read: read[0])[1] if reads else made
    if reader is made:
        return made, f"{_name(made)} reads the argument while it computes the result"
    return reader, f"{_name(reader)} reads the argument after {_name(made)} has overwritten it"


def _name(op: Operation) -> str:
    """Returns what an op is called in a message; a call is called as its kernel is."""
    return f"@{op.callee.string_value()}" if isinstance(op, func.CallOp) else op.name
