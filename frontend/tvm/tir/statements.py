"""Statements of any form as `scf` over tensors: sequential algorithms, scattered writes, loops whose bounds depend on data."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from ....lowering.emit.op_builder import OpBuilder
from ..diagnostics import Unsupported
from ..types import key
from .blocks import NotPerfect, emit_nest
from .kernel import Kernel
from .nodes import is_true, is_zero, kind, written_buffers

Emit: TypeAlias = Callable[[OpBuilder], None]


def emit(kernel: Kernel, statement: Any) -> None:
    """Emits a statement of a kernel, as `linalg` where its form allows it."""
    match kind(statement):
        case "SeqStmt":
            for part in statement.seq:
                emit(kernel, part)
        case "For" | "SBlockRealize":
            if kind(statement) == "SBlockRealize" and not len(statement.block.iter_vars):
                _allocate(kernel, statement.block.alloc_buffers)
                emit(kernel, statement.block.body)
                return
            try:
                emit_nest(kernel, statement)
            except NotPerfect:
                _Loops(kernel).emit(kernel.b, statement)
        case _:
            _Loops(kernel).emit(kernel.b, statement)


def _allocate(kernel: Kernel, buffers: Sequence[Any]) -> None:
    """Forgets what buffers of a block held when it ran before."""
    for buffer in buffers:
        kernel.tensors.pop(key(buffer), None)


class _Loops:
    """Emits statements at a point; tensors that are written are carried by the loops around."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def emit(self, b: OpBuilder, statement: Any) -> None:
        # A statement is emitted behind those before it; what has no counterpart is refused.
        match kind(statement):
            case "SeqStmt":
                for part in statement.seq:
                    self.emit(b, part)
            case "For":
                self._for(b, statement)
            case "While":
                self._while(b, statement)
            case "IfThenElse":
                self._if(b, statement)
            case "SBlockRealize":
                self._block(b, statement)
            case "BufferStore":
                self._store(b, statement)
            case "Bind":
                self.kernel.variables[key(statement.var)] = self.kernel.expressions(b).value(statement.value)
            case "AllocBuffer":
                _allocate(self.kernel, [statement.buffer])
            case "AttrStmt" if statement.attr_key.startswith("pragma"):
                self.emit(b, statement.body)
            case "Evaluate" if kind(statement.value) == "IntImm":
                pass
            case name:
                raise Unsupported(f"a statement of kind {name} has no counterpart")

    def _store(self, b: OpBuilder, store: Any) -> None:
        expressions = self.kernel.expressions(b)
        value = expressions.value(store.value)
        indices = [expressions.index(index) for index in store.indices]
        [destination] = self._carried({key(store.buffer): store.buffer})
        self.kernel.tensors[key(store.buffer)] = b.insert_element(value, destination, indices)

    def _carried(self, buffers: dict[int, Any]) -> list[SSAValue]:
        """Returns the tensors of buffers; one that was never written is allocated at the top of the kernel."""
        for name, buffer in buffers.items():
            if name not in self.kernel.tensors:
                self.kernel.tensors[name] = self.kernel.empty(buffer)
        return [self.kernel.tensors[name] for name in buffers]

    def _inside(self, buffers: dict[int, Any], values: Sequence[SSAValue], emit: Callable[[], None]) -> list[SSAValue]:
        """Runs what emits the body of an op that carries tensors; returns their new values, and forgets what was defined."""
        tensors, variables = dict(self.kernel.tensors), dict(self.kernel.variables)
        self.kernel.tensors.update(zip(buffers, values, strict=True))
        emit()
        results = [self.kernel.tensors[name] for name in buffers]
        self.kernel.tensors, self.kernel.variables = tensors, variables
        return results

    def _carry(self, buffers: dict[int, Any], results: Sequence[SSAValue]) -> None:
        self.kernel.tensors.update(zip(buffers, results, strict=True))

    def _for(self, b: OpBuilder, loop: Any) -> None:
        if loop.thread_binding is not None:
            raise Unsupported("a loop over threads of a device")
        buffers = written_buffers(loop.body)
        carried = self._carried(buffers)
        bounds = self.kernel.expressions(b)
        low, extent = bounds.index(loop.min), bounds.index(loop.extent)
        step = 1 if loop.step is None else bounds.index(loop.step)
        high = b.add(low, extent)
        if is_zero(loop.min) and step == 1:
            self.kernel.bounds.bind(loop.loop_var, loop.min, loop.extent)

        def body(inner: OpBuilder, index: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
            def run() -> None:
                self.kernel.define(loop.loop_var, index)
                self.emit(inner, loop.body)

            return self._inside(buffers, values, run)

        self._carry(buffers, b.for_range(low, high, carried, body, step))

    def _while(self, b: OpBuilder, loop: Any) -> None:
        buffers = written_buffers(loop.body)

        def holds(inner: OpBuilder, values: Sequence[SSAValue]) -> SSAValue:
            conditions: list[SSAValue] = []
            self._inside(
                buffers, values, lambda: conditions.append(self.kernel.expressions(inner).value(loop.condition))
            )
            return conditions[0]

        def body(inner: OpBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
            return self._inside(buffers, values, lambda: self.emit(inner, loop.body))

        self._carry(buffers, b.while_loop(self._carried(buffers), holds, body))

    def _if(self, b: OpBuilder, statement: Any) -> None:
        holds = self.kernel.expressions(b).value(statement.condition)
        otherwise = statement.else_case
        self._branch(
            b,
            holds,
            written_buffers(statement),
            lambda inner: self.emit(inner, statement.then_case),
            None if otherwise is None else lambda inner: self.emit(inner, otherwise),
        )

    def _branch(
        self, b: OpBuilder, holds: SSAValue, buffers: dict[int, Any], then: Emit, otherwise: Emit | None = None
    ) -> None:
        carried = self._carried(buffers)
        regions: list[Region] = []
        for case in (then, otherwise):
            block = Block()
            inner = b.nested(block)
            results = carried
            if case is not None:
                results = self._inside(buffers, carried, lambda c=case, i=inner: c(i))
            inner.insert_op(scf.YieldOp(*results))
            regions.append(Region(block))
        self._carry(buffers, b.insert_op(scf.IfOp(holds, [value.type for value in carried], regions[0], regions[1])))

    def _block(self, b: OpBuilder, realize: Any) -> None:
        block = realize.block
        if len(block.match_buffers):
            raise Unsupported("a block with views of buffers")
        outer = self.kernel.expressions(b)
        for axis, value in zip(block.iter_vars, realize.iter_values, strict=True):
            self.kernel.define(axis.var, outer.index(value))
        _allocate(self.kernel, block.alloc_buffers)
        if is_true(realize.predicate):
            self._run(b, block)
        else:
            holds = self.kernel.expressions(b).value(realize.predicate)
            self._branch(b, holds, written_buffers(realize), lambda inner: self._run(inner, block))

    def _run(self, b: OpBuilder, block: Any) -> None:
        """Emits the body of a block, after its initialization at the start of each reduction."""
        if block.init is not None:
            first = b.true()
            for axis in block.iter_vars:
                if axis.iter_type == 2:
                    at_start = self.kernel.expressions(b).value(axis.var.equal(axis.dom.min))
                    first = b.both(first, at_start)
            self._branch(b, first, written_buffers(block.init), lambda inner: self.emit(inner, block.init))
        self.emit(b, block.body)
