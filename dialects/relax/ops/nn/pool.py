"""Pooling over windows in one to three spatial dims, and adaptive average pooling."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim
from ...attrs import tensor_type
from ...base import BOOL, INTS, STRING, TENSOR, TensorOp, dims, element, fail
from ...dtypes import NUMERIC
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...layout_rule import LayoutRule
from ...rules.shape_rules import shape_text
from ...rules.window import Window, canonical_dims, laid_out, layout_positions, padding_pairs, per_dim, spatial_letters


class PoolLikeOp(TensorOp, ABC):
    """What all pooling shares: one operand, layouts, and a rule for the spatial dims."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.WINDOWS
    SPATIAL_RANK: ClassVar[int]
    x = operand_def(TENSOR)
    layout = opt_prop_def(STRING)
    out_layout = opt_prop_def(STRING)

    def positions(self) -> tuple[int, ...]:
        """Returns where N, C and the spatial dims stand in the operand."""
        return self._positions("layout", f"NC{spatial_letters(self.SPATIAL_RANK)}")

    def out_positions(self) -> tuple[int, ...]:
        """Returns where N, C and the spatial dims stand in the result."""
        return self._positions("out_layout", self.prop("layout", f"NC{spatial_letters(self.SPATIAL_RANK)}"))

    def _positions(self, name: str, default: str) -> tuple[int, ...]:
        canonical = f"NC{spatial_letters(self.SPATIAL_RANK)}"
        return layout_positions(self.prop(name, default), canonical, name, f"{self.stem}_c2")

    def result_sizes(self, context: SizeContext, sizes: Sequence[Dim]) -> list[Dim]:
        """Returns the spatial dims of the result from those of the operand."""
        raise TypeError(f"{self.name} has no shape rule")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), NUMERIC, f"{self.stem}_c1")
        positions, out_positions = self.positions(), self.out_positions()
        rank = self.SPATIAL_RANK
        shape = dims(self.x)
        if shape is None:
            self.result_sizes(context, [None] * rank)
            return [tensor_type([None] * (rank + 2), element_type)]
        if len(shape) != rank + 2:
            fail(f"{self.stem}_c4", f"the operand must have rank {rank + 2}, got {shape_text(shape)}")
        batch, channels, *sizes = canonical_dims(shape, positions)
        return [
            tensor_type(laid_out([batch, channels, *self.result_sizes(context, sizes)], out_positions), element_type)
        ]


class PoolOp(PoolLikeOp, ABC):
    """Pools over windows of `pool_size` items; the defaults of sizes, strides and dilation are 1, of padding 0.

    With `ceil_mode` the last window may reach over the end, provided that it starts inside the data or its front padding.

    <op>_c1: the element type is numeric.
    <op>_c2: each layout is a permutation of `NC` and the spatial letters; packed layouts are not taken.
    <op>_c3: pool_size, strides and dilation have 1 or n positive values, padding 1, n or 2n non-negative ones.
    <op>_c4: the operand has rank n + 2.
    <op>_c5: the dilated window fits into the padded data, with `ceil_mode` and any data into that and `stride - 1` positions behind it.
    """

    pool_size = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    padding = opt_prop_def(INTS)
    dilation = opt_prop_def(INTS)
    ceil_mode = opt_prop_def(BOOL)
    count_include_pad = opt_prop_def(BOOL)

    def windows(self) -> list[Window]:
        """Returns the windows of the spatial dims."""
        constraint, rank = f"{self.stem}_c3", self.SPATIAL_RANK
        sizes, strides, steps = (
            per_dim(self.prop(name, (1,)), rank, name, constraint) for name in ("pool_size", "strides", "dilation")
        )
        pairs = padding_pairs(self.prop("padding", (0,)), rank, constraint)
        return [
            Window(size, stride, step, *pair)
            for size, stride, step, pair in zip(sizes, strides, steps, pairs, strict=True)
        ]

    def result_sizes(self, context: SizeContext, sizes: Sequence[Dim]) -> list[Dim]:
        ceil_mode = self.prop("ceil_mode", False)
        return [
            window.count(context, size, f"{self.stem}_c5", ceil_mode)
            for window, size in zip(self.windows(), sizes, strict=True)
        ]


