"""Which buffers loops carry and branches yield, and what is copied where they end."""

from __future__ import annotations

from bisect import insort

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from .analysis_base import AnalysisBase
from .buffers import Buffer, Decision, Placed, plain
from .order import BRANCHES
from .view_types import is_compact


class ControlFlowAnalysis(AnalysisBase):
    """The rules of loops, branches and the return."""

    def _carry(self, op: Operation, operand: int, taken: set[Buffer]) -> Placed:
        """Returns the buffer that a loop carries for an initial value."""
        initial = op.operands[operand]
        old = self.placed[initial]
        buffer = self.buffer_of(initial)
        if not old.undefined and buffer not in taken and self.may_overwrite(op, operand):
            taken.add(buffer)
            self.decisions[op, operand] = Decision(initial, True, False)
            return Placed(buffer, old.type, False, old.whole, old.same_shape, old.prefix)
        self.decisions[op, operand] = Decision(initial, False, not old.undefined)
        return Placed(Buffer(True, op, True, value=initial), plain(initial.type))

    def _join(self, value: SSAValue, carried: Placed) -> None:
        self.place(value, carried.buffer, carried.type, carried)

    def _for(self, op: scf.ForOp) -> None:
        taken: set[Buffer] = set()
        carried: dict[int, Placed] = {}
        for i, initial in enumerate(op.iter_args):
            if isinstance(initial.type, TensorType):
                carried[i] = self._carry(op, 3 + i, taken)
        body = op.body.block
        for i, placed in carried.items():
            self._join(body.args[1 + i], placed)
        self._block(body)
        self._yield(body, {i: body.args[1 + i] for i in carried})
        for i, placed in carried.items():
            self._join(
                op.results[i],
                Placed(placed.buffer.representative(), placed.type, False, placed.whole, placed.same_shape),
            )

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        taken: set[Buffer] = set()
        carried: dict[int, Placed] = {}
        for i, initial in enumerate(op.arguments):
            if isinstance(initial.type, TensorType):
                carried[i] = self._carry(op, i, taken)
                self._join(before.args[i], carried[i])
        self._block(before)
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        passed: dict[int, Placed] = {}
        used: set[Buffer] = set()
        owned = {placed.buffer for placed in carried.values()}
        for j, value in enumerate(condition.operands[1:]):
            if not isinstance(value.type, TensorType):
                continue
            passed_on = self.placed[value]
            buffer = self.buffer_of(value)
            if buffer in owned and buffer not in used and (passed_on.same_shape or passed_on.type == plain(value.type)):
                used.add(buffer)
                passed[j] = Placed(
                    buffer, passed_on.type, False, passed_on.whole, passed_on.same_shape, passed_on.prefix
                )
            else:
                passed[j] = Placed(Buffer(True, op, True, value=op.results[j]), plain(value.type))
                self.loop_copies.add((condition, 1 + j))
        for j, placed in passed.items():
            self._join(after.args[j], placed)
        self._block(after)
        self._yield(after, {i: before.args[i] for i in carried})
        for j, placed in passed.items():
            self._join(op.results[j], placed)

    def _yield(self, body: Block, homes: dict[int, BlockArgument]) -> None:
        """Decides which yielded values are already in the carried buffers, could be made there, or are copied."""
        terminator = body.last_op
        assert terminator is not None
        for i, home in homes.items():
            value = terminator.operands[i]
            yielded, target = self.placed[value], self.placed[home]
            buffer, carried = self.buffer_of(value), self.buffer_of(home)
            if buffer is carried:
                if not (yielded.type == target.type and yielded.whole == target.whole and not self._moved(value, home)):
                    self.loop_copies.add((terminator, i))
                continue
            if (
                is_compact(target.type)
                and self._can_adopt(buffer, yielded, body)
                and self._free_since(carried, buffer, body)
            ):
                self._adopt(buffer, carried, home)
            else:
                self.loop_copies.add((terminator, i))

    def _moved(self, value: SSAValue, home: SSAValue) -> bool:
        """Returns whether a value of the carried buffer is not the carried value itself but a part of it, or another
        shape.
        """
        while value is not home:
            source = value.owner.source if isinstance(value.owner, tensor.CastOp) else self._source_of(value)
            if source is None:
                return True
            value = source
        return False

    def _source_of(self, value: SSAValue) -> SSAValue | None:
        """Returns the value whose memref an op result took over, or None."""
        owner = value.owner
        if isinstance(owner, Block):
            return None
        if isinstance(owner, scf.ForOp):
            decision = self.decisions.get((owner, 3 + owner.results.index(value)))
            return decision.source if decision is not None and decision.in_place else None
        if isinstance(owner, scf.WhileOp):
            index = owner.results.index(value)
            condition = owner.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            if (condition, 1 + index) in self.loop_copies:
                return None
            step: SSAValue | None = condition.operands[1:][index]
            while step is not None and step.owner is not owner.before_region.block:
                step = self._source_of(step)
            if not isinstance(step, BlockArgument):
                return None
            decision = self.decisions.get((owner, step.index))
            return decision.source if decision is not None and decision.in_place else None
        if isinstance(owner, BRANCHES):
            return self.branch_source.get(value)
        decision = self.decisions.get((owner, owner.results.index(value)))
        return decision.source if decision is not None and decision.in_place else None

    def _can_adopt(self, buffer: Buffer, placed: Placed, body: Block) -> bool:
        return (
            buffer.fresh
            and not buffer.bounded
            and buffer.result is None
            and placed.same_shape
            and not placed.undefined
            and buffer.root is not None
            and buffer.root.parent is body
        )

    def _free_since(self, carried: Buffer, buffer: Buffer, body: Block) -> bool:
        """Returns whether a carried buffer is neither read nor written from where another one is made to the end of
        the body.
        """
        assert buffer.root is not None
        start = self.order.start[buffer.root]
        terminator = body.last_op
        assert terminator is not None
        end = self.order.start[terminator]
        for member in carried.members:
            if start <= self.order.defined_at(member) <= end:
                return False
            if any(start <= at <= end for at, _, _ in self.reads(member)):
                return False
        return True

    def _adopt(self, buffer: Buffer, target: Buffer, home: SSAValue) -> None:
        buffer.alias_of = target
        buffer.home = home
        for member in buffer.members:
            insort(target.members, member, key=self.last_read)

    def _branches(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        for index, result in enumerate(op.results):
            if not isinstance(result.type, TensorType):
                continue
            yields = [region.block.last_op for region in op.regions]
            values = [y.operands[index] for y in yields if y is not None]
            self._branch_result(op, index, result, [y for y in yields if y is not None], values)

    def _branch_result(
        self, op: Operation, index: int, result: SSAValue, yields: list[Operation], values: list[SSAValue]
    ) -> None:
        homes = [self._outside(op, value) for value in values]
        first = homes[0]
        if first is not None and all(home is first for home in homes) and first.type == result.type:
            self._join(result, self.placed[first])
            self.branch_source[result] = first
            self.decisions[op, index] = Decision(first, True, False)
            return
        target = self.fresh(result, op).buffer
        self.decisions[op, index] = Decision(None, False, False)
        for terminator, value in zip(yields, values, strict=True):
            buffer = self.buffer_of(value)
            body = terminator.parent
            assert body is not None
            if self._same_sizes(value, result) and self._can_adopt(buffer, self.placed[value], body):
                self._adopt(buffer, target, result)
            else:
                self.loop_copies.add((terminator, index))

    def _same_sizes(self, value: SSAValue, other: SSAValue) -> bool:
        """Returns whether the sizes of two tensors are provably equal."""
        assert isinstance(value.type, TensorType)
        for d in range(value.type.get_num_dims()):
            size = self.sizes.dim(value, d)
            if size is None or size != self.sizes.dim(other, d):
                return False
        return True

    def _outside(self, op: Operation, value: SSAValue) -> SSAValue | None:
        """Returns the value from outside of an op whose memref a yielded value has taken over."""
        start, end = self.order.span(op)
        step: SSAValue | None = value
        while step is not None and start < self.order.defined_at(step) <= end:
            step = self._source_of(step)
        return step

    def _return(self, op: func.ReturnOp) -> None:
        results = 0
        for i, value in enumerate(op.operands):
            if not isinstance(value.type, TensorType):
                continue
            placed = self.placed[value]
            buffer = self.buffer_of(value)
            at_top = buffer.root is not None and buffer.root.parent is self.function.body.block
            exact = all(self.sizes.dim(value, d) is not None for d in range(placed.type.get_num_dims()))
            fits = (placed.whole and (exact or placed.same_shape)) or self._fills(value, buffer, placed)
            if buffer.fresh and buffer.result is None and at_top and fits:
                buffer.result = results
                buffer.reshaped = placed.whole and not (placed.same_shape and exact)
                self.bound.add(i)
            results += 1

    def _fills(self, value: SSAValue, buffer: Buffer, placed: Placed) -> bool:
        """Returns whether the buffer of which a value is the leading part is as large as the bound of the value's
        size.
        """
        if not placed.prefix or buffer.value is None or not placed.type.get_num_dims():
            return False
        whole = buffer.value
        if plain(whole.type).get_num_dims() != placed.type.get_num_dims():
            return False
        for d in range(1, placed.type.get_num_dims()):
            size = self.sizes.dim(value, d)
            if size is None or size != self.sizes.dim(whole, d):
                return False
        bound = self.sizes.dim(value, 0, exact=False)
        return bound is not None and bound == self.sizes.dim(whole, 0)
