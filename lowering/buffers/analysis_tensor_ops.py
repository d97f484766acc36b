"""Where the results of structured linalg ops, tensor ops and constants lie."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.upstream.op_error import OpError
from ..sizes.sizes import mixed, reassociation
from .analysis_base import AnalysisBase, destination_of, origin, same_slice
from .buffers import Buffer, Decision, filled_constant, plain
from .view_types import collapsed_type, expanded_type, is_compact, slice_type, with_shape


class TensorOpAnalysis(AnalysisBase):
    """The rules of ops without control flow."""

    def _write(self, op: Operation, operand: int, result: SSAValue | None, reads_old: bool = True) -> None:
        """Places the result of an op that returns its destination operand changed."""
        if result is None:
            return
        target = op.operands[operand]
        old = self.placed[target]
        index = op.results.index(result)
        if old.undefined:
            self.fresh(result, op)
            self.decisions[op, index] = Decision(target, False, False)
        elif self.may_overwrite(op, operand):
            self.place(result, self.buffer_of(target), old.type, old)
            self.decisions[op, index] = Decision(target, True, False)
        else:
            self.fresh(result, op)
            self.decisions[op, index] = Decision(target, False, reads_old)

    def _insert_slice(self, op: tensor.InsertSliceOp) -> None:
        extracted = origin(op.source)
        matching = (
            extracted is not None
            and extracted.source is op.dest
            and same_slice(extracted, op)
            and self.buffer_of(op.source) is self.buffer_of(op.dest)
            and self._stays(op.source, extracted)
        )
        old = self.placed[op.dest]
        if old.undefined:
            self._write(op, 1, op.result)
        elif self.may_overwrite(op, 1, (0,) if matching else ()):
            self.place(op.result, self.buffer_of(op.dest), old.type, old)
            self.decisions[op, 0] = Decision(op.dest, True, False)
            if matching:
                self.elided.add(op)
        else:
            self.fresh(op.result, op)
            self.decisions[op, 0] = Decision(op.dest, False, True)

    def _stays(self, value: SSAValue, extracted: tensor.ExtractSliceOp) -> bool:
        """Returns whether each write from a slice to a value was in place."""
        buffer = self.buffer_of(extracted.result)
        step: SSAValue | None = value
        while step is not None and step.owner is not extracted:
            if self.buffer_of(step) is not buffer:
                return False
            step = destination_of(step)
        return step is not None

    def _generic(self, op: linalg.GenericOp) -> None:
        inputs = len(op.inputs)
        taken: set[Buffer] = set()
        for index, result in enumerate(op.results):
            operand = inputs + index
            target = op.operands[operand]
            old = self.placed[target]
            reads_old = bool(op.body.block.args[operand].first_use)
            if not old.undefined and self.buffer_of(target) not in taken:
                if self.may_overwrite(op, operand, _pointwise_reads(op, operand)):
                    self.place(result, self.buffer_of(target), old.type, old)
                    self.decisions[op, index] = Decision(target, True, False)
                    taken.add(self.buffer_of(target))
                    continue
            if not reads_old or old.undefined:
                source = self._dying_input(op, operand, result, taken)
                if source is not None:
                    placed = self.placed[source]
                    self.place(result, self.buffer_of(source), placed.type, placed)
                    self.decisions[op, index] = Decision(source, True, False)
                    taken.add(self.buffer_of(source))
                    continue
            self.fresh(result, op)
            self.decisions[op, index] = Decision(target, False, reads_old and not old.undefined)

    def _dying_input(self, op: linalg.GenericOp, operand: int, result: SSAValue, taken: set[Buffer]) -> SSAValue | None:
        """Returns an input that an element-wise op may overwrite by its result."""
        for position in _pointwise_reads(op, operand):
            source = op.operands[position]
            if position >= len(op.inputs) or source.type != result.type:
                continue
            buffer = self.buffer_of(source)
            if buffer in taken or not buffer.writable or self.placed[source].undefined:
                continue
            if not self._reaches_terminator(result, source):
                continue
            if self.may_overwrite(op, position, _pointwise_reads(op, operand)):
                return source
        return None

    def _reaches_terminator(self, result: SSAValue, source: SSAValue) -> bool:
        """Returns whether taking the buffer of `source` does not cost a copy where `result` leaves its block."""
        buffer = self.buffer_of(source)
        for use in result.uses:
            op = use.operation
            if isinstance(op, func.ReturnOp | scf.YieldOp) and op.parent is result.owner.parent:
                if not (buffer.fresh and self.placed[source].whole and buffer.result is None):
                    return False
                if buffer.root is not None and buffer.root.parent is op.parent:
                    continue
                parent = op.parent_op()
                if isinstance(parent, scf.ForOp) and buffer is self.buffer_of(parent.body.block.args[1 + use.index]):
                    continue
                return False
        return True

    def _constant(self, op: arith.ConstantOp) -> None:
        value = op.value
        type_ = op.result.type
        assert isinstance(type_, TensorType)
        if not isinstance(value, DenseIntOrFPElementsAttr):
            raise OpError(op, f"bufferize: arith.constant of {value.name} is not supported")
        if filled_constant(op) is not None:
            self.fresh(op.result, op)
        else:
            self.place(op.result, Buffer(False, op, False), plain(type_))

    def _slice(self, op: tensor.ExtractSliceOp) -> None:
        old = self.placed[op.source]
        offsets = mixed(op.static_offsets.get_values(), op.offsets)
        sizes = mixed(op.static_sizes.get_values(), op.sizes)
        strides = mixed(op.static_strides.get_values(), op.strides)
        view = self._view(op.source, op.result, slice_type(old.type, offsets, sizes, strides, op.result.type))
        shape = old.type.get_shape()
        full = all(isinstance(size, int) and size == whole for size, whole in zip(sizes[1:], shape[1:], strict=True))
        starts = all(o == 0 for o in offsets) and all(s == 1 for s in strides)
        view.prefix = old.whole and full and starts and len(sizes) == op.result.type.get_num_dims()
        view.whole = view.same_shape = False

    def _cast(self, op: tensor.CastOp) -> None:
        if not isinstance(op.source.type, TensorType) or not isinstance(op.dest.type, TensorType):
            raise OpError(op, "bufferize: tensor.cast of an unranked tensor is not supported")
        self._view(op.source, op.dest, with_shape(self.placed[op.source].type, op.dest.type.get_shape()))

    def _reshape(self, op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp) -> None:
        source = op.operands[0]
        old = self.placed[source]
        shape = op.result.type.get_shape()
        if isinstance(op, tensor.CollapseShapeOp):
            type_ = collapsed_type(old.type, reassociation(op), shape)
        elif isinstance(op, tensor.ExpandShapeOp):
            type_ = expanded_type(old.type, reassociation(op), shape)
        else:
            type_ = plain(op.result.type) if is_compact(old.type) else None
        if type_ is None:
            self.fresh(op.result, op).undefined = old.undefined
            self.decisions[op, 0] = Decision(source, False, not old.undefined)
        else:
            self._view(source, op.result, type_).same_shape = False


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
