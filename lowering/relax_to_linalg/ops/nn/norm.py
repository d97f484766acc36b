"""Normalizations as reductions over rows and element-wise ops that share their leading dims; f16 and bf16 are computed in f32.

    %y = relax.nn.rms_norm %x, %w : (tensor<?x16xf16, #relax.sym<n>>, tensor<16xf16>) -> tensor<?x16xf16, #relax.sym<n>>

becomes

    linalg.generic %s[d0] += (arith.extf %x[d0, d1]) * (arith.extf %x[d0, d1])
    linalg.generic %r[d0] = 1 / math.sqrt(%s[d0] / 16 + epsilon)
    linalg.generic %y[d0, d1] = arith.truncf(%x[d0, d1] * %r[d0] * %w[d1])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.ops.nn import norm as nn_norm
from .....dialects.symbolic.expressions import Dim, floordiv, product
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import Size, element, projection
from ...builder import LinalgBuilder
from ...regroup import join_dims, split_dim
from ...rule import Rules
from .softmax import Rows


def _average(rows: Rows, total: SSAValue, count: Size) -> SSAValue:
    """Returns the row totals divided by the number of items in a row."""
    b = rows.b
    divisor = b.size_as(count, rows.wide)
    return b.elementwise([total], _row_sizes(rows), rows.wide, lambda s, args: scalar.div(s, args[0], divisor))


def _row_sizes(rows: Rows) -> list[Size]:
    return [rows.sizes[axis] for axis in rows.kept]


def _inverse_root(rows: Rows, total: SSAValue, count: Size | None, epsilon: float) -> SSAValue:
    """Returns `1 / sqrt(total / count + epsilon)` for each row."""
    b = rows.b
    divisor = None if count is None else b.size_as(count, rows.wide)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        mean = scalar.widen(s, args[0]) if divisor is None else scalar.div(s, args[0], divisor)
        root = s.insert(math.SqrtOp(scalar.add(s, mean, s.constant(epsilon, rows.wide))))
        return scalar.div(s, s.constant(1.0, rows.wide), root)

    return b.elementwise([total], _row_sizes(rows), rows.wide, body)


def _squares(rows: Rows, mean: SSAValue | None = None) -> SSAValue:
    """Returns the sum of the squares of each row, or of its distances from a mean."""

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        item = args[0] if mean is None else scalar.sub(s, args[0], args[1])
        return scalar.add(s, args[-1], scalar.mul(s, item, item))

    return rows.reduce(0.0, body, None, *([] if mean is None else [mean]))


def _count(b: LinalgBuilder, dims: Sequence[Dim], axes: Sequence[int]) -> Size:
    return b.size(product(dims[axis] for axis in axes))


def _scaled(
    rows: Rows,
    mean: SSAValue | None,
    factor: SSAValue,
    gamma: SSAValue | None,
    beta: SSAValue | None,
    parameters: AffineMap,
) -> SSAValue:
    """Returns `(x - mean) * factor * gamma + beta`, rounded once; what is None is left out."""
    inputs = [rows.x, mean, factor, gamma, beta]
    maps = [rows.identity, rows.row, rows.row, parameters, parameters]
    present = [index for index, value in enumerate(inputs) if value is not None]

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        given = dict(zip(present, (scalar.widen(s, arg) for arg in args[: len(present)]), strict=True))
        x = given[0] if mean is None else scalar.sub(s, given[0], given[1])
        x = scalar.mul(s, x, given[2])
        if gamma is not None:
            x = scalar.mul(s, x, given[3])
        if beta is not None:
            x = scalar.add(s, x, given[4])
        return scalar.cast(s, x, element(rows.x))

    values = [value for value in inputs if value is not None]
    used = [maps[index] for index in present]
    return rows.b.elementwise(values, rows.sizes, element(rows.x), body, maps=used)


def _parameters(op: Any, gamma: SSAValue, beta: SSAValue) -> tuple[SSAValue | None, SSAValue | None]:
    return (gamma if op.prop("scale", True) else None, beta if op.prop("center", True) else None)


def _standardized(op: Any, rows: Rows, count: Size, gamma: SSAValue, beta: SSAValue, parameters: AffineMap) -> SSAValue:
    mean = _average(rows, rows.total(), count)
    factor = _inverse_root(rows, _squares(rows, mean), count, op.prop("epsilon", nn_norm.EPSILON))
    return _scaled(rows, mean, factor, *_parameters(op, gamma, beta), parameters)


def _layer_norm(op: nn_norm.LayerNormOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, gamma, beta = operands
    dims = dims_of(op.result.type) or ()
    axes = op.normalized(len(dims))
    rows = Rows(b, x, b.sizes(dims), axes)
    return [_standardized(op, rows, _count(b, dims, axes), gamma, beta, projection(len(dims), axes))]


def _rms_norm(op: nn_norm.RMSNormOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, weight = operands
    dims = dims_of(op.result.type) or ()
    axes = op.normalized(len(dims))
    rows = Rows(b, x, b.sizes(dims), axes)
    epsilon = op.prop("epsilon", nn_norm.EPSILON)
    factor = _inverse_root(rows, _squares(rows), _count(b, dims, axes), epsilon)
    return [_scaled(rows, None, factor, weight, None, projection(len(dims), axes))]


def _l2_normalize(op: nn_norm.L2NormalizeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    dims = dims_of(op.result.type) or ()
    rows = Rows(b, operands[0], b.sizes(dims), op.normalized(len(dims)))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        bounded = scalar.maximum(s, args[0], s.constant(op.prop("eps"), rows.wide))
        return scalar.div(s, s.constant(1.0, rows.wide), s.insert(math.SqrtOp(bounded)))

    factor = b.elementwise([_squares(rows)], _row_sizes(rows), rows.wide, body)
    return [_scaled(rows, None, factor, None, None, rows.identity)]


def _group_norm(op: nn_norm.GroupNormOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    dims = list(dims_of(op.result.type) or ())
    channel, groups = op.channel(len(dims)), op.prop("num_groups")
    axes = [channel + 1, *(axis + (axis > channel) for axis in op.normalized(len(dims)))]
    inner = floordiv(dims[channel], groups)
    split: list[Dim] = [*dims[:channel], groups, inner, *dims[channel + 1 :]]
    per_group = b.size(inner)
    x = split_dim(b, operands[0], channel, groups, per_group, dims)
    gamma, beta = (split_dim(b, operand, 0, groups, per_group) for operand in operands[1:])
    rows = Rows(b, x, b.sizes(split), axes)
    parameters = projection(len(split), [channel, channel + 1])
    return [join_dims(b, _standardized(op, rows, _count(b, split, axes), gamma, beta, parameters), channel)]


def _instance_norm(op: nn_norm.InstanceNormOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, gamma, beta = operands
    dims = dims_of(op.result.type) or ()
    axes = op.normalized(len(dims))
    rows = Rows(b, x, b.sizes(dims), axes)
    parameters = projection(len(dims), [op.channel(len(dims))])
    return [_standardized(op, rows, _count(b, dims, axes), gamma, beta, parameters)]


def _batch_norm(op: nn_norm.BatchNormOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, gamma, beta, moving_mean, moving_var = operands
    dims = dims_of(op.result.type) or ()
    channel = op.channel(len(dims))
    axes = [axis for axis in range(len(dims)) if axis != channel]
    rows = Rows(b, x, b.sizes(dims), axes)
    epsilon = op.prop("epsilon", nn_norm.EPSILON)
    if op.prop("training", True):
        count = _count(b, dims, axes)
        mean = _average(rows, rows.total(), count)
        squares = _squares(rows, mean)
        factor = _inverse_root(rows, squares, count, epsilon)
        momentum = op.prop("momentum", 0.1)
        statistics = [
            _blended(rows, moving_mean, mean, momentum),
            _blended(rows, moving_var, _average(rows, squares, count), momentum),
        ]
    else:
        mean, factor = moving_mean, _inverse_root(rows, moving_var, None, epsilon)
        statistics = [moving_mean, moving_var]
    return [_scaled(rows, mean, factor, *_parameters(op, gamma, beta), rows.row), *statistics]


def _blended(rows: Rows, moving: SSAValue, new: SSAValue, momentum: float) -> SSAValue:
    """Returns `(1 - momentum) * moving + momentum * new`."""

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        old = scalar.mul(s, s.constant(1 - momentum, rows.wide), scalar.widen(s, args[0]))
        return scalar.cast(
            s, scalar.add(s, old, scalar.mul(s, s.constant(momentum, rows.wide), args[1])), element(moving)
        )

    return rows.b.elementwise([moving, new], _row_sizes(rows), element(moving), body)


RULES: Rules = {
    nn_norm.LayerNormOp: _layer_norm,
    nn_norm.RMSNormOp: _rms_norm,
    nn_norm.L2NormalizeOp: _l2_normalize,
    nn_norm.GroupNormOp: _group_norm,
    nn_norm.InstanceNormOp: _instance_norm,
    nn_norm.BatchNormOp: _batch_norm,
}
