"""Convolutions in one to three spatial dims, and their transposes."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim, add, apply, sub
from ...attrs import tensor_type
from ...base import DTYPE, I64, INTS, STRING, TENSOR, TensorOp, dims, dtype_attr, fail
from ...dtypes import NUMERIC, is_float
from ...element_rules import require_element, require_factors
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text
from ...rules.window import (
    Window,
    blocked_kernel,
    canonical_dims,
    laid_out,
    layout_positions,
    padding_pairs,
    per_dim,
    spatial_letters,
)


class ConvLikeOp(TensorOp, ABC):
    """What convolutions and their transposes share: windows, layouts, groups, accumulation type.

    The products are accumulated in `out_dtype` where it is wider than the operands' type, else in that (f32 for f16 and bf16), and
    rounded once. Padding is zero. A missing `out_layout` is the data's.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    SPATIAL_RANK: ClassVar[int]
    KERNEL_CHANNELS: ClassVar[str]
    strides = opt_prop_def(INTS)
    padding = opt_prop_def(INTS)
    dilation = opt_prop_def(INTS)
    groups = opt_prop_def(I64)
    data_layout = opt_prop_def(STRING)
    kernel_layout = opt_prop_def(STRING)
    out_layout = opt_prop_def(STRING)
    out_dtype = opt_prop_def(DTYPE)

    @property
    def group_count(self) -> int:
        """The number of groups."""
        return self.prop("groups", 1)

    def data_positions(self) -> tuple[int, ...]:
        """Returns where N, C and the spatial dims stand in the data."""
        return self._positions("data_layout", f"NC{spatial_letters(self.SPATIAL_RANK)}")

    def kernel_positions(self) -> tuple[int, ...]:
        """Returns where the two channel dims and the spatial dims stand in the kernel."""
        return self._positions("kernel_layout", f"{self.KERNEL_CHANNELS}{spatial_letters(self.SPATIAL_RANK)}")

    def out_positions(self) -> tuple[int, ...]:
        """Returns where N, C and the spatial dims stand in the result."""
        return self._positions("out_layout", f"NC{spatial_letters(self.SPATIAL_RANK)}", self.prop("data_layout"))

    def _positions(self, name: str, canonical: str, default: str | None = None) -> tuple[int, ...]:
        return layout_positions(self.prop(name, default or canonical), canonical, name, f"{self.stem}_c2")

    @property
    def kernel_block(self) -> int:
        """The output channels that lie together as a dim behind the others, 16 for `OIHW16o`; 0 where there is no such dim."""
        return 0

    @property
    def kernel_group(self) -> int:
        """The input channels that lie together behind a block, as the last dim, 4 for `OHWI64o4i`; 0 where there is no such dim."""
        return 0

    def _packed_sizes(self) -> list[int]:
        """Returns the sizes of the dims of the kernel behind its channels and spatial dims."""
        return [size for size in (self.kernel_block, self.kernel_group) if size]

    def _check_block(self, context: SizeContext, sizes: Sequence[Dim], blocks: Dim) -> None:
        """Fails if the last dims of a kernel are not those of its layout, or a block has channels of two groups."""
        wanted = self._packed_sizes()
        if any(context.differ(size, known) for size, known in zip(sizes, wanted, strict=True)):
            what = "dim of the kernel must be its block of" if len(wanted) == 1 else "dims of the kernel must be"
            fail(
                f"{self.stem}_c4",
                f"the last {what} {' and '.join(map(str, wanted))}, got {' and '.join(map(str, sizes))}",
            )
        if context.differ(apply("mod", blocks, self.group_count), 0):
            fail(
                f"{self.stem}_c6", f"groups must divide the {blocks} blocks of output channels, got {self.group_count}"
            )

    def windows(self, kernel: Sequence[Dim]) -> list[Window]:
        """Returns the windows of the spatial dims, whose kernel sizes are given."""
        constraint, rank = f"{self.stem}_c3", self.SPATIAL_RANK
        strides = per_dim(self.prop("strides", (1,)), rank, "strides", constraint)
        dilation = per_dim(self.prop("dilation", (1,)), rank, "dilation", constraint)
        pairs = padding_pairs(self.prop("padding", (0,)), rank, constraint)
        return [
            Window(size, stride, step, *pair)
            for size, stride, step, pair in zip(kernel, strides, dilation, pairs, strict=True)
        ]

    def result_element(self) -> Attribute:
        """Returns the element type of the result."""
        constraint = f"{self.stem}_c1"
        element_type = require_factors(constraint, self.operands[0], self.operands[1], self.out_dtype)
        if self.out_dtype is None:
            return element_type
        result = require_element(dtype_attr(self.out_dtype), NUMERIC, constraint)
        if is_float(element_type) and isinstance(result, IntegerType):
            fail(constraint, f"out_dtype must be floating-point for operands of {element_type}, got {result}")
        return result

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        result_element = self.result_element()
        rank = self.SPATIAL_RANK
        data_positions, kernel_positions = self.data_positions(), self.kernel_positions()
        out_positions = self.out_positions()
        self.windows([None] * rank)
        if self.group_count < 1:
            fail(f"{self.stem}_c6", f"groups must be positive, got {self.group_count}")
        data, kernel = dims(self.operands[0]), dims(self.operands[1])
        for name, shape in (("data", data), ("kernel", kernel)):
            wanted = rank + 2 + (len(self._packed_sizes()) if name == "kernel" else 0)
            if shape is not None and len(shape) != wanted:
                fail(f"{self.stem}_c4", f"{name} must have rank {wanted}, got {shape_text(shape)}")
        if data is None or kernel is None:
            return [tensor_type([None] * (rank + 2), result_element)]
        canonical = canonical_dims(kernel, kernel_positions)
        if self.kernel_block:
            self._check_block(context, kernel[rank + 2 :], canonical[0])
            canonical[0] = apply("*", canonical[0], self.kernel_block)
            canonical[1] = apply("*", canonical[1], self.kernel_group or 1)
        result = self.result_dims(context, canonical_dims(data, data_positions), canonical)
        return [tensor_type(laid_out(result, out_positions), result_element)]

    def result_dims(self, context: SizeContext, data: Sequence[Dim], kernel: Sequence[Dim]) -> list[Dim]:
        """Returns the canonical dims of the result from those of the operands."""
        raise TypeError(f"{self.name} has no shape rule")


