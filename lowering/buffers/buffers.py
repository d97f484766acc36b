"""Buffers, and where tensor values lie in them."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.dense import is_splat
from ...records import record

SPLAT_GLOBAL_BYTES = 256
"""A larger constant of one repeated value is filled at run time rather than stored."""


@record(frozen=False, eq=False)
class Buffer:
    """A piece of memory; `root` is the op before which it is made, None for what exists at function entry."""

    writable: bool
    root: Operation | None
    fresh: bool
    members: list[SSAValue] = field(default_factory=list[SSAValue])
    alias_of: Buffer | None = None
    """The buffer whose memory a fresh buffer takes instead of memory of its own, if there is one."""
    result: int | None = None
    """The position of the result argument that a fresh buffer is, if it is one."""
    home: SSAValue | None = None
    """With `alias_of`: the tensor value whose memref it is."""
    value: SSAValue | None = None
    """The value for which a fresh buffer is made."""
    bounded: bool = False
    """A callee fills only a part of it, and returns how large that is."""
    reshaped: bool = False
    """With `result`: the buffer has another shape than the result argument."""

    def representative(self) -> Buffer:
        """Returns the buffer that it finally is."""
        return self if self.alias_of is None else self.alias_of.representative()


@record(frozen=False)
class Placed:
    """Where a tensor value lies."""

    buffer: Buffer
    type: MemRefType
    undefined: bool = False
    """The content was never written, so that the value needs no memory of its own."""
    whole: bool = True
    """The value is all of the buffer, in order, perhaps in another shape."""
    same_shape: bool = True
    """As `whole`, and with the shape with which the buffer was made."""
    prefix: bool = False
    """The value is the leading part of the buffer."""


@record(frozen=False)
class Decision:
    """How an op writes: into the buffer of `source` (with `copy`, after copying it into a new one)."""

    source: SSAValue | None
    in_place: bool
    copy: bool


@lru_cache(maxsize=4096)
def plain(type_: Attribute) -> MemRefType:
    """Returns the memref of a tensor type, with identity layout."""
    assert isinstance(type_, TensorType)
    return MemRefType(type_.element_type, type_.shape)


def filled_constant(op: arith.ConstantOp) -> DenseIntOrFPElementsAttr | None:
    """Returns the value of a large constant that repeats one element."""
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr) or not is_splat(value):
        return None
    count = 1
    for size in value.get_shape():
        count *= size
    return value if count * 4 > SPLAT_GLOBAL_BYTES else None
