"""The pass `check-bounds`: what reads and writes parts of tensors asserts that they are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, func, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.relax.vocabulary.attributes import PRIMITIVE
from ...dialects.upstream.op_error import OpError
from ...passes.options import PassWithOptions
from ..emit.tensor_builder import Size, TensorBuilder
from ..sizes.op_sizes import constant_index, mixed


@dataclass(frozen=True)
class CheckBoundsPass(PassWithOptions):
    """Asserts that `tensor` ops stay inside of their operands.

    ```mlir
    %v = tensor.extract %x[%i] : tensor<?xf32>
    ```
    becomes
    ```mlir
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %inside = arith.cmpi ult, %i, %d : index
    cf.assert %inside, "tensor.extract: index 0 is out of bounds"
    %v = tensor.extract %x[%i] : tensor<?xf32>
    ```

    Before: a program as its author wrote it. After: the same, with assertions in front of `tensor.extract`, `insert`, `extract_slice`,
    `insert_slice`, of `tensor.empty`, whose sizes must not be negative, and of `tensor.cast`, whose operand must have the sizes that the
    result names, where constants do not prove them. Kernels
    (`relax.primitive`) and relax ops are left as they are: these check their own operands.
    """

    name = "check-bounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp) or PRIMITIVE.is_on(function):
                continue
            for inner in list(function.walk()):
                if inner.name in _RULES:
                    _RULES[inner.name](inner, TensorBuilder(InsertPoint.before(inner)))


def _check_element(op: Operation, b: TensorBuilder) -> None:
    assert isinstance(op, tensor.ExtractOp | tensor.InsertOp)
    source = op.tensor if isinstance(op, tensor.ExtractOp) else op.dest
    for axis, index in enumerate(op.indices):
        size = _dim(source, axis)
        known, limit = _last(index), constant_index(index)
        if isinstance(size, int) and known is not None and known < size:
            continue
        if isinstance(size, int) and limit is not None:
            raise OpError(op, f"{op.name}: index {limit} of dim {axis} is out of bounds of {size}")
        _require(op, b, b.compare("ult", index, b.as_index(size)), f"index {axis} is out of bounds")


def _check_slice(op: Operation, b: TensorBuilder) -> None:
    """Invariant: a slice is inside if it starts at or behind 0 and the steps up to its last element fit between its start and the end."""
    assert isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp)
    source = op.source if isinstance(op, tensor.ExtractSliceOp) else op.dest
    offsets = mixed(op.static_offsets.get_values(), op.offsets)
    sizes = mixed(op.static_sizes.get_values(), op.sizes)
    strides = mixed(op.static_strides.get_values(), op.strides)
    for axis, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
        whole = _dim(source, axis)
        text = f"the slice of dim {axis} is out of bounds"
        given = (offset, size, stride, whole)
        if all(isinstance(value, int) for value in given):
            first, count, step, end = (value for value in given if isinstance(value, int))
            if first < 0 or count < 0 or (count and not 0 <= first + (count - 1) * step < end):
                raise OpError(
                    op, f"{op.name}: {count} elements from {first} by {step} do not fit into dim {axis} of {end}"
                )
            continue
        if (offset, stride) == (0, 1) and size is whole:
            continue
        for value, least in ((offset, 0), (size, 0), (stride, 1)):
            if not isinstance(value, int):
                _require(op, b, b.compare("sge", value, b.index(least)), text)
        # Of a division nothing wraps around: offset + (size - 1) * stride might.
        room = b.sub(b.sub(whole, 1), offset)
        steps = room if stride == 1 else b.floordiv(room, b.maximum(stride, 1))
        _require(op, b, b.compare("sge", b.as_index(steps), b.as_index(b.sub(size, 1))), text)


def _check_sizes(op: Operation, b: TensorBuilder) -> None:
    for position, size in enumerate(op.operands):
        if not isinstance(size.owner, tensor.DimOp) and (constant_index(size) or -1) < 0:
            _require(op, b, b.compare("sge", size, b.index(0)), f"size {position} is negative")


def _check_cast(op: Operation, b: TensorBuilder) -> None:
    assert isinstance(op, tensor.CastOp)
    if not isinstance(op.source.type, TensorType) or not isinstance(op.dest.type, TensorType):
        return
    for axis, (before, after) in enumerate(zip(op.source.type.get_shape(), op.dest.type.get_shape(), strict=True)):
        if before == DYNAMIC_INDEX != after:
            holds = b.compare("eq", b.as_index(_dim(op.source, axis)), b.index(after))
            _require(op, b, holds, f"expected size {after} of dim {axis}")


_RULES: Mapping[str, Callable[[Operation, TensorBuilder], None]] = {
    "tensor.extract": _check_element,
    "tensor.insert": _check_element,
    "tensor.extract_slice": _check_slice,
    "tensor.insert_slice": _check_slice,
    "tensor.empty": _check_sizes,
    "tensor.cast": _check_cast,
}


def _require(op: Operation, b: TensorBuilder, holds: SSAValue, text: str) -> None:
    b.insert_op(cf.AssertOp(holds, str(OpError(op, f"{op.name}: {text}"))))


def _dim(source: SSAValue, axis: int) -> Size:
    """Returns the size of a dim, computed where the tensor is defined: bodies of `linalg` ops hold scalar ops alone."""
    assert isinstance(source.type, TensorType)
    static = source.type.get_shape()[axis]
    if static != DYNAMIC_INDEX:
        return static
    owner = source.owner
    point = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
    return TensorBuilder(point).dim(source, axis)


def _last(index: SSAValue) -> int | None:
    """Returns what an index is at most, if it is a constant, or counts from 0 in a loop of constant length."""
    constant = constant_index(index)
    if constant is not None:
        return constant if constant >= 0 else None
    if isinstance(index, BlockArgument) and index.index == 0:
        loop = index.block.parent_op()
        if isinstance(loop, scf.ForOp):
            first, end = constant_index(loop.lb), constant_index(loop.ub)
            return end - 1 if first is not None and first >= 0 and end is not None else None
    return None