class ConvOp(ConvLikeOp, ABC):
    """Sums `data * kernel` over input channels and window; the kernel is not flipped.

    <op>_c1: the element types are equal and numeric, or i8 and ui8 with `out_dtype` i32; `out_dtype` is numeric, floating-point for
        floating-point operands.
    <op>_c2: each layout is a permutation of `NC`, or for the kernel `OI`, and the spatial letters; only the kernel's may be packed:
        in `OIHW16o` 16 output channels lie together as a last dim, in `OHWI64o4i` 64, and of each four input channels as a further one.
    <op>_c3: strides and dilation have 1 or n positive values, padding 1, n or 2n non-negative ones, n being the number of spatial dims.
    <op>_c4: data and kernel have rank n + 2, a packed kernel one more for each packed dim, which are last and have the layout's sizes.
    <op>_c5: the data has `groups` times the input channels of the kernel.
    <op>_c6: `groups` is positive and divides the number of output channels, or of their blocks.
    <op>_c7: the dilated kernel fits into the padded data.
    """

    KERNEL_CHANNELS: ClassVar[str] = "OI"
    data = operand_def(TENSOR)
    weight = operand_def(TENSOR)

    @property
    def kernel_block(self) -> int:
        return blocked_kernel(self.prop("kernel_layout", ""))[1]

    @property
    def kernel_group(self) -> int:
        return blocked_kernel(self.prop("kernel_layout", ""))[2]

    def kernel_axes(self) -> list[list[int]]:
        """Returns which axes of the kernel make each dim of its layout without packed dims: for `OHWI64o4i` [[0, 4], [1], [2], [3, 5]]."""
        positions = self.kernel_positions()
        axes = [[axis] for axis in range(len(positions))]
        for packed in range(len(self._packed_sizes())):
            axes[positions[packed]].append(len(positions) + packed)
        return axes

    def kernel_positions(self) -> tuple[int, ...]:
        """Returns where the two channel dims and the spatial dims stand in the kernel; packed ones are behind them."""
        canonical = f"{self.KERNEL_CHANNELS}{spatial_letters(self.SPATIAL_RANK)}"
        layout = self.prop("kernel_layout", canonical)
        return layout_positions(blocked_kernel(layout)[0], canonical, "kernel_layout", f"{self.stem}_c2")

    def result_dims(self, context: SizeContext, data: Sequence[Dim], kernel: Sequence[Dim]) -> list[Dim]:
        groups, outputs = self.group_count, kernel[0]
        needed = apply("*", kernel[1], groups)
        if context.differ(data[1], needed):
            fail(f"{self.stem}_c5", f"data must have {needed} channels (groups * kernel's), got {data[1]}")
        if context.differ(apply("mod", outputs, groups), 0):
            fail(f"{self.stem}_c6", f"groups must divide the {outputs} output channels, got {groups}")
        windows = self.windows(kernel[2:])
        sizes = [window.count(context, size, f"{self.stem}_c7") for window, size in zip(windows, data[2:], strict=True)]
        return [data[0], outputs, *sizes]


