"""The state of the analysis: where values lie so far, and whether an op may overwrite a buffer."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import (
    MemRefType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.upstream.op_error import OpError
from ...kinds import kind_test
from ..sizes.sizes import SizeAnalysis
from .buffers import Buffer, Decision, Placed, plain
from .destinations import destination_of, origin, same_slice
from .donations import Donations
from .order import ExecutionOrder


class Analysis:
    """Places values in buffers as ops are visited in program order, and tells which of them may overwrite one."""

    def __init__(
        self,
        function: func.FuncOp,
        sizes: SizeAnalysis,
        rules: Mapping[str, Rule],
        donations: Donations,
        callees: Mapping[str, Donations],
    ):
        self.function = function
        self.donations = donations
        self.callees = callees
        """The donations of each function that is called."""
        self.refused: dict[int, OpError] = {}
        """For a result that cannot be computed in the argument that lends its memory: why."""
        self.conflicts: dict[Buffer, tuple[Operation, Operation]] = {}
        """For a donated buffer: the first op that would overwrite it too early, and an op that still reads it."""
        self._rules = rules
        self.sizes = sizes
        self.order = ExecutionOrder(function)
        self.branch_source: dict[SSAValue, SSAValue] = {}
        """For a result of a branch that takes over a memref from outside: the value whose memref it is."""
        self.bound: set[int] = set()
        """The operands of the return that already lie in their result argument."""
        self.placed: dict[SSAValue, Placed] = {}
        self.decisions: dict[tuple[Operation, int], Decision] = {}
        self.copied: set[tuple[Operation, int]] = set()
        """(terminator, operand) pairs whose value is copied into the buffer of the loop or branch."""
        self.elided: set[Operation] = set()
        """Slice insertions whose source is already in place."""
        self._reads: dict[SSAValue, list[tuple[int, Operation, int]]] = {}
        for arg in function.body.block.args:
            if isinstance(arg.type, TensorType):
                self.place(arg, Buffer(arg.index in donations.values(), None, False), plain(arg.type))

    def place(self, value: SSAValue, buffer: Buffer, type_: MemRefType, like: Placed | None = None) -> Placed:
        """Records where a value lies."""
        placed = Placed(buffer, type_)
        if like is not None:
            placed.undefined, placed.whole, placed.same_shape, placed.prefix = (
                like.undefined,
                like.whole,
                like.same_shape,
                like.prefix,
            )
        self.placed[value] = placed
        insort(buffer.members, value, key=self.last_read)
        return placed

    def fresh(self, value: SSAValue, root: Operation) -> Placed:
        """Gives a value a new buffer, made before `root`."""
        return self.place(value, Buffer(True, root, True, value=value), plain(value.type))

    def buffer_of(self, value: SSAValue) -> Buffer:
        """Returns the buffer that holds a value."""
        return self.placed[value].buffer.representative()

    def reads(self, value: SSAValue) -> list[tuple[int, Operation, int]]:
        """Returns the uses of a value that need its content, by position."""
        reads = self._reads.get(value)
        if reads is None:
            start = self.order.start
            reads = [
                (start[u.operation], u.operation, u.index) for u in value.uses if _needs_content(u.operation, u.index)
            ]
            reads.sort(key=lambda read: read[0])
            self._reads[value] = reads
        return reads

    def may_overwrite(self, op: Operation, operand: int, allowed: Sequence[int] = ()) -> bool:
        """Returns whether an op may write into the buffer of an operand: nobody needs what is there afterwards.

        `allowed` are operand positions at which the op itself may read the buffer while it writes.
        """
        buffer = self.buffer_of(op.operands[operand])
        if not buffer.writable:
            return False
        reader = self._reader_after(op, operand, allowed)
        if reader is not None and buffer.root is None:
            self.conflicts.setdefault(buffer, (op, reader))
        return reader is None

    def _reader_after(self, op: Operation, operand: int, allowed: Sequence[int]) -> Operation | None:
        """Returns an op that needs the content of the buffer of an operand once another op has written there."""
        buffer = self.buffer_of(op.operands[operand])
        # Invariant: each read met so far runs before the write, runs in a branch that excludes it, or is one that the write may
        # meet: its own at an allowed operand, or the insertion that puts the overwritten slice back.
        position = self.order.start[op]
        top = self.order.top_level_start(op)
        # Members are in the order of their last reads: those in front are read no more, in no iteration.
        for member in reversed(buffer.members):
            if self.last_read(member) < top:
                break
            if self.placed[member].undefined:
                continue
            loop = self.order.repeating_loop(member, op)
            threshold = position if loop is None else self.order.start[loop] + 1
            for at, reader, index in self.reads(member):
                if at < threshold:
                    continue
                if reader is op:
                    if loop is not None or not (index == operand or index in allowed):
                        return reader
                elif loop is not None or not self.order.exclusive(op, reader):
                    if not self._reinserted(op, operand, reader, index, member):
                        return reader
        return None

    def last_read(self, value: SSAValue) -> int:
        """Returns the position of the last op that needs the content of a value, -1 if there is none."""
        reads = self.reads(value)
        return reads[-1][0] if reads else -1

    def _reinserted(self, op: Operation, operand: int, reader: Operation, index: int, member: SSAValue) -> bool:
        """Returns whether a later read is the insertion of the very slice that is being overwritten."""
        if not isinstance(reader, tensor.InsertSliceOp) or index != 1:
            return False
        extracted = origin(op.operands[operand])
        if extracted is None or extracted.source is not member or not same_slice(extracted, reader):
            return False
        value: SSAValue | None = reader.source
        while value is not None and value.owner is not extracted:
            if value.owner is op:
                return True
            value = destination_of(value)
        return False

    def visit_block(self, block: Block) -> None:
        """Visits the ops of a block in order."""
        for op in block.ops:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        """Applies the rule of an op; raises `OpError` for an op on tensors that has none."""
        rule = self._rules.get(op.name)
        if rule is not None:
            rule(self, op)
        elif any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            raise OpError(op, f"bufferize: {op.name} on tensors is not supported")
        else:
            for region in op.regions:
                for block in region.blocks:
                    self.visit_block(block)
        if op.regions and isinstance(op, scf.IfOp | scf.IndexSwitchOp | scf.WhileOp | scf.ForOp):
            self._resolve_sizes(op)

    def _resolve_sizes(self, op: Operation) -> None:
        """Asks for the sizes of the results and block arguments of an op while its regions are there: emission takes them away."""
        arguments = [a for r in op.regions for b in r.blocks for a in b.args]
        for value in (*op.results, *arguments):
            if isinstance(value.type, TensorType):
                for d in range(value.type.get_num_dims()):
                    self.sizes.dim(value, d)
                    self.sizes.dim(value, d, exact=False)

    def view(self, source: SSAValue, result: SSAValue, type_: MemRefType) -> Placed:
        """Places a result in the buffer of its source, with another type."""
        old = self.placed[source]
        return self.place(result, self.buffer_of(source), type_, old)


Rule = Callable[[Analysis, Any], None]
"""Places the results of an op of one class."""


def nothing(analysis: Analysis, op: Operation) -> None:
    """Does nothing: the rule of an op that places no value."""


_is_dim = kind_test(tensor.DimOp)
_is_generic = kind_test(linalg.GenericOp)
_is_fill = kind_test(linalg.FillOp)


def _needs_content(op: Operation, index: int) -> bool:
    if _is_dim(op):
        return False
    if _is_generic(op):
        return bool(op.body.block.args[index].first_use)
    return not (_is_fill(op) and index == len(op.inputs))
