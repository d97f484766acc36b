"""Decides where the results of structured linalg ops, tensor ops and constants lie.

    %a = linalg.generic ins(%x) outs(%e)              // the buffer of %e or of %x if nobody reads it later, else a new one
    %b = tensor.extract_slice %a[0, 0] [2, 4] [1, 1]  // a view: the buffer of %a
    %c = tensor.insert_slice %b into %a[..]           // the buffer of %a, if nobody reads the old content later

A destination or an input is overwritten only where `Analysis.may_overwrite` says that nobody needs its old content.
"""

from __future__ import annotations

from xdsl.dialects import arith, func, scf, tensor, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    TensorType,
    VectorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.ir.affine import AffineDimExpr

from ...dialects.relax.dense import resolved
from ...dialects.upstream.op_error import OpError
from ..sizes.op_sizes import mixed, reassociation
from .analysis_state import Analysis, Rule, nothing
from .buffers import Buffer, Decision, filled_constant, plain
from .destinations import destination_of, origin, same_slice
from .view_types import collapsed_type, expanded_type, is_compact, slice_type, with_shape


def write(analysis: Analysis, op: Operation, operand: int, result: SSAValue | None, reads_old: bool = True) -> None:
    """Places the result of an op that returns its destination operand changed."""
    if result is None:
        return
    target = op.operands[operand]
    old = analysis.placed[target]
    index = op.results.index(result)
    if old.undefined:
        analysis.fresh(result, op)
        analysis.decisions[op, index] = Decision(target, False, False)
    elif analysis.may_overwrite(op, operand):
        analysis.place(result, analysis.buffer_of(target), old.type, old)
        analysis.decisions[op, index] = Decision(target, True, False)
    else:
        analysis.fresh(result, op)
        analysis.decisions[op, index] = Decision(target, False, reads_old)


def _insert_slice(analysis: Analysis, op: tensor.InsertSliceOp) -> None:
    extracted = origin(op.source)
    matching = (
        extracted is not None
        and extracted.source is op.dest
        and same_slice(extracted, op)
        and analysis.buffer_of(op.source) is analysis.buffer_of(op.dest)
        and _stays(analysis, op.source, extracted)
    )
    old = analysis.placed[op.dest]
    if old.undefined:
        write(analysis, op, 1, op.result)
    elif analysis.may_overwrite(op, 1, (0,) if matching else ()):
        analysis.place(op.result, analysis.buffer_of(op.dest), old.type, old)
        analysis.decisions[op, 0] = Decision(op.dest, True, False)
        if matching:
            analysis.elided.add(op)
    else:
        analysis.fresh(op.result, op)
        analysis.decisions[op, 0] = Decision(op.dest, False, True)


def _stays(analysis: Analysis, value: SSAValue, extracted: tensor.ExtractSliceOp) -> bool:
    """Returns whether every op between a slice and a value wrote in place."""
    buffer = analysis.buffer_of(extracted.result)
    step: SSAValue | None = value
    while step is not None and step.owner is not extracted:
        if analysis.buffer_of(step) is not buffer:
            return False
        step = destination_of(step)
    return step is not None


def _generic(analysis: Analysis, op: linalg.GenericOp) -> None:
    inputs = len(op.inputs)
    taken: set[Buffer] = set()
    for index, result in enumerate(op.results):
        operand = inputs + index
        target = op.operands[operand]
        old = analysis.placed[target]
        reads_old = bool(op.body.block.args[operand].first_use)
        if not old.undefined and analysis.buffer_of(target) not in taken:
            if analysis.may_overwrite(op, operand, _reads_of(op, target, _pointwise_reads(op, operand))):
                analysis.place(result, analysis.buffer_of(target), old.type, old)
                analysis.decisions[op, index] = Decision(target, True, False)
                taken.add(analysis.buffer_of(target))
                continue
        if not reads_old or old.undefined:
            source = _dying_input(analysis, op, operand, result, taken)
            if source is not None:
                placed = analysis.placed[source]
                analysis.place(result, analysis.buffer_of(source), placed.type, placed)
                analysis.decisions[op, index] = Decision(source, True, False)
                taken.add(analysis.buffer_of(source))
                continue
        analysis.fresh(result, op)
        analysis.decisions[op, index] = Decision(target, False, reads_old and not old.undefined)


