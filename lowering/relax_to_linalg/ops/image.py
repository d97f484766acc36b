"""resize2d: a table of items and weights for each of the two dims, which are scaled one after the other.

    %y = relax.image.resize2d %x, %size    linear, from 4x5 to 8x7

becomes

    %items = linalg.generic : tensor<8x2xi64>                      the two rows that each row of the result reads; columns likewise
    %weights = linalg.generic : tensor<8x2xf32>
    linalg.generic %z[n, c, h, w] = %x[n, c, h, %items[w, 0]] * %weights[w, 0] + %x[n, c, h, %items[w, 1]] * %weights[w, 1]
    linalg.generic %y[n, c, h, w] = %z[n, c, %items[h, 0], w] * %weights[h, 0] + ...
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import IndexType, IntegerType, f32, f64, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import image
from ....dialects.relax.ops.image import integer_range
from ....dialects.symbolic.expressions import apply
from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import ScalarBuilder, Size, element, projection
from ..builder import LinalgBuilder, signless
from ..rule import Rules

TAPS = {"nearest_neighbor": 1, "linear": 2, "cubic": 4}


@record(frozen=False)
class Axis:
    """One of the two dims that are scaled: its place in the layout, its sizes before and after."""

    op: image.Resize2DOp
    number: int
    size: Size
    count: Size

    def coordinate(self, s: ScalarBuilder, b: LinalgBuilder) -> SSAValue:
        """Returns the coordinate, in f64, of the place that is iteration dim 0; sizes are computed outside."""
        index = scalar.cast(s, s.iteration(0), f64)
        size, count = b.size_as(self.size, f64), b.size_as(self.count, f64)
        unit, half = b.constant(1.0, f64), s.constant(0.5, f64)
        last, intervals = scalar.sub(b, size, unit), scalar.maximum(b, scalar.sub(b, count, unit), unit)
        single = scalar.compare(b, "eq", count, unit)
        mode, scale = self.op.transformation(), self.op.scale(self.number)

        def scaled(place: SSAValue) -> SSAValue:
            if scale is not None:
                return scalar.div(s, place, b.constant(scale, f64))
            return scalar.div(s, scalar.mul(s, place, size), count)

        if mode == "asymmetric":
            return scaled(index)
        if mode == "align_corners":
            return scalar.div(s, scalar.mul(s, index, last), intervals)
        if mode == "tf_crop_and_resize":
            start, end = self.op.region(self.number)
            stretch = scalar.mul(b, b.constant(end - start, f64), last)
            offset = scalar.mul(b, b.constant(start, f64), last)
            middle = scalar.mul(b, b.constant(0.5 * (start + end), f64), last)
            spread = scalar.add(s, offset, scalar.div(s, scalar.mul(s, index, stretch), intervals))
            return scalar.select(s, single, middle, spread)
        center = scaled(scalar.add(s, index, half))
        if mode == "tf_half_pixel_for_nn":
            return center
        center = scalar.sub(s, center, half)
        return center if mode == "half_pixel" else scalar.select(s, single, s.constant(0.0, f64), center)


def _rounded(s: OpBuilder, x: SSAValue, rounding: str) -> SSAValue:
    half = s.constant(0.5, f64)
    match rounding:
        case "round":
            return s.insert(math.RoundOp(x))
        case "round_prefer_floor":
            return s.insert(math.CeilOp(scalar.sub(s, x, half)))
        case "round_prefer_ceil":
            return s.insert(math.FloorOp(scalar.add(s, x, half)))
        case "floor":
            return s.insert(math.FloorOp(x))
        case _:
            return s.insert(math.CeilOp(x))


def _first_item(s: ScalarBuilder, op: image.Resize2DOp, coordinate: SSAValue) -> SSAValue:
    """Returns, as an `index` that may lie outside, the first item that a place reads."""
    method = op.chosen_method()
    rounding = op.rounding() if method == "nearest_neighbor" else "floor"
    first = scalar.cast(s, _rounded(s, coordinate, rounding), i64)
    if method == "cubic":
        first = scalar.sub(s, first, s.constant(1, i64))
    return scalar.cast(s, first, IndexType())


def _items(b: LinalgBuilder, axis: Axis) -> SSAValue:
    """Returns the items `[count, taps]` that each place reads, moved into the image; `[count]` for a single tap."""
    taps = TAPS[axis.op.chosen_method()]
    last = b.insert(arith.SubiOp(b.as_index(axis.size), b.index(1)))

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        item = _first_item(s, axis.op, axis.coordinate(s, b))
        if taps > 1:
            item = s.insert(arith.AddiOp(item, s.iteration(1)))
        inside = s.insert(arith.MinSIOp(s.insert(arith.MaxSIOp(item, s.index(0))), last))
        return scalar.cast(s, inside, i64)

    return b.elementwise([], [axis.count, taps] if taps > 1 else [axis.count], i64, body)


def _weights(b: LinalgBuilder, axis: Axis, wide: Attribute) -> SSAValue:
    """Returns the weights `[count, taps]` of the items."""
    op = axis.op
    taps = TAPS[op.chosen_method()]

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        coordinate = axis.coordinate(s, b)
        t = scalar.sub(s, coordinate, s.insert(math.FloorOp(coordinate)))
        unit = s.constant(1.0, f64)
        weights = [scalar.sub(s, unit, t), t] if taps == 2 else _cubic_weights(s, t, op.prop("cubic_alpha", -0.75))
        if taps == 4 and op.prop("cubic_exclude", 0):
            weights = _without_outside(s, weights, _first_item(s, op, coordinate), b.as_index(axis.size))
        chosen = weights[0]
        for tap in range(1, taps):
            is_tap = s.insert(arith.CmpiOp(s.iteration(1), s.index(tap), "eq"))
            chosen = scalar.select(s, is_tap, weights[tap], chosen)
        return scalar.cast(s, chosen, wide)

    return b.elementwise([], [axis.count, taps], wide, body)


def _polynomial(s: OpBuilder, t: SSAValue, *coefficients: float) -> SSAValue:
    """Returns a polynomial by Horner's rule, the highest power first."""
    result = s.constant(coefficients[0], t.type)
    for coefficient in coefficients[1:]:
        result = scalar.add(s, scalar.mul(s, result, t), s.constant(coefficient, t.type))
    return result


