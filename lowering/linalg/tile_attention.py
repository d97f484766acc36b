"""The pass `tile-attention`: two products with the softmax of rows between them are computed for some rows at a time.

    %s = %q %k^T                                  scf.for %head, %first {
    %p = softmax of the rows of %s     becomes      the same ops, for one head and the rows from %first on
    %o = %p %v                                    }

All scores are a tensor of rows times columns, which may be larger than any cache; those of some rows stay in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.ops.memory import element_bytes
from ...passes.analysis.remarks import Topic, function_of, named_op, remark
from ...passes.options import PassWithOptions, within
from ..emit.emitter import Index
from ..emit.tensor_builder import Size, TensorBuilder, element, tensor_shape
from .attention_chain import Chain, axis_of, find_chain, is_product
from .fuse_linalg import erase_dead

MOST_ROWS = 256
"""Rows that go together at most, about: more are not faster."""

FEWEST_ROWS = 48
"""Rows that go together at least, about: each time the columns are read anew, from beyond the caches."""

USUAL_ROWS = 64
"""Rows that go together where it is not known how many columns there are."""


@dataclass(frozen=True)
class TileAttentionPass(PassWithOptions):
    """Computes two products, and what is between them and follows, for one batch and head and some rows at a time.

    ```mlir
    %s = linalg.generic {...} ins(%q, %k : tensor<6x1500x64xf32>, tensor<6x1500x64xf32>) -> tensor<6x1500x1500xf32>
    %p = ...                                                                                        the softmax of rows
    %o = linalg.generic {...} ins(%p, %v : tensor<6x1500x1500xf32>, tensor<6x1500x64xf32>) -> tensor<6x1500x64xf32>
    ```
    becomes
    ```mlir
    %o = scf.for %h = %c0 to %c6 step %c1 ... {
      scf.for %i = %c0 to %c1500 step %c60 ... {
        %qi = tensor.extract_slice %q[%h, %i, 0] [1, 60, 64] [1, 1, 1]
        %s = linalg.generic {...} ins(%qi, %kh : tensor<1x60x64xf32>, tensor<1x1500x64xf32>) -> tensor<1x60x1500xf32>
        ...
        tensor.insert_slice
    ```

    with the same arithmetic for each element. Columns that no row of a block sees are left out: those behind the own ones of all rows
    (`causal_mask`), and those before their windows. Before: `linalg.generic`, fused. After: the same inside of loops of independent steps.
    """

    name = "tile-attention"

    cache: int = within(1 << 19, 1)
    """The bytes of the second-level cache of a processor, which the scores of a block fill, those of one head; where half of it holds the
    scores of all heads, all stay together.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and len(function.body.blocks) == 1:
                self._apply_to(function)

    def _apply_to(self, function: func.FuncOp) -> None:
        products = [op for op in function.body.block.ops if is_product(op)]
        # The last ones first: a chain ends where loops are.
        for product in reversed(products):
            if product.parent is not None:
                self._apply_to_product(product)
        erase_dead(function)

    def _apply_to_product(self, product: Operation) -> None:
        chain = find_chain(product)
        if isinstance(chain, str):
            if chain:
                _remark([product], f"not computed for some rows at a time: {chain}")
            return
        step = _rows(chain, self.cache)
        if isinstance(step, str):
            _remark(chain.ops, f"not computed for some rows at a time: {step}")
            return
        _remark(chain.ops, f"computed for {step} rows at a time")
        _tile(chain, step)


def _remark(ops: Sequence[Operation], text: str) -> None:
    """Records how a product and the ops behind it are computed."""
    first = ops[0]
    locations = [op.location for op in ops]
    remark(Topic.LOOPS, function_of(first), locations, f"{named_op(first)} and what follows it are {text}")