def _dying_input(
    analysis: Analysis, op: linalg.GenericOp, operand: int, result: SSAValue, taken: set[Buffer]
) -> SSAValue | None:
    """Returns an input that an element-wise op may overwrite by its result."""
    pointwise = _pointwise_reads(op, operand)
    for position in pointwise:
        source = op.operands[position]
        if position >= len(op.inputs) or source.type != result.type:
            continue
        buffer = analysis.buffer_of(source)
        if buffer in taken or not buffer.writable or analysis.placed[source].undefined:
            continue
        if not _reaches_terminator(analysis, result, source):
            continue
        if analysis.may_overwrite(op, position, _reads_of(op, source, pointwise)):
            return source
    return None


def _reaches_terminator(analysis: Analysis, result: SSAValue, source: SSAValue) -> bool:
    """Returns whether taking the buffer of `source` does not cost a copy where `result` leaves its block."""
    # A result leaves its block without a copy where the buffer is made in that block as a whole, or is what a loop around it carries.
    buffer = analysis.buffer_of(source)
    if buffer.root is None:
        # A donated buffer is for the result that it is donated to alone.
        arguments = analysis.function.body.block.args
        lent = [i for i, argument in analysis.donations.items() if analysis.buffer_of(arguments[argument]) is buffer]
        return any(
            (isinstance(use.operation, func.ReturnOp) and use.index in lent) or _carries(analysis, use, buffer)
            for use in result.uses
        )
    for use in result.uses:
        op = use.operation
        if isinstance(op, func.ReturnOp | scf.YieldOp) and op.parent is result.owner.parent:
            if not (buffer.fresh and analysis.placed[source].whole and buffer.result is None):
                return False
            if buffer.root.parent is not op.parent and not _carries(analysis, use, buffer):
                return False
    return True


def _carries(analysis: Analysis, use: Use, buffer: Buffer) -> bool:
    """Returns whether a use is the end of a loop that carries a value in a buffer."""
    loop = use.operation.parent_op()
    return (
        isinstance(use.operation, scf.YieldOp)
        and isinstance(loop, scf.ForOp)
        and buffer is analysis.buffer_of(loop.body.block.args[1 + use.index])
    )


def _fill(analysis: Analysis, op: linalg.FillOp) -> None:
    write(analysis, op, len(op.inputs), op.results[0] if op.results else None, reads_old=False)


def _insert(analysis: Analysis, op: tensor.InsertOp) -> None:
    write(analysis, op, 1, op.result)


def _transfer_read(analysis: Analysis, op: vector.TransferReadOp) -> None:
    _verify_transfer(op, op.result.type)


def _transfer_write(analysis: Analysis, op: vector.TransferWriteOp) -> None:
    _verify_transfer(op, op.vector.type)
    write(analysis, op, 1, op.result)


def _verify_transfer(op: vector.TransferReadOp | vector.TransferWriteOp, vector_type: Attribute) -> None:
    """Raises `OpError` for what is more than neighboring elements of a tensor."""
    source, taken = op.source.type, op.permutation_map.data
    if (
        not isinstance(source, TensorType)
        or not isinstance(vector_type, VectorType)
        or vector_type.get_num_dims() != 1
        or taken.results != (AffineDimExpr(source.get_num_dims() - 1),)
        or not all(op.in_bounds)
        or op.mask is not None
    ):
        raise OpError(
            op,
            f"bufferize: {op.name} is supported for vectors of neighboring elements inside of a tensor, without a mask",
        )


def _empty(analysis: Analysis, op: tensor.EmptyOp) -> None:
    # A buffer that parts are written into one by one is there from the start.
    parts = any(isinstance(use.operation, tensor.ExtractSliceOp) for use in op.tensor.uses)
    analysis.fresh(op.tensor, op).undefined = not parts


def _new_buffer(analysis: Analysis, op: tensor.FromElementsOp | tensor.SplatOp) -> None:
    analysis.fresh(op.result, op)


def _select(analysis: Analysis, op: arith.SelectOp) -> None:
    if not isinstance(op.result.type, TensorType):
        return
    if isinstance(op.cond.type, TensorType):
        raise OpError(op, "bufferize: arith.select by element is not linalg (run generalize-linalg)")
    analysis.fresh(op.result, op)


