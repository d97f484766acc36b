"""Winograd's convolutions, which take 4 or 2.25 products for each result where the direct one takes 9."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f32, i8, i16, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim, product
from ...attrs import tensor_type
from ...base import INTS, TENSOR, TensorOp, dims, element, fail
from ...dtypes import ui8
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text
from ...rules.window import Window, padding_pairs
from ...rules.winograd import MOST_INTEGER_INPUTS, PAIR, TAPS, TILES, TWO, WinogradTile

_RANK = 4
_PACKED_RANK = 6


class WinogradOp(TensorOp, ABC):
    """What Winograd's convolutions share: a 3x3 kernel that moves by one, transformed, and zeros around the data."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    data = operand_def(TENSOR)
    kernel = operand_def(TENSOR)
    padding = prop_def(INTS)

    def windows(self) -> list[Window]:
        """Returns the windows of the 3x3 kernel over rows and columns, with their padding."""
        constraint, values = f"{self.stem}_c5", tuple(self.padding.get_values())
        if len(values) != _RANK:
            fail(constraint, f"padding must have 4 values, got {len(values)}")
        return [Window(TAPS, before=low, after=high) for low, high in padding_pairs(values, 2, constraint)]

    def shapes(self, ranks: tuple[int, int]) -> tuple[Sequence[Dim], Sequence[Dim]]:
        """Returns the dims of data and kernel, which have so many; None for each where they are not known."""
        shapes: list[Sequence[Dim]] = []
        for (name, value), rank in zip((("data", self.data), ("kernel", self.kernel)), ranks, strict=True):
            shape = dims(value)
            if shape is not None and len(shape) != rank:
                fail(f"{self.stem}_c2", f"{name} must have rank {rank}, got {shape_text(shape)}")
            shapes.append(shape or (None,) * rank)
        return shapes[0], shapes[1]

    def counts(self, context: SizeContext, windows: Sequence[Window], spatial: Sequence[Dim]) -> list[Dim]:
        """Returns the rows and the columns of the result."""
        return [window.count(context, size, f"{self.stem}_c6") for window, size in zip(windows, spatial, strict=True)]


@irdl_op_definition
class WinogradConv2DOp(WinogradOp):
    """Convolution over two spatial dims by Winograd's F(2x2, 3x3) or F(4x4, 3x3): `conv2d(data, g)`. Not in Relax.

    The 3x3 kernel `g` moves by one. `data` is [N, C, H, W] and `kernel` [4, 4, C, O] or [6, 6, C, O], `G g G^T` of `g` [O, C, 3, 3]:
    `kernel[u, v, c, o] = sum_ij G[u, i] G[v, j] g[o, c, i, j]`. Each 2x2 or 4x4 results, a tile, are `A^T [sum_c kernel * (B^T d B)] A`,
    where `d` is the 4x4 or 6x6 window of the padded data that they read; of the last tiles the result may have some rows or columns
    alone. The matrices of F(2x2, 3x3) are:

    ```
    G = [[1, 0, 0], [1/2, 1/2, 1/2], [1/2, -1/2, 1/2], [0, 0, 1]]
    B^T = [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]
    A^T = [[1, 1, 1, 0], [0, 1, -1, -1]]
    ```

    and those of F(4x4, 3x3), with `a = 5/8`, `b = 3/2`, `p = 1 / (2 a^2 (a^2 - b^2))` and `q = 1 / (2 b^2 (b^2 - a^2))`:

    ```
    G = [[1 / (a^2 b^2), 0, 0], [p, p a, p a^2], [p, -p a, p a^2], [q, q b, q b^2], [q, -q b, q b^2], [0, 0, 1]]
    B^T = [[a^2 b^2, 0, -a^2 - b^2, 0, 1, 0], [0, -a b^2, -b^2, a, 1, 0], [0, a b^2, -b^2, -a, 1, 0],
           [0, -a^2 b, -a^2, b, 1, 0], [0, a^2 b, -a^2, -b, 1, 0], [0, a^2 b^2, 0, -a^2 - b^2, 0, 1]]
    A^T = [[1, 1, 1, 1, 1, 0], [0, a, -a, b, -b, 0], [0, a^2, a^2, b^2, b^2, 0], [0, a^3, -a^3, b^3, -b^3, 1]]
    ```

    The padding is zero, by `[top, left, bottom, right]`. All is computed in f32, with an error up to three times that of `conv2d`, or five
    times for 4x4 results. A NaN or an infinity in the data may make NaN of all results of a tile whose window has it.

    winograd_conv2d_c1: the element types of data and kernel are f32.
    winograd_conv2d_c2: data and kernel have rank 4.
    winograd_conv2d_c3: the first two dims of the kernel are known: both are 4, or both are 6.
    winograd_conv2d_c4: data and kernel have equally many input channels.
    winograd_conv2d_c5: `padding` has four non-negative values.
    winograd_conv2d_c6: the 3x3 kernel fits into the padded data.
    """

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (f32,)
    name = "relax.nn.winograd_conv2d"

    def tile(self) -> WinogradTile:
        """Returns the tile that the kernel is transformed for."""
        kernel = dims(self.kernel)
        rows, columns = (None, None) if kernel is None else kernel[:2]
        if rows != columns or not isinstance(rows, int) or rows not in TILES:
            wanted = " or ".join(f"[{window}, {window}, C, O]" for window in TILES)
            fail("winograd_conv2d_c3", f"kernel must be {wanted}, got {shape_text(kernel)}")
        return TILES[rows]

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        for operand in (self.data, self.kernel):
            require_element(element(operand), self.ACCEPTED, "winograd_conv2d_c1")
        windows = self.windows()
        # Ranks first, then the dims that do not depend on each other, then those that both operands have.
        (batch, inputs, *spatial), (*_, channels, outputs) = self.shapes((_RANK, _RANK))
        self.tile()
        if context.differ(inputs, channels):
            fail("winograd_conv2d_c4", f"data must have the kernel's {channels} input channels, got {inputs}")
        return [tensor_type([batch, outputs, *self.counts(context, windows, spatial)], f32)]


