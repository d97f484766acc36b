"""The pass `check-bounds`: what reads and writes parts of tensors asserts that they are there, and that operands fit each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...dialects.upstream.generic_form import is_elementwise, operand_maps
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from ..emit import constructors, scalar
from ..emit.constructors import shown
from ..emit.tensor_builder import Size
from ..sizes.op_sizes import constant_index, dropped_dims, mixed, reassociation
from .operand_sizes import Origin, SizeChecker, dim_of, origin, origin_of_index


class CheckBoundsPass(PassWithOptions):
    """Asserts that ops stay inside of their operands, whose sizes fit each other.

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

    Before: a program as its author wrote it. After: the same, with assertions where nothing proves what an op takes for granted.
    `tensor.extract`, `insert`, `extract_slice` and `insert_slice` stay inside; sizes of `tensor.empty`, `splat` and `generate`, and
    amounts of `pad`, are not negative; the operands of `linalg` ops and of element-wise ops have equal sizes, and indices stay
    inside; steps of `scf.for` are positive; what `cast`, `reshape`, `expand_shape`, `concat`, `pad` and `insert_slice` make or take has
    the sizes that they say. What is never right is an error. Kernels (`relax.primitive`) of a program are checked too; relax ops check
    their own operands.
    """

    name = "check-bounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp):
                continue
            proved: set[tuple[Block | None, Origin, Origin]] = set()
            for inner in ops_inside(function):
                rule = _RULES.get(inner.name)
                if rule is None and (inner.name.startswith("linalg.") or is_elementwise(inner)):
                    rule = _check_operands
                if rule is not None:
                    rule(inner, SizeChecker(inner, proved))


def _check_element(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.ExtractOp | tensor.InsertOp)
    source = op.tensor if isinstance(op, tensor.ExtractOp) else op.dest
    for axis, index in enumerate(op.indices):
        size = dim_of(source, axis)
        known, limit = _last(index), constant_index(index)
        if isinstance(size, int) and known is not None and known < size:
            continue
        if isinstance(size, int) and limit is not None:
            raise b.refuse(f"index {limit} of dim {axis} is out of bounds of {size}")
        names = f"index {axis}", f"the size of dim {axis}"
        b.require(shown(b.compare("ult", index, b.as_index(size)), *names), f"index {axis} is out of bounds")


def _refuse_vectors(op: Operation, b: SizeChecker) -> None:
    raise b.refuse("expected elements or slices of tensors, vectors are what lowerings make of them")


def _check_slice(op: Operation, b: SizeChecker) -> None:
    """Invariant: a slice is inside if it starts at or behind 0 and the steps up to its last element fit between its start and the end."""
    assert isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp)
    source = op.source if isinstance(op, tensor.ExtractSliceOp) else op.dest
    offsets = mixed(op.static_offsets.get_values(), op.offsets)
    sizes = mixed(op.static_sizes.get_values(), op.sizes)
    strides = mixed(op.static_strides.get_values(), op.strides)
    for axis, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
        whole = dim_of(source, axis)
        text = f"the slice of dim {axis} is out of bounds"
        given = (offset, size, stride, whole)
        if all(isinstance(value, int) for value in given):
            first, count, step, end = (value for value in given if isinstance(value, int))
            if first < 0 or count < 0 or (count and not 0 <= first + (count - 1) * step < end):
                raise b.refuse(f"{count} elements from {first} by {step} do not fit into dim {axis} of {end}")
            continue
        if (offset, stride) == (0, 1) and size is whole:
            continue
        for name, value, least in (("its start", offset, 0), ("its size", size, 0), ("its step", stride, 1)):
            if not isinstance(value, int):
                b.require(shown(b.compare("sge", value, b.index(least)), name), text)
        # Of a division nothing wraps around: offset + (size - 1) * stride might.
        room = b.sub(b.sub(whole, 1), offset)
        steps = room if stride == 1 else b.floordiv(room, b.maximum(stride, 1))
        names = "the last position that fits", "its last position"
        b.require(shown(b.compare("sge", b.as_index(steps), b.as_index(b.sub(size, 1))), *names), text)


def _check_insert_slice(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.InsertSliceOp)
    _check_slice(op, b)
    static = op.static_sizes.get_values()
    sizes = mixed(static, op.sizes)
    dropped = dropped_dims(static, op.source.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
    kept = [size for axis, size in enumerate(sizes) if axis not in dropped]
    for axis, size in enumerate(kept):
        _check_dim(b, op.source, axis, _origin(size), "expected the operand to have the sizes of the slice")


def _check_empty(op: Operation, b: SizeChecker) -> None:
    for position, size in enumerate(value for value in op.operands if isinstance(value.type, IndexType)):
        b.not_negative(origin_of_index(size), f"size {position} is negative")


def _check_cast(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.CastOp)
    if not isinstance(op.source.type, TensorType) or not isinstance(op.dest.type, TensorType):
        return
    for axis, after in enumerate(op.dest.type.get_shape()):
        if after != DYNAMIC_INDEX:
            b.equal(origin(op.source, axis), after, f"expected size {after} of dim {axis}")


def _check_expand(op: Operation, b: SizeChecker) -> None:
    # Invariant: without an output shape the one unknown size of a group is a quotient, which must be exact.
    assert isinstance(op, tensor.ExpandShapeOp)
    shape: Sequence[int | SSAValue] = op.result.type.get_shape()
    is_given = bool(op.dynamic_output_shape) or DYNAMIC_INDEX not in shape
    if op.dynamic_output_shape:
        shape = mixed(op.static_output_shape.get_values(), op.dynamic_output_shape)
    for axis, group in enumerate(reassociation(op)):
        text = f"the sizes of its group are not those of dim {axis} of the operand"
        sizes = [_origin(shape[place]) for place in group]
        if is_given:
            for size in sizes:
                b.not_negative(size, "a size is negative")
            b.same_product(sizes, [origin(op.src, axis)], text)
            continue
        known = 1
        for size in sizes:
            known *= size if isinstance(size, int) and size != DYNAMIC_INDEX else 1
        if known > 1 and DYNAMIC_INDEX in sizes:
            whole = dim_of(op.src, axis)
            b.require(b.compare("eq", b.as_index(b.mul(b.floordiv(whole, known), known)), b.as_index(whole)), text)


def _check_reshape(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.ReshapeOp)
    assert isinstance(op.source.type, TensorType)
    sizes: list[Origin] = []
    for place, static in enumerate(op.result.type.get_shape()):
        given = scalar.cast(b, b.extract(op.shape, [place]), IndexType())
        if static != DYNAMIC_INDEX:
            b.equal(origin_of_index(given), static, f"expected size {static} of dim {place}")
        else:
            b.not_negative(origin_of_index(given), f"size {place} is negative")
        sizes.append(_origin(given) if static == DYNAMIC_INDEX else static)
    whole = [origin(op.source, axis) for axis in range(op.source.type.get_num_dims())]
    b.same_product(sizes, whole, "expected as many elements as the operand has")


def _check_concat(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.ConcatOp)
    assert isinstance(op.result.type, TensorType)
    along, shape = op.dim.value.data, op.result.type.get_shape()
    for axis, static in enumerate(shape):
        sizes = [origin(value, axis) for value in op.inputs]
        if axis != along:
            wanted = sizes[0] if static == DYNAMIC_INDEX else static
            for position, size in enumerate(sizes):
                b.equal(size, wanted, f"operand {position} differs in dim {axis}")
        elif static != DYNAMIC_INDEX:
            total: Size = 0
            for size in sizes:
                total = b.add(total, b.value(size))
            b.equal(_origin(total), static, f"expected size {static} of dim {axis}")


def _check_pad(op: Operation, b: SizeChecker) -> None:
    assert isinstance(op, tensor.PadOp)
    low = mixed(op.static_low.get_values(), op.low)
    high = mixed(op.static_high.get_values(), op.high)
    for axis, (before, after, static) in enumerate(zip(low, high, op.result.type.get_shape(), strict=True)):
        for amount in (before, after):
            b.not_negative(_origin(amount), f"the padding of dim {axis} is negative")
        if static != DYNAMIC_INDEX:
            total = b.add(b.add(dim_of(op.source, axis), before), after)
            b.equal(_origin(total), static, f"expected size {static} of dim {axis}")


def _check_operands(op: Operation, b: SizeChecker) -> None:
    # Invariant: a loop is as long as the first dim that it counts alone; other such dims are equal, and other indices stay inside.
    operands = operand_maps(op)
    lengths: dict[int, Origin] = {}
    indices = [
        (position, value, axis, expr)
        for position, (value, indexing) in enumerate(operands)
        if isinstance(value.type, TensorType)
        for axis, expr in enumerate(indexing.results)
    ]
    for position, value, axis, expr in indices:
        if isinstance(expr, AffineDimExpr):
            length = lengths.setdefault(expr.position, origin(value, axis))
            b.equal(
                origin(value, axis),
                length,
                f"dim {axis} of operand {position} has another size than the operands before",
            )
    others = [entry for entry in indices if not isinstance(entry[3], AffineDimExpr)]
    if not others or len(lengths) < operands[0][1].num_dims:
        return
    sizes = [b.value(lengths[place]) for place in range(len(lengths))]
    for position, value, axis, expr in others:
        low, high = b.extremes(expr, sizes)
        _check_inside(b, low, high, dim_of(value, axis), sizes, f"dim {axis} of operand {position} is too small")


def _check_inside(b: SizeChecker, low: Size, high: Size, size: Size, lengths: Sequence[Size], text: str) -> None:
    """Asserts that indices from `low` to `high` are inside of a dim, unless a loop has no iterations."""
    # Invariant: two numbers are compared now, where the lengths of all loops are known; all else is a condition.
    if 0 in [length for length in lengths if isinstance(length, int)]:
        return
    conditions: list[SSAValue] = []
    for smaller, larger in ((0, low), (b.add(high, 1), size)):
        if isinstance(smaller, int) and isinstance(larger, int):
            if smaller > larger and all(isinstance(length, int) for length in lengths):
                raise b.refuse(f"{text}: indices from {low} to {high}, size {size}")
            if smaller <= larger:
                continue
        conditions.append(b.compare("sle", b.as_index(smaller), b.as_index(larger)))
    if not conditions:
        return
    holds = conditions[0] if len(conditions) == 1 else b.both(*conditions)
    for length in lengths:
        if not isinstance(length, int):
            holds = b.either(holds, b.compare("eq", length, b.index(0)))
    b.require(holds, text)


def _check_step(op: Operation, b: SizeChecker) -> None:
    """Without this a loop whose step is not positive would never end."""
    assert isinstance(op, scf.ForOp)
    known = constant_index(op.step)
    if known is not None and known <= 0:
        raise b.refuse(f"expected a step > 0, got {known}")
    if known is None:
        zero = b.insert(arith.ConstantOp(IntegerAttr(0, op.step.type)))  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownArgumentType]
        b.require(shown(b.insert(constructors.compare("sgt", op.step, zero)), "its step"), "expected a step > 0")


def _check_dim(b: SizeChecker, value: SSAValue, axis: int, size: Origin, text: str) -> None:
    b.equal(origin(value, axis), size, text)


def _origin(size: int | SSAValue) -> Origin:
    return size if isinstance(size, int) else origin_of_index(size)


def _unchecked(op: Operation, b: SizeChecker) -> None:
    """Leaves an op that has no operands to compare, or whose sizes are static."""


_RULES: Mapping[str, Callable[[Operation, SizeChecker], None]] = {
    "tensor.extract": _check_element,
    "tensor.insert": _check_element,
    "vector.transfer_read": _refuse_vectors,
    "vector.transfer_write": _refuse_vectors,
    "tensor.extract_slice": _check_slice,
    "tensor.insert_slice": _check_insert_slice,
    "tensor.empty": _check_empty,
    "tensor.splat": _check_empty,
    "tensor.generate": _check_empty,
    "tensor.cast": _check_cast,
    "tensor.expand_shape": _check_expand,
    "tensor.reshape": _check_reshape,
    "tensor.concat": _check_concat,
    "tensor.pad": _check_pad,
    "scf.for": _check_step,
    **dict.fromkeys(("linalg.yield", "linalg.index", "linalg.fill", "linalg.pack", "linalg.unpack"), _unchecked),
}


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
