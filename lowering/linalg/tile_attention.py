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
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.ops.memory import element_bytes
from ...passes.analysis.remarks import Topic, function_of, named_op, remark
from ...passes.options import PassWithOptions, within
from ...records import record
from ..emit.emitter import Index
from ..emit.tensor_builder import Size, TensorBuilder, element, tensor_shape
from .attention_block import AttentionBlock, sizes_of
from .attention_chain import Chain, find_chain, is_product, position_of
from .fuse_linalg import erase_dead
from .online_softmax import OnlineSoftmax, find_online_softmax

MOST_ROWS = 256
"""Rows that go together at most, about: more are not faster."""

FEWEST_ROWS = 48
"""Rows that go together at least, about: each time the columns are read anew, from beyond the caches."""

USUAL_ROWS = 64
"""Rows that go together where it is not known how many columns there are. These are not taken in parts, whose code is twice as long, and
of few columns a third slower."""

ROWS_OF_PARTS = 128
"""Rows that go together where columns are taken in parts: fewer read the columns more often, more leave less of the cache to those."""

PARTS_IN_CACHE = 4
"""The scores of a part fill this fraction (1 / 4) of the second-level cache; the columns themselves, of both products, as much again."""

MOST_COLUMNS = 512
"""Columns of a part at most: more are not faster."""

