"""Images: resize2d."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ...symbolic.conditions import SizeContext
from ..attrs import tensor_type
from ..base import (
    DTYPE,
    F64,
    FLOATS,
    I64,
    SHAPE,
    STRING,
    TENSOR,
    TensorOp,
    dims,
    dtype_attr,
    element,
    fail,
    shape_value,
)
from ..dtypes import NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..rules.shape_rules import shape_text
from ..rules.window import canonical_dims, laid_out, layout_positions

METHODS = ("nearest_neighbor", "linear", "cubic")
TRANSFORMATIONS = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
ROUNDINGS = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@irdl_op_definition
class Resize2DOp(TensorOp):
    """Scales an image to a size by interpolating at a coordinate of the operand for each place of the result.

    `method` is `linear` (the default), `nearest_neighbor` or `cubic`. For place o of `out` places over a dim of `in` items, the coordinate
    by `coordinate_transformation_mode` is: `half_pixel` (the default) `(o + 0.5) * in / out - 0.5`; `align_corners`
    `o * (in - 1) / (out - 1)`; `asymmetric` `o * in / out`; `pytorch_half_pixel` as `half_pixel`, but 0 if `out` is 1;
    `tf_half_pixel_for_nn` `(o + 0.5) * in / out`; `tf_crop_and_resize` (with `roi` `[top, left, bottom, right]` as shares of the image)
    `top * (in - 1) + o * (bottom - top) * (in - 1) / (out - 1)`, and `extrapolation_value` where that lies outside of the image.
    With `scales`, the factors along H and W, these stand for `out / in`, also where the size is rounded; `half_pixel`,
    `pytorch_half_pixel`, `asymmetric` and `tf_half_pixel_for_nn` read them.
    Items beyond the border are those of the border; `cubic_exclude = 1` leaves them out of the cubic weights instead.
    `rounding_method` makes an index of the coordinate for `nearest_neighbor`: `round` (the default; ties away from zero),
    `round_prefer_floor`, `round_prefer_ceil`, `floor`, `ceil`; `""` stands for `round` with `align_corners`, else for `floor`.
    `cubic_alpha` is -0.75 by default.

    Coordinates are f64 and each is one quotient, so that no tie or integer is missed. (Relax computes them in f32, and moves
    coordinates by 1e-5 before it takes their floor or ceiling.) Values are interpolated in f64 for f64 and integers of 32 and 64 bits, else
    in f32, and converted once, to integers by truncation and within their range; `nearest_neighbor` converts the item itself.

    resize2d_c1: the element type, and `out_dtype`, is numeric.
    resize2d_c2: `layout` is a permutation of `NCHW`; packed layouts are not taken.
    resize2d_c3: the operand has rank 4.
    resize2d_c4: the size has two dims, which are positive.
    resize2d_c5: `method`, `coordinate_transformation_mode` and `rounding_method` are of those named above.
    resize2d_c6: `roi` has 4 values, which `tf_crop_and_resize` needs.
    resize2d_c7: height and width of the image are at least 1.
    resize2d_c8: `scales` has 2 values, which are positive and finite.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.image.resize2d"
    data = operand_def(TENSOR)
    size = operand_def(SHAPE)
    roi = opt_prop_def(FLOATS)
    scales = opt_prop_def(FLOATS)
    layout = opt_prop_def(STRING)
    method = opt_prop_def(STRING)
    coordinate_transformation_mode = opt_prop_def(STRING)
    rounding_method = opt_prop_def(STRING)
    cubic_alpha = opt_prop_def(F64)
    cubic_exclude = opt_prop_def(I64)
    extrapolation_value = opt_prop_def(F64)
    out_dtype = opt_prop_def(DTYPE)

    def positions(self) -> tuple[int, ...]:
        """Returns where N, C, H and W stand."""
        return layout_positions(self.prop("layout", "NCHW"), "NCHW", "layout", "resize2d_c2")

    def chosen_method(self) -> str:
        """Returns the method."""
        return self._choice("method", "linear", METHODS)

    def transformation(self) -> str:
        """Returns the mode of the coordinate transformation."""
        return self._choice("coordinate_transformation_mode", "half_pixel", TRANSFORMATIONS)

    def rounding(self) -> str:
        """Returns the rounding method, none of them being `""`."""
        rounding = self._choice("rounding_method", "round", ROUNDINGS)
        return rounding or ("round" if self.transformation() == "align_corners" else "floor")

    def region(self, axis: int) -> tuple[float, float]:
        """Returns start and end of the region of interest along H (0) or W (1)."""
        roi = self.prop("roi", (0.0, 0.0, 1.0, 1.0))
        return roi[axis], roi[axis + 2]

    def scale(self, axis: int) -> float | None:
        """Returns the factor that is given for H (0) or W (1); `None` for the quotient of the sizes."""
        scales = self.prop("scales")
        return None if scales is None else scales[axis]

    def _choice(self, name: str, default: str, accepted: Sequence[str]) -> str:
        value = self.prop(name, default)
        if value not in accepted:
            fail("resize2d_c5", f"{name} must be one of {', '.join(map(repr, accepted))}, got {value!r}")
        return value

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        # Batch and channels are those of the data, the image has the size of the operand, all in the order of `layout`.
        element_type = require_element(element(self.data), NUMERIC, "resize2d_c1")
        if self.out_dtype is not None:
            element_type = require_element(dtype_attr(self.out_dtype), NUMERIC, "resize2d_c1")
        positions = self.positions()
        self.chosen_method()
        self.rounding()
        roi = self.prop("roi")
        if (roi is None and self.transformation() == "tf_crop_and_resize") or (roi is not None and len(roi) != 4):
            fail("resize2d_c6", f"roi must have 4 values, got {0 if roi is None else len(roi)}")
        scales = self.prop("scales")
        if scales is not None and (len(scales) != 2 or not all(0 < scale < inf for scale in scales)):
            fail("resize2d_c8", f"scales must have 2 positive values, got {list(scales)}")
        size, shape = shape_value(self.size), dims(self.data)
        if len(size) != 2 or any(context.is_below(dim, 1) for dim in size):
            fail("resize2d_c4", f"size must have 2 positive dims, got {shape_text(size)}")
        if shape is None:
            return [tensor_type(laid_out([None, None, *size], positions), element_type)]
        if len(shape) != 4:
            fail("resize2d_c3", f"the operand must have rank 4, got {shape_text(shape)}")
        batch, channels, *image = canonical_dims(shape, positions)
        if any(context.is_below(dim, 1) for dim in image):
            fail("resize2d_c7", f"height and width of the image must be at least 1, got {shape_text(image)}")
        return [tensor_type(laid_out([batch, channels, *size], positions), element_type)]


def integer_range(width: int, unsigned: bool) -> tuple[float, float]:
    """Returns the least and the greatest float that an integer type holds; f32 has those of 8 and 16 bits, f64 those of 32 and 64."""
    if unsigned:
        return 0.0, float((1 << width) - (1 << (width - 53) if width > 53 else 1))
    return -float(1 << (width - 1)), float((1 << (width - 1)) - (1 << (width - 54) if width > 54 else 1))
