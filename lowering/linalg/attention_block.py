"""The ops of attention for some rows of one batch and head, with all columns at once or some columns after the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..emit import scalar
from ..emit.emitter import Index
from ..emit.tensor_builder import PARALLEL, ScalarBuilder, Size, TensorBuilder, element, tensor_shape
from .attention_chain import Chain, position_of
from .online_softmax import OnlineSoftmax


def sizes_of(b: TensorBuilder, value: SSAValue) -> list[Size]:
    """Returns the sizes of what an op writes to."""
    owner = value.owner
    if isinstance(owner, linalg.FillOp):
        return sizes_of(b, owner.outputs[0])
    if isinstance(owner, tensor.EmptyOp):
        dynamic = iter(owner.dynamic_sizes)
        return [next(dynamic) if size == DYNAMIC_INDEX else size for size in tensor_shape(value)]
    return b.shape(value)


class AttentionBlock:
    """The ops of a chain for the rows from a first one on, and for one step of some other loops."""

    def __init__(
        self,
        chain: Chain,
        b: TensorBuilder,
        at: dict[int, Index],
        rows: Size,
        columns: tuple[Index, Size] | None = None,
    ):
        self.chain = chain
        self.b = b
        self.at = at
        """Where shared loops begin. Others have all their steps."""
        self.rows = rows
        self.columns = self._columns() if columns is None else columns
        """The first column, and their number; `None` for all."""
        self.slices: dict[tuple[SSAValue, tuple[Index, ...]], SSAValue] = {}

    def _columns(self) -> tuple[Index, Size] | None:
        """Returns the first of the columns that some row of the block sees, and their number; `None` where that is all."""
        chain, b, sight = self.chain, self.b, self.chain.sight
        if sight is None:
            return None
        count = self._count()
        # The first row sees the columns up to `own`, the last one those before `end`.
        own = b.add(self.at[chain.row], sight.offset)
        end = b.maximum(b.minimum(b.add(own, self.rows), count), 0)
        if sight.window is None:
            return 0, end
        begin = b.maximum(b.minimum(b.sub(own, sight.window - 1), end), 0)
        return begin, b.sub(end, begin)

    def _count(self) -> Size:
        """Returns the number of all columns."""
        return sizes_of(self.b, self.chain.product.outputs[0])[self.chain.column_axis]

    def write(self, carried: SSAValue) -> SSAValue:
        """Writes the ops; returns a tensor with these rows of the result in their place."""
        values: dict[SSAValue, SSAValue] = {}
        for op in self.chain.ops:
            self._write(op, values)
        return self._insert_result(values, carried)

    def write_in_parts(self, carried: SSAValue, online: OnlineSoftmax, step: int) -> SSAValue:
        """Writes the ops for so many columns after the others; returns a tensor with these rows of the result in their place."""
        b, product = self.b, online.product
        begin, count = self.columns or (0, self._count())
        whole = b.round_down(count, step)
        # The smaller one, which it is anyway, tells how much memory the scores of the last part need.
        end, rest = b.add(begin, whole), b.minimum(b.sub(count, whole), step)

        def part(size: Size, inner: TensorBuilder, first: SSAValue, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            block = AttentionBlock(self.chain, inner, self.at, self.rows, (first, size))
            return block._write_part(online, state)

        state: Sequence[SSAValue] = [
            self._output(op, op.indexing_maps.data[-1].data.results) for op in (online.greatest, online.total, product)
        ]
        state = b.for_range(begin, end, state, partial(part, step), step)
        if rest != 0:
            state = b.for_range(end, b.add(end, rest), state, partial(part, rest), step)
        _, total, result = state
        if online.scaled is not None:
            result = _updated(b, result, total, online.along, scalar.div)
        values: dict[SSAValue, SSAValue] = {online.total.results[0]: total, product.results[0]: result}
        for op in online.rest:
            self._write(op, values)
        return self._insert_result(values, carried)

    def _write_part(self, online: OnlineSoftmax, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Writes the ops for the columns of the block; returns the greatest scores, the sums and the products with those before."""
        b, values = self.b, dict[SSAValue, SSAValue]()
        before, total, result = state
        for op in online.scores:
            self._write(op, values)
        greatest = self._write(online.greatest, values, before)
        rows = b.shape(greatest)
        kind = element(greatest)

        def above(s: ScalarBuilder, most: SSAValue) -> SSAValue:
            return scalar.add(s, most, s.constant(online.excess, kind)) if online.excess else most

        def finite(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            # Of a row without weights so far, scores less the greatest one would be NaN.
            is_least = scalar.compare(s, "eq", args[0], s.constant(-inf, kind))
            return above(s, scalar.select(s, is_least, s.constant(0.0, kind), args[0]))

        def corrected(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            return scalar.exp_below(s, above(s, args[0]), args[1])

        shift = b.elementwise([greatest], rows, kind, finite)
        correction = b.elementwise([before, shift], rows, kind, corrected)
        values[online.greatest.results[0]] = shift
        weights = self._write(online.weights, values)
        identity = AffineMap.identity(len(rows))
        total = self._write(online.total, values, _updated(b, total, correction, identity, scalar.mul))
        if online.scaled is not None:
            values[online.scaled.results[0]] = weights
        for op in online.casts:
            self._write(op, values)
        result = self._write(online.product, values, _updated(b, result, correction, online.along, scalar.mul))
        return [greatest, total, result]

    def _write(
        self, op: linalg.GenericOp, values: dict[SSAValue, SSAValue], output: SSAValue | None = None
    ) -> SSAValue:
        """Writes an op, which may go on with what an output has; `values` are what the ops before it have made."""
        maps = [attr.data.results for attr in op.indexing_maps.data]
        inputs = [
            values[value] if value in values else self._part(op, value, read)
            for value, read in zip(op.inputs, maps, strict=False)
        ]
        output = self._output(op, maps[-1]) if output is None else output
        new = linalg.GenericOp(inputs, [output], op.body.clone(), op.indexing_maps, op.iterator_types, [output.type])
        new.attributes.update(op.attributes)
        new.location = op.location
        self._count_on(new, op)
        values[op.results[0]] = self.b.insert(new)
        return values[op.results[0]]

    def _insert_result(self, values: dict[SSAValue, SSAValue], carried: SSAValue) -> SSAValue:
        """Returns a tensor with the result of the last op in its place."""
        last = self.chain.last
        offsets, sizes = self._place(last, last.indexing_maps.data[-1].data.results, sizes_of(self.b, last.outputs[0]))
        return self.b.insert_slice(values[last.results[0]], carried, offsets, sizes=sizes)

    def _begins(self, op: linalg.GenericOp) -> dict[int, tuple[Index, Size]]:
        """Returns where loops of an op begin, and how many steps they have, where these are not all."""
        chain = self.chain
        begins = {
            loop: (self.at[shared], self.rows if shared == chain.row else 1)
            for loop, shared in chain.loops[op].items()
            if shared in self.at
        }
        column = chain.columns.get(op)
        if self.columns is not None and column is not None:
            begins[column] = self.columns
        return begins

    def _place(
        self, op: linalg.GenericOp, read: Sequence[AffineExpr], sizes: Sequence[Size]
    ) -> tuple[list[Index], list[Size]]:
        """Returns where the part of an operand begins, and its sizes."""
        begins = self._begins(op)
        parts = [begins.get(position_of(e), (0, size)) for e, size in zip(read, sizes, strict=True)]
        return [first for first, _ in parts], [size for _, size in parts]

    def _part(self, op: linalg.GenericOp, value: SSAValue, read: Sequence[AffineExpr]) -> SSAValue:
        """Returns what an op reads of a value from outside."""
        begins = self._begins(op)
        if not isinstance(value.type, TensorType) or not any(position_of(e) in begins for e in read):
            return value
        offsets, sizes = self._place(op, read, self.b.shape(value))
        key = (value, (*offsets, *sizes))
        if key not in self.slices:
            self.slices[key] = self.b.extract_slice(value, offsets, sizes, [1] * len(sizes))
        return self.slices[key]

    def _output(self, op: linalg.GenericOp, written: Sequence[AffineExpr]) -> SSAValue:
        """Returns what an op writes to: a part of what it wrote to."""
        (output,) = op.outputs
        _, sizes = self._place(op, written, sizes_of(self.b, output))
        if isinstance(output.owner, linalg.FillOp):
            return self.b.fill(output.owner.inputs[0], sizes)
        if isinstance(output.owner, tensor.EmptyOp):
            return self.b.empty(sizes, element(output))
        return self._part(op, output, written)

    def _count_on(self, new: linalg.GenericOp, op: linalg.GenericOp) -> None:
        """Makes an op count the iterations of its loops from where they begin."""
        begins = self._begins(op)
        for index in [each for each in new.body.block.ops if isinstance(each, linalg.IndexOp)]:
            first, _ = begins.get(index.dim.value.data, (0, 0))
            if first != 0:
                total = arith.AddiOp(index.result, self.b.as_index(first))
                Rewriter.insert_op(total, InsertPoint.after(index))
                index.result.replace_uses_with_if(total.result, lambda use, added=total: use.operation is not added)


def _updated(
    b: TensorBuilder,
    value: SSAValue,
    by: SSAValue,
    along: AffineMap,
    operation: Callable[[ScalarBuilder, SSAValue, SSAValue], SSAValue],
) -> SSAValue:
    """Returns a tensor whose elements are multiplied by, or divided by, those of another one."""
    rank = len(tensor_shape(value))
    maps = [along, AffineMap.identity(rank)]
    return b.generic([by], [value], maps, [PARALLEL] * rank, lambda s, args: operation(s, args[1], args[0]))[0]
