"""The pass `relax-combine-parallel-matmul`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.binary import AddOp
from ...dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from ...dialects.relax.ops.manipulate import ConcatOp, ExpandDimsOp, PermuteDimsOp, SplitOp, SqueezeOp, StackOp
from ...dialects.relax.ops.nn_activation import GeluOp, GeluTanhOp, ReluOp, SiluOp
from ...dialects.symbolic.expressions import Dim, equal, shapes_equal
from ..analysis.block_order import BlockOrder
from ..analysis.weight_values import Weights, weight_values
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import is_kernel

ACTIVATIONS = (ReluOp, GeluOp, GeluTanhOp, SiluOp)


@dataclass
class Branch:
    """A matrix product, and what follows it."""

    op: MatmulOp | LinearOp
    bias: AddOp | None = None
    activation: RelaxOp | None = None

    @property
    def weight(self) -> SSAValue:
        return self.op.operands[1]

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The dims of the weight, the last one being the width of the product: those of linear are swapped."""
        shape = dims(self.weight)
        assert shape is not None
        return shape[::-1] if isinstance(self.op, LinearOp) else shape

    @property
    def width(self) -> Dim:
        return self.shape[-1]

    @property
    def ops(self) -> list[Operation]:
        return [op for op in (self.op, self.bias, self.activation) if op is not None]

    @property
    def result(self) -> SSAValue:
        return self.ops[-1].results[0]

    @property
    def added(self) -> SSAValue | None:
        """What the bias op adds."""
        if self.bias is None:
            return None
        return self.bias.rhs if self.bias.lhs == self.op.result else self.bias.lhs

    @property
    def inputs(self) -> list[SSAValue]:
        """All that the branch reads but the common operand."""
        return [*self.op.operands[1:], *([] if self.added is None else [self.added])]


Check: TypeAlias = Callable[[SSAValue, Sequence[Branch]], bool]
"""Whether branches with a common first operand are worth combining."""


def branch_of(op: MatmulOp | LinearOp, block: Block) -> Branch:
    """Returns a product with its bias and its activation, where nothing else reads what is in between."""
    branch = Branch(op)
    reader = _only_reader(op.result, block)
    if isinstance(reader, AddOp) and reader.lhs != reader.rhs:
        branch.bias = reader
        added = branch.added
        shape = None if added is None else dims(added)
        if not shape or equal(shape[-1], branch.width) is not True or dims(reader.result) != dims(op.result):
            branch.bias = None
            return branch
        reader = _only_reader(reader.result, block)
    if isinstance(reader, ACTIVATIONS):
        branch.activation = reader
    return branch


def _only_reader(value: SSAValue, block: Block) -> Operation | None:
    if not value.has_one_use():
        return None
    reader = next(iter(value.uses)).operation
    return reader if reader.parent is block else None


def common_tails(branches: Sequence[Branch]) -> None:
    """Drops biases and activations that not every branch has."""
    ranks = {None if (added := branch.added) is None else len(dims(added) or ()) for branch in branches}
    same_bias = len(ranks) == 1 and None not in ranks and _leading_dims_agree(branches)
    for branch in branches:
        if branch.bias is not None and not same_bias:
            branch.bias = branch.activation = None
    kinds = {type(branch.activation) for branch in branches}
    if len(kinds) != 1:
        for branch in branches:
            branch.activation = None


def _leading_dims_agree(branches: Sequence[Branch]) -> bool:
    shapes = [dims(added) or () for branch in branches if (added := branch.added) is not None]
    return all(shapes_equal(shape[:-1], shapes[0][:-1]) for shape in shapes)


def is_compatible(first: Branch, other: Branch) -> bool:
    """Returns whether the weights of two branches can be joined: same rank, type, batch dims, and number of operands."""
    return (
        type(first.op) is type(other.op)
        and len(first.shape) == len(other.shape)
        and element(first.weight) == element(other.weight)
        and element(first.op.result) == element(other.op.result)
        and first.op.properties == other.op.properties
        and shapes_equal(first.shape[:-2], other.shape[:-2])
        and len(first.op.operands) == len(other.op.operands)
    )


