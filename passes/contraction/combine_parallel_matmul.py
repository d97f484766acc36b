"""The pass `relax-combine-parallel-matmul`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.ops.binary import AddOp
from ...dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from ...dialects.relax.ops.manipulate import ConcatOp, ExpandDimsOp, PermuteDimsOp, SplitOp, SqueezeOp, StackOp
from ...dialects.relax.ops.nn.activation import GeluOp, GeluTanhOp, ReluOp, SiluOp
from ...dialects.symbolic.expressions import Dim, equal, shapes_equal
from ..analysis.weight_values import Weights
from ..options import PassWithOptions, within
from ..rewriting.emitter import Emitter
from .parallel_branches import Branch, ParallelRule, combine_branches

ACTIVATIONS = (ReluOp, GeluOp, GeluTanhOp, SiluOp)


def weight_shape(op: RelaxOp) -> tuple[Dim, ...]:
    """Returns the dims of a product's weight, its width last: those of a linear op are swapped."""
    shape = dims(op.operands[1])
    assert shape is not None
    return shape[::-1] if isinstance(op, LinearOp) else shape


def weights_of(branches: Sequence[Branch]) -> list[SSAValue]:
    """Returns the weights of products."""
    return [branch.root.operands[1] for branch in branches]


def biases_of(branches: Sequence[Branch]) -> list[SSAValue]:
    """Returns the third operands of linear ops, none if they have none."""
    return [bias for branch in branches for bias in branch.root.operands[2:]]


class WideMatmulRule(ParallelRule):
    """Joins products with their weights side by side, with a bias and an activation that follow."""

    def __init__(self, max_columns: int, integers: bool = True):
        self.max_columns = max_columns
        self.integers = integers

    def branch_of(self, op: Operation) -> Branch | None:
        # A branch is a product whose weight, and whose bias, can be concatenated along the columns of the result.
        if not isinstance(op, MatmulOp | LinearOp):
            return None
        data, weight = dims(op.operands[0]), dims(op.operands[1])
        if (
            not data
            or weight is None
            or len(weight) < 2
            or not (self.integers or isinstance(element(op.result), AnyFloat))
        ):
            return None
        if isinstance(op, LinearOp) and op.bias is not None:
            bias = dims(op.bias)
            if bias is None or len(bias) != 1 or equal(bias[0], weight[0]) is not True:
                return None
        return Branch(op, len(dims(op.result) or ()) - 1, weight_shape(op)[-1])

    def is_compatible(self, first: Branch, other: Branch) -> bool:
        root, other_root = first.root, other.root
        shape, other_shape = weight_shape(root), weight_shape(other_root)
        return (
            type(root) is type(other_root)
            and len(shape) == len(other_shape)
            and element(root.operands[1]) == element(other_root.operands[1])
            and element(root.results[0]) == element(other_root.results[0])
            and root.properties == other_root.properties
            and shapes_equal(shape[:-2], other_shape[:-2])
            and len(root.operands) == len(other_root.operands)
        )

    def continues(self, branch: Branch, op: RelaxOp) -> bool:
        if isinstance(op, AddOp):
            return not branch.steps
        return isinstance(op, ACTIVATIONS) and all(isinstance(step.op, AddOp) for step in branch.steps)

    def chosen(self, branches: list[Branch]) -> list[Branch]:
        """Returns the branches of known width, and one of symbolic width behind them; none if the product would be too wide."""
        widths = [branch.width for branch in branches if isinstance(branch.width, int)]
        if self.max_columns and sum(widths) > self.max_columns:
            return []
        symbolic = [branch for branch in branches if not isinstance(branch.width, int)]
        return [branch for branch in branches if isinstance(branch.width, int)] + symbolic[:1]

    def join(self, emit: Emitter, branches: Sequence[Branch]) -> SSAValue:
        root = branches[0].root
        axis = 0 if isinstance(root, LinearOp) else len(weight_shape(root)) - 1
        weight = emit.op(ConcatOp, *weights_of(branches), axis=axis)
        biases = biases_of(branches)
        bias = [emit.op(ConcatOp, *biases, axis=0)] if biases else []
        return emit.like(root, root.operands[0], weight, *bias)[0]

    def split(self, emit: Emitter, value: SSAValue, branches: Sequence[Branch]) -> Sequence[SSAValue]:
        indices: list[int] = []
        for branch in branches[:-1]:
            assert isinstance(branch.width, int)
            indices.append((indices[-1] if indices else 0) + branch.width)
        types = [branch.result.type for branch in branches]
        return emit.results(SplitOp, value, result_types=types, indices=indices, axis=branches[0].axis)


class BatchedMatmulRule(WideMatmulRule):
    """Makes products with matrices of one shape one batch of products."""

    def __init__(self):
        super().__init__(max_columns=0)

    def is_compatible(self, first: Branch, other: Branch) -> bool:
        same_shape = shapes_equal(weight_shape(first.root), weight_shape(other.root))
        return same_shape and super().is_compatible(first, other)

    def chosen(self, branches: list[Branch]) -> list[Branch]:
        root = branches[0].root
        return branches if len(weight_shape(root)) == 2 and len(dims(root.operands[0]) or ()) == 2 else []

    def join(self, emit: Emitter, branches: Sequence[Branch]) -> SSAValue:
        root = branches[0].root
        data = emit.op(StackOp, *([root.operands[0]] * len(branches)), axis=0)
        weight = emit.op(StackOp, *weights_of(branches), axis=0)
        if isinstance(root, LinearOp):
            weight = emit.op(PermuteDimsOp, weight, axes=[0, 2, 1])
        product = emit.op(MatmulOp, data, weight, out_dtype=root.properties.get("out_dtype"))
        biases = biases_of(branches)
        return emit.op(AddOp, product, self.join_operands(emit, biases, 0)) if biases else product

    def join_operands(self, emit: Emitter, operands: Sequence[SSAValue], axis: int) -> SSAValue:
        """Stacks vectors, or matrices, so that each is added to its own product."""
        rows = [emit.op(ExpandDimsOp, value, axis=[0]) if len(dims(value) or ()) == 1 else value for value in operands]
        return emit.op(StackOp, *rows, axis=0)

    def split(self, emit: Emitter, value: SSAValue, branches: Sequence[Branch]) -> Sequence[SSAValue]:
        parts = emit.results(SplitOp, value, sections=len(branches), axis=0)
        return [
            emit.op(SqueezeOp, part, result_types=[branch.result.type], axis=[0])
            for part, branch in zip(parts, branches, strict=True)
        ]


@dataclass(frozen=True)
class CombineParallelMatmulPass(PassWithOptions):
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

    min_branches: int = within(2, 2)
    """The smallest number of products that is combined."""
    max_columns: int = within(0, 0)
    """The largest width of a combined product, 0 for any."""
    only_weights: bool = field(default=True)
    """Whether only products with weights are combined, whose concatenation costs nothing at run time."""
    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""
    integers: bool = field(default=True)
    """Whether products of integers are combined. Compilation does without: what converts sums runs on the tiles of each, not on a part."""
    to_batch: bool = field(default=False)
    """Whether products become a batch rather than a wide product."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rule = BatchedMatmulRule() if self.to_batch else WideMatmulRule(self.max_columns, self.integers)
        combine_branches(op, rule, self.min_branches, self.weights if self.only_weights else None)
