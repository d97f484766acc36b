"""Reading and writing by index: `tensor.extract` in the payload for reads, loops of `tensor.insert` for scatters.

Each index is brought into its dim by arithmetic, so that no access leaves a tensor; reads from a dim that may be empty are guarded.

    %y = relax.take %x, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<?xi32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>

becomes

    linalg.generic ins(%i) outs(%e) {
      %at = arith.minsi (arith.maxsi (%i, or %i + 9 where it is negative), 0), 8
      linalg.yield (tensor.extract %x[%at, linalg.index 1])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.base import from_attr
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import indexing
from ....dialects.symbolic.expressions import equal
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import Size, broadcast_map, element, projection
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from .manipulate import known_dims, sizes_of


def to_index(b: OpBuilder, value: SSAValue, unsigned: bool) -> SSAValue:
    """Returns an integer as an `index`; a ui64 beyond i64 becomes the largest."""
    if unsigned and value.type == i64:
        value = b.insert(arith.MinUIOp(value, b.constant(2**63 - 1, i64)))
    return scalar.cast(b, value, IndexType(), unsigned)


def from_start(b: OpBuilder, index: SSAValue, size: Size, unsigned: bool = False) -> SSAValue:
    """Returns an index with a negative one counted from the end."""
    if unsigned:
        return index
    return b.select(b.less(index, 0), b.add(index, size), index)


def clip(b: OpBuilder, index: SSAValue, size: Size) -> SSAValue:
    """Returns the nearest index inside of a dim that is not empty."""
    return b.as_index(b.minimum(b.maximum(index, 0), b.sub(size, 1)))


def nearest(b: OpBuilder, value: SSAValue, size: Size, unsigned: bool) -> SSAValue:
    """Returns an index value from a tensor as an index inside of a dim that is not empty."""
    return clip(b, from_start(b, to_index(b, value, unsigned), size, unsigned), size)


def inside(b: OpBuilder, index: SSAValue, size: Size) -> SSAValue:
    """Returns whether an index is inside of a dim."""
    return b.both(b.less(-1, index), b.less(index, size))


def iterations(s: OpBuilder, rank: int) -> list[SSAValue]:
    """Returns the indices of the iteration dims of a payload."""
    return indices_of(s, range(rank))


def indices_of(s: OpBuilder, dims: Iterable[int]) -> list[SSAValue]:
    """Returns the indices of some iteration dims of a payload."""
    return [s.insert(linalg.IndexOp(dim)) for dim in dims]


def _take(op: indexing.TakeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, indices = operands
    shape, index_shape = known_dims(op), known_dims(op, 1)
    axis = op.normalized_axis(len(shape))
    source: Sequence[Size] = sizes_of(b, x, shape) or [1]
    sizes = [*source[:axis], *sizes_of(b, indices, index_shape), *source[axis + 1 :]]
    mode, index_type = op.prop("mode", "fast"), relax_element(op.indices)
    size = source[axis]
    # As many elements as the indices have bits for: one that counts from the end is the place that its bits are without a sign.
    is_whole = mode == "fast" and size == 1 << cast(IntegerType, index_type).width.data
    unsigned = is_whole or is_unsigned(index_type)
    rank, count = len(sizes), len(index_shape)
    index_map = projection(rank, range(axis, axis + count))
    if mode == "nan" and size == 0:
        return [b.filled(float("nan"), element(x), sizes)]

    def location(s: OpBuilder, index: SSAValue) -> SSAValue:
        if is_whole:
            return index
        if mode == "wrap":
            return from_start(s, s.insert(arith.RemSIOp(index, s.as_index(size))), size)
        if mode == "fast":
            index = from_start(s, index, size, unsigned)
        return clip(s, index, size)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        index = to_index(s, args[0], unsigned)
        place = index if is_located else location(s, index)
        before, after = (indices_of(s, dims) for dims in (range(axis), range(axis + count, rank)))
        value = s.extract(x, [*before, place, *after] if shape else [])
        if mode == "nan":
            value = scalar.select(s, inside(s, index, size), value, s.constant(float("nan"), element(x)))
        return value

    # An index that several elements are read by is brought into range once.
    is_located = rank > count and mode != "nan" and not is_whole

    def read(b: LinalgBuilder) -> SSAValue:
        places = indices
        if is_located:

            def located(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
                return scalar.cast(s, location(s, to_index(s, args[0], unsigned)), i64)

            places = b.elementwise([indices], sizes[axis : axis + count], i64, located)
        return b.elementwise([places], sizes, element(x), body, maps=[index_map])

    empty = float("nan") if mode == "nan" else 0
    return [b.nonempty([size], sizes, element(x), read, empty)]


def _strided_slice(op: indexing.StridedSliceOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    source = sizes_of(b, x, shape)
    # Along dims whose size is not known by name nothing is cut, or b.size raises.
    ranges = [
        (0, source[axis], 1)
        if size is None and shape[axis] is None and first == 0
        else (b.size(first), b.size(size), stride)
        for axis, (first, size, stride) in enumerate(op.ranges(shape))
    ]
    if op.prop("assume_inbound", False):
        pairs = zip(op.ranges(shape), op.ranges(shape, clipped=True), strict=True)
        unsure = [
            i
            for i, (given, safe) in enumerate(pairs)
            if not all(equal(*pair) for pair in zip(given, safe, strict=True))
        ]
        needed = [source[axis] for axis in unsure]
        sizes = [size for _, size, _ in ranges]
        if unsure:
            return [b.nonempty(needed, sizes, element(x), lambda b: held(b, x, source, ranges))]
    return [sliced(b, x, source, ranges)]


def sliced(
    b: LinalgBuilder, x: SSAValue, source: Sequence[Size], ranges: Sequence[tuple[Size, Size, Size]]
) -> SSAValue:
    """Returns a slice given by first index, size and stride along each dim."""
    sizes = [size for _, size, _ in ranges]
    if all(isinstance(stride, int) and stride > 0 for _, _, stride in ranges):
        return b.extract_slice(x, [first for first, _, _ in ranges], sizes, [stride for _, _, stride in ranges])

    return held(b, x, source, ranges)


def held(b: LinalgBuilder, x: SSAValue, source: Sequence[Size], ranges: Sequence[tuple[Size, Size, Size]]) -> SSAValue:
    """Returns a slice as a copy whose reads are held inside of the operand."""

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location: list[Size] = []
        for axis, (first, _, stride) in enumerate(ranges):
            step = s.mul(s.insert(linalg.IndexOp(axis)), stride)
            location.append(clip(s, s.as_index(s.add(first, step)), source[axis]))
        return s.extract(x, location)

    return b.elementwise([], [size for _, size, _ in ranges], element(x), body)


def _dynamic_strided_slice(
    op: indexing.DynamicStridedSliceOp, operands: Sequence[SSAValue], b: LinalgBuilder
) -> list[SSAValue]:
    x = operands[0]
    source = sizes_of(b, x, known_dims(op))
    ranges: list[tuple[Size, Size, Size]] = []
    for axis, size in enumerate(source):
        begin, end, given = (to_index(b, b.extract(bound, [axis]), False) for bound in operands[1:])
        zero = b.insert(arith.CmpiOp(given, b.index(0), "eq"))
        stride = b.select(zero, 1, given)
        forward = b.less(0, stride)
        low = b.select(forward, 0, -1)
        high = b.select(forward, size, b.sub(size, 1))
        first, last = (b.minimum(b.maximum(from_start(b, bound, size), low), high) for bound in (begin, end))
        distance = b.select(forward, b.sub(last, first), b.sub(first, last))
        # A stride beyond the dim takes one element; held there, its negation cannot overflow.
        longest = b.as_index(b.add(size, 1))
        stride = b.minimum(b.maximum(stride, b.sub(0, longest)), longest)
        step = b.maximum(stride, b.sub(0, stride))
        positive = b.maximum(distance, 0)
        count = b.insert(arith.DivSIOp(b.as_index(b.add(positive, b.sub(step, 1))), b.as_index(step)))
        ranges.append((first, b.minimum(count, size), stride))
    if not ranges:
        return [x]
    return [sliced(b, x, source, ranges)]


def _gather_elements(op: indexing.GatherElementsOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, indices = operands
    source, sizes = sizes_of(b, data, known_dims(op)), sizes_of(b, indices, known_dims(op, 1))
    axis, unsigned = op.prop("axis", 0) % len(source), is_unsigned(relax_element(op.indices))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        # Outside of the axis the indices' dims are at most the data's, as far as that is known at compile time.
        location = [
            index if isinstance(size, int) and isinstance(bound, int) else s.minimum(index, s.sub(bound, 1))
            for index, size, bound in zip(iterations(s, len(sizes)), sizes, source, strict=True)
        ]
        location[axis] = nearest(s, args[0], source[axis], unsigned)
        return s.extract(data, location)

    return [b.nonempty(source, sizes, element(data), lambda b: b.elementwise([indices], sizes, element(data), body))]


def _gather_nd(op: indexing.GatherNDOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, indices = operands
    source, index_sizes = sizes_of(b, data, known_dims(op)), sizes_of(b, indices, known_dims(op, 1))
    batch, count = op.prop("batch_dims", 0), index_sizes[-1]
    assert isinstance(count, int)
    lead = len(index_sizes) - 1
    sizes = [*index_sizes[:-1], *source[batch + count :]]
    unsigned = is_unsigned(relax_element(op.indices))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        position = iterations(s, len(sizes))
        location: list[Size] = [s.minimum(position[i], s.sub(source[i], 1)) for i in range(batch)]
        for i in range(count):
            value = s.extract(indices, [*position[:lead], i])
            location.append(nearest(s, value, source[batch + i], unsigned))
        return s.extract(data, [*location, *position[lead:]])

    needed = source[: batch + count]
    return [b.nonempty(needed, sizes, element(data), lambda b: b.elementwise([], sizes, element(data), body))]


def _index_tensor(op: indexing.IndexTensorOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, *indices = operands
    source = sizes_of(b, data, known_dims(op))
    count = len(indices)
    result_dims = dims_of(op.result.type) or ()
    lead = len(result_dims) - (len(source) - count)
    common = b.sizes(result_dims[:lead])
    sizes = [*common, *source[count:]]
    unsigned = [is_unsigned(relax_element(index)) for index in op.indices]
    maps = []
    for index in indices:
        read = broadcast_map(index, common)
        maps.append(AffineMap(len(sizes), 0, read.results))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location = [nearest(s, args[i], source[i], unsigned[i]) for i in range(count)]
        return s.extract(data, [*location, *iterations(s, len(sizes))[lead:]])

    def read_all(b: LinalgBuilder) -> SSAValue:
        return b.elementwise(indices, sizes, element(data), body, maps=maps)

    return [b.nonempty(source[:count], sizes, element(data), read_all)]


def _combine(op: indexing.ScatterElementsOp | indexing.ScatterNDOp) -> Callable[..., SSAValue]:
    unsigned = is_unsigned(relax_element(op.data))
    functions: dict[str, Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]] = {
        "update": lambda b, old, new: new,
        "add": scalar.add,
        "mul": scalar.mul,
        "min": lambda b, old, new: scalar.minimum(b, old, new, unsigned),
        "max": lambda b, old, new: scalar.maximum(b, old, new, unsigned),
    }
    return functions[op.prop("reduction", "update")]


def _write(
    b: OpBuilder,
    target: SSAValue,
    location: Sequence[SSAValue],
    sizes: Sequence[Size],
    valid: SSAValue | None,
    new: SSAValue,
    combine: Callable[..., SSAValue],
) -> SSAValue:
    """Combines an element of the target with a new one; where the write is not valid, the nearest element stays as it is."""
    old = b.extract(target, location)
    value = combine(b, old, new)
    if valid is not None:
        value = scalar.select(b, valid, value, old)
    return b.insert_element(value, target, location)


def _written(
    b: LinalgBuilder,
    target: SSAValue,
    needed: Sequence[Size],
    trips: Sequence[Size],
    body: Callable[[OpBuilder, list[SSAValue], Sequence[SSAValue]], list[SSAValue]],
) -> list[SSAValue]:
    """Returns the target after a loop nest that writes into it; as it is where one of the sizes that are `needed` is 0."""
    dynamic = [size for size in needed if not isinstance(size, int)]
    if 0 in needed:
        return [target]
    if not dynamic:
        return [b.for_each(trips, [target], body)[0]]
    filled = b.less(0, dynamic[0])
    for size in dynamic[1:]:
        filled = b.both(filled, b.less(0, size))
    # An outer loop of at most one trip, as there may be no other: a single index writes a single element.
    once = b.select(filled, 1, 0)
    return [b.for_each([once, *trips], [target], lambda s, position, carried: body(s, position[1:], carried))[0]]


def _scatter_elements(op: indexing.ScatterElementsOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, indices, updates = operands
    source, sizes = sizes_of(b, data, known_dims(op)), sizes_of(b, indices, known_dims(op, 1))
    axis, unsigned = op.prop("axis", 0) % len(source), is_unsigned(relax_element(op.indices))
    combine = _combine(op)

    def body(s: OpBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        value = to_index(s, s.extract(indices, position), unsigned)
        index = from_start(s, value, source[axis], unsigned)
        valid = inside(s, index, source[axis])
        location = list(position)
        for i, (size, bound) in enumerate(zip(sizes, source, strict=True)):
            if i != axis and not (isinstance(size, int) and isinstance(bound, int)):
                valid = s.both(valid, s.less(position[i], bound))
                location[i] = clip(s, position[i], bound)
        location[axis] = clip(s, index, source[axis])
        new = s.extract(updates, position)
        return [_write(s, carried[0], location, source, valid, new, combine)]

    return _written(b, data, source, sizes, body)


def _scatter_nd(op: indexing.ScatterNDOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, indices, updates = operands
    source, index_sizes = sizes_of(b, data, known_dims(op)), sizes_of(b, indices, known_dims(op, 1))
    count, unsigned = index_sizes[-1], is_unsigned(relax_element(op.indices))
    assert isinstance(count, int)
    lead = len(index_sizes) - 1
    combine = _combine(op)

    def body(s: OpBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        location: list[SSAValue] = []
        valid: SSAValue | None = None
        for i in range(count):
            value = to_index(s, s.extract(indices, [*position[:lead], i]), unsigned)
            index = from_start(s, value, source[i], unsigned)
            holds = inside(s, index, source[i])
            valid = holds if valid is None else s.both(valid, holds)
            location.append(clip(s, index, source[i]))
        new = s.extract(updates, position)
        return [_write(s, carried[0], [*location, *position[lead:]], source, valid, new, combine)]

    return _written(b, data, source[:count], [*index_sizes[:-1], *source[count:]], body)


def _slice_scatter(op: indexing.SliceScatterOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    target, src = operands
    shape = known_dims(op)
    axis, first, size, step = op.slice_along(shape)
    offsets: list[Size] = [b.size(first) if i == axis else 0 for i in range(len(shape))]
    counts = sizes_of(b, src, known_dims(op, 1))
    # No write leaves the tensor, even if sizes of the program contradict each other.
    counts[axis] = b.size(size)
    whole = sizes_of(b, src, known_dims(op, 1))
    if counts != whole:
        counts = [count if count == own else b.minimum(count, own) for count, own in zip(counts, whole, strict=True)]
        src = b.extract_slice(src, [0] * len(shape), counts, [1] * len(shape))
    strides = [step if i == axis else 1 for i in range(len(shape))]
    return [b.insert_slice(src, target, offsets, strides)]


def _one_hot(op: indexing.OneHotOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (indices,) = operands
    sizes = sizes_of(b, indices, known_dims(op))
    new_axis, unsigned = op.normalized_axis(len(sizes)), is_unsigned(relax_element(op.indices))
    rank = len(sizes) + 1
    element_type = signless(element_type_of(op.result.type))

    def constant(s: OpBuilder, attr: Attribute) -> SSAValue:
        value = from_attr(attr)
        return s.constant(float(value) if isinstance(attr, FloatAttr) else value, element_type)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        index = to_index(s, args[0], unsigned)
        hot = s.insert(arith.CmpiOp(index, s.insert(linalg.IndexOp(new_axis)), "eq"))
        return scalar.select(s, hot, constant(s, op.on_value), constant(s, op.off_value))

    result_sizes = [*sizes[:new_axis], op.prop("depth"), *sizes[new_axis:]]
    read = projection(rank, [axis for axis in range(rank) if axis != new_axis])
    return [b.elementwise([indices], result_sizes, element_type, body, maps=[read])]


RULES: Rules = {
    indexing.TakeOp: _take,
    indexing.StridedSliceOp: _strided_slice,
    indexing.DynamicStridedSliceOp: _dynamic_strided_slice,
    indexing.GatherElementsOp: _gather_elements,
    indexing.GatherNDOp: _gather_nd,
    indexing.ScatterElementsOp: _scatter_elements,
    indexing.ScatterNDOp: _scatter_nd,
    indexing.IndexTensorOp: _index_tensor,
    indexing.SliceScatterOp: _slice_scatter,
    indexing.OneHotOp: _one_hot,
}