@irdl_op_definition
class IntegerWinogradConv2DOp(WinogradOp):
    """Convolution of bytes over two spatial dims by Winograd's F(2x2, 3x3), exact: `conv2d(data, g)` in i32. Not in Relax.

    The 3x3 kernel `g` [O, C, 3, 3] of i8 moves by one. `data` is [N, H, W, C] of i8 or ui8, and `kernel` [4, 4, O / p, C / 2, p, 2]
    of i16, `(2 G) g (2 G)^T` with pairs of input channels and blocks of `p` output channels together:
    `kernel[u, v, o / p, c / 2, o mod p, c mod 2] = sum_ij 2 G[u, i] 2 G[v, j] g[o, c, i, j]`. The result is [N, H', W', O] of i32: each
    2x2 results are `A^T [sum_c kernel * (B^T d B)] A`, wrapping around, shifted right by two bits, with the matrices of
    `relax.nn.winograd_conv2d`. All of `2 G`, `A` and `B` are integers, and four times a sum of so many channels fits i32.

    The padding is zero, by `[top, left, bottom, right]`.

    integer_winograd_conv2d_c1: the element type of the data is i8 or ui8, that of the kernel i16.
    integer_winograd_conv2d_c2: data have rank 4, the kernel has rank 6.
    integer_winograd_conv2d_c3: the kernel is [4, 4, ?, ?, p, 2], with a known block of 1 channel or more.
    integer_winograd_conv2d_c4: data have as many input channels as the kernel, two for each pair, and 1827 at most.
    integer_winograd_conv2d_c5: `padding` has four non-negative values.
    integer_winograd_conv2d_c6: the 3x3 kernel fits into the padded data.
    """

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (i8, ui8, i16)
    name = "relax.nn.integer_winograd_conv2d"

    def block(self) -> int:
        """Returns the output channels that lie together in the kernel."""
        shape = dims(self.kernel)
        rows, columns, *_, block, pair = shape or (None,) * _PACKED_RANK
        if (rows, columns, pair) != (TWO.window, TWO.window, PAIR) or not isinstance(block, int) or block < 1:
            fail(
                f"{self.stem}_c3", f"kernel must be [4, 4, O / p, C / 2, p, 2] with a known p, got {shape_text(shape)}"
            )
        return block

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        # Types first, then ranks, then the dims that do not depend on each other, then those that both operands have.
        require_element(element(self.data), self.ACCEPTED[:2], f"{self.stem}_c1")
        require_element(element(self.kernel), self.ACCEPTED[2:], f"{self.stem}_c1")
        windows = self.windows()
        (batch, *spatial, inputs), kernel = self.shapes((_RANK, _PACKED_RANK))
        *_, blocks, pairs, block, _ = kernel
        self.block()
        channels = product([pairs, PAIR])
        if context.differ(inputs, channels):
            fail(f"{self.stem}_c4", f"data must have the kernel's {channels} input channels, got {inputs}")
        if context.is_below(MOST_INTEGER_INPUTS, channels):
            fail(f"{self.stem}_c4", f"kernel must have at most {MOST_INTEGER_INPUTS} input channels, got {channels}")
        return [tensor_type([batch, *self.counts(context, windows, spatial), product([blocks, block])], i32)]