def _cubic_weights(s: OpBuilder, t: SSAValue, alpha: float) -> list[SSAValue]:
    """Returns the weights of the four items around a coordinate with the fractional part `t` (Keys, 1981)."""
    return [
        _polynomial(s, t, alpha, -2 * alpha, alpha, 0.0),
        _polynomial(s, t, alpha + 2, -(alpha + 3), 0.0, 1.0),
        _polynomial(s, t, -(alpha + 2), 2 * alpha + 3, -alpha, 0.0),
        _polynomial(s, t, -alpha, alpha, 0.0, 0.0),
    ]


def _without_outside(s: ScalarBuilder, weights: Sequence[SSAValue], first: SSAValue, size: SSAValue) -> list[SSAValue]:
    """Returns the weights with those of items outside of the image zero, and the others scaled to the sum 1."""
    kept: list[SSAValue] = []
    for tap, weight in enumerate(weights):
        item = s.insert(arith.AddiOp(first, s.index(tap)))
        # As unsigned numbers, the items before the image are the greatest.
        inside = s.insert(arith.CmpiOp(item, size, "ult"))
        kept.append(scalar.select(s, inside, weight, s.constant(0.0, f64)))
    total = kept[0]
    for weight in kept[1:]:
        total = scalar.add(s, total, weight)
    return [scalar.div(s, weight, total) for weight in kept]


def _outside(b: LinalgBuilder, axis: Axis) -> SSAValue:
    """Returns whether the coordinate of each place lies outside of the image."""
    last = scalar.sub(b, b.size_as(axis.size, f64), b.constant(1.0, f64))

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        coordinate = axis.coordinate(s, b)
        below = scalar.compare(s, "lt", coordinate, s.constant(0.0, f64))
        return s.insert(arith.OrIOp(below, scalar.compare(s, "gt", coordinate, last)))

    return b.elementwise([], [axis.count], i1, body)


def _wide(*types: Attribute) -> Attribute:
    """Returns the type in which values of these types are interpolated."""
    exact = any(type_ == f64 or (isinstance(type_, IntegerType) and type_.width.data >= 32) for type_ in types)
    return f64 if exact else f32


def _saturated(s: OpBuilder, value: SSAValue, target: Attribute, unsigned: bool) -> SSAValue:
    """Returns a float converted to another type, an integer one being truncated and kept in its range."""
    if isinstance(target, IntegerType):
        lowest, greatest = integer_range(target.width.data, unsigned)
        value = scalar.minimum(s, value, s.constant(greatest, value.type))
        value = scalar.maximum(s, value, s.constant(lowest, value.type))
    return scalar.cast(s, value, target, False, unsigned)


def _repeats(op: image.Resize2DOp, number: int) -> int | None:
    """Returns k, which is 1, 2 or 4, where place o of a dim has item `o floordiv k`; None for all else."""
    axis = op.positions()[2 + number]
    size, count = ((dims_of(value.type) or ())[axis] for value in (op.data, op.result))
    times = None if size is None else next((k for k in (1, 2, 4) if apply("*", size, k) == count), None)
    if times is None or op.scale(number) not in (None, float(times)):
        return None
    # Coordinates in units of `1 / (2 * times)`, of the places of item 0: those of the others are larger by whole items.
    match op.transformation():
        case "asymmetric":
            coordinates = range(0, 2 * times, 2)
        case "half_pixel" | "pytorch_half_pixel":
            coordinates = range(1 - times, times, 2)
        case _:
            return None
    match op.rounding():
        case "floor":
            is_first = min(coordinates) >= 0
        case "ceil":
            is_first = max(coordinates) <= 0
        case _:
            is_first = max(map(abs, coordinates)) < times
    return times if is_first else None