FEWEST_COLUMNS = 256
"""Columns of a part at least: results are corrected for each."""


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
    (`causal_mask`), and those before their windows.

    Of long rows some columns are taken after the others, where what is between the products is a softmax (`online_softmax.py`):
    ```mlir
      %m, %l, %o = scf.for %j = %c0 to %c8192 step %c512 iter_args(%m0, %l0, %o0) {
        %kj = tensor.extract_slice %k[%h, %j, 0] [1, 512, 64] [1, 1, 1]
        ... the greatest scores so far, the sums of exponential functions, and their products with rows of %v,
        where what the columns before gave is multiplied by exp(%m0 - %m)
    ```

    Before: `linalg.generic`, fused. After: the same inside of loops; those over heads and rows have independent steps.
    """

    name = "tile-attention"

    columns: int = within(0, 0)
    """The columns of a part, where a softmax can be computed in parts; 0: as many as the cache suggests, where fewer than 256 rows fit."""
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
        tiles = _tiles(chain, self.cache, self.columns)
        if isinstance(tiles, str):
            _remark(chain.ops, f"not computed for some rows at a time: {tiles}")
            return
        of_columns = f" and {tiles.columns} columns" if tiles.columns else ""
        _remark(chain.ops, f"computed for {tiles.rows} rows{of_columns} at a time: {tiles.reason}")
        _tile(chain, tiles)


def _remark(ops: Sequence[Operation], text: str) -> None:
    """Records how a product and the ops behind it are computed."""
    first = ops[0]
    locations = [op.location for op in ops]
    remark(Topic.LOOPS, function_of(first), locations, f"{named_op(first)} and what follows it are {text}")


@record
class _Tiles:
    """What is computed at a time: so many rows and, where the softmax can be corrected, so many columns."""

    rows: int
    reason: str
    online: OnlineSoftmax | None = None
    columns: int = 0


def _tile(chain: Chain, tiles: _Tiles) -> None:
    """Writes loops around the ops of a chain."""
    last = chain.last
    b = TensorBuilder(InsertPoint.before(last))
    sizes = sizes_of(b, last.outputs[0])
    along = dict(zip(map(position_of, last.indexing_maps.data[-1].data.results), sizes, strict=True))
    outer = [shared for shared in chain.outer if along[shared] != 1]

    def body(inner: TensorBuilder, indices: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        at: dict[int, Index] = dict(zip(outer, indices, strict=True))
        return _tile_rows(chain, inner, at, along[chain.row], tiles, carried)

    result = b.empty(sizes, element(last.results[0]))
    made = b.for_each([along[shared] for shared in outer], [result], body, independent=True)
    Rewriter.replace_op(last, [], made)
    for op in reversed(chain.ops[:-1]):
        op.detach()
        op.erase()


def _tile_rows(
    chain: Chain,
    b: TensorBuilder,
    at: dict[int, Index],
    rows: Size,
    tiles: _Tiles,
    carried: Sequence[SSAValue],
) -> Sequence[SSAValue]:
    """Writes the loop over rows at some steps of the loops around it; returns the result."""
    step = tiles.rows

    def block(inner: TensorBuilder, first: Index, size: Size, value: SSAValue) -> SSAValue:
        made = AttentionBlock(chain, inner, at | {chain.row: first}, size)
        return made.write(value) if tiles.online is None else made.write_in_parts(value, tiles.online, tiles.columns)

    if isinstance(rows, int):
        whole = rows // step * step
        made = b.for_range(0, whole, carried, lambda s, first, v: [block(s, first, step, v[0])], step, independent=True)
        return made if whole == rows else [block(b, whole, rows - whole, made[0])]

    def some(s: TensorBuilder, first: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [block(s, first, s.minimum(step, s.sub(rows, first)), values[0])]

    return b.for_range(0, rows, carried, some, step, independent=True)


def _tiles(chain: Chain, cache: int, columns: int) -> _Tiles | str:
    """Returns what is computed at a time; where all is, or there is a single row, why."""
    product = chain.product
    scores = product.results[0]
    shape, kind = tensor_shape(scores), element(scores)
    if not isinstance(kind, FixedBitwidthType):
        return f"its elements are of {kind}, want a known number of bytes"
    nbytes = element_bytes(kind)
    sizes = dict(zip(map(position_of, product.indexing_maps.data[-1].data.results), shape, strict=True))
    shared = chain.loops[product]
    rows = next(size for loop, size in sizes.items() if shared.get(loop) == chain.row)
    of_a_row = [size for loop, size in sizes.items() if shared.get(loop) not in (*chain.outer, chain.row)]
    if rows == 1:
        return "there is a single row"
    if DYNAMIC_INDEX not in shape and prod(shape) * nbytes <= cache // 2:
        return f"its scores take {prod(shape) * nbytes} bytes, at most half of a cache of {cache}"
    # First the rows of a block with all columns: where they would be few, columns are taken in parts, if they can be.
    is_known = DYNAMIC_INDEX not in of_a_row
    row_bytes = prod(of_a_row) * nbytes
    about = max(FEWEST_ROWS, min(cache // max(1, row_bytes), MOST_ROWS)) if is_known else USUAL_ROWS
    if is_known and about < MOST_ROWS and (rows == DYNAMIC_INDEX or rows > about):
        columns = columns or _columns_of_parts(cache, nbytes)
    online = find_online_softmax(chain) if columns else None
    reason = f"scores of a row take {row_bytes} bytes, the cache has {cache}" if is_known else "columns are not known"
    if online is not None:
        about = max(FEWEST_ROWS, min(cache // (PARTS_IN_CACHE * columns * nbytes), ROWS_OF_PARTS))
    elif columns:
        reason += "; what is between the products is no softmax that can be computed for some columns at a time"
    rows = about if rows == DYNAMIC_INDEX else _evened(rows, about)
    return _Tiles(rows, reason) if online is None else _Tiles(rows, reason, online, columns)


def _columns_of_parts(cache: int, nbytes: int) -> int:
    """Returns how many columns a part has; 0 where the cache is small."""
    columns = min(cache // (PARTS_IN_CACHE * ROWS_OF_PARTS * nbytes), MOST_COLUMNS)
    return columns if columns >= FEWEST_COLUMNS else 0


def _evened(rows: int, about: int) -> int:
    """Returns about as many rows as asked for: a number that leaves none over, or else one whose last block is little smaller."""
    even = [n for n in range(about * 3 // 4, about * 5 // 4 + 1) if rows % n == 0]
    return max(even) if even else -(-rows // -(-rows // about))
