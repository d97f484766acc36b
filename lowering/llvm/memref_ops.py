"""`memref` in the `llvm` dialect: descriptors are folded away, addresses are `llvm.getelementptr`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, UnitAttr, i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.new_op import new_op
from ...dialects.upstream.llvm_ops import LoadOp
from ...targets.cpu import BUFFER_ALIGNMENT
from .builder import NO_FAST_MATH, FunctionBuilder, Linear, integer_attr
from .function import Descriptor, FunctionLowering, Handler
from .loops import build_loop
from .types import LoweringError, byte_size, memory_type, static_layout

_ORDERING = IntegerAttr(0, i64)
ONE = Linear(1)


def load(
    builder: FunctionBuilder, pointer: SSAValue, type_: Attribute, alignment: int, nontemporal: bool = False
) -> SSAValue:
    """Reads a register of a type; the caller handles `i1`."""
    properties: dict[str, Attribute] = {"ordering": _ORDERING, "alignment": integer_attr(alignment)}
    if nontemporal:
        properties["nontemporal"] = UnitAttr()
    return builder.emit(LoadOp, (pointer,), type_, properties)


def store(
    builder: FunctionBuilder, value: SSAValue, pointer: SSAValue, alignment: int, nontemporal: bool = False
) -> None:
    """Writes a register; the caller handles `i1`."""
    properties: dict[str, Attribute] = {"ordering": _ORDERING, "alignment": integer_attr(alignment)}
    if nontemporal:
        properties["nontemporal"] = UnitAttr()
    builder.append(new_op(llvm.StoreOp, operands=(value, pointer), properties=properties))


def to_bits(builder: FunctionBuilder, bytes_: SSAValue) -> SSAValue:
    """Booleans from their bytes in memory."""
    return builder.compare(1, bytes_, builder.int_constant(0, bytes_.type))


def from_bits(builder: FunctionBuilder, bits: SSAValue) -> SSAValue:
    """Returns the bytes in memory of booleans."""
    return builder.emit(llvm.ZExtOp, (bits,), memory_type(bits.type))


def address(low: FunctionLowering, desc: Descriptor, indices: Sequence[SSAValue]) -> SSAValue:
    """Returns the address of one element."""
    builder = low.builder
    if len(indices) != len(desc.strides):
        raise LoweringError(f"convert-to-llvm: {len(indices)} indices for a memref of rank {len(desc.strides)}")
    offset = Linear(0)
    for index, stride in zip(indices, desc.strides, strict=True):
        offset = builder.linear_add(offset, product(low, low.index(index), stride))
    return builder.offset_pointer(desc.pointer, offset, memory_type(desc.element))


def product(low: FunctionLowering, index: Linear, stride: Linear) -> Linear:
    """Returns `index * stride`, distributed over the index's terms so that each is computed in its own loop."""
    if not stride.terms or not index.terms:
        return low.builder.linear_mul(index, stride)
    factor = low.builder.materialize(stride)
    total = Linear(0, ((factor, index.constant),)) if index.constant else Linear(0)
    for value, scale in index.terms:
        term = low.builder.pure(llvm.MulOp, value, factor)
        total = low.builder.linear_add(total, Linear(0, ((term, scale),)))
    return total


def nontemporal(op: Operation) -> bool:
    flag = op.properties.get("nontemporal") or op.attributes.get("nontemporal")
    return isinstance(flag, IntegerAttr) and bool(flag.value.data)


def alignment_of(op: Operation, default: int) -> int:
    """Returns the alignment that an access promises, at least that of its element."""
    alignment = op.properties.get("alignment") or op.attributes.get("alignment")
    return alignment.value.data if isinstance(alignment, IntegerAttr) else default


def _load(low: FunctionLowering, op: Operation) -> None:
    desc = low.memref(op.operands[0])
    pointer = address(low, desc, op.operands[1:])
    value = load(
        low.builder,
        pointer,
        memory_type(desc.element),
        alignment_of(op, byte_size(desc.element)),
        nontemporal(op),
    )
    low.set(op.results[0], to_bits(low.builder, value) if desc.element == i1 else value)


