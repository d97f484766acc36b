"""What memrefs of one type have in common; a model has thousands of memrefs, of few types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute

from ...passes.analysis.attribute_table import AttributeTable
from ...records import record
from ..buffers.view_types import row_major
from .builder import Linear
from .types import is_identity


@record
class MemRefForm:
    """What the type of a memref says."""

    element: Attribute
    shape: Sequence[int]
    open_sizes: int
    """How many sizes the type leaves open."""
    is_compact: bool
    """Whether it lies row by row without gaps."""
    layout: tuple[list[Linear], list[Linear]] | None
    """The sizes and the strides of a compact memref, where the type has them all."""


def memref_forms() -> AttributeTable[MemRefForm]:
    """Returns a table of the forms of memref types."""
    return AttributeTable(_form)


def _form(type_: Attribute) -> MemRefForm:
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    dynamic = shape.count(DYNAMIC_INDEX)
    # Without dynamic sizes all strides are known.
    strides = [Linear(stride) for stride in row_major(shape) if stride is not None]
    layout = None if dynamic else ([Linear(size) for size in shape], strides)
    return MemRefForm(type_.element_type, shape, dynamic, is_identity(type_), layout)
