"""The pass `relax-recognize-quantized`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.ops.binary import AddOp, MultiplyOp
from ...dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp, FlattenOp, PermuteDimsOp, ReshapeOp, SqueezeOp
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.ops.nn.pool import MaxPool1DOp, MaxPool2DOp, MaxPool3DOp
from ...dialects.relax.ops.qnn.contraction import QnnBatchMatmulOp, QnnConv2DOp, QnnDenseOp
from ...dialects.relax.ops.qnn.elementwise import DequantizeOp, QuantizeOp
from ...dialects.relax.rules.qnn_rules import limits
from ...dialects.symbolic.expressions import Dim, product, shapes_equal
from ...records import record
from ..folding.scale_message import constant_elements, splat
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from ..rewriting.rooted_walker import RootedWalker, contains, of_types

MOVES: tuple[type[RelaxOp], ...] = (PermuteDimsOp, ReshapeOp, FlattenOp, ExpandDimsOp, SqueezeOp)
"""Ops that move elements: they may do so before the elements are dequantized."""

MAXIMA: tuple[type[RelaxOp], ...] = (MaxPool1DOp, MaxPool2DOp, MaxPool3DOp)
"""Ops that choose among elements by their order, which a positive scale keeps."""

MOST_PRODUCTS = 2**31 // 255**2
"""Products of differences of 8-bit numbers of which an i32 holds the sum."""


@record
class Factor:
    """A tensor of 8-bit numbers that a dequantization reads, and what the numbers mean."""

    q: SSAValue
    scale: SSAValue
    zero_point: SSAValue
    axis: int | None
    """The dim that scale or zero point goes along; `None` where both are one number."""

    def scale_in(self, emit: Emitter) -> SSAValue:
        """Returns the scale in f32: of rank 0 where it is one number, else of rank 1."""
        return _parameter(emit, self.scale, f32)

    def zero_point_in(self, emit: Emitter) -> SSAValue:
        """Returns the zero point in i32."""
        return _parameter(emit, self.zero_point, i32)


def _parameter(emit: Emitter, value: SSAValue, element_type: Attribute) -> SSAValue:
    number = splat(value)
    if number is not None:
        return emit.constant(np.asarray(number), element_type)
    scalar = emit.op(SqueezeOp, value, axis=[0]) if dims(value) == (1,) else value
    return emit.cast(scalar, element_type)


def _is_single(op: DequantizeOp | QuantizeOp) -> bool:
    return all(splat(value) is not None or not dims(value) or dims(value) == (1,) for value in op.operands[1:])


def _has_usual_scale(op: DequantizeOp | QuantizeOp) -> bool:
    """Returns whether a scale is one positive number; one that is not known now, as it is of a parameter, counts as such."""
    number = splat(op.scale)
    data = constant_elements(op.scale)
    return (
        data is None or bool(np.all(data > 0) and np.all(np.isfinite(data))) if number is None else 0 < number < np.inf
    )


def _has_usual_zero_point(op: DequantizeOp) -> bool:
    """Returns whether zero points are numbers of the type that is dequantized, so that differences have nine bits."""
    if element(op.zero_point) == element(op.data):
        return True
    numbers = constant_elements(op.zero_point)
    low, high = limits(element(op.data))
    return numbers is not None and bool(np.all((numbers >= low) & (numbers <= high)))


def factor_of(value: SSAValue) -> Factor | None:
    """Returns the 8-bit numbers that an f32 tensor is dequantized from; `None` for any other tensor."""
    op = value.owner
    if not isinstance(op, DequantizeOp) or element(op.result) != f32 or element(op.data) not in (i8, ui8):
        return None
    if dims(op.data) is None or not _has_usual_scale(op) or not _has_usual_zero_point(op):
        return None
    return Factor(op.data, op.scale, op.zero_point, None if _is_single(op) else op.normalized_axis())


def factors_of(lhs: SSAValue, rhs: SSAValue, result: SSAValue) -> tuple[Factor, Factor] | None:
    """Returns the factors of an f32 product, of which the first one has one scale; `None` for any other product."""
    data, weight = factor_of(lhs), factor_of(rhs)
    if data is None or weight is None or data.axis is not None or element(result) != f32:
        return None
    return data, weight


def _fits(inner: Sequence[Dim]) -> bool:
    """Returns whether an i32 holds the sum of so many products."""
    return (
        all(isinstance(size, int) for size in inner)
        and prod(size for size in inner if isinstance(size, int)) <= MOST_PRODUCTS
    )


def _transposed(emit: Emitter, matrices: SSAValue) -> SSAValue:
    """Swaps the last two dims, or undoes that they were swapped."""
    rank = len(dims(matrices) or ())
    axes = [*range(rank - 2), rank - 1, rank - 2]
    before = matrices.owner
    if isinstance(before, PermuteDimsOp) and list(before.permutation(rank)) == axes:
        return before.operands[0]
    return emit.op(PermuteDimsOp, matrices, axes=axes)


def _scaled(emit: Emitter, sums: SSAValue, data: Factor, weight: Factor, axis: int) -> SSAValue:
    """Returns what the integer sums of products stand for; the scale of the weight goes along an axis of them, or is one number."""
    scale = emit.op(MultiplyOp, data.scale_in(emit), weight.scale_in(emit))
    if dims(scale):
        scale = emit.along(scale, axis, len(dims(sums) or ()))
    return emit.op(MultiplyOp, emit.cast(sums, f32), scale)


def _operands(emit: Emitter, data: Factor, weight: Factor) -> list[SSAValue]:
    return [data.zero_point_in(emit), weight.zero_point_in(emit), data.scale_in(emit), weight.scale_in(emit)]


class MultiplyConvolution(RewritePattern):
    """Convolves 8-bit numbers in place of what they stand for.

    Declines unless the data has one scale and the kernel one, or one for each output channel.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Conv2DOp, rewriter: PatternRewriter) -> None:
        factors, kernel = factors_of(op.data, op.weight, op.result), dims_of(op.weight.type)
        if factors is None or kernel is None:
            return
        data, weight = factors
        outputs, *inner = op.kernel_positions()
        if op.kernel_block or weight.axis not in (None, outputs) or not _fits([kernel[axis] for axis in inner]):
            return
        emit = Emitter(op, rewriter)
        attributes: dict[str, Any] = {name: value for name, value in op.properties.items() if name != "out_dtype"}
        sums = emit.op(QnnConv2DOp, data.q, weight.q, *_operands(emit, data, weight), **attributes)
        emit.replace(op, [_scaled(emit, sums, data, weight, op.out_positions()[1])])


