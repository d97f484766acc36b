"""1-D `vector` operations in the `llvm` dialect."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from ...dialects.new_op import new_op
from ...dialects.upstream.llvm_ops import ExtractElementOp, MaskedLoadOp, MaskedStoreOp
from ..emit.constructors import vector_type
from .arith_ops import fast_math
from .builder import NO_FAST_MATH, FunctionBuilder, Linear, dense, i32_array, integer_attr, intrinsic_call
from .function import Descriptor, FunctionLowering, Handler
from .memref_ops import address, alignment_of, from_bits, load, nontemporal, store, to_bits
from .types import LoweringError, byte_size, convert_type, memory_type

MOST_MOVED = 1 << 20
"""How far the lane numbers of a mask are moved at most, so that sizes of 32 bits have room for both."""


def _unit_stride(desc: Descriptor, lanes: int) -> None:
    if desc.strides and desc.strides[-1] != Linear(1) and lanes > 1:
        raise LoweringError("convert-to-llvm: the innermost dim of the memref of a vector access is not contiguous")


def _lanes(type_: Attribute) -> int:
    return cast(VectorType, type_).get_shape()[0]


def _access(low: FunctionLowering, base: SSAValue, indices: list[SSAValue], lanes: int) -> tuple[Descriptor, SSAValue]:
    desc = low.memref(base)
    _unit_stride(desc, lanes)
    return desc, address(low, desc, indices)


def _load(low: FunctionLowering, op: Operation) -> None:
    type_ = convert_type(op.results[0].type)
    desc, pointer = _access(low, op.operands[0], list(op.operands[1:]), _lanes(type_))
    value = load(low.builder, pointer, memory_type(type_), alignment_of(op, byte_size(desc.element)), nontemporal(op))
    low.values[op.results[0]] = to_bits(low.builder, value) if desc.element == i1 else value


def _store(low: FunctionLowering, op: Operation) -> None:
    value = low.value(op.operands[0])
    desc, pointer = _access(low, op.operands[1], list(op.operands[2:]), _lanes(value.type))
    if desc.element == i1:
        value = from_bits(low.builder, value)
    elif low.module.splits_stores and _is_chosen(op.operands[0]):
        value = _fenced(low.builder, value)
    store(low.builder, value, pointer, alignment_of(op, byte_size(desc.element)), nontemporal(op))


def _is_chosen(value: SSAValue) -> bool:
    """Returns whether lanes of a value may be lanes of another one: LLVM masks the store of one that was loaded from the same place."""
    return isinstance(value.owner, Operation) and value.owner.name in _CHOICES


def _fenced(builder: FunctionBuilder, value: SSAValue) -> SSAValue:
    """Returns the same value, of which LLVM does not see how it was computed; there is no instruction for that."""
    type_ = cast(VectorType, value.type)
    if type_.element_type in (i32, i64):
        floats = VectorType(f32 if type_.element_type == i32 else f64, type_.get_shape())
        value = builder.emit(llvm.BitcastOp, (value,), floats)
    if cast(VectorType, value.type).element_type not in (f32, f64):
        return value
    return builder.unary_intrinsic("arithmetic.fence", (value,))


def _masked_load(low: FunctionLowering, op: Operation) -> None:
    builder = low.builder
    mask, default = low.value(op.operands[-2]), low.value(op.operands[-1])
    if _lanes_of(mask) == []:
        low.values[op.results[0]] = default
        return
    desc, pointer = _access(low, op.operands[0], list(op.operands[1:-2]), _lanes(default.type))
    boolean = desc.element == i1
    if boolean:
        default = from_bits(builder, default)
    value = builder.emit(MaskedLoadOp, (pointer, mask, default), default.type, {"alignment": _align(op, desc)})
    low.values[op.results[0]] = to_bits(builder, value) if boolean else value


def _masked_store(low: FunctionLowering, op: Operation) -> None:
    mask, value = low.value(op.operands[-2]), low.value(op.operands[-1])
    desc, pointer = _access(low, op.operands[0], list(op.operands[1:-2]), _lanes(value.type))
    if desc.element == i1:
        value = from_bits(low.builder, value)
    lanes = _lanes_of(mask)
    if lanes is not None and len(lanes) == 1:
        (lane,) = lanes
        # LLVM 22's code for x86 stores a lane of the type that the value had before it was truncated, beyond the end of the memory.
        element = cast(VectorType, value.type).element_type
        item = low.builder.emit(ExtractElementOp, (value, low.builder.int_constant(lane)), element)
        place = low.builder.offset_pointer(pointer, Linear(lane), element)
        store(low.builder, item, place, alignment_of(op, byte_size(desc.element)))
        return
    if low.module.splits_stores and lanes and lanes == list(range(len(lanes))):
        _store_parts(low, value, pointer, len(lanes), alignment_of(op, byte_size(desc.element)))
        return
    low.builder.append(
        new_op(MaskedStoreOp, operands=(value, pointer, mask), properties={"alignment": _align(op, desc)})
    )


def _store_parts(low: FunctionLowering, value: SSAValue, pointer: SSAValue, count: int, alignment: int) -> None:
    """Stores the first lanes of a vector as parts whose sizes are powers of two, the largest first: 6 lanes as 4 and 2."""
    builder, element = low.builder, cast(VectorType, value.type).element_type
    start = 0
    while start < count:
        lanes = 1 << ((count - start).bit_length() - 1)
        if lanes == 1:
            part = builder.emit(ExtractElementOp, (value, builder.int_constant(start)), element)
        else:
            part = shuffle(builder, value, value, list(range(start, start + lanes)))
        place = builder.offset_pointer(pointer, Linear(start), element) if start else pointer
        store(builder, part, place, alignment)
        start += lanes


def _lanes_of(mask: SSAValue) -> list[int] | None:
    """Returns the lanes that a constant mask chooses."""
    if not isinstance(mask.owner, llvm.ConstantOp) or not isinstance(mask.owner.value, DenseIntOrFPElementsAttr):
        return None
    return [lane for lane, value in enumerate(mask.owner.value.get_values()) if value]


def _align(op: Operation, desc: Descriptor) -> IntegerAttr:
    return integer_attr(alignment_of(op, byte_size(desc.element)), i32)


def splat(builder: FunctionBuilder, value: SSAValue, type_: VectorType) -> SSAValue:
    """Returns a scalar in every lane."""
    first = builder.emit(llvm.InsertElementOp, (builder.poison(type_), value, builder.int_constant(0, i32)), type_)
    return shuffle(builder, first, first, [0] * _lanes(type_))


def shuffle(builder: FunctionBuilder, lhs: SSAValue, rhs: SSAValue, mask: list[int]) -> SSAValue:
    """Picks lanes of two vectors put one after the other."""
    element = cast(VectorType, lhs.type).element_type
    return builder.emit(
        llvm.ShuffleVectorOp,
        (lhs, rhs),
        vector_type(element, len(mask)),
        {"mask": i32_array(*mask)},
    )


def _broadcast(low: FunctionLowering, op: Operation) -> None:
    source = op.operands[0]
    type_ = cast(VectorType, convert_type(op.results[0].type))
    result = op.results[0]
    if isinstance(source.type, VectorType):
        value = low.value(source)
        lanes = _lanes(value.type)
        if lanes != 1 and lanes != _lanes(type_):
            raise LoweringError(f"convert-to-llvm: {source.type} cannot be broadcast to {result.type}")
        low.values[result] = value if value.type == type_ else shuffle(low.builder, value, value, [0] * _lanes(type_))
        return
    known: int | float | None = low.splats.get(source)
    if known is None and isinstance(source.type, IndexType):
        known = low.constant_int(source)
    if known is not None:
        constant = low.value(source)
        attr = cast(llvm.ConstantOp, constant.owner).value
        assert not isinstance(attr, DenseIntOrFPElementsAttr)
        low.values[result] = low.builder.constant(dense(type_, [attr.value.data]), type_)
        return
    low.values[result] = splat(low.builder, low.value(source), type_)


def _fma(low: FunctionLowering, op: Operation) -> None:
    low.values[op.results[0]] = low.builder.unary_intrinsic("fma", [low.value(o) for o in op.operands])


def _create_mask(low: FunctionLowering, op: Operation) -> None:
    """Compares the lane numbers with the size, in lanes as wide as the data is likely to be.

    Sizes that differ by constants are one vector, which is compared with lane numbers moved by these.
    """
    builder = low.builder
    type_ = cast(VectorType, op.results[0].type)
    lanes = _lanes(type_)
    size = low.index(op.operands[0])
    if not size.terms:
        bits = [int(lane < size.constant) for lane in range(lanes)]
        low.values[op.results[0]] = builder.constant(dense(type_, bits), type_)
        return
    width = i32 if lanes <= 16 else IntegerType(16) if lanes <= 32 or lanes > 127 else IntegerType(8)
    moved, least, most = 0, 0, lanes
    if width == i32 and abs(size.constant) <= MOST_MOVED:
        moved, size, least, most = size.constant, Linear(0, size.terms), -2 * MOST_MOVED, 2 * MOST_MOVED
    wide = vector_type(width, lanes)
    sizes = _clamped(builder, builder.materialize(size), least, most, wide)
    numbers = builder.constant(dense(wide, [lane - moved for lane in range(lanes)]), wide)
    low.values[op.results[0]] = builder.compare(2, numbers, sizes)


def _clamped(builder: FunctionBuilder, size: SSAValue, least: int, most: int, type_: VectorType) -> SSAValue:
    """Returns a size between two bounds in every lane."""

    def bounded(name: str, value: SSAValue, bound: int) -> SSAValue:
        limit = builder.int_constant(bound)
        return builder.shared(lambda: intrinsic_call(name, (value, limit), i64, (i64,)), name, value, limit)

    width = type_.element_type
    clamped = bounded("smax", bounded("smin", size, most), least)
    narrow = builder.shared(lambda: new_op(llvm.TruncOp, (clamped,), (width,)), (llvm.TruncOp, width), clamped)
    head = builder.poison(type_), narrow, builder.int_constant(0, i32)
    first = builder.shared(lambda: new_op(llvm.InsertElementOp, head, (type_,)), (llvm.InsertElementOp, type_), narrow)
    mask = {"mask": i32_array(*[0] * _lanes(type_))}
    return builder.shared(
        lambda: new_op(llvm.ShuffleVectorOp, (first, first), (type_,), mask), (llvm.ShuffleVectorOp, type_), first
    )


def _position(low: FunctionLowering, op: vector.ExtractOp | vector.InsertOp) -> SSAValue:
    static = list(op.static_position.get_values())
    if len(static) != 1:
        raise LoweringError(f"convert-to-llvm: position {static} is not that of one lane")
    if static[0] == DYNAMIC_INDEX:
        return low.value(op.dynamic_position[0])
    return low.builder.int_constant(static[0])


def _extract(low: FunctionLowering, op: Operation) -> None:
    extract = cast(vector.ExtractOp, op)
    source = low.value(extract.vector)
    element = cast(VectorType, source.type).element_type
    low.set(op.results[0], low.builder.emit(ExtractElementOp, (source, _position(low, extract)), element))


def _insert(low: FunctionLowering, op: Operation) -> None:
    insert = cast(vector.InsertOp, op)
    target = low.value(insert.dest)
    value = low.value(insert.source)
    low.values[op.results[0]] = low.builder.emit(
        llvm.InsertElementOp, (target, value, _position(low, insert)), target.type
    )


_CHOICES = frozenset(f"arith.{name}" for name in ("select", "maximumf", "minimumf", "maxnumf", "minnumf"))

_REDUCE_FLOAT: dict[str, type[IRDLOperation]] = {"add": llvm.FAddOp, "mul": llvm.FMulOp}
_REDUCE_INT: dict[str, tuple[str, type[IRDLOperation] | None]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minsi": ("smin", None),
    "maxsi": ("smax", None),
    "minui": ("umin", None),
    "maxui": ("umax", None),
}
_REDUCE_MINMAX = {
    "minnumf": ("fmin", "minnum"),
    "maxnumf": ("fmax", "maxnum"),
    "minimumf": ("fminimum", "minimum"),
    "maximumf": ("fmaximum", "maximum"),
}


def _tree(builder: FunctionBuilder, value: SSAValue, op: type[IRDLOperation], neutral: float) -> SSAValue:
    """Combines the upper half with the lower until one lane is left: the same order on every machine."""
    lanes = _lanes(value.type)
    flags: dict[str, Attribute] = {"fastmathFlags": NO_FAST_MATH}
    if lanes & (lanes - 1):
        padded = 1 << lanes.bit_length()
        rest = builder.float_constant(neutral, value.type)
        value = shuffle(builder, value, rest, [i if i < lanes else lanes for i in range(padded)])
        lanes = padded
    while lanes > 1:
        lanes //= 2
        lower = shuffle(builder, value, value, list(range(lanes)))
        upper = shuffle(builder, value, value, list(range(lanes, 2 * lanes)))
        value = builder.emit(op, (lower, upper), lower.type, flags)
    element = cast(VectorType, value.type).element_type
    return builder.emit(ExtractElementOp, (value, builder.int_constant(0)), element)


def _reduction(low: FunctionLowering, op: Operation) -> None:
    """Sums and products of floats go lane by lane, from the accumulator on; with `reassoc` as a tree."""
    builder = low.builder
    reduction = cast(vector.ReductionOp, op)
    kind = reduction.kind.data.value
    value = low.value(reduction.vector)
    type_ = cast(VectorType, value.type)
    element = type_.element_type
    acc = low.value(reduction.acc) if reduction.acc is not None else None
    if isinstance(element, IntegerType):
        name, combine = _REDUCE_INT[kind]
        total = builder.intrinsic(f"vector.reduce.{name}", (value,), element, (type_,))
        assert total is not None
        if acc is not None:
            if combine is not None:
                total = builder.emit(combine, (total, acc), element)
            else:
                total = builder.unary_intrinsic(name, (total, acc))
    elif kind in _REDUCE_FLOAT:
        flags = fast_math(op)
        neutral = -0.0 if kind == "add" else 1.0
        scalar_op = _REDUCE_FLOAT[kind]
        if any(flag.value in ("reassoc", "fast") for flag in flags.data):
            total = _tree(builder, value, scalar_op, neutral)
            if acc is not None:
                total = builder.emit(scalar_op, (total, acc), element, {"fastmathFlags": NO_FAST_MATH})
        else:
            start = acc if acc is not None else builder.float_constant(neutral, element)
            reduced = builder.intrinsic(f"vector.reduce.f{kind}", (start, value), element, (type_,))
            assert reduced is not None
            total = reduced
    else:
        if kind not in _REDUCE_MINMAX:
            raise LoweringError(f"convert-to-llvm: reduction kind {kind} does not apply to {element}")
        name, scalar = _REDUCE_MINMAX[kind]
        reduced = builder.intrinsic(f"vector.reduce.{name}", (value,), element, (type_,))
        assert reduced is not None
        total = reduced if acc is None else builder.unary_intrinsic(scalar, (reduced, acc))
    low.set(op.results[0], total)


def _bitcast(low: FunctionLowering, op: Operation) -> None:
    source = low.value(op.operands[0])
    type_ = convert_type(op.results[0].type)
    low.values[op.results[0]] = source if source.type == type_ else low.builder.emit(llvm.BitcastOp, (source,), type_)


def _shuffle(low: FunctionLowering, op: Operation) -> None:
    lhs, rhs = (low.value(o) for o in op.operands)
    mask = [int(i) for i in cast(vector.ShuffleOp, op).mask.get_values()]
    a, b = _lanes(lhs.type), _lanes(rhs.type)
    if a != b:
        wide = max(a, b)
        lhs = lhs if a == wide else shuffle(low.builder, lhs, lhs, [i if i < a else -1 for i in range(wide)])
        rhs = rhs if b == wide else shuffle(low.builder, rhs, rhs, [i if i < b else -1 for i in range(wide)])
        mask = [i if i < a else i - a + wide for i in mask]
    low.values[op.results[0]] = shuffle(low.builder, lhs, rhs, mask)


HANDLERS: dict[str, Handler] = {
    "vector.load": _load,
    "vector.store": _store,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.broadcast": _broadcast,
    "vector.fma": _fma,
    "vector.create_mask": _create_mask,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "vector.bitcast": _bitcast,
    "vector.shuffle": _shuffle,
}