def _constant(analysis: Analysis, op: arith.ConstantOp) -> None:
    value = op.value
    type_ = op.result.type
    if not isinstance(type_, TensorType):
        return
    if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        raise OpError(op, f"bufferize: arith.constant of {value.name} is not supported")
    try:
        resolved(value)
    except LookupError as error:
        raise OpError(op, f"bufferize: {error.args[0]}") from None
    if filled_constant(op) is not None:
        analysis.fresh(op.result, op)
    else:
        analysis.place(op.result, Buffer(False, op, False), plain(type_))


def _slice(analysis: Analysis, op: tensor.ExtractSliceOp) -> None:
    old = analysis.placed[op.source]
    offsets = mixed(op.static_offsets.get_values(), op.offsets)
    sizes = mixed(op.static_sizes.get_values(), op.sizes)
    strides = mixed(op.static_strides.get_values(), op.strides)
    view = analysis.view(op.source, op.result, slice_type(old.type, offsets, sizes, strides, op.result.type))
    shape = old.type.get_shape()
    full = all(isinstance(size, int) and size == whole for size, whole in zip(sizes[1:], shape[1:], strict=True))
    starts = all(o == 0 for o in offsets) and all(s == 1 for s in strides)
    view.prefix = old.whole and full and starts and len(sizes) == op.result.type.get_num_dims()
    view.whole = view.same_shape = False


def _cast(analysis: Analysis, op: tensor.CastOp) -> None:
    if not isinstance(op.source.type, TensorType) or not isinstance(op.dest.type, TensorType):
        raise OpError(op, "bufferize: tensor.cast of an unranked tensor is not supported")
    analysis.view(op.source, op.dest, with_shape(analysis.placed[op.source].type, op.dest.type.get_shape()))


def _reshape(analysis: Analysis, op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp) -> None:
    source = op.operands[0]
    old = analysis.placed[source]
    shape = op.result.type.get_shape()
    if isinstance(op, tensor.CollapseShapeOp):
        type_ = collapsed_type(old.type, reassociation(op), shape)
    elif isinstance(op, tensor.ExpandShapeOp):
        type_ = expanded_type(old.type, reassociation(op), shape)
    else:
        type_ = plain(op.result.type) if is_compact(old.type) else None
    if type_ is None:
        analysis.fresh(op.result, op).undefined = old.undefined
        analysis.decisions[op, 0] = Decision(source, False, not old.undefined)
    else:
        analysis.view(source, op.result, type_).same_shape = False


def _pointwise_reads(op: linalg.GenericOp, operand: int) -> list[int]:
    """Returns the operands that each iteration reads exactly where it writes the given one, and nowhere else."""
    if any(t != IteratorTypeAttr.parallel() for t in op.iterator_types):
        return []
    maps = op.indexing_maps.data
    written = maps[operand].data
    dims = {r.position for r in written.results if isinstance(r, AffineDimExpr)}
    if not len(dims) == len(written.results) == written.num_dims:
        return []
    target = op.operands[operand].type
    assert isinstance(target, TensorType)
    return [
        i
        for i, (value, map_) in enumerate(zip(op.operands, maps, strict=True))
        if isinstance(value.type, TensorType) and map_.data == written and i != operand
    ]


def _reads_of(op: linalg.GenericOp, value: SSAValue, positions: list[int]) -> list[int]:
    """Returns the positions at which an op reads a value: another view of its buffer may have other elements there."""
    return [position for position in positions if op.operands[position] is value]


RULES: dict[type[Operation], Rule] = {
    linalg.GenericOp: _generic,
    linalg.FillOp: _fill,
    tensor.InsertOp: _insert,
    tensor.InsertSliceOp: _insert_slice,
    vector.TransferReadOp: _transfer_read,
    vector.TransferWriteOp: _transfer_write,
    tensor.EmptyOp: _empty,
    tensor.ExtractOp: nothing,
    tensor.DimOp: nothing,
    tensor.ExtractSliceOp: _slice,
    tensor.CastOp: _cast,
    tensor.CollapseShapeOp: _reshape,
    tensor.ExpandShapeOp: _reshape,
    tensor.ReshapeOp: _reshape,
    tensor.FromElementsOp: _new_buffer,
    tensor.SplatOp: _new_buffer,
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
}
