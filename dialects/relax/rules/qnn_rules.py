"""Rules of quantized tensors: their element types, and the scales and zero points that say what a number stands for."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, IntegerType, f32, i32, i64
from xdsl.ir import Attribute, SSAValue

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..base import TensorOp, dims, element, fail, normalized_axis
from ..dtypes import QUANTIZED, is_unsigned
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from .shape_rules import shape_text

UPWARD, TONEAREST = "UPWARD", "TONEAREST"
ROUNDINGS = (UPWARD, TONEAREST)
"""How a product with a fractional part of one half is rounded: up, or away from zero."""


def limits(element_type: Attribute) -> tuple[int, int]:
    """Returns the least and the greatest value of an integer type."""
    assert isinstance(element_type, IntegerType)
    width = element_type.width.data
    return (0, 2**width - 1) if is_unsigned(element_type) else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def require_scale(constraint: str, name: str, value: SSAValue) -> None:
    """Refuses a scale that is not f32."""
    if element(value) != f32:
        fail(constraint, f"{name} must have element type f32, got {element(value)}")


def require_zero_point(constraint: str, name: str, value: SSAValue) -> None:
    """Refuses a zero point that is not i32."""
    if element(value) != i32:
        fail(constraint, f"{name} must have element type i32, got {element(value)}")


def require_small_float(constraint: str, name: str, value: SSAValue) -> None:
    """Refuses a tensor that is not f32, f16 or bf16."""
    if not isinstance(element(value), Float32Type | Float16Type | BFloat16Type):
        fail(constraint, f"{name} must have element type f32, f16 or bf16, got {element(value)}")


def is_single(value: SSAValue) -> bool:
    """Returns whether a parameter is one number for the whole tensor: a scalar, or a vector known to have one element."""
    shape = dims(value)
    return shape is not None and (not shape or tuple(shape) == (1,))


def require_single(constraint: str, name: str, value: SSAValue) -> None:
    """Refuses a parameter that is not one number."""
    if not is_single(value):
        fail(constraint, f"{name} must be one number, got shape {shape_text(dims(value))}")


def require_per_axis(context: SizeContext, constraint: str, name: str, value: SSAValue, size: Dim) -> None:
    """Refuses a parameter that is neither one number nor a vector of a size."""
    if is_single(value):
        return
    shape = dims(value)
    if shape is None or len(shape) != 1 or context.differ(shape[0], size):
        expected = "?" if size is None else size
        fail(constraint, f"{name} must be one number or have shape [{expected}], got {shape_text(shape)}")


def quantization_axis(axis: int, data: SSAValue, constraint: str) -> int:
    """Returns the axis, counted from 0, that scales and zero points go along; 0 for a scalar tensor, -1 for an unknown rank."""
    shape = dims(data)
    if shape is None:
        return -1
    return 0 if not shape and axis == -1 else normalized_axis(axis, len(shape), constraint)


def axis_size(axis: int, data: SSAValue, constraint: str) -> Dim:
    """Returns the size of the dim that scales and zero points go along; 1 for a scalar tensor."""
    shape = dims(data)
    normalized = quantization_axis(axis, data, constraint)
    if shape is None:
        return None
    return shape[normalized] if shape else 1


def require_quantized(
    constraint: str, *values: SSAValue, accepted: tuple[Attribute, ...] = QUANTIZED
) -> Sequence[Attribute]:
    """Returns the element types of quantized tensors."""
    return [require_element(element(value), accepted, constraint) for value in values]


def require_rounding(constraint: str, rounding: str) -> None:
    """Refuses a rounding mode that is not known."""
    if rounding not in ROUNDINGS:
        fail(constraint, f"rounding must be one of {', '.join(ROUNDINGS)}, got {rounding}")


class QnnOp(TensorOp, ABC):
    """What the ops of Relay's qnn dialect share: attributes for rounding, and the names of their constraints."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE

    @property
    def rounding_mode(self) -> str:
        """How a requantization rounds."""
        return self.prop("rounding", UPWARD)

    @property
    def compute_element(self) -> Attribute:
        """The type that a requantization multiplies in: i64 (fixed point) or f32."""
        return self.prop("compute_dtype", i64)

    def check_arithmetic(self, constraint: str) -> None:
        """Refuses an unknown rounding mode or type of computation."""
        require_rounding(constraint, self.rounding_mode)
        if self.compute_element not in (i64, f32):
            fail(constraint, f"compute_dtype must be i64 or f32, got {self.compute_element}")

    def check_single(self, constraint: str, *names: str) -> None:
        """Refuses parameters that are not one number of their type; their names tell scales and zero points."""
        for name in names:
            value = getattr(self, name)
            (require_scale if "scale" in name else require_zero_point)(constraint, name, value)
            require_single(constraint, name, value)

    def check_per_axis(self, context: SizeContext, constraint: str, size: Dim, *names: str) -> None:
        """Refuses parameters that are neither one number of their type nor a vector of them."""
        for name in names:
            value = getattr(self, name)
            (require_scale if "scale" in name else require_zero_point)(constraint, name, value)
            require_per_axis(context, constraint, name, value, size)
