"""Scans as loops that carry running values and the result. Each is added up in the order of its elements.

    %y = relax.cumsum %x {axis = 1 : i64} : (tensor<8x?xf16, #relax.sym<n>>) -> tensor<8x?xf16, #relax.sym<n>>

becomes

    scf.for %i = 0 to 8 step 4 iter_args(%out = %e)
      scf.for %j = 0 to %n iter_args(%sum0 = 0.0 : f32, ..., %sum3 = 0.0 : f32, %out)
        %next0 = arith.addf %sum0, (arith.extf (tensor.extract %x[%i, %j]))
        tensor.insert (arith.truncf %next0) into %out[%i, %j]

and along another than the last axis the running values are a tensor, for blocks of columns:

    scf.for %c = 0 to %columns step 1024 iter_args(%out = %e)
      scf.for %i = 0 to %n step 4 iter_args(%out, %sums = 0.0 everywhere)
        linalg.generic %sums[d0] += %x[%i, %c + d0], %out[%i, %c + d0] = %sums[d0], ..., %out[%i + 3, %c + d0] = %sums[d0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import accumulator
from ....dialects.relax.ops import scan
from ....dialects.upstream.linalg_bodies import fill_op
from ....records import record
from ...emit import scalar
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder, Values
from ...emit.tensor_builder import PARALLEL, Size
from ..builder import LinalgBuilder, signless
from ..reshape import collapse, expand
from ..rule import Rule, Rules
from .unary import convert

Step = Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]

Body = Callable[[LinalgBuilder, SSAValue, Values], list[SSAValue]]
"""What an iteration inserts, of its index and the carried values."""

ROWS = 4
"""Rows that are scanned together. Those of a power of two of elements share a set of the first-level cache, which holds few more."""

COLUMNS = 1024
"""Columns that are scanned together: their running values stay in the first-level cache beside `ROWS` rows of them."""


@record
class Scan:
    """A scan along an axis: what an item becomes, and what goes on from it to the next."""

    step: Step
    neutral: int
    exclusive: bool
    source: Attribute
    target: Attribute

    @property
    def narrow(self) -> Attribute:
        """The (signless) element type of the result."""
        return signless(self.target)

    @property
    def wide(self) -> Attribute:
        """The type of the running value."""
        return accumulator(self.narrow)

    def start(self, s: OpBuilder) -> SSAValue:
        """Returns the running value before the first item."""
        return s.constant(self.neutral, self.wide)

    def advance(self, s: OpBuilder, total: SSAValue, item: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Returns the running value with an item, and the element of the result."""
        item = scalar.cast(s, convert(s, item, self.source, self.target), self.wide)
        following = self.step(s, total, item)
        return following, scalar.cast(s, total if self.exclusive else following, self.narrow)