def _store(low: FunctionLowering, op: Operation) -> None:
    desc = low.memref(op.operands[1])
    value = low.value(op.operands[0])
    if desc.element == i1:
        value = from_bits(low.builder, value)
    pointer = address(low, desc, op.operands[2:])
    store(low.builder, value, pointer, alignment_of(op, byte_size(desc.element)), nontemporal(op))


def row_major(low: FunctionLowering, sizes: Sequence[Linear]) -> list[Linear]:
    """Strides of a compact memref."""
    strides: list[Linear] = []
    stride = ONE
    for position, size in enumerate(reversed(sizes)):
        strides.append(stride)
        if position + 1 < len(sizes):
            stride = low.builder.linear_mul(stride, size)
    return strides[::-1]


def compact_memref(low: FunctionLowering, pointer: SSAValue, type_: Attribute, dynamic: Iterator[Linear]) -> Descriptor:
    """Returns a memref without gaps from its pointer and the sizes that its type leaves open."""
    form = low.module.form_of(type_)
    if form.layout is not None:
        return Descriptor(pointer, form.element, *form.layout)
    sizes = [next(dynamic) if size == DYNAMIC_INDEX else Linear(size) for size in form.shape]
    return Descriptor(pointer, form.element, sizes, row_major(low, sizes))


