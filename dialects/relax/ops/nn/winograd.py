"""Winograd's convolutions, which take 4 or 2.25 products for each result where the direct one takes 9."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim
from ...attrs import tensor_type
from ...base import INTS, TENSOR, TensorOp, dims, element, fail
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text
from ...rules.window import Window, padding_pairs
from ...rules.winograd import TAPS, TILES, WinogradTile

_RANK = 4


@irdl_op_definition
class WinogradConv2DOp(TensorOp):
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

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (f32,)
    name = "relax.nn.winograd_conv2d"
    data = operand_def(TENSOR)
    kernel = operand_def(TENSOR)
    padding = prop_def(INTS)

    def windows(self) -> list[Window]:
        """Returns the windows of the 3x3 kernel over rows and columns, with their padding."""
        constraint, values = "winograd_conv2d_c5", tuple(self.padding.get_values())
        if len(values) != _RANK:
            fail(constraint, f"padding must have 4 values, got {len(values)}")
        return [Window(TAPS, before=low, after=high) for low, high in padding_pairs(values, 2, constraint)]

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
        data, kernel = dims(self.data), dims(self.kernel)
        for name, shape in (("data", data), ("kernel", kernel)):
            if shape is not None and len(shape) != _RANK:
                fail("winograd_conv2d_c2", f"{name} must have rank {_RANK}, got {shape_text(shape)}")
        batch, inputs, *spatial = data or (None,) * _RANK
        self.tile()
        *_, channels, outputs = kernel or (None,) * _RANK
        if context.differ(inputs, channels):
            fail("winograd_conv2d_c4", f"data must have the kernel's {channels} input channels, got {inputs}")
        counts: list[Dim] = [
            window.count(context, size, "winograd_conv2d_c6") for window, size in zip(windows, spatial, strict=True)
        ]
        return [tensor_type([batch, outputs, *counts], f32)]
