"""The pass `relax-forward-fold-scale-axis`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue, Use
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import RelaxOp, dims
from ...dialects.relax.ops.binary import DivideOp, MultiplyOp
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from .scale_message import (
    ACTIVATIONS,
    SUMS,
    Message,
    input_axis,
    is_contraction,
    matches,
    remark_on_scale,
    scale_input,
    spread,
    squeezed,
)


class Forward:
    """The demands of one block, from consumers to producers, and the scales that follow them forward."""

    def __init__(self, block: Block, weights: set[SSAValue]):
        self.block = block
        self.weights = weights
        self.messages: dict[SSAValue, Message] = {}

    def run(self) -> None:
        """Folds the scales of the block."""
        for op in reversed(list(self.block.ops)):
            if not isinstance(op, RelaxOp) or len(op.results) != 1:
                continue
            message = self._demand(op.results[0])
            if message is None:
                continue
            if isinstance(op, MultiplyOp):
                self._fold(op, message)
            else:
                self.messages[op.results[0]] = message

    def _demand(self, value: SSAValue) -> Message | None:
        """Returns what all readers of a value agree on."""
        common: Message | None = None
        for use in value.uses:
            message = self._demand_of(use, value)
            if message is None or (common is not None and common.axis != message.axis):
                return None
            if common is not None:
                message = Message(common.axis, common.positive or message.positive, common.nonzero or message.nonzero)
            common = message
        return common

    def _demand_of(self, use: Use, value: SSAValue) -> Message | None:
        op = use.operation
        if op.parent is not self.block or not isinstance(op, RelaxOp):
            return None
        if is_contraction(op):
            axis = input_axis(op) if use.index == 0 and op.operands[1] in self.weights else None
            return None if axis is None else Message(axis)
        outgoing = self.messages.get(op.results[0]) if op.results else None
        if outgoing is None:
            return None
        if isinstance(op, ACTIVATIONS):
            return Message(outgoing.axis, True, outgoing.nonzero)
        other = op.operands[1 - use.index] if isinstance(op, SUMS) else value
        if isinstance(op, SUMS) and matches(value.type, other.type, outgoing.axis):
            shape, result = dims(value), dims(op.result)
            if use.index == 1 and matches(other.type, value.type, outgoing.axis):
                # Either operand could be divided by the scale of the other, but not both.
                return None
            if shape is not None and result is not None and len(shape) == len(result):
                return Message(outgoing.axis, outgoing.positive, nonzero=True)
        return None

    def _fold(self, op: MultiplyOp, message: Message) -> None:
        """Removes a product, and puts its scale into what its readers read beside it."""
        for value, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if value.type != op.result.type or not matches(value.type, scale.type, message.axis):
                continue
            if not message.accepts(scale) or scale not in self.weights:
                continue
            shape = dims(value)
            assert shape is not None
            vector = squeezed(Emitter(op), scale, len(shape) - message.axis)
            remark_on_scale(op, self._spread(op.result, vector, message.axis))
            op.result.replace_all_uses_with(value)
            Rewriter.erase_op(op)
            return

    def _spread(self, product: SSAValue, scale: SSAValue, axis: int) -> list[RelaxOp]:
        """Makes all that reads a product, directly or by others, compute without the scale; returns the contractions that have it now."""
        pending, contractions = [product], list[RelaxOp]()
        while pending:
            for use in list(pending.pop().uses):
                reader = use.operation
                assert isinstance(reader, RelaxOp)
                if is_contraction(reader):
                    contractions.append(reader)
                if self._absorb(reader, use.index, scale, axis):
                    pending.append(reader.results[0])
        return contractions

    def _absorb(self, reader: RelaxOp, index: int, scale: SSAValue, axis: int) -> bool:
        """Makes a reader compute on the value without the scale; returns whether its result lacks the scale too."""
        emit = Emitter(reader)
        if is_contraction(reader):
            scaled = scale_input(emit, reader, reader.operands[1], scale)
            self.weights.add(scaled)
            reader.operands[1] = scaled
            return False
        if isinstance(reader, SUMS):
            shape = dims(reader.result)
            assert shape is not None
            divisor = spread(emit, scale, axis, len(shape))
            reader.operands[1 - index] = emit.op(DivideOp, reader.operands[1 - index], divisor)
        return True


@dataclass(frozen=True)
class ForwardFoldScaleAxisPass(PassWithOptions):
    """Folds a product by a weight into the weights of the convolutions or matrix products that read it.

    ```mlir
    %y = relax.multiply %x, %s : (tensor<1x2x10x10xf32>, tensor<2x1x1xf32>) -> tensor<1x2x10x10xf32>
    %z = relax.nn.conv2d %y, %w {padding = array<i64: 1, 1>} : ...
    ```
    becomes
    ```mlir
    %v = relax.squeeze %s {axis = array<i64: 1, 2>} : (tensor<2x1x1xf32>) -> tensor<2xf32>
    %e = relax.expand_dims %v {axis = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %u = relax.multiply %w, %e : ...
    %z = relax.nn.conv2d %x, %u {padding = array<i64: 1, 1>} : ...
    ```

    `conv1d`, `conv2d`, `conv3d`, `matmul` and `linear` ask for the axis of their data that is summed over, and all readers of the
    product must ask for the same. `relu` and `leakyrelu` pass that on for a constant scale without negative elements, `add` and
    `subtract` for a constant one without zeros, as their other operand is divided by it; it varies along the axis at most. Weight and
    scale are constants or parameters (all arguments, in a function without `relax.num_input`). Results differ by rounding.

    *Requires* known ranks, floating-point types that the op does not widen, static kernels where a convolution has groups. *Leaves* the
    order of everything else.
    """

    name = "relax-forward-fold-scale-axis"

    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            weights = weight_values(function, self.weights)
            for block in list(function.walk_blocks()):
                Forward(block, weights).run()