def mixed(low: FunctionLowering, static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[Linear]:
    """Returns the static values of an operation, with its operands where they are dynamic."""
    rest = iter(dynamic)
    return [low.index(next(rest)) if s == DYNAMIC_INDEX else Linear(s) for s in static]


def _alloca(low: FunctionLowering, op: Operation) -> None:
    alloca = cast(memref.AllocaOp, op)
    type_ = alloca.memref.type
    sizes = mixed(low, type_.get_shape(), alloca.dynamic_sizes)
    alignment = max(alignment_of(op, BUFFER_ALIGNMENT), byte_size(type_.element_type))
    element = memory_type(type_.element_type)
    count = ONE
    for size in sizes:
        count = low.builder.linear_mul(count, size)
    if count.terms:
        pointer = low.builder.alloca(low.builder.materialize(count), element, alignment)
    else:
        pointer = low.builder.alloca(None, llvm.LLVMArrayType(count.constant, element), alignment)
    low.memrefs[op.results[0]] = Descriptor(pointer, type_.element_type, sizes, row_major(low, sizes))


def _view(low: FunctionLowering, op: Operation) -> None:
    # Taken apart, as a call of a kernel has several views, and each accessor looks through the definition of the op.
    (result,) = op.results
    source, byte_shift, *dynamic = op.operands
    pointer = low.builder.offset_pointer(low.memref(source).pointer, low.index(byte_shift), i8)
    low.memrefs[result] = compact_memref(low, pointer, result.type, map(low.index, dynamic))


def _subview(low: FunctionLowering, op: Operation) -> None:
    sub = cast(memref.SubviewOp, op)
    source = low.memref(sub.source)
    type_ = sub.result.type
    offsets = mixed(low, sub.static_offsets.get_values(), sub.offsets)
    sizes = mixed(low, sub.static_sizes.get_values(), sub.sizes)
    steps = mixed(low, sub.static_strides.get_values(), sub.strides)
    offset = Linear(0)
    for start, stride in zip(offsets, source.strides, strict=True):
        offset = low.builder.linear_add(offset, product(low, start, stride))
    strides = [low.builder.linear_mul(a, b) for a, b in zip(source.strides, steps, strict=True)]
    kept = _kept_dims(list(type_.get_shape()), list(sub.static_sizes.get_values()), strides, type_)
    pointer = low.builder.offset_pointer(source.pointer, offset, memory_type(source.element))
    low.memrefs[op.results[0]] = Descriptor(
        pointer, source.element, [sizes[d] for d in kept], [strides[d] for d in kept]
    )


def _kept_dims(shape: list[int], sizes: list[int], strides: list[Linear], type_: MemRefType) -> list[int]:
    """Returns the source dims that a rank-reducing subview keeps: unit dims are dropped, guided by the result's
    strides.
    """
    if len(shape) == len(sizes):
        return list(range(len(sizes)))
    wanted = static_layout(type_)[0]
    best: list[int] | None = None

    def search(dim: int, kept: list[int]) -> bool:
        # Invariant: `kept` are the dims below `dim` that the first dims of the result stand for.
        nonlocal best
        if dim == len(sizes):
            if len(kept) != len(shape):
                return False
            best = list(kept)
            return True
        position = len(kept)
        if position < len(shape) and shape[position] == sizes[dim]:
            known = strides[dim].constant if not strides[dim].terms else None
            if (known is None) or (wanted[position] is None) or known == wanted[position]:
                if search(dim + 1, [*kept, dim]):
                    return True
        return sizes[dim] == 1 and search(dim + 1, kept)

    if not search(0, []):
        raise LoweringError(f"convert-to-llvm: the result type {type_} does not match the subview's sizes {sizes}")
    assert best is not None
    return best


def _reinterpret_cast(low: FunctionLowering, op: Operation) -> None:
    view = cast(memref.ReinterpretCastOp, op)
    source = low.memref(view.source)
    (offset,) = mixed(low, view.static_offsets.get_values(), view.offsets)
    sizes = mixed(low, view.static_sizes.get_values(), view.sizes)
    strides = mixed(low, view.static_strides.get_values(), view.strides)
    pointer = low.builder.offset_pointer(source.pointer, offset, memory_type(source.element))
    low.memrefs[op.results[0]] = Descriptor(pointer, source.element, sizes, strides)


def _groups(op: memref.CollapseShapeOp | memref.ExpandShapeOp) -> list[list[int]]:
    return [[i.value.data for i in group.data] for group in op.reassociation.data]


def _collapse_shape(low: FunctionLowering, op: Operation) -> None:
    source = low.memref(op.operands[0])
    sizes: list[Linear] = []
    strides: list[Linear] = []
    for group in _groups(cast(memref.CollapseShapeOp, op)):
        size = ONE
        for dim in group:
            size = low.builder.linear_mul(size, source.sizes[dim])
        sizes.append(size)
        inner = [d for d in group if source.sizes[d] != ONE] or group[-1:]
        strides.append(source.strides[inner[-1]])
    low.memrefs[op.results[0]] = Descriptor(source.pointer, source.element, sizes, strides)


def _expand_shape(low: FunctionLowering, op: Operation) -> None:
    expand = cast(memref.ExpandShapeOp, op)
    source = low.memref(expand.src)
    sizes = mixed(low, expand.static_output_shape.get_values(), expand.output_shape)
    strides: list[Linear] = [ONE] * len(sizes)
    for dim, group in enumerate(_groups(expand)):
        stride = source.strides[dim]
        for position in reversed(group):
            strides[position] = stride
            stride = low.builder.linear_mul(stride, sizes[position])
    low.memrefs[op.results[0]] = Descriptor(source.pointer, source.element, sizes, strides)


def _cast(low: FunctionLowering, op: Operation) -> None:
    source = low.memref(op.operands[0])
    type_ = op.results[0].type
    if not isinstance(type_, MemRefType):
        raise LoweringError(f"convert-to-llvm: cast to {type_}, whose rank is not known")
    shape = type_.get_shape()
    sizes = [Linear(s) if s != DYNAMIC_INDEX else size for s, size in zip(shape, source.sizes, strict=True)]
    wanted, _ = static_layout(type_)
    strides = [Linear(w) if w is not None and s.terms else s for w, s in zip(wanted, source.strides, strict=True)]
    low.memrefs[op.results[0]] = Descriptor(source.pointer, source.element, sizes, strides)


def _dim(low: FunctionLowering, op: Operation) -> None:
    desc = low.memref(op.operands[0])
    position = low.constant_int(op.operands[1])
    if position is None or not 0 <= position < len(desc.sizes):
        raise LoweringError("convert-to-llvm: the dim of memref.dim must be a constant within the rank")
    low.indices[op.results[0]] = desc.sizes[position]


def _rank(low: FunctionLowering, op: Operation) -> None:
    low.indices[op.results[0]] = Linear(len(low.memref(op.operands[0]).sizes))


def _same(low: FunctionLowering, op: Operation) -> None:
    low.memrefs[op.results[0]] = low.memref(op.operands[0])


def _get_global(low: FunctionLowering, op: Operation) -> None:
    get = cast(memref.GetGlobalOp, op)
    name = get.name_.string_value()
    if name not in low.module.globals:
        raise LoweringError(f"convert-to-llvm: there is no global @{name}")
    key = ("global", name)
    pointer = low.builder.constants.get(key)
    if pointer is None:
        pointer = low.builder.head_op(llvm.AddressOfOp(low.module.globals[name], llvm.LLVMPointerType()))
        low.builder.constants[key] = pointer
    low.memrefs[op.results[0]] = compact_memref(low, pointer, get.memref.type, iter(()))


def _extract_metadata(low: FunctionLowering, op: Operation) -> None:
    desc = low.memref(op.operands[0])
    rank = len(desc.sizes)
    low.memrefs[op.results[0]] = Descriptor(desc.pointer, desc.element, [], [])
    low.indices[op.results[1]] = Linear(0)
    for result, linear in zip(op.results[2:], [*desc.sizes, *desc.strides], strict=True):
        low.indices[result] = linear
    assert len(op.results) == 2 + 2 * rank


def _extract_pointer(low: FunctionLowering, op: Operation) -> None:
    low.set(op.results[0], low.builder.emit(llvm.PtrToIntOp, (low.memref(op.operands[0]).pointer,), i64))


def _copy(low: FunctionLowering, op: Operation) -> None:
    """Copies one block when both sides are compact, else loops over the outer dims around the longest compact tail."""
    source, target = (low.memref(o) for o in op.operands)
    builder = low.builder
    size = byte_size(source.element)
    sizes = [a if not a.terms else b for a, b in zip(source.sizes, target.sizes, strict=True)]
    if any(s == Linear(0) for s in sizes):
        return
    tail = len(sizes)
    length = ONE
    while tail > 0:
        stride = source.strides[tail - 1], target.strides[tail - 1]
        if sizes[tail - 1] != ONE and (stride[0] != length or stride[1] != length):
            break
        length = builder.linear_mul(length, sizes[tail - 1])
        tail -= 1
    element = memory_type(source.element)

    def body(offsets: tuple[Linear, Linear]) -> None:
        destination = builder.offset_pointer(target.pointer, offsets[1], element)
        origin = builder.offset_pointer(source.pointer, offsets[0], element)
        if length == ONE:
            store(builder, load(builder, origin, element, size), destination, size)
            return
        count = builder.materialize(builder.linear_mul(length, Linear(size)))
        builder.intrinsic(
            "memcpy",
            (destination, origin, count, builder.bit(False)),
            None,
            (destination.type, origin.type, i64),
            NO_FAST_MATH,
        )

    def nest(dim: int, offsets: tuple[Linear, Linear]) -> None:
        if dim == tail:
            body(offsets)
            return
        if sizes[dim] == ONE:
            nest(dim + 1, offsets)
            return

        def inner(induction: Linear) -> None:
            nest(
                dim + 1,
                (
                    builder.linear_add(offsets[0], product(low, induction, source.strides[dim])),
                    builder.linear_add(offsets[1], product(low, induction, target.strides[dim])),
                ),
            )

        build_loop(low, Linear(0), sizes[dim], ONE, inner)

    nest(0, (Linear(0), Linear(0)))


HANDLERS: dict[str, Handler] = {
    "memref.load": _load,
    "memref.store": _store,
    "memref.alloca": _alloca,
    "memref.view": _view,
    "memref.subview": _subview,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.collapse_shape": _collapse_shape,
    "memref.expand_shape": _expand_shape,
    "memref.cast": _cast,
    "memref.memory_space_cast": _same,
    "memref.assume_alignment": _same,
    "memref.dim": _dim,
    "memref.rank": _rank,
    "memref.get_global": _get_global,
    "memref.extract_strided_metadata": _extract_metadata,
    "memref.extract_aligned_pointer_as_index": _extract_pointer,
    "memref.copy": _copy,
}
