"""Finds ops that read one value side by side, with what follows each, and joins them along an axis of their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.relax.base import RelaxOp, dims
from ...dialects.relax.function_signature import functions
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.symbolic.expressions import Dim
from ..analysis.block_order import BlockOrder
from ..analysis.op_pattern import op_pattern
from ..analysis.weight_values import Weights, weight_values
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import is_kernel


@dataclass
class Step:
    """An element-wise op of a branch; `index` is the operand through which the branch comes."""

    op: RelaxOp
    index: int

    @property
    def others(self) -> list[SSAValue]:
        """The operands that do not come from the branch."""
        return [operand for place, operand in enumerate(self.op.operands) if place != self.index]


@dataclass
class Branch:
    """An op that reads the common value, and the element-wise ops that follow it alone."""

    root: RelaxOp
    axis: int
    """The axis of the result along which branches are joined."""
    steps: list[Step] = field(default_factory=list["Step"])

    @property
    def channels(self) -> int:
        """The size of the axis."""
        shape = dims(self.root.results[0])
        assert shape is not None
        size = shape[self.axis]
        assert isinstance(size, int)
        return size

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
        """What the branch reads beside the common value."""
        return [*self.root.operands[1:], *(other for step in self.steps for other in step.others)]

    def extend(self, block: Block) -> None:
        """Takes in what follows: element-wise ops, each the only reader of the one before."""
        value = self.root.results[0]
        while value.has_one_use():
            use = next(iter(value.uses))
            op = use.operation
            if (
                op.parent is not block
                or not isinstance(op, RelaxOp)
                or len(op.results) != 1
                or op_pattern(op) > FusionPattern.BROADCAST
                or dims(op.results[0]) != dims(value)
            ):
                return
            self.steps.append(Step(op, use.index))
            value = op.results[0]


def is_joinable(first: Step, other: Step, first_branch: Branch, other_branch: Branch) -> bool:
    """Returns whether two steps are the same op, on operands that can be concatenated."""
    return (
        type(first.op) is type(other.op)
        and first.op.properties == other.op.properties
        and first.index == other.index
        and len(first.op.operands) == len(other.op.operands)
        and all(
            _joinable_operand(a, b, first_branch, other_branch) for a, b in zip(first.others, other.others, strict=True)
        )
    )


def _joinable_operand(first: SSAValue, other: SSAValue, first_branch: Branch, other_branch: Branch) -> bool:
    shapes = dims(first), dims(other)
    places = _place(first, first_branch), _place(other, other_branch)
    if shapes[0] is None or shapes[1] is None or places[0] is None or places[0] != places[1]:
        return False
    rest: list[list[Dim]] = [
        [dim for axis, dim in enumerate(shape) if axis != places[0]] for shape in (shapes[0], shapes[1])
    ]
    return rest[0] == rest[1] and None not in rest[0]


def _place(value: SSAValue, branch: Branch) -> int | None:
    """Returns the axis of an operand that is the branch's axis, with all of its channels."""
    shape, result = dims(value), dims(branch.root.results[0])
    if shape is None or result is None:
        return None
    place = branch.axis - (len(result) - len(shape))
    return place if 0 <= place < len(shape) and shape[place] == branch.channels else None


class ParallelBranches:
    """Joins the branches of one block.

    `branch_of` returns the branch that an op starts, if it does; `is_compatible` tells which roots can be joined, `join` builds the
    joined root. With `weights`, what is concatenated must be among them.
    """

    def __init__(
        self,
        block: Block,
        function: func.FuncOp,
        min_branches: int,
        weights: set[SSAValue] | None,
        branch_of: Callable[[Operation], Branch | None],
        is_compatible: Callable[[RelaxOp, RelaxOp], bool],
        join: Callable[[Emitter, Sequence[Branch]], SSAValue],
    ):
        self.block = block
        self.order = BlockOrder(block, function)
        self.min_branches = max(2, min_branches)
        self.weights = weights
        self.branch_of = branch_of
        self.is_compatible = is_compatible
        self.join = join

    def run(self) -> None:
        """Joins every group that is large enough."""
        roots: dict[SSAValue, list[Branch]] = {}
        for op in self.block.ops:
            branch = self.branch_of(op)
            if branch is not None and self._is_weight(op.operands[1]):
                roots.setdefault(op.operands[0], []).append(branch)
        for candidates in roots.values():
            if len(candidates) < self.min_branches:
                continue
            groups: list[list[Branch]] = []
            for branch in candidates:
                group = next((one for one in groups if self.is_compatible(one[0].root, branch.root)), None)
                if group is None:
                    groups.append([branch])
                else:
                    group.append(branch)
            for group in groups:
                if len(group) >= self.min_branches:
                    self._join(group)

    def _is_weight(self, value: SSAValue) -> bool:
        return self.weights is None or value in self.weights

    def _join(self, group: list[Branch]) -> None:
        for branch in group:
            branch.extend(self.block)
        self._trim(group)
        group = self.order.place_inputs(group, self.min_branches)
        if group:
            self._emit(group)

    def _trim(self, group: Sequence[Branch]) -> None:
        """Cuts the branches where they begin to differ."""
        first = group[0]
        members = {op for branch in group for op in branch.ops}
        common = min(len(branch.steps) for branch in group)
        for level in range(common):
            steps = [branch.steps[level] for branch in group]
            alike = all(is_joinable(steps[0], step, first, branch) for step, branch in zip(steps, group, strict=True))
            others = [other for step in steps for other in step.others]
            free = all(other.owner not in members and self._is_weight(other) for other in others)
            if not alike or not free or len({step.op for step in steps}) < len(steps):
                common = level
                break
        for branch in group:
            del branch.steps[common:]

    def _emit(self, group: Sequence[Branch]) -> None:
        first = group[0]
        members = {op for branch in group for op in branch.ops}
        place = self.order.first_reader([branch.result for branch in group], members)
        emit = Emitter(place, inserted=self.order.insert)
        value = self.join(emit, group)
        for level, step in enumerate(first.steps):
            operands: list[SSAValue] = []
            others = iter(zip(*(branch.steps[level].others for branch in group), strict=True))
            for index in range(len(step.op.operands)):
                if index == step.index:
                    operands.append(value)
                else:
                    joined = next(others)
                    axis = _place(joined[0], first)
                    operands.append(emit.op(ConcatOp, *joined, axis=axis))
            value = emit.like(step.op, *operands)[0]
        begin = 0
        for branch in group:
            end = begin + branch.channels
            part = emit.op(
                StridedSliceOp,
                value,
                result_types=[branch.result.type],
                axes=[first.axis],
                begin=[begin],
                end=[end],
                strides=[1],
            )
            begin = end
            part.name_hint = branch.result.name_hint
            branch.result.replace_all_uses_with(part)
        for branch in group:
            for op in reversed(branch.ops):
                op.detach()
                op.erase()


def combine_branches(
    module: ModuleOp,
    min_branches: int,
    weights: Weights | None,
    branch_of: Callable[[Operation], Branch | None],
    is_compatible: Callable[[RelaxOp, RelaxOp], bool],
    join: Callable[[Emitter, Sequence[Branch]], SSAValue],
) -> None:
    """Joins the branches of every block of a module's functions that are no kernels; see `ParallelBranches`."""
    for function in functions(module):
        if is_kernel(function):
            continue
        known = None if weights is None else weight_values(function, weights)
        for block in [b for inner in function.walk() for region in inner.regions for b in region.blocks]:
            ParallelBranches(block, function, min_branches, known, branch_of, is_compatible, join).run()
