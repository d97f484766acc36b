"""Scans as loops that carry running values and the result. Each is added up in the order of its elements.

    %y = relax.cumsum %x {axis = 1 : i64} : (tensor<8x?xf16, #relax.sym<n>>) -> tensor<8x?xf16, #relax.sym<n>>

becomes

    scf.for %i = 0 to 8 step 4 iter_args(%out = %e)
      scf.for %j = 0 to %n iter_args(%sum0 = 0.0 : f32, ..., %sum3 = 0.0 : f32, %out)
        %next0 = arith.addf %sum0, (arith.extf (tensor.extract %x[%i, %j]))
        tensor.insert (arith.truncf %next0) into %out[%i, %j]

and along another than the last axis the running values are a tensor:

    scf.for %i = 0 to %n iter_args(%out = %e, %sums = 0.0 everywhere)
      linalg.generic %sums[d0] += %x[%i, d0], %out[%i, d0] = %sums[d0]
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
from ..rule import Rule, Rules
from .unary import convert

Step = Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]

ROWS = 4
"""Rows that are scanned together. Those of a power of two of elements share a set of the first-level cache, which holds few more."""


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
        output = b.empty(b.sizes(dims_of(op.result.type)), rule.narrow)
        if 0 in sizes:
            return [output]
        if axis is None:
            return [_flattened(b, rule, data, sizes, output)]
        if all(size == 1 for size in sizes[axis + 1 :]):
            return [_along_rows(b, rule, data, sizes, axis, output)]
        return [_along_columns(b, rule, data, sizes, axis, output)]

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
        whole = s.round_down(outer[last], ROWS)
        together = s.for_range(
            0, whole, carried, lambda i, at, v: [rows(i, [*position, at], ROWS, v[0])], ROWS, independent=True
        )
        return s.for_range(whole, outer[last], together, lambda i, at, v: [rows(i, [*position, at], 1, v[0])])

    return b.for_each(outer[:last], [output], block, independent=True)[0]


def _along_columns(
    b: LinalgBuilder, rule: Scan, data: SSAValue, sizes: Sequence[Size], axis: int, output: SSAValue
) -> SSAValue:
    """Scans all columns at once: the running values are those of a row of columns."""
    columns, rank = sizes[axis + 1 :], len(sizes)
    own = AffineMap.identity(len(columns))
    zero = AffineExpr.constant(0)
    row = AffineMap(len(columns), 0, (*[zero] * (axis + 1), *own.results))
    extents: list[Size] = [*[1] * (axis + 1), *columns]

    def place(s: LinalgBuilder, outer: list[SSAValue], carried: Values) -> Values:
        totals = s.insert(fill_op(rule.start(s), s.empty(columns, rule.wide)))

        def along(inner: LinalgBuilder, index: SSAValue, values: Values) -> list[SSAValue]:
            result, totals = values
            offsets: list[Size] = [*outer, index, *[0] * len(columns)]
            items, shown = (inner.extract_slice(value, offsets, extents, [1] * rank) for value in (data, result))
            totals, shown = inner.generic(
                [items],
                [totals, shown],
                [row, own, row],
                [PARALLEL] * len(columns),
                lambda t, args: rule.advance(t, args[1], args[0]),
            )
            return [inner.insert_slice(shown, result, offsets, sizes=extents), totals]

        return s.for_range(0, sizes[axis], [carried[0], totals], along)[:1]

    return b.for_each(sizes[:axis], [output], place, independent=True)[0]


def _add(s: OpBuilder, total: SSAValue, item: SSAValue) -> SSAValue:
    return s.insert(arith.OrIOp(total, item)) if item.type == i1 else scalar.add(s, total, item)


RULES: Rules = {
    scan.CumsumOp: _scan(_add, 0),
    scan.CumprodOp: _scan(scalar.mul, 1),
}
