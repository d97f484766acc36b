"""Changes dataflow blocks as a whole: makes one of ops, drops and adds outputs, inlines a block into the one around it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.ops.core import DataflowOp, OutputOp


def insert_dataflow(inner: Block, before: Operation) -> None:
    """Makes a dataflow block of ops that were moved, before an op; what is read outside are its results."""
    leaving = [
        result
        for op in inner.ops
        for result in op.results
        if any(use.operation.parent is not inner for use in result.uses)
    ]
    inner.add_op(OutputOp(*leaving))
    dataflow = DataflowOp(inner, [value.type for value in leaving])
    block = before.parent
    assert block is not None
    block.insert_op_before(dataflow, before)
    for value, result in zip(leaving, dataflow.outputs, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: use.operation.parent is not inner)


def keep_outputs(dataflow: DataflowOp, kept: Sequence[bool]) -> Block:
    """Drops outputs of a dataflow block that nothing reads; a block that is empty then disappears. Returns the block of ops."""
    output, block = dataflow.output, dataflow.parent
    assert block is not None
    remaining = [result for result, keep in zip(dataflow.outputs, kept, strict=True) if keep]
    output.operands = [value for value, keep in zip(output.values, kept, strict=True) if keep]
    inner = dataflow.body.block
    if not remaining and inner.first_op is output:
        Rewriter.erase_op(dataflow)
        return Block([OutputOp()])
    if len(remaining) == len(kept):
        return inner
    _rebuild(dataflow, remaining, ())
    return inner


def merge_outputs(dataflow: DataflowOp) -> list[bool]:
    """Makes readers of an output that leaves the block twice read the first, and of one that comes from outside read what comes in.

    Returns for each output whether it is still one.
    """
    first: dict[SSAValue, SSAValue] = {}
    kept: list[bool] = []
    for result, value in zip(dataflow.outputs, dataflow.output.values, strict=True):
        inside = isinstance(value.owner, Operation) and value.owner.parent is dataflow.body.block
        same = first.setdefault(value, result) if inside else value
        kept.append(same is result or same.type != result.type)
        if not kept[-1]:
            result.replace_all_uses_with(same)
    return kept


def add_outputs(dataflow: DataflowOp, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Lets further values leave a dataflow block; returns them as they are outside. The block is rebuilt."""
    dataflow.output.operands = [*dataflow.output.values, *values]
    new = _rebuild(dataflow, dataflow.outputs, values)
    return new.outputs[len(new.outputs) - len(values) :]


def _rebuild(dataflow: DataflowOp, kept: Sequence[SSAValue], added: Sequence[SSAValue]) -> DataflowOp:
    """Rebuilds a dataflow block with some of its results, and with results for the values that its terminator got in addition."""
    block = dataflow.parent
    assert block is not None
    region = dataflow.detach_region(dataflow.body)
    new = DataflowOp(region, [value.type for value in (*kept, *added)])
    new.attributes, new.location = dict(dataflow.attributes), dataflow.location
    block.insert_op_before(new, dataflow)
    for old, result in zip((*kept, *added), new.outputs, strict=True):
        result.name_hint = old.name_hint
    for old, result in zip(kept, new.outputs, strict=False):
        old.replace_all_uses_with(result)
    Rewriter.erase_op(dataflow)
    return new


def inline_dataflow(dataflow: DataflowOp) -> None:
    """Moves the ops of a dataflow block to where the block stands."""
    output = dataflow.output
    values = list(output.values)
    Rewriter.erase_op(output)
    Rewriter.inline_block(dataflow.body.block, InsertPoint.before(dataflow))
    for result, value in zip(dataflow.outputs, values, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(dataflow)
