"""Turns calls and returns into destination-passing style.

    %a = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>       func.call @f(%x, %target)
    func.return %a                                                 func.return

`%target` is a result argument of the caller, or scratch. A size that only the callee knows is a further `index` result.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import BORROWED
from ...dialects.upstream.op_error import OpError
from ..emit.constructors import call as call_of
from ..sizes.index_expr import Atom, ExprEmitter
from ..sizes.size_rules import ResultDims
from .buffers import plain
from .emitter import Emitter, Rule, Size
from .view_types import is_compact


def _call(emitter: Emitter, op: func.CallOp) -> None:
    if not any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        return
    summary = emitter.callees.get(op.callee.string_value())
    if summary is None:
        raise OpError(op, f"bufferize: @{op.callee.string_value()} is not a function of this module")
    lent = {operand: result for result, operand in emitter.plan.callees.get(op.callee.string_value(), {}).items()}
    operands = [
        emitter.target(op, lent[position], op.results[lent[position]])
        if position in lent
        else (_argument(emitter, value) if isinstance(value.type, TensorType) else value)
        for position, value in enumerate(op.operands)
    ]
    local = ExprEmitter(emitter.insert_op, lambda atom: _call_atom(emitter, op, atom))
    if BORROWED.is_on(op):
        _borrow(emitter, op, operands, summary, local)
        return
    # Invariant: each dynamic size of a result met so far is known before the call, or is pending: bounded before the call
    # and returned by it. Only a result with pending sizes gets a buffer of its bounds, and a compact view of it afterwards.
    types: list[Attribute] = [r.type for r in op.results if not isinstance(r.type, TensorType)]
    pending: list[tuple[SSAValue, int, Size]] = []
    outputs: list[tuple[SSAValue, SSAValue]] = []
    for position, result in enumerate(op.results):
        if not isinstance(result.type, TensorType) or position in lent.values():
            continue
        bounds: list[Size] = []
        for d, static in enumerate(result.type.get_shape()):
            if static != DYNAMIC_INDEX:
                bounds.append(static)
                continue
            dim = summary[position][d]
            exact = emitter.size_analysis.dim(result, d)
            size = emitter.entry.value(exact) if exact is not None else local.value(dim.expr)
            bounds.append(size)
            if dim.exact:
                emitter.known_sizes[result, d] = size
            else:
                pending.append((result, d, size))
        buffer = emitter.plan.placed[result].buffer
        if any(p[0] is result for p in pending):
            emitter.bounds[buffer] = bounds
        target = emitter.root(buffer)
        outputs.append((result, target))
    new = call_of(op.callee, [*operands, *(t for _, t in outputs)], [*types, *([IndexType()] * len(pending))])
    new.attributes.update(op.attributes)
    new.location = op.location
    emitter.insert_op(new)
    scalars = [r for r in op.results if not isinstance(r.type, TensorType)]
    for old, replacement in zip(scalars, new.results, strict=False):
        old.replace_all_uses_with(replacement)
    for (result, d, bound), actual in zip(pending, new.results[len(scalars) :], strict=True):
        emitter.known_sizes[result, d] = emitter.count_of(actual, bound)
    for result, target in outputs:
        if any(p[0] is result for p in pending):
            target = emitter.compact(target, emitter.sizes(result), plain(result.type))
        emitter.memrefs[result] = target
    emitter.kill(op)


def _borrow(
    emitter: Emitter, op: func.CallOp, operands: Sequence[SSAValue], summary: ResultDims, local: ExprEmitter
) -> None:
    """Calls a function that returns memory of its own."""
    (result,) = op.results
    assert isinstance(result.type, TensorType)
    for d, static in enumerate(result.type.get_shape()):
        if static == DYNAMIC_INDEX:
            exact = emitter.size_analysis.dim(result, d)
            expr = summary[0][d].expr
            emitter.known_sizes[result, d] = emitter.entry.value(exact) if exact is not None else local.value(expr)
    new = call_of(op.callee, operands, [plain(result.type)])
    new.attributes.update(op.attributes)
    new.location = op.location
    emitter.memrefs[result] = emitter.insert(new)
    emitter.kill(op)


def _argument(emitter: Emitter, value: SSAValue) -> SSAValue:
    """Returns the memref of an argument of a call: compact, so that a bare pointer tells all."""
    argument = emitter.memref(value)
    assert isinstance(argument.type, MemRefType)
    if is_compact(argument.type):
        return argument
    kept = emitter.alloc(emitter.sizes(value), plain(value.type))
    emitter.copy(argument, kept)
    return kept


def _call_atom(emitter: Emitter, op: func.CallOp, atom: Atom) -> SSAValue:
    operand = op.operands[atom.argument]
    return operand if atom.kind == "arg" else emitter.as_index(emitter.size(operand, atom.dim))


def _return(emitter: Emitter, op: func.ReturnOp) -> None:
    results = 0
    extra: list[SSAValue] = []
    copied: list[tuple[SSAValue, SSAValue]] = []
    for i, value in enumerate(op.operands):
        if not isinstance(value.type, TensorType) or i in emitter.plan.donations:
            continue
        inexact = [d for d in range(value.type.get_num_dims()) if emitter.size_analysis.dim(value, d) is None]
        if i not in emitter.plan.bound and not emitter.plan.placed[value].undefined:
            target = emitter.results[results]
            if inexact:
                target = emitter.compact(target, emitter.sizes(value), plain(value.type))
            copied.append((emitter.memref(value), target))
        extra.extend(emitter.as_index(emitter.size(value, d)) for d in inexact)
        results += 1
    emitter.copy_out(copied)
    emitter.drop_tensor_operands(op)
    op.operands = [*op.operands, *extra]


RULES: dict[type[Operation], Rule] = {
    func.CallOp: _call,
    func.ReturnOp: _return,
}
