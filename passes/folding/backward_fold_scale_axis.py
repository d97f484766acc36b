"""The pass `relax-backward-fold-scale-axis`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import RelaxOp, dims
from ...dialects.relax.ops.binary import MultiplyOp
from ...dialects.relax.ops.linear_algebra import LinearOp
from ...dialects.symbolic.expressions import shapes_equal
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from .scale_message import (
    ACTIVATIONS,
    SUMS,
    Message,
    is_contraction,
    matches,
    output_axis,
    remark_on_scale,
    scale_output,
    spread,
    squeezed,
)

MAX_CHAIN = 64
"""The largest number of ops that a scale is carried over; it bounds the time where many scales follow each other."""


class Backward:
    """The messages of one block, from producers to consumers, and the scales that follow them back."""

    def __init__(self, weights: set[SSAValue]):
        self.weights = weights
        self.messages: dict[SSAValue, tuple[Message, int]] = {}
        """The message of each value, and how many ops a scale would have to be carried over."""

    def run(self, block: Block) -> None:
        """Folds the scales of a block."""
        for op in list(block.ops):
            if isinstance(op, MultiplyOp) and self._fold(op):
                continue
            if isinstance(op, RelaxOp) and len(op.results) == 1:
                message = self._message(op)
                if message is not None and message[1] <= MAX_CHAIN:
                    self.messages[op.results[0]] = message

    def _incoming(self, value: SSAValue) -> tuple[Message, int] | None:
        """Returns the message of an operand; an operand that something else reads too has none."""
        return self.messages.get(value) if value.has_one_use() else None

    def _message(self, op: RelaxOp) -> tuple[Message, int] | None:
        if is_contraction(op):
            axis = output_axis(op) if op.operands[1] in self.weights else None
            return None if axis is None else (Message(axis), 1)
        if isinstance(op, ACTIVATIONS):
            incoming = self._incoming(op.x)
            return None if incoming is None else (Message(incoming[0].axis, positive=True), incoming[1] + 1)
        if isinstance(op, SUMS):
            return self._sum_message(op.lhs, op.rhs)
        return None

    def _sum_message(self, lhs: SSAValue, rhs: SSAValue) -> tuple[Message, int] | None:
        # A scale goes through a sum if it reaches both operands along one axis, or if the other operand varies along that axis alone.
        left, right = self._incoming(lhs), self._incoming(rhs)
        if left is not None and right is not None:
            shape, other_shape = dims(lhs), dims(rhs)
            assert shape is not None and other_shape is not None
            if left[0].axis != right[0].axis or not shapes_equal(shape, other_shape):
                return None
            return Message(left[0].axis, left[0].positive or right[0].positive), left[1] + right[1] + 1
        for operand, other, incoming in ((lhs, rhs, left), (rhs, lhs, right)):
            if incoming is not None and matches(operand.type, other.type, incoming[0].axis):
                return incoming[0], incoming[1] + 1
        return None

    def _fold(self, op: MultiplyOp) -> bool:
        """Folds one product into what computes its operand, which is rebuilt in its place; returns whether it could."""
        for target, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            incoming = self._incoming(target)
            if incoming is None or not matches(target.type, scale.type, incoming[0].axis):
                continue
            shape = dims(target)
            assert shape is not None
            if not incoming[0].accepts(scale) or scale not in self.weights:
                continue
            emit = Emitter(op)
            vector = squeezed(emit, scale, len(shape) - incoming[0].axis)
            chain = self._chain(target)
            remark_on_scale(op, [link for link in chain if is_contraction(link)])
            moved: dict[SSAValue, SSAValue] = {}
            for link in chain:
                moved[link.results[0]] = self._scaled(emit, link, vector, moved)
                self._follow(link, moved[link.results[0]])
            result = moved[target]
            result.name_hint = op.result.name_hint
            emit.replace(op, [result])
            for link in reversed(chain):
                Rewriter.erase_op(link)
            return True
        return False

    def _follow(self, link: RelaxOp, new: SSAValue) -> None:
        """Gives a rebuilt value the message of the value that it replaces."""
        self.messages[new] = self.messages.pop(link.results[0])
        owner = new.owner
        if is_contraction(owner):
            assert isinstance(owner, RelaxOp)
            self.weights.add(owner.operands[1])

    def _chain(self, value: SSAValue) -> list[RelaxOp]:
        """Returns the ops between the contractions that a scale goes into and a value, operands first."""
        chain: list[RelaxOp] = []
        pending = [value]
        while pending:
            owner = pending.pop().owner
            assert isinstance(owner, RelaxOp)
            chain.append(owner)
            if not is_contraction(owner):
                pending.extend(operand for operand in owner.operands if self._incoming(operand) is not None)
        return chain[::-1]

    def _scaled(self, emit: Emitter, op: RelaxOp, scale: SSAValue, moved: dict[SSAValue, SSAValue]) -> SSAValue:
        """Rebuilds an op with the scale in its weight, or in those of its operands that do not carry it yet."""
        types = [result.type for result in op.results]
        if is_contraction(op):
            operands = list(op.operands)
            operands[1] = scale_output(emit, op, operands[1], scale)
            if isinstance(op, LinearOp) and op.bias is not None:
                operands[2] = emit.op(MultiplyOp, op.bias, scale)
            with emit.at(op.location):
                return emit.like(op, *operands, result_types=types)[0]
        shape = dims(op.results[0])
        message = self.messages[op.results[0]][0]
        assert shape is not None
        operands = [
            moved[operand]
            if operand in moved
            else emit.op(MultiplyOp, operand, spread(emit, scale, message.axis, len(shape)))
            for operand in op.operands
        ]
        with emit.at(op.location):
            return emit.like(op, *operands, result_types=types)[0]


@dataclass(frozen=True)
class BackwardFoldScaleAxisPass(PassWithOptions):
    """Folds a product by a weight into the weights of the convolution or matrix product before it.

    ```mlir
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1>} : ...
    %z = relax.multiply %y, %s : (tensor<1x2x10x10xf32>, tensor<2x1x1xf32>) -> tensor<1x2x10x10xf32>
    ```
    becomes
    ```mlir
    %v = relax.squeeze %s {axis = array<i64: 1, 2>} : (tensor<2x1x1xf32>) -> tensor<2xf32>
    %e = relax.expand_dims %v {axis = array<i64: 1, 2, 3>} : (tensor<2xf32>) -> tensor<2x1x1x1xf32>
    %u = relax.multiply %w, %e : ...
    %z = relax.nn.conv2d %x, %u {padding = array<i64: 1, 1>} : ...
    ```

    `conv1d`, `conv2d`, `conv3d` (with any groups), `matmul` and `linear` give the axis of their result that the weight has. The scale
    is carried over ops with one reader: `relu` and `leakyrelu`, if it is a constant without negative elements; `add` and `subtract`,
    whose other operand varies along that axis at most and is scaled as well, or comes from such an op itself. The weight and the scale
    are constants or parameters (all arguments, in a function without `relax.num_input`), so that the product of the two can be computed
    once: by `relax-fold-constant` or `relax-lift-transform-params`. Results differ by rounding: f16 and bf16 weights are rounded again.

    *Requires* known ranks, floating-point types that the op does not widen. *Leaves* the order of everything else.
    """

    name = "relax-backward-fold-scale-axis"

    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            weights = weight_values(function, self.weights)
            for block in list(function.walk_blocks()):
                Backward(weights).run(block)