class ConvTransposeOp(ConvLikeOp, ABC):
    """The gradient of a convolution for its data: each item of the data adds its multiple of the kernel to the result.

    A spatial dim of the result has the size
    `(data - 1) * stride - padding before - padding after + dilation * (kernel - 1) + output_padding + 1`.
    What no item of the data reaches is 0: no product with 0 is added, so that Inf and NaN stay where they belong.
    In the lowering to linalg the kernel's spatial dims must be static.

    <op>_c1: the element types are equal and numeric, or i8 and ui8 with `out_dtype` i32; `out_dtype` is numeric, floating-point for
        floating-point operands.
    <op>_c2: each layout is a permutation of `NC`, or for the kernel `IO`, and the spatial letters; packed layouts are not taken.
    <op>_c3: strides and dilation have 1 or n positive values, padding 1, n or 2n non-negative ones, n being the number of spatial dims.
    <op>_c4: data and kernel have rank n + 2.
    <op>_c5: data and kernel have equally many input channels.
    <op>_c6: `groups` is positive and divides the number of input channels.
    <op>_c7: `output_padding` has 1 or n non-negative values, each less than its stride or its dilation (TVM: than its stride).
    <op>_c8: the result has no negative size.
    """

    KERNEL_CHANNELS: ClassVar[str] = "IO"
    data = operand_def(TENSOR)
    weight = operand_def(TENSOR)
    output_padding = opt_prop_def(INTS)

    def output_paddings(self) -> tuple[int, ...]:
        """Returns the further size of each spatial dim of the result."""
        constraint = f"{self.stem}_c7"
        values = per_dim(self.prop("output_padding", (0,)), self.SPATIAL_RANK, "output_padding", constraint, 0)
        for value, window in zip(values, self.windows([None] * self.SPATIAL_RANK), strict=True):
            limit = max(window.stride, window.dilation)
            if value >= limit:
                fail(
                    constraint,
                    f"output_padding must be less than {limit}, the larger of stride and dilation, got {value}",
                )
        return values

    def result_dims(self, context: SizeContext, data: Sequence[Dim], kernel: Sequence[Dim]) -> list[Dim]:
        groups = self.group_count
        if context.differ(data[1], kernel[0]):
            fail(f"{self.stem}_c5", f"data must have the kernel's {kernel[0]} input channels, got {data[1]}")
        if context.differ(apply("mod", kernel[0], groups), 0):
            fail(f"{self.stem}_c6", f"groups must divide the {kernel[0]} input channels, got {groups}")
        sizes: list[Dim] = []
        for size, window, extra in zip(data[2:], self.windows(kernel[2:]), self.output_paddings(), strict=True):
            spread = apply("*", sub(size, 1), window.stride)
            result = add(spread, window.extent(), extra - window.before - window.after)
            if context.is_below(result, 0):
                fail(f"{self.stem}_c8", f"the result must have no negative size, got {result}")
            sizes.append(result)
        return [data[0], apply("*", kernel[1], groups), *sizes]


@irdl_op_definition
class Conv1DOp(ConvOp):
    """Convolution over one spatial dim; the default layouts are `NCW` and `OIW`."""

    name = "relax.nn.conv1d"
    SPATIAL_RANK: ClassVar[int] = 1


@irdl_op_definition
class Conv2DOp(ConvOp):
    """Convolution over two spatial dims; the default layouts are `NCHW` and `OIHW`."""

    name = "relax.nn.conv2d"
    SPATIAL_RANK: ClassVar[int] = 2


@irdl_op_definition
class Conv3DOp(ConvOp):
    """Convolution over three spatial dims; the default layouts are `NCDHW` and `OIDHW`."""

    name = "relax.nn.conv3d"
    SPATIAL_RANK: ClassVar[int] = 3


@irdl_op_definition
class Conv1DTransposeOp(ConvTransposeOp):
    """Transposed convolution over one spatial dim; the default layouts are `NCW` and `IOW`."""

    name = "relax.nn.conv1d_transpose"
    SPATIAL_RANK: ClassVar[int] = 1


@irdl_op_definition
class Conv2DTransposeOp(ConvTransposeOp):
    """Transposed convolution over two spatial dims; the default layouts are `NCHW` and `IOHW`."""

    name = "relax.nn.conv2d_transpose"
    SPATIAL_RANK: ClassVar[int] = 2


@irdl_op_definition
class Conv3DTransposeOp(ConvTransposeOp):
    """Transposed convolution over three spatial dims; the default layouts are `NCDHW` and `IODHW`."""

    name = "relax.nn.conv3d_transpose"
    SPATIAL_RANK: ClassVar[int] = 3