class Combiner:
    """Combines the matrix products of one block."""

    def __init__(self, block: Block, function: func.FuncOp, options: CombineParallelMatmulPass, check: Check | None):
        self.block = block
        self.order = BlockOrder(block, function)
        self.weights = weight_values(function, options.weights) if options.only_weights else None
        self.options = options
        self.check = check

    def run(self) -> None:
        """Combines what has a common first operand, larger groups first."""
        groups: dict[tuple[SSAValue, type], list[MatmulOp | LinearOp]] = {}
        for op in self.block.ops:
            if isinstance(op, MatmulOp | LinearOp) and self._is_candidate(op):
                groups.setdefault((op.operands[0], type(op)), []).append(op)
        for ops in sorted(groups.values(), key=len, reverse=True):
            for branches in self._partition([branch_of(op, self.block) for op in ops]):
                self._combine(self._chosen(branches))

    def _is_candidate(self, op: MatmulOp | LinearOp) -> bool:
        weight = dims(op.operands[1])
        if weight is None or len(weight) < 2 or not dims(op.operands[0]):
            return False
        if isinstance(op, LinearOp) and op.bias is not None:
            bias = dims(op.bias)
            if bias is None or len(bias) != 1 or equal(bias[0], weight[0]) is not True:
                return False
        return self.weights is None or op.operands[1] in self.weights

    def _partition(self, branches: Sequence[Branch]) -> list[list[Branch]]:
        parts: list[list[Branch]] = []
        for branch in branches:
            for part in parts:
                same_shape = not self.options.to_batch or shapes_equal(part[0].shape, branch.shape)
                if is_compatible(part[0], branch) and same_shape:
                    part.append(branch)
                    break
            else:
                parts.append([branch])
        return parts

    def _chosen(self, branches: list[Branch]) -> list[Branch]:
        """Returns the branches that fit, with one of a width that is no number at the end."""
        if len(branches) < self.options.min_branches:
            return []
        if self.options.to_batch:
            branches = [branch for branch in branches if dims(branch.op.operands[0]) is not None]
            if len(branches[0].shape) != 2 or len(dims(branches[0].op.operands[0]) or ()) != 2:
                return []
        else:
            static = [branch for branch in branches if isinstance(branch.width, int)]
            branches = static + [branch for branch in branches if not isinstance(branch.width, int)][:1]
            total = sum(branch.width for branch in static if isinstance(branch.width, int))
            if self.options.max_columns and total > self.options.max_columns:
                return []
        self._drop_foreign_biases(branches)
        common_tails(branches)
        branches = self.order.place_inputs(branches, max(2, self.options.min_branches))
        if not branches:
            return []
        if self.check is not None and not self.check(branches[0].op.operands[0], branches):
            return []
        return branches

    def _drop_foreign_biases(self, branches: Sequence[Branch]) -> None:
        """Drops biases that are no weights, or that are products of the group themselves."""
        products = {branch.op.result for branch in branches}
        for branch in branches:
            added = branch.added
            if added is not None and (added in products or (self.weights is not None and added not in self.weights)):
                branch.bias = branch.activation = None

    def _combine(self, branches: Sequence[Branch]) -> None:
        if not branches:
            return
        members = {op for branch in branches for op in branch.ops}
        place = self.order.first_reader([branch.result for branch in branches], members)
        emit = Emitter(place, inserted=self.order.insert)
        results = self._batched(emit, branches) if self.options.to_batch else self._widened(emit, branches)
        for branch, result in zip(branches, results, strict=True):
            result.name_hint = branch.result.name_hint
            branch.result.replace_all_uses_with(result)
        for branch in branches:
            for op in reversed(branch.ops):
                op.detach()
                op.erase()

    def _widened(self, emit: Emitter, branches: Sequence[Branch]) -> Sequence[SSAValue]:
        """Builds one product with the weights side by side, and splits its result."""
        first = branches[0]
        is_linear = isinstance(first.op, LinearOp)
        rank = len(first.shape)
        weight = emit.op(ConcatOp, *(b.weight for b in branches), axis=0 if is_linear else rank - 1)
        rest = [emit.op(ConcatOp, *(b.op.operands[2] for b in branches), axis=0)] if len(first.op.operands) > 2 else []
        value = emit.like(first.op, first.op.operands[0], weight, *rest)[0]
        if first.added is not None:
            shape = dims(first.added)
            assert shape is not None
            added = [one for b in branches if (one := b.added) is not None]
            value = emit.op(AddOp, value, emit.op(ConcatOp, *added, axis=len(shape) - 1))
        if first.activation is not None:
            value = emit.like(first.activation, value)[0]
        indices: list[int] = []
        for branch in branches[:-1]:
            assert isinstance(branch.width, int)
            indices.append((indices[-1] if indices else 0) + branch.width)
        shape = dims(value)
        assert shape is not None
        types = [branch.result.type for branch in branches]
        return emit.results(SplitOp, value, result_types=types, indices=indices, axis=len(shape) - 1)

    def _batched(self, emit: Emitter, branches: Sequence[Branch]) -> Sequence[SSAValue]:
        """Builds one batch of products, and splits its result."""
        first = branches[0]
        data = emit.op(StackOp, *([first.op.operands[0]] * len(branches)), axis=0)
        weight = emit.op(StackOp, *(b.weight for b in branches), axis=0)
        if isinstance(first.op, LinearOp):
            weight = emit.op(PermuteDimsOp, weight, axes=[0, 2, 1])
        value = emit.op(MatmulOp, data, weight, out_dtype=first.op.properties.get("out_dtype"))
        if len(first.op.operands) > 2:
            value = emit.op(AddOp, value, self._stacked(emit, [b.op.operands[2] for b in branches]))
        if first.added is not None:
            value = emit.op(AddOp, value, self._stacked(emit, [one for b in branches if (one := b.added) is not None]))
        if first.activation is not None:
            value = emit.like(first.activation, value)[0]
        parts = emit.results(SplitOp, value, sections=len(branches), axis=0)
        return [
            emit.op(SqueezeOp, part, result_types=[branch.result.type], axis=[0])
            for part, branch in zip(parts, branches, strict=True)
        ]

    def _stacked(self, emit: Emitter, values: Sequence[SSAValue]) -> SSAValue:
        """Stacks vectors, or matrices, so that each is added to its own product."""
        expanded = [emit.op(ExpandDimsOp, one, axis=[0]) if len(dims(one) or ()) == 1 else one for one in values]
        return emit.op(StackOp, *expanded, axis=0)


