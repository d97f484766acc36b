"""Reductions as a `linalg.generic` into a filled accumulator, and one more where a result is rounded, divided or reshaped.

    %y = relax.mean %x {axis = array<i64: 0>, keepdims = true} : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<1x4xf16>

becomes

    linalg.generic %s[d1] += arith.extf %x[d0, d1]                 in f32
    linalg.generic %y[d0, d1] = arith.truncf(%s[d1] / %n)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, i1, i8, i32, i64
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import accumulator, is_unsigned
from ....dialects.relax.ops import reduction
from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, Size, element, projection, tensor_shape
from .. import reshape
from ..builder import LinalgBuilder, signless
from ..rule import Rule, Rules

Step = Callable[[OpBuilder, SSAValue, SSAValue, bool], SSAValue]
Initial = Callable[[Attribute, bool], float]


@record(frozen=False)
class Reducer:
    """A reduction of the operand of an op: its sizes, and where they go."""

    b: LinalgBuilder
    op: reduction.ReductionOp | reduction.ArgReductionOp
    x: SSAValue

    def __post_init__(self) -> None:
        self.sizes = self.b.sizes(dims_of(self.op.x.type))
        self.rank = len(self.sizes)
        self.axes = self.op.axes(self.rank)
        self.kept = [axis for axis in range(self.rank) if axis not in self.axes]
        self.unsigned = is_unsigned(relax_element(self.op.x)) or relax_element(self.op.x) == i1
        self.wide = accumulator(element(self.x))
        self.target = signless(element_type_of(self.op.result.type))

    @property
    def maps(self) -> list[AffineMap]:
        """The maps of an operand of the full shape and of the accumulator."""
        return [AffineMap.identity(self.rank), projection(self.rank, self.kept)]

    @property
    def iterators(self) -> list[IteratorTypeAttr]:
        """The iterator types of a reduction."""
        return [REDUCTION if axis in self.axes else PARALLEL for axis in range(self.rank)]

    def filled(self, initial: float, element_type: Attribute) -> SSAValue:
        """Returns an accumulator."""
        return self.b.filled(initial, element_type, [self.sizes[axis] for axis in self.kept])

    def accumulate(self, initial: float, step: Step) -> SSAValue:
        """Reduces the widened items."""

        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            return step(s, scalar.widen(s, args[0]), args[-1], self.unsigned)

        output = self.filled(initial, self.wide)
        return self.b.generic([self.x], [output], self.maps, self.iterators, body)[0]

    def count(self) -> SSAValue:
        """Returns the number of items of one reduction, as a scalar of the accumulator's type."""
        return self.b.size_as(self.b.product([self.sizes[axis] for axis in self.axes]), self.wide)

    def finish(self, total: SSAValue, body: Callable[[OpBuilder, SSAValue], SSAValue] | None = None) -> SSAValue:
        """Returns the op's result from the accumulator."""
        keepdims = self.op.prop("keepdims", False) and bool(self.axes)
        if body is None and element(total) == self.target and not keepdims:
            return total
        result_sizes: list[Size] = self.b.sizes(dims_of(self.op.result.type))
        dims = self.kept if keepdims else range(len(result_sizes))

        def convert(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            value = args[0] if body is None else body(s, args[0])
            return scalar.cast(s, value, self.target)

        maps = [projection(len(result_sizes), dims)]
        return self.b.elementwise([total], result_sizes, self.target, convert, maps=maps)


def _reduction(initial: Initial, step: Step) -> Rule:
    def lower(op: reduction.ReductionOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        reducer = Reducer(b, op, operands[0])
        return [reducer.finish(reducer.accumulate(initial(reducer.wide, reducer.unsigned), step))]

    return lower


def least(element_type: Attribute, unsigned: bool) -> float:
    """Returns the smallest value of the type."""
    if isinstance(element_type, IntegerType):
        return 0 if unsigned else -(2 ** (element_type.width.data - 1))
    return float("-inf")


def greatest(element_type: Attribute, unsigned: bool) -> float:
    """Returns the largest value of the type."""
    if isinstance(element_type, IntegerType):
        return 2 ** (element_type.width.data - (0 if unsigned else 1)) - 1
    return float("inf")


def _sum(reducer: Reducer) -> SSAValue:
    return reducer.accumulate(0, lambda s, x, total, unsigned: scalar.add(s, total, x))


def _mean(op: reduction.MeanOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    reducer = Reducer(b, op, operands[0])
    count = reducer.count()
    return [reducer.finish(_sum(reducer), lambda s, total: scalar.div(s, total, count))]


def _variance(root: bool) -> Rule:
    def lower(op: reduction.VarianceOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        reducer = Reducer(b, op, operands[0])
        count = reducer.count()
        kept = [reducer.sizes[axis] for axis in reducer.kept]
        means = b.elementwise([_sum(reducer)], kept, reducer.wide, lambda s, args: scalar.div(s, args[0], count))

        def squared(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            deviation = scalar.sub(s, scalar.widen(s, args[0]), args[1])
            return scalar.add(s, args[2], scalar.mul(s, deviation, deviation))

        full, reduced = reducer.maps
        outputs = [reducer.filled(0, reducer.wide)]
        total = b.generic([reducer.x, means], outputs, [full, reduced, reduced], reducer.iterators, squared)[0]

        def finish(s: OpBuilder, value: SSAValue) -> SSAValue:
            variance = scalar.div(s, value, count)
            return s.insert(math.SqrtOp(variance)) if root else variance

        return [reducer.finish(total, finish)]

    return lower


def _place(initial: Initial, predicate: str) -> Rule:
    """Makes a rule that carries an extreme value and its place; the first of equals, and of NaN, which no number replaces."""

    def lower(op: reduction.ArgReductionOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        reducer = Reducer(b, op, operands[0])
        whole = op.prop("axis") is None
        x = reshape.flatten(b, reducer.x) if whole and reducer.rank != 1 else reducer.x
        axis, size = (0, b.dim(x, 0)) if whole else (reducer.axes[0], reducer.sizes[reducer.axes[0]])
        rank = len(tensor_shape(x))
        kept = [k for k in range(rank) if k != axis]
        # Vectors of narrow places hold as many as vectors of values.
        place_type = i32 if isinstance(size, int) and size < 2**31 else i64
        value_type = i8 if reducer.wide == i1 else reducer.wide

        def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> list[SSAValue]:
            item, best, place = args
            item = scalar.cast(s, item, value_type, unsigned=True) if item.type == i1 else scalar.widen(s, item)
            if isinstance(item.type, AnyFloat):
                over = s.insert(arith.CmpfOp(item, best, "u" + predicate))
                better = s.both(over, s.insert(arith.CmpfOp(best, best, "ord")))
            else:
                better = scalar.compare(s, predicate, item, best, reducer.unsigned)
            here = s.insert(arith.IndexCastOp(s.iteration(axis), place_type))
            return [scalar.select(s, better, item, best), scalar.select(s, better, here, place)]

        sizes = [reducer.sizes[k] for k in kept]
        outputs = [b.filled(initial(value_type, reducer.unsigned), value_type, sizes), b.filled(0, place_type, sizes)]
        row = projection(rank, kept)
        iterators = [PARALLEL if k in kept else REDUCTION for k in range(rank)]
        return [reducer.finish(b.generic([x], outputs, [AffineMap.identity(rank), row, row], iterators, body)[1])]

    return lower


def _largest(s: OpBuilder, x: SSAValue, best: SSAValue, unsigned: bool) -> SSAValue:
    return scalar.maximum(s, best, x, unsigned)


def _smallest(s: OpBuilder, x: SSAValue, best: SSAValue, unsigned: bool) -> SSAValue:
    return scalar.minimum(s, best, x, unsigned)


RULES: Rules = {
    reduction.SumOp: _reduction(lambda kind, unsigned: 0, lambda s, x, total, unsigned: scalar.add(s, total, x)),
    reduction.ProdOp: _reduction(lambda kind, unsigned: 1, lambda s, x, total, unsigned: scalar.mul(s, total, x)),
    reduction.MeanOp: _mean,
    reduction.MaxOp: _reduction(least, _largest),
    reduction.MinOp: _reduction(greatest, _smallest),
    reduction.VarianceOp: _variance(root=False),
    reduction.StdOp: _variance(root=True),
    reduction.ArgMaxOp: _place(least, "gt"),
    reduction.ArgMinOp: _place(greatest, "lt"),
}
