"""Scans as loops that carry the running value and the result.

    %y = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>>

becomes

    scf.for %j = 0 to 4 iter_args(%out = %e)
      scf.for %i = 0 to %n iter_args(%sum = 0.0 : f32, %out)
        %next = arith.addf %sum, (arith.extf (tensor.extract %x[%i, %j]))
        tensor.insert (arith.truncf %next) into %out[%i, %j]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import accumulator
from ....dialects.relax.ops import scan
from ...emit import scalar
from ...emit.op_builder import OpBuilder, Values
from ...emit.tensor_builder import Size
from ..builder import LinalgBuilder, signless
from ..rule import Rule, Rules
from .unary import convert

Step = Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]


def _scan(step: Step, neutral: int) -> Rule:
    def lower(op: scan.ScanOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        (data,) = operands
        source, target = relax_element(op.data), element_type_of(op.result.type)
        narrow, wide = signless(target), accumulator(signless(target))
        sizes = b.sizes(dims_of(op.data.type))
        axis = op.normalized_axis(len(sizes))
        output = b.empty(b.sizes(dims_of(op.result.type)), narrow)

        def advance(s: OpBuilder, read: list[SSAValue], write: list[SSAValue], carried: Values) -> list[SSAValue]:
            total, result = carried
            item = scalar.cast(s, convert(s, s.extract(data, read), source, target), wide)
            following = step(s, total, item)
            shown = total if op.prop("exclusive", False) else following
            return [following, s.insert_element(scalar.cast(s, shown, narrow), result, write)]

        def flattened(s: OpBuilder, indices: list[SSAValue], carried: Values) -> list[SSAValue]:
            place: Size = 0
            for index, size in zip(indices, sizes, strict=True):
                place = s.add(s.mul(place, size), index)
            return advance(s, indices, [s.as_index(place)], carried)

        if axis is None:
            return [b.for_each(sizes, [b.constant(neutral, wide), output], flattened)[1]]
        outer = [size for place, size in enumerate(sizes) if place != axis]

        def row(s: OpBuilder, indices: list[SSAValue], carried: Values) -> list[SSAValue]:
            def along(inner: OpBuilder, index: SSAValue, values: Values) -> list[SSAValue]:
                place = [*indices[:axis], index, *indices[axis:]]
                return advance(inner, place, place, values)

            return [s.for_range(0, sizes[axis], [s.constant(neutral, wide), carried[0]], along)[1]]

        return [b.for_each(outer, [output], row)[0]]

    return lower


def _add(s: OpBuilder, total: SSAValue, item: SSAValue) -> SSAValue:
    return s.insert(arith.OrIOp(total, item)) if item.type == i1 else scalar.add(s, total, item)


RULES: Rules = {
    scan.CumsumOp: _scan(_add, 0),
    scan.CumprodOp: _scan(scalar.mul, 1),
}
