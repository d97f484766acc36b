"""Softmax as row reductions and element-wise ops that share their leading dims; f16 and bf16 are computed in f32.

    %y = relax.nn.softmax %x : (tensor<?x16xf16, #relax.sym<n>>) -> tensor<?x16xf16, #relax.sym<n>>

becomes

    linalg.generic %m[d0] max= arith.extf %x[d0, d1]
    linalg.generic %e[d0, d1] = math.exp(%x[d0, d1] - %m[d0])
    linalg.generic %s[d0] += %e[d0, d1]
    linalg.generic %r[d0] = 1 / %s[d0]
    linalg.generic %y[d0, d1] = arith.truncf(%e[d0, d1] * %r[d0])
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.dtypes import accumulator
from .....dialects.relax.ops.nn import softmax as nn_softmax
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION, Body, Size, element, projection
from ...builder import LinalgBuilder
from ...rule import Rules


class Rows:
    """Reductions of a tensor over some axes, and element-wise ops with what they yield, in one accumulation type."""

    def __init__(self, b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size], axes: Sequence[int]):
        self.b = b
        self.x = x
        self.sizes = list(sizes)
        self.axes = tuple(axes)
        self.wide = accumulator(element(x))
        rank = len(self.sizes)
        self.kept = [axis for axis in range(rank) if axis not in self.axes]
        self.identity = AffineMap.identity(rank)
        self.row = projection(rank, self.kept)

    def reduce(self, initial: float, body: Body, x: SSAValue | None = None, *rows: SSAValue) -> SSAValue:
        """Returns one value for each row; `body` gets the (widened) item, the row's values, and the accumulator."""
        source = self.x if x is None else x

        def widened(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue | Sequence[SSAValue]:
            return body(s, [scalar.widen(s, args[0]), *args[1:]])  # pyright: ignore[reportArgumentType]

        output = self.b.filled(initial, self.wide, [self.sizes[axis] for axis in self.kept])
        iterators = [REDUCTION if axis in self.axes else PARALLEL for axis in range(len(self.sizes))]
        maps = [self.identity, *[self.row] * len(rows), self.row]
        return self.b.generic([source, *rows], [output], maps, iterators, widened)[0]

    def total(self, x: SSAValue | None = None) -> SSAValue:
        """Returns the sum of each row."""
        return self.reduce(0.0, lambda s, args: scalar.add(s, args[-1], args[0]), x)


def maximum_of_rows(rows: Rows, x: SSAValue | None = None, initial: float = float("-inf")) -> SSAValue:
    """Returns the maximum of each row without its NaN, which what is computed from the row carries itself."""
    return rows.reduce(initial, lambda s, args: scalar.greater(s, args[0], args[-1]), x)


def _softmax(op: nn_softmax.SoftmaxOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    sizes = b.sizes(dims_of(op.result.type))
    rows = Rows(b, x, sizes, [op.normalized(len(sizes))])
    maximum = maximum_of_rows(rows)

    def exponential(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.exp_below(s, scalar.widen(s, args[0]), args[1])

    maps = [rows.identity, rows.row]
    exponentials = b.elementwise([x, maximum], sizes, rows.wide, exponential, maps=maps)
    return [divided_rows(rows, exponentials, rows.total(exponentials), element(x))]


def divided_rows(rows: Rows, values: SSAValue, totals: SSAValue, target: Attribute) -> SSAValue:
    """Returns values divided by that of their row; in f32 by a product with the reciprocal, as a division takes as long as sixteen."""
    b, sizes = rows.b, [rows.sizes[axis] for axis in rows.kept]
    scaled = rows.wide == f32
    if scaled:
        totals = b.elementwise([totals], sizes, f32, lambda s, args: scalar.div(s, s.constant(1, f32), args[0]))

    def divided(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.cast(s, (scalar.mul if scaled else scalar.div)(s, args[0], args[1]), target)

    return b.elementwise([values, totals], rows.sizes, target, divided, [rows.identity, rows.row])


def _log_softmax(op: nn_softmax.LogSoftmaxOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    sizes = b.sizes(dims_of(op.result.type))
    rows = Rows(b, x, sizes, [op.normalized(len(sizes))])
    maximum = maximum_of_rows(rows)

    def add_exponential(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        return scalar.add(s, args[2], scalar.exp_below(s, args[0], args[1]))

    def shifted(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        difference = scalar.sub(s, scalar.widen(s, args[0]), args[1])
        return scalar.cast(s, scalar.sub(s, difference, args[2]), element(x))

    total = rows.reduce(0.0, add_exponential, x, maximum)
    row_sizes = [sizes[axis] for axis in rows.kept]
    logarithm = b.elementwise([total], row_sizes, rows.wide, lambda s, args: s.insert(math.LogOp(args[0])))
    maps = [rows.identity, rows.row, rows.row]
    return [b.elementwise([x, maximum, logarithm], sizes, element(x), shifted, maps=maps)]


def _dropout(op: nn_softmax.DropoutOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    return [x, b.filled(1.0, element(x), b.sizes(dims_of(op.mask.type)))]


RULES: Rules = {
    nn_softmax.SoftmaxOp: _softmax,
    nn_softmax.LogSoftmaxOp: _log_softmax,
    nn_softmax.DropoutOp: _dropout,
}
