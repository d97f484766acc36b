"""The keys of a row that can be among its first k, found by the least key of each block.

    linalg.generic %least[d0] = min(%least[d0], key(%x[d0 * 64 + d1]))
    %limit = the k-th of %least                                     k blocks have a key up to it, so the first k keys are up to it
    scf.for each block whose least key is up to %limit { append its keys that are }

Equal keys count in the order of their places: of those that are the limit k are appended at most, the first ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.upstream.linalg_bodies import fill_op
from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, REDUCTION, Size, projection, tensor_shape
from ..builder import LinalgBuilder
from .key_sort import key_sort
from .keys import SortKeys
from .table import Table

_Place = TypeVar("_Place")

BLOCKS = 2
"""The blocks that a row has at least for each of its first k elements; where it has fewer it is sorted."""

LARGEST = 512
"""The most keys of a block."""

SMALLEST = 16
"""The fewest keys of a block."""


@record
class Selection:
    """A search for the first `count` of `size` keys."""

    keys: SortKeys
    size: int
    count: int
    block: int
    """The keys of a block."""

    @staticmethod
    def of(keys: SortKeys, size: Size, count: Size) -> Selection | None:
        """Returns the search, None where all keys are sorted: where many are kept, or sizes are not known."""
        if not isinstance(size, int) or not isinstance(count, int) or not 0 < SMALLEST * BLOCKS * count <= size:
            return None
        # A block costs about as much as ten of its keys: the best size is near the root of 10 * size / count.
        block = SMALLEST
        while block < LARGEST and 4 * block * block * count <= 10 * size:
            block *= 2
        return Selection(keys, size, count, block)

    @property
    def blocks(self) -> int:
        """The number of whole blocks; at least `count`."""
        return self.size // self.block

    def candidates(self, b: LinalgBuilder, row: SSAValue, axis: int, table: Table) -> tuple[Table, SSAValue]:
        """Returns the table with the keys that can be among the first, and how many there are.

        The row is a tensor whose dims have one element but for that of the axis.
        """
        least = self._least(b, row, axis)
        table = replace(table, keys=b.insert_slice(least, table.keys, [0], sizes=[self.blocks]))
        table, offset = key_sort(b, table, self.blocks, self.size, self.keys.digits)
        limit = b.extract(table.keys, [b.add(offset, self.count - 1)])

        def append(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            # What is not taken is overwritten by the next key, or lies in the scratch half.
            filled, equal, keys, items = carried
            key = self.keys.key(s, s.extract(row, row_point(len(tensor_shape(row)), axis, index, s.index(0))))
            is_limit = s.both(scalar.compare(s, "eq", key, limit), s.less(equal, self.count))
            taken = s.either(scalar.compare(s, "lt", key, limit, unsigned=True), is_limit)
            keys = s.insert_element(key, keys, [filled])
            items = s.insert_element(s.insert(arith.IndexCastOp(index, i64)), items, [filled])
            return [s.select(taken, s.add(filled, 1), filled), s.select(is_limit, s.add(equal, 1), equal), keys, items]

        def block(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            above = scalar.compare(s, "gt", s.extract(least, [index]), limit, unsigned=True)
            start = s.mul(index, self.block)
            return s.for_range(start, s.add(start, s.select(above, 0, self.block)), carried, append)

        state = b.for_range(0, self.blocks, [b.index(0), b.index(0), table.keys, table.items], block)
        filled, _, keys, items = b.for_range(self.blocks * self.block, self.size, state, append)
        return replace(table, keys=keys, items=items), filled

    def _least(self, b: LinalgBuilder, row: SSAValue, axis: int) -> SSAValue:
        """Returns the least key of each block."""
        block, within, zero = AffineExpr.dimension(0), AffineExpr.dimension(1), AffineExpr.constant(0)
        read = row_point(len(tensor_shape(row)), axis, block * self.block + within, zero)
        maps = [AffineMap(2, 0, tuple(read)), projection(2, [1]), projection(2, [0])]
        least = b.insert(fill_op(b.constant(-1, self.keys.type), b.empty([self.blocks], self.keys.type)))

        def smaller(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            return scalar.minimum(s, args[2], self.keys.key(s, args[0]), unsigned=True)

        inputs = [row, b.empty([self.block], self.keys.type)]
        return b.generic(inputs, [least], maps, [PARALLEL, REDUCTION], smaller)[0]


def row_point(rank: int, axis: int, along: _Place, elsewhere: _Place) -> list[_Place]:
    """Returns the indices of a point of a row along an axis."""
    return [along if i == axis else elsewhere for i in range(rank)]