def _scan(step: Step, neutral: int) -> Rule:
    def lower(op: scan.ScanOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        (data,) = operands
        source, target = relax_element(op.data), element_type_of(op.result.type)
        rule = Scan(step, neutral, op.prop("exclusive", False), source, target)
        sizes = b.sizes(dims_of(op.data.type))
        axis = op.normalized_axis(len(sizes))
        if axis is not None and 0 not in sizes and any(size != 1 for size in sizes[axis + 1 :]):
            return [_along_columns(b, rule, data, sizes, axis)]
        output = b.empty(b.sizes(dims_of(op.result.type)), rule.narrow)
        if 0 in sizes:
            return [output]
        if axis is None:
            return [_flattened(b, rule, data, sizes, output)]
        return [_along_rows(b, rule, data, sizes, axis, output)]

    return lower


def _flattened(b: LinalgBuilder, rule: Scan, data: SSAValue, sizes: Sequence[Size], output: SSAValue) -> SSAValue:
    """Scans all elements in row-major order."""

    def advance(s: OpBuilder, indices: list[SSAValue], carried: Values) -> list[SSAValue]:
        place: Size = 0
        for index, size in zip(indices, sizes, strict=True):
            place = s.add(s.mul(place, size), index)
        total, shown = rule.advance(s, carried[0], s.extract(data, indices))
        return [total, s.insert_element(shown, carried[1], [place])]

    return b.for_each(sizes, [rule.start(b), output], advance)[1]


def _along_rows(
    b: LinalgBuilder, rule: Scan, data: SSAValue, sizes: Sequence[Size], axis: int, output: SSAValue
) -> SSAValue:
    """Scans rows of neighbors, `ROWS` at a time, as an addition waits for the one before it."""
    outer, within = sizes[:axis], [0] * (len(sizes) - axis - 1)
    last = len(outer) - 1

    def rows(s: LinalgBuilder, position: list[SSAValue], count: int, result: SSAValue) -> SSAValue:
        def along(inner: OpBuilder, index: SSAValue, values: Values) -> list[SSAValue]:
            *totals, result = values
            places: list[list[Index]] = []
            for k in range(count):
                row: list[Index] = [*position[:last], *[inner.add(at, k) for at in position[last:]]] if outer else []
                places.append([*row, index, *within])
            items = [inner.extract(data, place) for place in places]
            pairs = [rule.advance(inner, total, item) for total, item in zip(totals, items, strict=True)]
            for place, (_, shown) in zip(places, pairs, strict=True):
                result = inner.insert_element(shown, result, place)
            return [*(total for total, _ in pairs), result]

        return s.for_range(0, sizes[axis], [*[rule.start(s)] * count, result], along)[-1]

    if not outer:
        return rows(b, [], 1, output)

    def block(s: LinalgBuilder, position: list[SSAValue], carried: Values) -> Values:
        def some(count: int) -> Body:
            return lambda inner, at, values: [rows(inner, [*position, at], count, values[0])]

        return _by_rows(s, outer[last], carried, some, independent=True)

    return b.for_each(outer[:last], [output], block, independent=True)[0]


def _by_rows(
    b: LinalgBuilder, size: Size, carried: Values, rows: Callable[[int], Body], *, independent: bool = False
) -> Values:
    """Inserts loops over `ROWS` rows at a time, which may be independent, and over the rest one by one; each row count has a body."""
    whole = b.round_down(size, ROWS)
    together = b.for_range(0, whole, carried, rows(ROWS), ROWS, independent=independent)
    return b.for_range(whole, size, together, rows(1))


def _along_columns(b: LinalgBuilder, rule: Scan, data: SSAValue, sizes: Sequence[Size], axis: int) -> SSAValue:
    """Scans columns, `COLUMNS` neighbors at once: the running values are those of a row of columns."""
    groups = [*[[d] for d in range(axis + 1)], list(range(axis + 1, len(sizes)))]
    data = collapse(b, data, groups)
    columns = b.dim(data, axis + 1)
    result = b.empty([*sizes[: axis + 1], columns], rule.narrow)

    def block(s: LinalgBuilder, outer: list[SSAValue], start: Size, width: Size, result: SSAValue) -> SSAValue:
        totals = s.insert(fill_op(rule.start(s), s.empty([width], rule.wide)))

        def rows(count: int) -> Body:
            return lambda inner, at, values: _rows_of_columns(
                inner, rule, data, [*outer, at, start], width, count, values
            )

        return _by_rows(s, sizes[axis], [result, totals], rows)[0]

    def place(s: LinalgBuilder, outer: list[SSAValue], carried: Values) -> Values:
        whole = s.round_down(columns, COLUMNS)
        rest = s.sub(columns, whole)
        if whole != 0:
            carried = s.for_range(
                0, whole, carried, lambda i, at, v: [block(i, outer, at, COLUMNS, v[0])], COLUMNS, independent=True
            )
        return carried if rest == 0 else [block(s, outer, whole, rest, carried[0])]

    (result,) = b.for_each(sizes[:axis], [result], place, independent=True)
    return expand(b, result, groups, sizes)


def _rows_of_columns(
    b: LinalgBuilder, rule: Scan, data: SSAValue, first: Sequence[Size], width: Size, count: int, values: Values
) -> list[SSAValue]:
    """Scans columns from a place on over so many rows; the values are the result and the running values, as are those returned."""
    result, totals = values
    *outer, at, start = first
    places: list[list[Size]] = [[*outer, b.add(at, k), start] for k in range(count)]
    extents: list[Size] = [*[1] * (len(first) - 1), width]

    def part(value: SSAValue, offsets: list[Size]) -> SSAValue:
        return b.extract_slice(value, offsets, extents, [1] * len(first))

    items, shown = ([part(value, offsets) for offsets in places] for value in (data, result))

    def advance(s: OpBuilder, args: Sequence[SSAValue]) -> list[SSAValue]:
        total, results = args[count], list[SSAValue]()
        for item in args[:count]:
            total, each = rule.advance(s, total, item)
            results.append(each)
        return [total, *results]

    column = AffineExpr.dimension(0)
    row = AffineMap(1, 0, (*[AffineExpr.constant(0)] * (len(first) - 1), column))
    maps = [*[row] * count, AffineMap(1, 0, (column,)), *[row] * count]
    totals, *shown = b.generic(items, [totals, *shown], maps, [PARALLEL], advance)
    for offsets, value in zip(places, shown, strict=True):
        result = b.insert_slice(value, result, offsets, sizes=extents)
    return [result, totals]


def _add(s: OpBuilder, total: SSAValue, item: SSAValue) -> SSAValue:
    return s.insert(arith.OrIOp(total, item)) if item.type == i1 else scalar.add(s, total, item)


RULES: Rules = {
    scan.CumsumOp: _scan(_add, 0),
    scan.CumprodOp: _scan(scalar.mul, 1),
}