@dataclass(frozen=True)
class CombineParallelMatmulPass(ModulePass):
    """Combines matrix products of one value with several weights into one product with the weights side by side.

    ```mlir
    %q = relax.matmul %x, %wq : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
    %k = relax.matmul %x, %wk : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %w = relax.concat %wq, %wk {axis = 1 : i64} : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x10xf32>
    %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x10xf32>) -> tensor<?x10xf32, #relax.sym<n>>
    %q, %k = relax.split %y {indices = array<i64: 8>, axis = 1 : i64} : ...
    ```

    The rules are Relax's: a bias (`add`, of one rank) and an activation (relu, gelu, gelu_tanh, silu) are combined too if every branch
    has them; the weights have one rank and equal batch dims; at most one width may be no number, and comes last. `relax.linear` is
    combined likewise, along the rows of its weight. With `to_batch`, products with matrices of one shape become one batch of products,
    as Relay's CombineParallelDense has it.

    *Requires* known ranks. *Leaves* the concatenated weights as arithmetic on weights, which `relax-lift-transform-params` lifts;
    products that cannot stand together stay. Each column is the sum that it was, so that results are the same up to the order of
    summation.
    """

    name = "relax-combine-parallel-matmul"

    min_branches: int = field(default=2)
    """The smallest number of products that is combined."""
    max_columns: int = field(default=0)
    """The largest width of a combined product, 0 for any."""
    only_weights: bool = field(default=True)
    """Whether only products with weights are combined, whose concatenation costs nothing at run time."""
    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""
    to_batch: bool = field(default=False)
    """Whether products become a batch rather than a wide product."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        combine_parallel_matmul(op, self)


def combine_parallel_matmul(
    module: ModuleOp, options: CombineParallelMatmulPass | None = None, check: Check | None = None
) -> None:
    """Runs the pass; `check` may veto a group of branches, which are in the order that they would be combined in."""
    for function in functions(module):
        if not is_kernel(function):
            for block in [b for inner in function.walk() for region in inner.regions for b in region.blocks]:
                Combiner(block, function, options or CombineParallelMatmulPass(), check).run()