class MultiplyMatrices(RewritePattern):
    """Multiplies matrices of 8-bit numbers in place of what they stand for.

    Declines unless the left one has one scale, and the right one has too, or is one matrix with a scale for each column.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        # Invariant: `sums` are of the shape of the result; the scales of the weight, if several, go along its last dim.
        factors, lhs, rhs = factors_of(op.lhs, op.rhs, op.result), dims(op.lhs) or (), dims(op.rhs) or ()
        if factors is None or not lhs or not _fits(lhs[-1:]):
            return
        data, weight = factors
        emit = Emitter(op, rewriter)
        if len(rhs) == 2 and weight.axis in (None, 1):
            sums = emit.op(QnnDenseOp, data.q, _transposed(emit, weight.q), *_operands(emit, data, weight))
        elif len(rhs) == len(lhs) > 2 and weight.axis is None and shapes_equal(lhs[:-2], rhs[:-2]):
            sums = self._batches(emit, data, weight, lhs, rhs)
        else:
            return
        emit.replace(op, [_scaled(emit, sums, data, weight, len(lhs) - 1)])

    def _batches(self, emit: Emitter, data: Factor, weight: Factor, lhs: Sequence[Dim], rhs: Sequence[Dim]) -> SSAValue:
        """Returns the products of as many matrices on each side, all batch dims joined in one while they are multiplied."""
        x, y = data.q, _transposed(emit, weight.q)
        zero_points = data.zero_point_in(emit), weight.zero_point_in(emit)
        scales = data.scale_in(emit), weight.scale_in(emit)
        if len(lhs) == 3:
            return emit.op(QnnBatchMatmulOp, x, y, *zero_points, *scales)
        count = product(lhs[:-2])
        x = emit.op(ReshapeOp, x, emit.shape(count, *lhs[-2:]))
        y = emit.op(ReshapeOp, y, emit.shape(count, rhs[-1], rhs[-2]))
        sums = emit.op(QnnBatchMatmulOp, x, y, *zero_points, *scales)
        return emit.op(ReshapeOp, sums, emit.shape(*lhs[:-1], rhs[-1]))


class MultiplyLinear(RewritePattern):
    """Multiplies the 8-bit numbers of a linear layer, and adds its bias to what the product stands for."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinearOp, rewriter: PatternRewriter) -> None:
        factors, shape = factors_of(op.data, op.weight, op.result), dims(op.weight) or ()
        if factors is None or len(shape) != 2 or factors[1].axis not in (None, 0) or not _fits(shape[1:]):
            return
        data, weight = factors
        emit = Emitter(op, rewriter)
        sums = emit.op(QnnDenseOp, data.q, weight.q, *_operands(emit, data, weight))
        result = _scaled(emit, sums, data, weight, len(dims(sums) or ()) - 1)
        emit.replace(op, [result if op.bias is None else emit.op(AddOp, result, op.bias)])