def _repeated(op: image.Resize2DOp, data: SSAValue, b: LinalgBuilder) -> SSAValue | None:
    """Returns an image whose items are those of the data, each repeated as often; `None` where they are not, or not known to be."""
    times = [_repeats(op, number) for number in range(2)] if op.chosen_method() == "nearest_neighbor" else []
    known = [count for count in times if count is not None]
    if len(known) != 2:
        return None
    target = element_type_of(op.result.type)
    unsigned, target_unsigned = is_unsigned(relax_element(op.data)), is_unsigned(target)
    reads = [AffineExpr.dimension(axis) for axis in range(4)]
    for axis, count in zip(op.positions()[2:], known, strict=True):
        reads[axis] = reads[axis] if count == 1 else reads[axis] // count

    def item(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.cast(s, args[0], signless(target), unsigned, target_unsigned)

    sizes = b.sizes(dims_of(op.result.type))
    return b.elementwise([data], sizes, signless(target), item, [AffineMap(4, 0, tuple(reads))])


def _resize2d(op: image.Resize2DOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    # Invariant: the first pass leaves its taps summed in `wide`; the second alone rounds, converts, and fills what is cropped away.
    (data,) = operands
    repeated = _repeated(op, data, b)
    if repeated is not None:
        return [repeated]
    at = op.positions()
    sizes = b.sizes(dims_of(op.result.type))
    axes = [Axis(op, number, b.dim(data, at[2 + number]), sizes[at[2 + number]]) for number in range(2)]
    target = signless(element_type_of(op.result.type))
    unsigned, target_unsigned = is_unsigned(relax_element(op.data)), is_unsigned(element_type_of(op.result.type))
    crops = op.transformation() == "tf_crop_and_resize"
    lines = [projection(4, [at[2]]), projection(4, [at[3]])] if crops else []
    outside = [_outside(b, axis) for axis in axes] if crops else []
    nearest = op.chosen_method() == "nearest_neighbor"
    wide = element(data) if nearest else _wide(element(data), target)

    def scaled(x: SSAValue, number: int, is_last: bool) -> SSAValue:
        """Returns an image with one of its dims scaled; the last time it is the result."""
        taps, along = TAPS[op.chosen_method()], at[2 + number]
        items = _items(b, axes[number])
        tables = [items] * taps + ([] if nearest else [_weights(b, axes[number], wide)] * taps)
        read = AffineExpr.dimension(along)
        maps = [AffineMap(4, 0, (read, AffineExpr.constant(tap))) for tap in range(taps)] * 2
        given = [AffineMap(4, 0, (read,))] if nearest else maps

        def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            total: SSAValue | None = None
            for tap in range(taps):
                position = [s.iteration(axis) for axis in range(4)]
                position[along] = scalar.cast(s, args[tap], IndexType())
                item = s.insert(tensor.ExtractOp(x, position, element(x)))
                if not nearest:
                    item = scalar.mul(s, scalar.cast(s, item, wide, unsigned), args[taps + tap])
                total = item if total is None else scalar.add(s, total, item)
            assert total is not None
            if not is_last:
                return total
            if nearest:
                total = scalar.cast(s, total, target, unsigned, target_unsigned)
            else:
                total = _saturated(s, total, target, target_unsigned)
            if not crops:
                return total
            flags = args[len(tables) : len(tables) + 2]
            fill = s.constant(op.prop("extrapolation_value", 0.0), target)
            return scalar.select(s, s.insert(arith.OrIOp(flags[0], flags[1])), fill, total)

        if is_last:
            return b.elementwise([*tables, *outside], sizes, target, body, [*given, *lines])
        reached = [sizes[axis] if axis == along else b.dim(x, axis) for axis in range(4)]
        return b.elementwise(tables, reached, wide, body, given)

    first = _first_axis(axes)
    return [scaled(scaled(data, first, False), 1 - first, True)]


def _first_axis(axes: Sequence[Axis]) -> int:
    """Returns which of the rows (0) and the columns (1) are scaled first: columns, of which as many rows are read, unless rows go."""
    size, count = axes[0].size, axes[0].count
    return 0 if isinstance(size, int) and isinstance(count, int) and size > count else 1


RULES: Rules = {
    image.Resize2DOp: _resize2d,
}
