"""What ops require of the element types of their operands."""

from __future__ import annotations

from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Attribute, SSAValue

from .base import element, fail, require_same_element
from .dtypes import NUMERIC, ui8


def require_element(element_type: Attribute, accepted: tuple[Attribute, ...], constraint: str) -> Attribute:
    """Returns the element type if it is one of the accepted ones."""
    if element_type not in accepted:
        fail(constraint, f"element type must be one of {', '.join(map(str, accepted))}, got {element_type}")
    return element_type


def require_factors(constraint: str, lhs: SSAValue, rhs: SSAValue, out_dtype: Attribute | None) -> Attribute:
    """Returns the element type of the first factor of a sum of products.

    The factors have the same numeric type, or are i8 and ui8 with the `out_dtype` i32, the products that processors have instructions for.
    """
    if out_dtype == i32 and {element(lhs), element(rhs)} == {i8, ui8}:
        return element(lhs)
    return require_element(require_same_element(constraint, lhs, rhs), NUMERIC, constraint)