class MaxPoolOp(PoolOp, ABC):
    """The maximum of each window; padding counts as `-inf` (or the least integer), and NaN stays NaN."""


class AvgPoolOp(PoolOp, ABC):
    """The mean of each window, f16 and bf16 in f32; integers of 8 and 16 bits are summed in i32, the quotient is truncated.

    With `count_include_pad` the divisor counts the padding (but nothing beyond it in `ceil_mode`), without it data only. As in Relax its
    default is true in one and three spatial dims, and false in two. A window that lies wholly in the padding is 0 either way: its sum is,
    and the divisor is at least 1. So has TVM it; torch refuses a padding beyond half of the window.
    """

    def includes_padding(self) -> bool:
        """Returns whether padding counts."""
        return self.prop("count_include_pad", self.SPATIAL_RANK != 2)


class AdaptiveAvgPoolOp(PoolLikeOp, ABC):
    """The means of `output_size` windows that cover each spatial dim: window o is `[floor(o * in / out), ceil((o + 1) * in / out))`.

    Without `output_size` the sizes stay. Element types are treated as in average pooling.

    <op>_c1: the element type is numeric.
    <op>_c2: each layout is a permutation of `NC` and the spatial letters; packed layouts are not taken.
    <op>_c3: output_size has 1 or n positive values.
    <op>_c4: the operand has rank n + 2.
    """

    output_size = opt_prop_def(INTS)

    def result_sizes(self, context: SizeContext, sizes: Sequence[Dim]) -> list[Dim]:
        given = self.prop("output_size")
        if given is None:
            return list(sizes)
        return list(per_dim(given, self.SPATIAL_RANK, "output_size", f"{self.stem}_c3"))


@irdl_op_definition
class MaxPool1DOp(MaxPoolOp):
    """Maximum pooling over one spatial dim; the default layout is `NCW`."""

    name = "relax.nn.max_pool1d"
    SPATIAL_RANK: ClassVar[int] = 1


@irdl_op_definition
class MaxPool2DOp(MaxPoolOp):
    """Maximum pooling over two spatial dims; the default layout is `NCHW`."""

    name = "relax.nn.max_pool2d"
    SPATIAL_RANK: ClassVar[int] = 2


@irdl_op_definition
class MaxPool3DOp(MaxPoolOp):
    """Maximum pooling over three spatial dims; the default layout is `NCDHW`."""

    name = "relax.nn.max_pool3d"
    SPATIAL_RANK: ClassVar[int] = 3


@irdl_op_definition
class AvgPool1DOp(AvgPoolOp):
    """Average pooling over one spatial dim; the default layout is `NCW`."""

    name = "relax.nn.avg_pool1d"
    SPATIAL_RANK: ClassVar[int] = 1


@irdl_op_definition
class AvgPool2DOp(AvgPoolOp):
    """Average pooling over two spatial dims; the default layout is `NCHW`."""

    name = "relax.nn.avg_pool2d"
    SPATIAL_RANK: ClassVar[int] = 2


@irdl_op_definition
class AvgPool3DOp(AvgPoolOp):
    """Average pooling over three spatial dims; the default layout is `NCDHW`."""

    name = "relax.nn.avg_pool3d"
    SPATIAL_RANK: ClassVar[int] = 3


@irdl_op_definition
class AdaptiveAvgPool1DOp(AdaptiveAvgPoolOp):
    """Adaptive average pooling over one spatial dim; the default layout is `NCW`."""

    name = "relax.nn.adaptive_avg_pool1d"
    SPATIAL_RANK: ClassVar[int] = 1


@irdl_op_definition
class AdaptiveAvgPool2DOp(AdaptiveAvgPoolOp):
    """Adaptive average pooling over two spatial dims; the default layout is `NCHW`."""

    name = "relax.nn.adaptive_avg_pool2d"
    SPATIAL_RANK: ClassVar[int] = 2


@irdl_op_definition
class AdaptiveAvgPool3DOp(AdaptiveAvgPoolOp):
    """Adaptive average pooling over three spatial dims; the default layout is `NCDHW`."""

    name = "relax.nn.adaptive_avg_pool3d"
    SPATIAL_RANK: ClassVar[int] = 3
