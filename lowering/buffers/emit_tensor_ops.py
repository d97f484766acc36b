"""Turns structured linalg ops, tensor ops and constants into ops on memrefs.

    %b = linalg.generic ins(%a) outs(%e) {..} -> tensor<4xf32>     linalg.generic ins(%a) outs(%target) {..}
    %c = tensor.extract_slice %b[0] [2] [1]                        %c = memref.subview %target[0] [2] [1]
    %d = tensor.insert %x into %b[%i]                              memref.store %x, %target[%i]

`%target` is the memref that the plan names; where the plan says so, the old content is copied there first.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf, tensor, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue

from ..sizes.op_sizes import constant_index, mixed, reassociation
from .buffers import filled_constant, plain
from .emitter import Emitter, Rule
from .view_types import is_compact, slice_type


def _generic(emitter: Emitter, op: linalg.GenericOp) -> None:
    for inner in op.body.block.ops:
        emitter.rewrite(inner)
    if not op.results:
        return
    inputs = [emitter.memref(v) if isinstance(v.type, TensorType) else v for v in op.inputs]
    outputs = [emitter.target(op, i, result) for i, result in enumerate(op.results)]
    region = op.detach_region(op.body)
    new = linalg.GenericOp(inputs, outputs, region, op.indexing_maps, op.iterator_types, (), op.doc, op.library_call)
    new.attributes.update(op.attributes)
    new.location = op.location
    emitter.insert_op(new)
    emitter.kill(op)


def _fill(emitter: Emitter, op: linalg.FillOp) -> None:
    if op.results:
        emitter.fill(op.inputs[0], emitter.target(op, 0, op.results[0]))
        emitter.kill(op)


def _insert(emitter: Emitter, op: tensor.InsertOp) -> None:
    target = emitter.target(op, 0, op.result)
    emitter.insert_op(memref.StoreOp.get(op.scalar, target, op.indices))
    emitter.kill(op)


def _insert_slice(emitter: Emitter, op: tensor.InsertSliceOp) -> None:
    target = emitter.target(op, 0, op.result)
    if op not in emitter.plan.elided:
        offsets = mixed(op.static_offsets.get_values(), op.offsets)
        sizes = mixed(op.static_sizes.get_values(), op.sizes)
        strides = mixed(op.static_strides.get_values(), op.strides)
        assert isinstance(target.type, MemRefType) and isinstance(op.source.type, TensorType)
        shape = op.source.type.get_shape()
        known = TensorType(op.source.type.element_type, _known(op.static_sizes.get_values(), shape))
        type_ = slice_type(target.type, offsets, sizes, strides, known)
        part = emitter.insert(memref.SubviewOp.get(target, offsets, sizes, strides, type_))
        if not emitter.plan.placed[op.source].undefined:
            emitter.copy(emitter.memref(op.source), part)
    emitter.kill(op)


def _empty(emitter: Emitter, op: tensor.EmptyOp) -> None:
    placed = emitter.plan.placed[op.tensor]
    if not placed.undefined:
        emitter.memrefs[op.tensor] = emitter.root(placed.buffer)
    emitter.kill(op)


def _extract(emitter: Emitter, op: tensor.ExtractOp) -> None:
    emitter.replace(op, emitter.insert(memref.LoadOp.get(emitter.memref(op.tensor), op.indices)))


def _transfer_read(emitter: Emitter, op: vector.TransferReadOp) -> None:
    emitter.replace(op, emitter.insert(vector.LoadOp(emitter.memref(op.source), op.indices, op.result.type)))


def _transfer_write(emitter: Emitter, op: vector.TransferWriteOp) -> None:
    assert op.result is not None
    emitter.insert_op(vector.StoreOp(op.vector, emitter.target(op, 0, op.result), op.indices))
    emitter.kill(op)


def _dim_of(emitter: Emitter, op: tensor.DimOp) -> None:
    dim = constant_index(op.index)
    if dim is not None:
        emitter.replace(op, emitter.as_index(emitter.size(op.source, dim)))
    else:
        selected: SSAValue = emitter.index(0)
        for d, size in enumerate(emitter.sizes(op.source)):
            selected = emitter.select(emitter.compare("eq", op.index, d), size, selected)
        emitter.replace(op, selected)


def _extract_slice(emitter: Emitter, op: tensor.ExtractSliceOp) -> None:
    placed = emitter.plan.placed[op.result]
    if not placed.undefined:
        offsets = mixed(op.static_offsets.get_values(), op.offsets)
        sizes = mixed(op.static_sizes.get_values(), op.sizes)
        strides = mixed(op.static_strides.get_values(), op.strides)
        emitter.memrefs[op.result] = emitter.insert(
            memref.SubviewOp.get(emitter.memref(op.source), offsets, sizes, strides, placed.type)
        )
    emitter.kill(op)


def _cast(emitter: Emitter, op: tensor.CastOp) -> None:
    placed = emitter.plan.placed[op.dest]
    if not placed.undefined:
        emitter.memrefs[op.dest] = emitter.cast(emitter.memref(op.source), placed.type)
    emitter.kill(op)


def _reshape(emitter: Emitter, op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp) -> None:
    placed = emitter.plan.placed[op.result]
    emitter.kill(op)
    if placed.undefined:
        return
    source = op.operands[0]
    if (op, 0) in emitter.plan.decisions:
        target = emitter.root(placed.buffer)
        part = emitter.compact(target, emitter.sizes(source), plain(source.type))
        emitter.copy(emitter.memref(source), part)
        emitter.memrefs[op.result] = target
        return
    view = emitter.memref(source)
    if isinstance(op, tensor.CollapseShapeOp):
        new: Operation = memref.CollapseShapeOp.create(
            operands=[view], result_types=[placed.type], properties={"reassociation": op.reassociation}
        )
    elif isinstance(op, tensor.ExpandShapeOp) and not _loose(op, placed.type):
        shape = placed.type.get_shape()
        dynamic = [
            emitter.as_index(s) for s, t in zip(emitter.sizes(op.result), shape, strict=True) if t == DYNAMIC_INDEX
        ]
        new = memref.ExpandShapeOp.create(
            operands=[view, *dynamic],
            result_types=[placed.type],
            properties={
                "reassociation": op.reassociation,
                "static_output_shape": DenseArrayBase.from_list(i64, shape),
            },
        )
    else:
        emitter.memrefs[op.result] = emitter.compact(view, emitter.sizes(op.result), placed.type)
        return
    emitter.memrefs[op.result] = emitter.insert(new)


def _from_elements(emitter: Emitter, op: tensor.FromElementsOp) -> None:
    target = emitter.root(emitter.plan.placed[op.result].buffer)
    emitter.memrefs[op.result] = target
    shape = op.result.type.get_shape()
    for position, element in enumerate(op.elements):
        indices: list[SSAValue] = []
        for size in reversed(shape):
            indices.append(emitter.index(position % size))
            position //= size
        emitter.insert_op(memref.StoreOp.get(element, target, indices[::-1]))
    emitter.kill(op)


def _splat(emitter: Emitter, op: tensor.SplatOp) -> None:
    target = emitter.root(emitter.plan.placed[op.result].buffer)
    emitter.memrefs[op.result] = target
    emitter.fill(op.input, target)
    emitter.kill(op)


def _constant(emitter: Emitter, op: arith.ConstantOp) -> None:
    type_ = op.result.type
    if not isinstance(type_, TensorType):
        return
    value = filled_constant(op)
    if value is not None:
        target = emitter.root(emitter.plan.placed[op.result].buffer)
        scalar = emitter.insert(arith.ConstantOp(emitter.constants.scalar(value)))
        emitter.fill(scalar, target)
        emitter.memrefs[op.result] = target
    else:
        name, memref_type = emitter.constants.add(op)
        emitter.memrefs[op.result] = emitter.insert(memref.GetGlobalOp(name, memref_type))
    emitter.kill(op)


def _select(emitter: Emitter, op: arith.SelectOp) -> None:
    if not isinstance(op.result.type, TensorType):
        return
    target = emitter.root(emitter.plan.placed[op.result].buffer)
    regions: list[Region] = []
    for value in (op.lhs, op.rhs):
        source = emitter.memref(value)
        end = scf.YieldOp()
        regions.append(Region(Block([end])))
        with emitter.at(end):
            emitter.copy(source, target)
    emitter.insert_op(scf.IfOp(op.cond, [], regions[0], regions[1]))
    emitter.memrefs[op.result] = target
    emitter.kill(op)


def _loose(op: tensor.ExpandShapeOp, type_: MemRefType) -> bool:
    """Returns whether a compact array is expanded into several dynamic dims per group, which upstream does not lower."""
    shape = op.result.type.get_shape()
    counts = [sum(shape[d] == DYNAMIC_INDEX for d in group) for group in reassociation(op)]
    return is_compact(type_) and any(count > 1 for count in counts)


def _known(static_sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Returns the shape of an inserted slice as far as the op's own sizes tell it."""
    if len(static_sizes) == len(shape):
        return list(static_sizes)
    # Invariant: `kept` are the sizes of the first `position` dims of the source; a unit size that the source lacks is left out.
    kept: list[int] = []
    position = 0
    for size in static_sizes:
        if position < len(shape) and (
            size == shape[position] or size == DYNAMIC_INDEX or shape[position] == DYNAMIC_INDEX
        ):
            if size == 1 and shape[position] != 1 and len(static_sizes) > len(shape):
                continue
            kept.append(size)
            position += 1
    return kept if len(kept) == len(shape) else list(shape)


RULES: dict[type[Operation], Rule] = {
    linalg.GenericOp: _generic,
    linalg.FillOp: _fill,
    tensor.InsertOp: _insert,
    tensor.InsertSliceOp: _insert_slice,
    tensor.EmptyOp: _empty,
    tensor.ExtractOp: _extract,
    vector.TransferReadOp: _transfer_read,
    vector.TransferWriteOp: _transfer_write,
    tensor.DimOp: _dim_of,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.CastOp: _cast,
    tensor.CollapseShapeOp: _reshape,
    tensor.ExpandShapeOp: _reshape,
    tensor.ReshapeOp: _reshape,
    tensor.FromElementsOp: _from_elements,
    tensor.SplatOp: _splat,
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
}
