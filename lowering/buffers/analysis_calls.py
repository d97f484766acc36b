"""Decides where the results of calls lie, and which buffers are result arguments.

    %a = func.call @g(%x)     // %a: a new buffer, which @g fills
    func.return %a            // the buffer becomes the result argument: @g writes there

A buffer becomes a result argument where it is made at the top of the function and the returned value is all of it.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import BORROWED
from .analysis_donations import return_in_argument
from .analysis_state import Analysis, Rule
from .analysis_tensor_ops import write
from .buffers import Buffer, Placed, plain


def _call(analysis: Analysis, op: func.CallOp) -> None:
    if BORROWED.is_on(op):
        analysis.place(op.results[0], Buffer(False, op, False), plain(op.results[0].type))
        return
    lent = analysis.callees.get(op.callee.string_value(), {})
    for position, result in enumerate(op.results):
        if position in lent:
            write(analysis, op, lent[position], result)
        elif isinstance(result.type, TensorType):
            exact = all(analysis.sizes.dim(result, d) is not None for d in range(result.type.get_num_dims()))
            analysis.fresh(result, op).buffer.bounded = not exact


def _return(analysis: Analysis, op: func.ReturnOp) -> None:
    # Invariant: `results` counts the tensors returned so far that lie in result arguments. A buffer becomes a result argument once,
    # where it is made at the top of the function and as large as the caller's.
    results = 0
    for i in analysis.donations:
        return_in_argument(analysis, op, i)
    for i, value in enumerate(op.operands):
        if not isinstance(value.type, TensorType) or i in analysis.donations:
            continue
        placed = analysis.placed[value]
        buffer = analysis.buffer_of(value)
        at_top = buffer.root is not None and buffer.root.parent is analysis.function.body.block
        exact = all(analysis.sizes.dim(value, d) is not None for d in range(placed.type.get_num_dims()))
        fits = (placed.whole and (exact or placed.same_shape)) or _fills(analysis, value, buffer, placed)
        if buffer.fresh and buffer.result is None and at_top and fits:
            buffer.result = results
            buffer.reshaped = placed.whole and not (placed.same_shape and exact)
            analysis.bound.add(i)
        results += 1


def _fills(analysis: Analysis, value: SSAValue, buffer: Buffer, placed: Placed) -> bool:
    """Returns whether the buffer of which a value is the leading part is as large as the bound of the value's
    size.
    """
    if not placed.prefix or buffer.value is None or not placed.type.get_num_dims():
        return False
    whole = buffer.value
    if plain(whole.type).get_num_dims() != placed.type.get_num_dims():
        return False
    for d in range(1, placed.type.get_num_dims()):
        size = analysis.sizes.dim(value, d)
        if size is None or size != analysis.sizes.dim(whole, d):
            return False
    bound = analysis.sizes.dim(value, 0, exact=False)
    return bound is not None and bound == analysis.sizes.dim(whole, 0)


RULES: dict[type[Operation], Rule] = {
    func.CallOp: _call,
    func.ReturnOp: _return,
}