class MoveBeforeDequantize(RewritePattern):
    """Moves 8-bit numbers, or takes the greatest of them, before they are dequantized.

    Declines where scale or zero point differ from element to element, but for transposes.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        source = op.operands[0].owner if isinstance(op, (*MOVES, *MAXIMA)) else None
        if not isinstance(op, RelaxOp) or not isinstance(source, DequantizeOp) or dims(source.data) is None:
            return
        # Invariant: behind the checks, `axis` and `parameters` say of the moved numbers what those of the source say of the others.
        is_maximum = isinstance(op, MAXIMA)
        if is_maximum and (splat(source.scale) is None or not _has_usual_scale(source)):
            return
        emit = Emitter(op, rewriter)
        if _is_single(source):
            axis, parameters = -1, [self._single(emit, parameter) for parameter in source.operands[1:]]
        elif isinstance(op, PermuteDimsOp):
            permutation = op.permutation(len(dims(source.data) or ()))
            axis, parameters = permutation.index(source.normalized_axis()), source.operands[1:]
        else:
            return
        (moved,) = emit.like(op, source.data, *op.operands[1:])
        (result,) = emit.like(source, moved, *parameters, axis=axis)
        emit.replace(op, [result])

    def _single(self, emit: Emitter, parameter: SSAValue) -> SSAValue:
        """Returns a parameter that is one number as a tensor of rank 0."""
        if not dims(parameter):
            return parameter
        number = splat(parameter)
        if number is not None:
            return emit.constant(np.asarray(number), element(parameter))
        return emit.op(SqueezeOp, parameter, axis=[0])


class CancelQuantize(RewritePattern):
    """Replaces the quantization of what was dequantized, with the same scale and zero point, by the numbers that were there.

    `(q - z) * s / s` is rounded to `q - z`, as both roundings are smaller than a half for numbers of 16 bits and less.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QuantizeOp, rewriter: PatternRewriter) -> None:
        source = op.data.owner
        if not isinstance(source, DequantizeOp) or element(source.result) != f32:
            return
        if element(source.data) != element(op.result) or element(op.result) == i32 or not _has_usual_scale(op):
            return
        if all(self._same(a, b) for a, b in zip(op.operands[1:], source.operands[1:], strict=True)):
            rewriter.replace(op, [], [source.data])

    def _same(self, lhs: SSAValue, rhs: SSAValue) -> bool:
        numbers = splat(lhs), splat(rhs)
        return numbers[0] is not None and numbers[0] == numbers[1]


class RecognizeQuantizedPass(ModulePass):
    """Multiplies 8-bit numbers where a program dequantizes both factors of a product: what quantizers of models write.

    ```mlir
    %a = relax.dequantize %x, %sx, %zx : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xf32>
    %b = relax.dequantize %w, %sw, %zw {axis = 1 : i64} : (tensor<8x16xi8>, tensor<16xf32>, tensor<i8>) -> tensor<8x16xf32>
    %y = relax.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
    becomes
    ```mlir
    %wt = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<8x16xi8>) -> tensor<16x8xi8>
    %t = relax.qnn.dense %x, %wt, %zx, %zw, %sx, %sw : (tensor<4x8xui8>, tensor<16x8xi8>, ...) -> tensor<4x16xi32>
    %s = relax.multiply %sx, %sw : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    %u = relax.astype %t {dtype = f32} : (tensor<4x16xi32>) -> tensor<4x16xf32>
    %y = relax.multiply %u, %s : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ```

    So do `relax.nn.conv2d`, `relax.linear` and products of batches. What moves elements (reshapes, transposes), and max pooling, happens
    before elements are dequantized, and a quantization of what was dequantized in the same way is gone.

    *Requires* known ranks. *Leaves* products of which one factor is not quantized, has scales along another dim than the columns
    or output channels, or a zero point that may be outside of the 8 bits, and those whose sums an i32 may not hold (more than 33,025
    products). Sums are exact, where those in f32 are rounded.
    """

    name = "relax-recognize-quantized"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        moves = RootedWalker([MoveBeforeDequantize(), CancelQuantize()], of_types(RelaxOp))
        products = RootedWalker(
            [MultiplyConvolution(), MultiplyMatrices(), MultiplyLinear()], of_types(Conv2DOp, MatmulOp, LinearOp)
        )
        for function in graph_functions(op):
            if not contains(function, DequantizeOp):
                continue
            # A product is recognized by its factors, which moves may stand in front of.
            for walker in (moves, products):
                walker.rewrite_region(function.body)
