"""Joins ops that read one value side by side, with what follows each of them: the engine of the combine-parallel passes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import RelaxOp, dims
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.binary import AddOp, MultiplyOp
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.symbolic.expressions import Dim, equal, shapes_equal
from ...dialects.upstream.positions import fused
from ...records import record
from ..analysis.op_pattern import op_pattern
from ..analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ..analysis.weight_values import Weights, weight_values
from ..rewriting.block_order import BlockOrder
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions

COMMUTATIVE = (AddOp, MultiplyOp)


@record(frozen=False)
class Step:
    """An element-wise op of a branch; `index` is the operand through which the branch comes."""

    op: RelaxOp
    index: int

    @property
    def others(self) -> list[SSAValue]:
        """The operands that do not come from the branch."""
        return [operand for index, operand in enumerate(self.op.operands) if index != self.index]


@record(frozen=False)
class Branch:
    """An op whose first operand is the common value, and the element-wise ops that follow it alone."""

    root: RelaxOp
    axis: int
    """The axis of the result along which branches are joined."""
    width: Dim
    """The size of that axis."""
    steps: list[Step] = field(default_factory=list["Step"])

    @property
    def common(self) -> SSAValue:
        """The value that the branches read."""
        return self.root.operands[0]

    @property
    def ops(self) -> list[RelaxOp]:
        """The ops of the branch in order."""
        return [self.root, *(step.op for step in self.steps)]

    @property
    def result(self) -> SSAValue:
        """What leaves the branch."""
        return self.ops[-1].results[0]

    @property
    def inputs(self) -> list[SSAValue]:
        """What the branch reads besides the common value."""
        return [*self.root.operands[1:], *(other for step in self.steps for other in step.others)]

    def axis_of(self, value: SSAValue) -> int | None:
        """Returns the axis of an operand that broadcasts along the branch's axis with its full width; `None` if none does."""
        shape, result = dims(value), dims(self.root.results[0])
        if shape is None or result is None:
            return None
        axis = self.axis - (len(result) - len(shape))
        return axis if 0 <= axis < len(shape) and equal(shape[axis], self.width) is True else None


class ParallelRule(ABC):
    """What one of the passes knows: which ops start branches, which branches are alike, how they are joined and split again."""

    @abstractmethod
    def branch_of(self, op: Operation) -> Branch | None:
        """Returns the branch that an op starts, `None` if it starts none."""

    @abstractmethod
    def is_compatible(self, first: Branch, other: Branch) -> bool:
        """Returns whether the roots of two branches can be joined."""

    @abstractmethod
    def join(self, emit: Emitter, branches: Sequence[Branch]) -> SSAValue:
        """Builds the joined root."""

    def continues(self, branch: Branch, op: RelaxOp) -> bool:
        """Returns whether an element-wise op may be the next step of a branch."""
        return op_pattern(op) <= FusionPattern.BROADCAST

    def chosen(self, branches: list[Branch]) -> list[Branch]:
        """Returns those of compatible branches that are joined, in the order in which they are."""
        return branches

    def join_operands(self, emit: Emitter, operands: Sequence[SSAValue], axis: int) -> SSAValue:
        """Builds the operand of a joined step; `axis` is that of the branches."""
        return emit.op(ConcatOp, *operands, axis=axis)

    def split(self, emit: Emitter, value: SSAValue, branches: Sequence[Branch]) -> Sequence[SSAValue]:
        """Builds the results of the branches from the joined one."""
        parts: list[SSAValue] = []
        begin = 0
        for branch in branches:
            assert isinstance(branch.width, int)
            end = begin + branch.width
            bounds: dict[str, Any] = {"axes": [branch.axis], "begin": [begin], "end": [end], "strides": [1]}
            parts.append(emit.op(StridedSliceOp, value, result_types=[branch.result.type], **bounds))
            begin = end
        return parts


def are_alike(first: Branch, other: Branch, level: int) -> bool:
    """Returns whether two branches have the same step at a level, on operands that can be joined."""
    step, other_step = first.steps[level], other.steps[level]
    same_op = type(step.op) is type(other_step.op) and step.op.properties == other_step.op.properties
    same_side = step.index == other_step.index or isinstance(step.op, COMMUTATIVE)
    return (
        same_op
        and same_side
        and len(step.others) == len(other_step.others)
        and all(
            _agree_but_for_width(value, other_value, first, other)
            for value, other_value in zip(step.others, other_step.others, strict=True)
        )
    )


def _agree_but_for_width(value: SSAValue, other_value: SSAValue, branch: Branch, other: Branch) -> bool:
    """Returns whether operands of two branches have the branches' widths along one axis, and are equal along the others."""
    axis, shape, other_shape = branch.axis_of(value), dims(value), dims(other_value)
    if axis is None or axis != other.axis_of(other_value) or shape is None or other_shape is None:
        return False
    return shapes_equal([*shape[:axis], *shape[axis + 1 :]], [*other_shape[:axis], *other_shape[axis + 1 :]])


