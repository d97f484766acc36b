"""Destinations: the operand that an op turns into its result, and the slice that a chain of them started as."""

from __future__ import annotations

from xdsl.dialects import scf, tensor, vector
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue


def destination_of(value: SSAValue) -> SSAValue | None:
    """Returns the destination operand whose content an op changed to make a value, or None."""
    owner = value.owner
    match owner:
        case linalg.GenericOp() | linalg.FillOp():
            return owner.outputs[owner.results.index(value)]
        case tensor.InsertOp() | tensor.InsertSliceOp():
            return owner.dest
        case vector.TransferWriteOp():
            return owner.source
        case scf.ForOp():
            return owner.iter_args[owner.results.index(value)]
        case _:
            return None


def origin(value: SSAValue) -> tensor.ExtractSliceOp | None:
    """Returns the slice that a value is made from by changes of its content, if there is one."""
    step: SSAValue | None = value
    while step is not None:
        if isinstance(step.owner, tensor.ExtractSliceOp):
            return step.owner
        step = destination_of(step)
    return None


def same_slice(extracted: tensor.ExtractSliceOp, inserted: tensor.InsertSliceOp) -> bool:
    """Returns whether an insertion puts back the part that was taken."""
    return (
        extracted.result.type == inserted.source.type
        and extracted.static_offsets == inserted.static_offsets
        and extracted.static_sizes == inserted.static_sizes
        and extracted.static_strides == inserted.static_strides
        and tuple(extracted.offsets) == tuple(inserted.offsets)
        and tuple(extracted.sizes) == tuple(inserted.sizes)
        and tuple(extracted.strides) == tuple(inserted.strides)
    )
