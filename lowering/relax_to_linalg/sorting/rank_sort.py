"""A stable sort of few keys: the place of each is the number of keys before it, which vectors count.

linalg.generic %ranks[d0] += %keys[d1] < %keys[d0] or (%keys[d1] == %keys[d0] and d1 < d0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from ....dialects.upstream.linalg_bodies import fill_op
from ...emit import scalar
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, projection
from ..builder import LinalgBuilder
from .table import Table


def rank_sort(b: LinalgBuilder, table: Table, count: Index, target: Index) -> Table:
    """Returns the table with the first `count` keys, at most `FEW`, sorted from `target` on, and items along with them."""

    def earlier(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
        own, other, rank = args
        is_first = scalar.compare(s, "lt", s.iteration(1), s.iteration(0))
        tie = s.both(scalar.compare(s, "eq", other, own), is_first)
        before = s.either(scalar.compare(s, "lt", other, own, unsigned=True), tie)
        return scalar.add(s, rank, scalar.cast(s, before, rank.type))

    few = b.extract_slice(table.keys, [0], [count], [1])
    ranks = b.extract_slice(table.ranks, [0], [count], [1])
    ranks = b.insert(fill_op(b.constant(0, few.type.element_type), ranks))  # pyright: ignore
    maps = [projection(2, [0]), projection(2, [1]), projection(2, [0])]
    ranks = b.generic([few, few], [ranks], maps, [PARALLEL, REDUCTION], earlier)[0]
    ranks = b.insert_slice(ranks, table.ranks, [0], sizes=[count])

    def move(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        keys, items = carried
        place = s.add(target, s.insert(arith.IndexCastOp(s.extract(ranks, [index]), IndexType())))
        key, item = s.extract(keys, [index]), s.extract(items, [index])
        return [s.insert_element(key, keys, [place]), s.insert_element(item, items, [place])]

    keys, items = b.for_range(0, count, [table.keys, table.items], move)
    return replace(table, keys=keys, items=items, ranks=ranks)