class BranchJoiner:
    """Joins the branches of one block by a rule; with `weights`, what is joined must be among them."""

    def __init__(
        self, block: Block, function: func.FuncOp, rule: ParallelRule, min_branches: int, weights: set[SSAValue] | None
    ):
        self.block = block
        self.order = BlockOrder(block, function)
        self.rule = rule
        self.min_branches = max(2, min_branches)
        self.weights = weights

    def run(self) -> None:
        """Joins every group that is large enough, those of the values with most readers first."""
        readers: dict[SSAValue, list[Branch]] = {}
        for op in self.block.ops:
            branch = self.rule.branch_of(op)
            if branch is not None and self._is_weight(op.operands[1]):
                readers.setdefault(branch.common, []).append(branch)
        for branches in sorted(readers.values(), key=len, reverse=True):
            for group in self._partition(branches):
                self._join(group)

    def _is_weight(self, value: SSAValue) -> bool:
        return self.weights is None or value in self.weights

    def _partition(self, branches: Sequence[Branch]) -> list[list[Branch]]:
        groups: list[list[Branch]] = []
        for branch in branches:
            group = next((group for group in groups if self.rule.is_compatible(group[0], branch)), None)
            if group is None:
                groups.append([branch])
            else:
                group.append(branch)
        return groups

    def _join(self, group: list[Branch]) -> None:
        if len(group) < self.min_branches:
            return
        group = self.rule.chosen(group)
        for branch in group:
            self._extend(branch)
        self._trim(group)
        group = self.order.place_inputs(group, self.min_branches)
        if group:
            self._rewrite(group)

    def _extend(self, branch: Branch) -> None:
        """Takes in the element-wise ops that follow, each the only reader of the op before."""
        value = branch.result
        while value.has_one_use():
            use = next(iter(value.uses))
            op = use.operation
            if (
                op.parent is not self.block
                or not isinstance(op, RelaxOp)
                or len(op.results) != 1
                or not self.rule.continues(branch, op)
                or dims(op.results[0]) != dims(value)
            ):
                return
            branch.steps.append(Step(op, use.index))
            value = op.results[0]

    def _trim(self, group: Sequence[Branch]) -> None:
        """Cuts the branches where they begin to differ, read each other, or read what is no weight."""
        common = min((len(branch.steps) for branch in group), default=0)
        members = {op for branch in group for op in branch.ops}
        # All branches have the same steps below `level`.
        for level in range(common):
            others = [other for branch in group for other in branch.steps[level].others]
            independent = all(other.owner not in members and self._is_weight(other) for other in others)
            distinct = len({branch.steps[level].op for branch in group}) == len(group)
            if not (independent and distinct and all(are_alike(group[0], branch, level) for branch in group)):
                common = level
                break
        for branch in group:
            del branch.steps[common:]

    def _rewrite(self, group: Sequence[Branch]) -> None:
        """Replaces the branches by one, which stands before the first op that reads a result of any of them."""
        # All inputs stand before the first reader: `place_inputs` has moved those that did not.
        first = group[0]
        members = {op for branch in group for op in branch.ops}
        emit = Emitter(
            self.order.first_reader([branch.result for branch in group], members), inserted=self.order.insert
        )
        if is_recording():
            _remark_on_roots([branch.root for branch in group])
        with emit.at(fused(branch.root.location for branch in group)):
            value = self.rule.join(emit, group)
        for level, step in enumerate(first.steps):
            with emit.at(fused(branch.steps[level].op.location for branch in group)):
                joined = [
                    self.rule.join_operands(emit, others, first.axis_of(others[0]) or 0)
                    for others in zip(*(branch.steps[level].others for branch in group), strict=True)
                ]
                joined.insert(step.index, value)
                value = emit.like(step.op, *joined)[0]
        with emit.at(fused(branch.ops[-1].location for branch in group)):
            results = self.rule.split(emit, value, group)
        for branch, result in zip(group, results, strict=True):
            result.name_hint = branch.result.name_hint
            branch.result.replace_all_uses_with(result)
        for branch in group:
            for op in reversed(branch.ops):
                Rewriter.erase_op(op)


def _remark_on_roots(roots: Sequence[Operation]) -> None:
    names = ", ".join(map(named_op, roots))
    for root in roots:
        text = f"{root.name} becomes one op with those that read the same value: {names}"
        remark(Topic.REWRITE, function_of(root), root.location, text)


def combine_branches(module: ModuleOp, rule: ParallelRule, min_branches: int, weights: Weights | None) -> None:
    """Joins the branches in every block of a module's functions that are no kernels; `weights` limits what is joined to them."""
    for function in graph_functions(module):
        values = None if weights is None else weight_values(function, weights)
        for block in list(function.walk_blocks()):
            BranchJoiner(block, function, rule, min_branches, values).run()
