"""What a single op says of sizes: constants, static and dynamic sizes in one list, and where a dim of its result comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, MemRefType, TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import BORROWED

VIEWS = (
    memref.ViewOp,
    memref.SubviewOp,
    memref.CastOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
)
"""Ops whose result is memory of their first operand, with other sizes or strides."""


def constant_index(value: SSAValue) -> int | None:
    """Returns the value of an integer constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Merges a static list with `DYNAMIC_INDEX` holes and the values of the holes."""
    values = iter(dynamic)
    return [next(values) if s == DYNAMIC_INDEX else s for s in static]


def dropped_dims(sizes: Sequence[int], result_shape: Sequence[int]) -> set[int]:
    """Returns the dims of a slice that a rank-reduced result leaves out; sizes are static ones or `DYNAMIC_INDEX`."""
    dropped: set[int] = set()
    position = 0
    for dim, size in enumerate(sizes):
        if position < len(result_shape) and size == result_shape[position]:
            position += 1
        else:
            dropped.add(dim)
    return dropped


def reassociation(op: Operation) -> list[list[int]]:
    """Returns the groups of a collapse or an expand."""
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    return [[int(i.value.data) for i in group.data] for group in cast("ArrayAttr[ArrayAttr[IntegerAttr]]", groups).data]


def yields_of(op: Operation, result: int) -> list[SSAValue]:
    """Returns what each region of an op yields for a result."""
    return [
        region.block.last_op.operands[result]
        for region in op.regions
        if region.blocks and region.block.last_op is not None
    ]


def dim_source(owner: Operation, value: SSAValue, dim: int) -> int | SSAValue | tuple[SSAValue, int] | None:
    """Returns where the size of a dynamic dim of an op's result stands: a value, or the same dim of another tensor."""
    match owner:
        case tensor.EmptyOp() | memref.AllocOp():
            assert isinstance(value.type, TensorType | MemRefType)
            sizes = owner.dynamic_sizes
            return mixed(value.type.get_shape(), sizes)[dim]
        case tensor.SplatOp():
            return mixed(owner.result.type.get_shape(), owner.dynamicSizes)[dim]
        case func.CallOp() if BORROWED.is_on(owner) and isinstance(value.type, MemRefType):
            # The sizes that the callee is to keep are its last operands.
            shape = value.type.get_shape()
            return mixed(shape, owner.operands[len(owner.operands) - shape.count(DYNAMIC_INDEX) :])[dim]
        case memref.ViewOp():
            assert isinstance(owner.result.type, MemRefType)
            return mixed(owner.result.type.get_shape(), owner.sizes)[dim]
        case tensor.CastOp() | memref.CastOp():
            source = owner.source.type
            if isinstance(source, TensorType | MemRefType):
                return (owner.source, dim)
            return None
        case tensor.ExtractSliceOp():
            static = owner.static_sizes.get_values()
            dropped = dropped_dims(static, owner.result.type.get_shape())
            kept = [d for d in range(len(static)) if d not in dropped]
            return mixed(static, owner.sizes)[kept[dim]]
        case memref.ReinterpretCastOp():
            return mixed(owner.static_sizes.get_values(), owner.sizes)[dim]
        case memref.SubviewOp():
            static = owner.static_sizes.get_values()
            assert isinstance(owner.result.type, MemRefType)
            dropped = dropped_dims(static, owner.result.type.get_shape())
            kept = [d for d in range(len(static)) if d not in dropped]
            return mixed(static, owner.sizes)[kept[dim]]
        case memref.ExpandShapeOp():
            return mixed(owner.static_output_shape.get_values(), owner.output_shape)[dim]
        case tensor.ExpandShapeOp() if owner.dynamic_output_shape:
            return mixed(owner.static_output_shape.get_values(), owner.dynamic_output_shape)[dim]
        case tensor.InsertOp() | tensor.InsertSliceOp():
            return (owner.dest, dim)
        case scf.ForOp():
            return (owner.iter_args[owner.results.index(value)], dim)
        case arith.SelectOp():
            return (owner.lhs, dim)
        case _:
            if owner.name.startswith("linalg.") and "operandSegmentSizes" in owner.properties:
                outputs = owner.operands[len(owner.operands) - len(owner.results) :]
                return (outputs[owner.results.index(value)], dim)
            return None
