"""Loss functions as reductions to a scalar tensor; f16 and bf16 are computed in f32 and rounded once.

    %l = relax.nn.cross_entropy_with_logits %x, %y : (tensor<?x5xf16, #relax.sym<n>>, ...) -> tensor<f16>

becomes

    linalg.generic %s[] += arith.extf %x[d0, d1] * arith.extf %y[d0, d1]
    linalg.generic %l[] = arith.truncf(-%s / %n)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from .....dialects.relax.base import dims
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import accumulator, is_unsigned
from .....dialects.relax.ops.nn import loss as nn_loss
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import REDUCTION, Body, ScalarBuilder, Size, element
from ...builder import LinalgBuilder
from ...rule import Rules
from .softmax import Rows


def _rounded(b: LinalgBuilder, value: SSAValue, sizes: Sequence[Size], element_type: Attribute) -> SSAValue:
    if element(value) == element_type:
        return value
    return b.elementwise([value], sizes, element_type, lambda s, args: scalar.cast(s, args[0], element_type))


def _cross_entropy(
    op: nn_loss.CrossEntropyWithLogitsOp, operands: Sequence[SSAValue], b: LinalgBuilder
) -> list[SSAValue]:
    predictions, labels = operands
    rank = len(dims(op.predictions) or ())
    wide = accumulator(element(predictions))

    def add_product(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.add(s, args[2], scalar.mul(s, scalar.widen(s, args[0]), scalar.widen(s, args[1])))

    maps = [AffineMap.identity(rank), AffineMap.identity(rank), AffineMap(rank, 0, ())]
    total = b.generic([predictions, labels], [b.filled(0.0, wide, [])], maps, [REDUCTION] * rank, add_product)[0]
    divisor = b.constant(1.0, wide) if rank == 1 else b.size_as(b.dim(predictions, 0), wide)

    def negated(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        loss = scalar.div(s, s.insert(arith.NegfOp(args[0])), divisor)
        return scalar.cast(s, loss, element(predictions))

    return [b.elementwise([total], [], element(predictions), negated)]


def _nll_loss(op: nn_loss.NLLLossOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    predictions, targets = operands[:2]
    weights = operands[2] if len(operands) > 2 else None
    element_type = element(predictions)
    wide = accumulator(element_type)
    rank = len(dims(op.predictions) or ())
    axis = 1 if rank > 1 else 0
    count = b.dim(predictions, axis)
    last = b.insert(arith.SubiOp(b.as_index(count), b.index(1)))
    sizes: list[Size] = [b.dim(targets, dim) for dim in range(max(rank - 1, 0))]
    unsigned = is_unsigned(relax_element(op.targets))

    # Each target gives a loss and a weight: 0 where it is ignored, NaN where it is no class; no class is read that is not there.

    def resolved(s: ScalarBuilder, target: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Returns the target as the index of a class, its weight (NaN if it is no class), and whether it is ignored."""
        value = scalar.cast(s, target, IndexType(), unsigned)
        chosen = s.insert(arith.MinSIOp(s.insert(arith.MaxSIOp(value, s.index(0))), last))
        weight = s.constant(1.0, wide)
        if weights is not None:
            weight = scalar.widen(s, s.insert(tensor.ExtractOp(weights, [chosen], element_type)))
        valid = scalar.compare(s, "eq", value, chosen)
        weight = scalar.select(s, valid, weight, s.constant(float("nan"), wide))
        ignored = scalar.compare(s, "eq", value, s.index(op.prop("ignore_index", -100)))
        return chosen, weight, ignored

    def loss(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        chosen, weight, ignored = resolved(s, args[0])
        position = [s.iteration(dim) for dim in range(len(sizes))]
        picked = s.insert(tensor.ExtractOp(predictions, [*position[:axis], chosen, *position[axis:]], element_type))
        value = scalar.mul(s, s.insert(arith.NegfOp(scalar.widen(s, picked))), weight)
        return scalar.select(s, ignored, s.constant(0.0, wide), value)

    def taken_weight(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        _, weight, ignored = resolved(s, args[0])
        return scalar.select(s, ignored, s.constant(0.0, wide), weight)

    def read(b: LinalgBuilder, body: Body) -> SSAValue:
        """Returns a value for each target; where there are no classes nothing is read, and a target is ignored or invalid."""

        def invalid(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            value = scalar.cast(s, args[0], IndexType(), unsigned)
            ignored = scalar.compare(s, "eq", value, s.index(op.prop("ignore_index", -100)))
            return scalar.select(s, ignored, s.constant(0.0, wide), s.constant(float("nan"), wide))

        def chosen(body: Body) -> Callable[[LinalgBuilder], list[SSAValue]]:
            return lambda inner: [inner.elementwise([targets], sizes, wide, body)]

        if isinstance(count, int):
            return chosen(body if count else invalid)(b)[0]
        return b.if_else(b.less(0, count), chosen(body), chosen(invalid))[0]

    losses = read(b, loss)
    reduction = op.prop("reduction", "mean")
    if reduction == "none":
        return [_rounded(b, losses, sizes, element_type)]
    axes = range(len(sizes))
    total = Rows(b, losses, sizes, axes).total() if sizes else losses
    if reduction == "sum":
        return [_rounded(b, total, [], element_type)]
    taken = read(b, taken_weight)
    weight = Rows(b, taken, sizes, axes).total() if sizes else taken

    def mean(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.cast(s, scalar.div(s, args[0], args[1]), element_type)

    return [b.elementwise([total, weight], [], element_type, mean)]


RULES: Rules = {
    nn_loss.CrossEntropyWithLogitsOp: _cross_entropy,
    nn_loss.NLLLossOp: _nll_loss,
}