def _tile(chain: Chain, step: int) -> None:
    """Writes loops around the ops of a chain, with so many rows at a time."""
    last = chain.last
    b = TensorBuilder(InsertPoint.before(last))
    sizes = _sizes(b, last.outputs[0])
    along = dict(zip(map(_position, last.indexing_maps.data[-1].data.results), sizes, strict=True))
    outer = [shared for shared in chain.outer if along[shared] != 1]

    def body(inner: TensorBuilder, indices: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        at: dict[int, Index] = dict(zip(outer, indices, strict=True))
        return _tile_rows(chain, inner, at, along[chain.row], step, carried)

    result = b.empty(sizes, element(last.results[0]))
    made = b.for_each([along[shared] for shared in outer], [result], body, independent=True)
    Rewriter.replace_op(last, [], made)
    for op in reversed(chain.ops[:-1]):
        op.detach()
        op.erase()


def _tile_rows(
    chain: Chain, b: TensorBuilder, at: dict[int, Index], rows: Size, step: int, carried: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Writes the loop over rows at some steps of the loops around it; returns the result."""

    def block(inner: TensorBuilder, first: Index, size: Size, value: SSAValue) -> SSAValue:
        return _Block(chain, inner, at | {chain.row: first}, size).write(value)

    if isinstance(rows, int):
        whole = rows // step * step
        made = b.for_range(0, whole, carried, lambda s, first, v: [block(s, first, step, v[0])], step, independent=True)
        return made if whole == rows else [block(b, whole, rows - whole, made[0])]

    def some(s: TensorBuilder, first: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [block(s, first, s.minimum(step, s.sub(rows, first)), values[0])]

    return b.for_range(0, rows, carried, some, step, independent=True)


def _rows(chain: Chain, cache: int) -> int | str:
    """Returns how many rows go together; where all do, or there is one alone, why."""
    product = chain.product
    scores = product.results[0]
    shape, kind = tensor_shape(scores), element(scores)
    if not isinstance(kind, FixedBitwidthType):
        return f"its elements are of {kind}, want a known number of bytes"
    nbytes = element_bytes(kind)
    sizes = dict(zip(map(_position, product.indexing_maps.data[-1].data.results), shape, strict=True))
    shared = chain.loops[product]
    rows = next(size for loop, size in sizes.items() if shared.get(loop) == chain.row)
    of_a_row = [size for loop, size in sizes.items() if shared.get(loop) not in (*chain.outer, chain.row)]
    if rows == 1:
        return "there is a single row"
    if DYNAMIC_INDEX not in shape and prod(shape) * nbytes <= cache // 2:
        return f"its scores take {prod(shape) * nbytes} bytes, at most half of a cache of {cache}"
    if DYNAMIC_INDEX in of_a_row:
        about = USUAL_ROWS
    else:
        about = max(FEWEST_ROWS, min(cache // max(1, prod(of_a_row) * nbytes), MOST_ROWS))
    return about if rows == DYNAMIC_INDEX else _evened(rows, about)


def _evened(rows: int, about: int) -> int:
    """Returns about as many rows as asked for: a number that leaves none over, or else one whose last block is little smaller."""
    even = [n for n in range(about * 3 // 4, about * 5 // 4 + 1) if rows % n == 0]
    return max(even) if even else -(-rows // -(-rows // about))


def _position(expr: AffineExpr) -> int:
    """Returns which loop an index is; -1 where it is none."""
    return expr.position if isinstance(expr, AffineDimExpr) else -1


def _sizes(b: TensorBuilder, value: SSAValue) -> list[Size]:
    """Returns the sizes of what an op writes to."""
    owner = value.owner
    if isinstance(owner, linalg.FillOp):
        return _sizes(b, owner.outputs[0])
    if isinstance(owner, tensor.EmptyOp):
        dynamic = iter(owner.dynamic_sizes)
        return [next(dynamic) if size == DYNAMIC_INDEX else size for size in tensor_shape(value)]
    return b.shape(value)


class _Block:
    """The ops of a chain for the rows from a first one on, and for one step of some other loops."""

    def __init__(self, chain: Chain, b: TensorBuilder, at: dict[int, Index], rows: Size):
        self.chain = chain
        self.b = b
        self.at = at
        """Where shared loops begin. Others have all their steps."""
        self.rows = rows
        self.columns = self._columns()
        self.slices: dict[tuple[SSAValue, tuple[Index, ...]], SSAValue] = {}

    def _columns(self) -> tuple[Index, Size] | None:
        """Returns the first of the columns that some row of the block sees, and their number; `None` where that is all."""
        chain, b, sight = self.chain, self.b, self.chain.sight
        if sight is None:
            return None
        product = chain.product
        axis = axis_of(product, chain.columns[product])
        assert axis is not None
        count = _sizes(b, product.outputs[0])[axis]
        # The first row sees the columns up to `own`, the last one those before `end`.
        own = b.add(self.at[chain.row], sight.offset)
        end = b.maximum(b.minimum(b.add(own, self.rows), count), 0)
        if sight.window is None:
            return 0, end
        begin = b.maximum(b.minimum(b.sub(own, sight.window - 1), end), 0)
        return begin, b.sub(end, begin)

    def write(self, carried: SSAValue) -> SSAValue:
        """Writes the ops; returns a tensor with these rows of the result in their place."""
        b, values = self.b, dict[SSAValue, SSAValue]()
        for op in self.chain.ops:
            maps = [attr.data.results for attr in op.indexing_maps.data]
            inputs = [
                values[value] if value in values else self._part(op, value, read)
                for value, read in zip(op.inputs, maps, strict=False)
            ]
            output = self._output(op, maps[-1])
            new = linalg.GenericOp(
                inputs, [output], op.body.clone(), op.indexing_maps, op.iterator_types, [output.type]
            )
            new.attributes.update(op.attributes)
            new.location = op.location
            self._count_on(new, op)
            values[op.results[0]] = b.insert(new)
        last = self.chain.last
        offsets, sizes = self._place(last, last.indexing_maps.data[-1].data.results, _sizes(b, last.outputs[0]))
        return b.insert_slice(values[last.results[0]], carried, offsets, sizes=sizes)

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
        parts = [begins.get(_position(e), (0, size)) for e, size in zip(read, sizes, strict=True)]
        return [first for first, _ in parts], [size for _, size in parts]

    def _part(self, op: linalg.GenericOp, value: SSAValue, read: Sequence[AffineExpr]) -> SSAValue:
        """Returns what an op reads of a value from outside."""
        begins = self._begins(op)
        if not isinstance(value.type, TensorType) or not any(_position(e) in begins for e in read):
            return value
        offsets, sizes = self._place(op, read, self.b.shape(value))
        key = (value, (*offsets, *sizes))
        if key not in self.slices:
            self.slices[key] = self.b.extract_slice(value, offsets, sizes, [1] * len(sizes))
        return self.slices[key]

    def _output(self, op: linalg.GenericOp, written: Sequence[AffineExpr]) -> SSAValue:
        """Returns what an op writes to: a part of what it wrote to."""
        (output,) = op.outputs
        _, sizes = self._place(op, written, _sizes(self.b, output))
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
