"""Turns loops and branches that carry tensors into ones that write memrefs from outside."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ...dialects.upstream.op_error import OpError
from ..sizes.sizes import constant_index, dim_source
from .buffers import Buffer, plain
from .emit_base import EmitterBase, Size


class ControlFlowEmitter(EmitterBase):
    """The rules of `scf.for`, `scf.while`, `scf.if` and `scf.index_switch`."""

    def _carried(self, op: Operation, operand: int, home: SSAValue) -> None:
        """Makes the buffer that a loop carries."""
        initial = op.operands[operand]
        decision = self.analysis.decisions[op, operand]
        if decision.in_place:
            self.memrefs[home] = self.memref(initial)
            return
        target = self.root(self.analysis.placed[home].buffer, op)
        if decision.copy:
            self.copy(self.memref(initial), target, op)
        self.memrefs[home] = target

    def _copy_out(self, terminator: Operation, pairs: Sequence[tuple[int, SSAValue]]) -> None:
        """Copies operands of a terminator into their homes, all at once."""
        wanted = [
            (terminator.operands[i], home)
            for i, home in pairs
            if (terminator, i) in self.analysis.loop_copies
            and not self.analysis.placed[terminator.operands[i]].undefined
        ]
        buffers = [self.analysis.buffer_of(value) for value, _ in wanted]
        held: list[SSAValue] = []
        homes = {self._home_buffer(home): position for position, (_, home) in enumerate(wanted)}
        for buffer, (value, _) in zip(buffers, wanted, strict=True):
            source = self.memref(value)
            if buffer in homes:
                kept = self._alloc(self.sizes(value), plain(value.type), terminator)
                self.copy(source, kept, terminator)
                source = kept
            held.append(source)
        for source, (value, home) in zip(held, wanted, strict=True):
            target = self.memref(home)
            self._check_size(value, home, terminator)
            self.copy(source, target, terminator)

    def _home_buffer(self, home: SSAValue) -> Buffer:
        return self.analysis.buffer_of(home)

    def _check_size(self, value: SSAValue, home: SSAValue, before: Operation) -> None:
        """Asserts that a value fits its carried buffer, where that is not evident."""
        for size, home_size in zip(self.sizes(value), self.sizes(home), strict=True):
            if isinstance(size, int) or isinstance(home_size, int) or size is home_size:
                continue
            a, b = self.size_analysis.value(size), self.size_analysis.value(home_size)
            if a is not None and a == b:
                continue
            same = self.insert(arith.CmpiOp(size, home_size, "eq"), before)
            message = f"{self.function.sym_name.data}: a loop must not change the size of a tensor that it carries"
            self.put(cf.AssertOp(same, StringAttr(message)), before)

    def _rebuild(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        regions: Sequence[Region],
        extra: Sequence[Attribute] = (),
    ) -> Operation:
        """Makes an op again without its tensor results."""
        kept = [r for r in op.results if not isinstance(r.type, TensorType)]
        new = type(op).create(
            operands=operands,
            result_types=[*(r.type for r in kept), *extra],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=regions,
        )
        new.location = op.location
        self.put(new, op)
        for old, replacement in zip(kept, new.results, strict=False):
            old.replace_all_uses_with(replacement)
        self.kill(op)
        return new

    def _drop_tensors(self, block: Block) -> None:
        self.dead_arguments.extend(a for a in block.args if isinstance(a.type, TensorType))
        terminator = block.last_op
        assert terminator is not None
        self._drop_operands(terminator)

    def for_op(self, op: scf.ForOp) -> None:
        body = op.body.block
        carried = [i for i, v in enumerate(op.iter_args) if isinstance(v.type, TensorType)]
        for i in carried:
            self._carried(op, 3 + i, body.args[1 + i])
        self._block(body)
        if not carried:
            return
        terminator = body.last_op
        assert terminator is not None
        self._copy_out(terminator, [(i, body.args[1 + i]) for i in carried])
        for i in carried:
            self.memrefs[op.results[i]] = self.memrefs[body.args[1 + i]]
            for d in range(len(plain(op.results[i].type).get_shape())):
                self._sizes[op.results[i], d] = self.size(op.iter_args[i], d)
        self._drop_tensors(body)
        kept = [v for v in op.operands if not isinstance(v.type, TensorType)]
        self._moved_rebuild(op, kept)

    def _moved_rebuild(self, op: Operation, operands: Sequence[SSAValue]) -> Operation:
        regions = [op.detach_region(region) for region in list(op.regions)]
        return self._rebuild(op, operands, regions)

    def while_op(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        carried = [i for i, v in enumerate(op.arguments) if isinstance(v.type, TensorType)]
        for i in carried:
            self._carried(op, i, before.args[i])
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        passed = [j for j, v in enumerate(condition.operands[1:]) if isinstance(v.type, TensorType)]
        for j in passed:
            for d in range(len(plain(op.results[j].type).get_shape())):
                self._sizes[op.results[j], d] = self._passed_size(op, condition.operands[1:][j], d)
            if (condition, 1 + j) in self.analysis.loop_copies:
                made = self.root(self.analysis.placed[after.args[j]].buffer, op)
                self.memrefs[after.args[j]] = self.memrefs[op.results[j]] = made
        self._block(before)
        self._copy_out(condition, [(1 + j, after.args[j]) for j in passed])
        for j in passed:
            if (condition, 1 + j) not in self.analysis.loop_copies:
                self.memrefs[after.args[j]] = self.memrefs[op.results[j]] = self.memref(condition.operands[1:][j])
                outer = self._carried_memref(op, j)
                self.memrefs[after.args[j]] = self.memrefs[op.results[j]] = outer
        self._block(after)
        terminator = after.last_op
        assert terminator is not None
        self._copy_out(terminator, [(i, before.args[i]) for i in carried])
        if not carried and not passed:
            return
        self._drop_tensors(before)
        self._drop_tensors(after)
        self._moved_rebuild(op, [v for v in op.operands if not isinstance(v.type, TensorType)])

    def _carried_memref(self, op: scf.WhileOp, index: int) -> SSAValue:
        """Returns the memref made before the loop that a passed value took over."""
        condition = op.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        buffer = self.analysis.buffer_of(condition.operands[1:][index])
        for argument in op.before_region.block.args:
            if isinstance(argument.type, TensorType) and self.analysis.buffer_of(argument) is buffer:
                return self._cast(self.memrefs[argument], self.analysis.placed[op.results[index]].type, op)
        raise OpError(op, "bufferize: the carried buffer of scf.while is lost")

    def _passed_size(self, op: scf.WhileOp, value: SSAValue, dim: int) -> Size:
        """Returns the size of what a condition passes on, as a value from outside of the loop."""
        assert isinstance(value.type, TensorType)
        if value.type.get_shape()[dim] != DYNAMIC_INDEX:
            return value.type.get_shape()[dim]
        exact = self.size_analysis.dim(value, dim)
        if exact is not None:
            return self._entry.value(exact)
        size = self._outside_size(op, value, dim)
        if size is None:
            raise OpError(op, f"bufferize: the size of dim {dim} of a tensor in scf.while changes while it runs")
        return size

    def _outside_size(self, op: Operation, value: SSAValue, dim: int) -> Size | None:
        """Returns the size of a value inside an op as a value that is defined outside."""
        step: SSAValue | int | tuple[SSAValue, int] | None = (value, dim)
        start, end = self.analysis.order.span(op)
        while isinstance(step, tuple):
            value, dim = step
            assert isinstance(value.type, TensorType)
            if not start < self.analysis.order.defined_at(value) <= end:
                return self.size(value, dim)
            static = value.type.get_shape()[dim]
            if static != DYNAMIC_INDEX:
                return static
            owner = value.owner
            if isinstance(owner, Operation):
                step = dim_source(owner, value, dim)
            else:
                assert isinstance(value, BlockArgument)
                parent = owner.parent_op()
                if isinstance(parent, scf.ForOp):
                    step = (parent.iter_args[value.index - 1], dim)
                elif isinstance(parent, scf.WhileOp) and owner is parent.before_region.block:
                    step = (parent.arguments[value.index], dim)
                else:
                    step = None
        if isinstance(step, SSAValue):
            owner = step.owner
            if isinstance(owner, tensor.DimOp) and (known := constant_index(owner.index)) is not None:
                return self._outside_size(op, owner.source, known)
            top = owner if isinstance(owner, Operation) else owner.parent_op()
            while top is not None and top is not op:
                top = top.parent_op()
            if top is op:
                return None
        return step

    def branches(self, op: Operation) -> None:
        tensors = [i for i, r in enumerate(op.results) if isinstance(r.type, TensorType)]
        actual: dict[int, list[int]] = {}
        for i in tensors:
            decision = self.analysis.decisions[op, i]
            result = op.results[i]
            if decision.in_place:
                assert decision.source is not None
                self.memrefs[result] = self.memref(decision.source)
                for d in range(len(plain(result.type).get_shape())):
                    self._sizes[result, d] = self.size(decision.source, d)
            else:
                bounded = self._branch_sizes(op, i)
                if bounded:
                    actual[i] = bounded
                self.memrefs[result] = self.root(self.analysis.placed[result].buffer, op)
        terminators: list[Operation] = []
        for region in op.regions:
            if not region.blocks:
                continue
            self._block(region.block)
            terminator = region.block.last_op
            assert terminator is not None
            terminators.append(terminator)
            extra: list[SSAValue] = []
            for i in tensors:
                if (terminator, i) in self.analysis.loop_copies:
                    self._copy_branch(terminator, i, op.results[i], i in actual)
                extra.extend(self.as_index(self.size(terminator.operands[i], d)) for d in actual.get(i, ()))
            if tensors:
                self._drop_operands(terminator)
                terminator.operands = [*terminator.operands, *extra]
        if not tensors:
            return
        count = sum(len(dims) for dims in actual.values())
        regions = [op.detach_region(region) for region in list(op.regions)]
        new = self._rebuild(op, list(op.operands), regions, [IndexType()] * count)
        sizes = iter(new.results[len(new.results) - count :])
        for i, dims in actual.items():
            result = op.results[i]
            for d in dims:
                self._sizes[result, d] = self._bounded(next(sizes), self._bounds_of(result)[d], op)
            self.memrefs[result] = self._compact(self.memrefs[result], self.sizes(result), plain(result.type), op)

    def _bounds_of(self, value: SSAValue) -> list[Size]:
        return self._bounds[self.analysis.placed[value].buffer]

    def _copy_branch(self, terminator: Operation, index: int, result: SSAValue, compact: bool) -> None:
        value = terminator.operands[index]
        if self.analysis.placed[value].undefined:
            return
        target = self.memrefs[result]
        if compact:
            target = self._compact(target, self.sizes(value), plain(value.type), terminator)
        self.copy(self.memref(value), target, terminator)

    def _branch_sizes(self, op: Operation, index: int) -> list[int]:
        """Finds the sizes of a branch's result; returns the dims that are only bounded before the branch is taken."""
        result = op.results[index]
        bounded: list[int] = []
        bounds: list[Size] = []
        values = [r.block.last_op.operands[index] for r in op.regions if r.blocks and r.block.last_op is not None]
        for d, static in enumerate(plain(result.type).get_shape()):
            if static != DYNAMIC_INDEX:
                bounds.append(static)
                continue
            sizes = [self._outside_size(op, value, d) for value in values]
            first = sizes[0]
            if first is not None and all(f is first for f in sizes):
                self._sizes[result, d] = first
                bounds.append(first)
                continue
            exact = self.size_analysis.dim(result, d)
            if exact is not None:
                self._sizes[result, d] = self._entry.value(exact)
                bounds.append(self._sizes[result, d])
                continue
            upper = self.size_analysis.dim(result, d, exact=False)
            if upper is None:
                raise OpError(op, f"bufferize: {op.name} yields tensors whose dim {d} has no bound before it runs")
            bounds.append(self._entry.value(upper))
            bounded.append(d)
        if bounded:
            self._bounds[self.analysis.placed[result].buffer] = bounds
        return bounded
