"""Turns structured linalg ops, tensor ops and constants into ops on memrefs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue

from ..sizes.sizes import constant_index, mixed, reassociation
from .buffers import filled_constant, plain
from .emit_base import EmitterBase
from .view_types import is_compact, slice_type


class TensorOpEmitter(EmitterBase):
    """The rules of ops without control flow."""

    def generic(self, op: linalg.GenericOp) -> None:
        for inner in op.body.block.ops:
            self._op(inner)
        if not op.results:
            return
        inputs = [self.memref(v) if isinstance(v.type, TensorType) else v for v in op.inputs]
        outputs = [self.target(op, i, result) for i, result in enumerate(op.results)]
        region = op.detach_region(op.body)
        new = linalg.GenericOp(
            inputs, outputs, region, op.indexing_maps, op.iterator_types, (), op.doc, op.library_call
        )
        new.attributes.update(op.attributes)
        new.location = op.location
        self.put(new, op)
        self.kill(op)

    def fill_op(self, op: linalg.FillOp) -> None:
        if op.results:
            self.fill(op.inputs[0], self.target(op, 0, op.results[0]), op)
            self.kill(op)

    def insert_op(self, op: tensor.InsertOp) -> None:
        target = self.target(op, 0, op.result)
        self.put(memref.StoreOp.get(op.scalar, target, op.indices), op)
        self.kill(op)

    def insert_slice(self, op: tensor.InsertSliceOp) -> None:
        target = self.target(op, 0, op.result)
        if op not in self.analysis.elided:
            offsets = mixed(op.static_offsets.get_values(), op.offsets)
            sizes = mixed(op.static_sizes.get_values(), op.sizes)
            strides = mixed(op.static_strides.get_values(), op.strides)
            assert isinstance(target.type, MemRefType) and isinstance(op.source.type, TensorType)
            shape = op.source.type.get_shape()
            known = TensorType(op.source.type.element_type, _known(op.static_sizes.get_values(), shape))
            type_ = slice_type(target.type, offsets, sizes, strides, known)
            part = self.insert(memref.SubviewOp.get(target, offsets, sizes, strides, type_), op)
            if not self.analysis.placed[op.source].undefined:
                self.copy(self.memref(op.source), part, op)
        self.kill(op)

    def empty(self, op: tensor.EmptyOp) -> None:
        placed = self.analysis.placed[op.tensor]
        if not placed.undefined:
            self.memrefs[op.tensor] = self.root(placed.buffer, op)
        self.kill(op)

    def extract(self, op: tensor.ExtractOp) -> None:
        self.replace(op, self.insert(memref.LoadOp.get(self.memref(op.tensor), op.indices), op))

    def dim(self, op: tensor.DimOp) -> None:
        dim = constant_index(op.index)
        if dim is not None:
            self.replace(op, self.as_index(self.size(op.source, dim)))
        else:
            selected: SSAValue = self.index(0)
            for d, size in enumerate(self.sizes(op.source)):
                here = self.insert(arith.CmpiOp(op.index, self.index(d), "eq"), op)
                selected = self.insert(arith.SelectOp(here, self.as_index(size), selected), op)
            self.replace(op, selected)

    def slice(self, op: tensor.ExtractSliceOp) -> None:
        placed = self.analysis.placed[op.result]
        if not placed.undefined:
            offsets = mixed(op.static_offsets.get_values(), op.offsets)
            sizes = mixed(op.static_sizes.get_values(), op.sizes)
            strides = mixed(op.static_strides.get_values(), op.strides)
            self.memrefs[op.result] = self.insert(
                memref.SubviewOp.get(self.memref(op.source), offsets, sizes, strides, placed.type), op
            )
        self.kill(op)

    def cast(self, op: tensor.CastOp) -> None:
        placed = self.analysis.placed[op.dest]
        if not placed.undefined:
            self.memrefs[op.dest] = self._cast(self.memref(op.source), placed.type, op)
        self.kill(op)

    def reshape(self, op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp) -> None:
        placed = self.analysis.placed[op.result]
        self.kill(op)
        if placed.undefined:
            return
        source = op.operands[0]
        if (op, 0) in self.analysis.decisions:
            target = self.root(placed.buffer, op)
            part = self._compact(target, self.sizes(source), plain(source.type), op)
            self.copy(self.memref(source), part, op)
            self.memrefs[op.result] = target
            return
        view = self.memref(source)
        if isinstance(op, tensor.CollapseShapeOp):
            new: Operation = memref.CollapseShapeOp.create(
                operands=[view], result_types=[placed.type], properties={"reassociation": op.reassociation}
            )
        elif isinstance(op, tensor.ExpandShapeOp) and not _loose(op, placed.type):
            shape = placed.type.get_shape()
            dynamic = [
                self.as_index(s) for s, t in zip(self.sizes(op.result), shape, strict=True) if t == DYNAMIC_INDEX
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
            self.memrefs[op.result] = self._compact(view, self.sizes(op.result), placed.type, op)
            return
        self.memrefs[op.result] = self.insert(new, op)

    def from_elements(self, op: tensor.FromElementsOp) -> None:
        target = self.root(self.analysis.placed[op.result].buffer, op)
        self.memrefs[op.result] = target
        shape = op.result.type.get_shape()
        for position, element in enumerate(op.elements):
            indices: list[SSAValue] = []
            for size in reversed(shape):
                indices.append(self.index(position % size))
                position //= size
            self.put(memref.StoreOp.get(element, target, indices[::-1]), op)
        self.kill(op)

    def splat(self, op: tensor.SplatOp) -> None:
        target = self.root(self.analysis.placed[op.result].buffer, op)
        self.memrefs[op.result] = target
        self.fill(op.input, target, op)
        self.kill(op)

    def constant(self, op: arith.ConstantOp) -> None:
        type_ = op.result.type
        if not isinstance(type_, TensorType):
            return
        value = filled_constant(op)
        if value is not None:
            target = self.root(self.analysis.placed[op.result].buffer, op)
            scalar = self.insert(arith.ConstantOp(self.constants.scalar(value)), op)
            self.fill(scalar, target, op)
            self.memrefs[op.result] = target
        else:
            name, memref_type = self.constants.add(op)
            self.memrefs[op.result] = self.insert(memref.GetGlobalOp(name, memref_type), op)
        self.kill(op)

    def select(self, op: arith.SelectOp) -> None:
        if not isinstance(op.result.type, TensorType):
            return
        target = self.root(self.analysis.placed[op.result].buffer, op)
        regions: list[Region] = []
        for value in (op.lhs, op.rhs):
            source = self.memref(value)
            end = scf.YieldOp()
            regions.append(Region(Block([end])))
            self.copy(source, target, end)
        self.put(scf.IfOp(op.cond, [], regions[0], regions[1]), op)
        self.memrefs[op.result] = target
        self.kill(op)


def _loose(op: tensor.ExpandShapeOp, type_: MemRefType) -> bool:
    """Returns whether a compact array is expanded into several dynamic dims per group, which upstream does not lower."""
    shape = op.result.type.get_shape()
    counts = [sum(shape[d] == DYNAMIC_INDEX for d in group) for group in reassociation(op)]
    return is_compact(type_) and any(count > 1 for count in counts)


def _known(static_sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Returns the shape of an inserted slice as far as the op's own sizes tell it."""
    if len(static_sizes) == len(shape):
        return list(static_sizes)
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
