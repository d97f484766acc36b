"""A stable radix sort of keys with their items, by the lowest digit first.

    %counts                   how many keys have each value of each digit
    scf.for each digit        { the place of the first key of each value; keys and items go to their places in the other half }

A digit that all keys share is passed over: no loop of its pass has an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import SSAValue

from ....dialects.upstream.linalg_bodies import fill_op
from ...emit import scalar
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder
from ..builder import LinalgBuilder
from .keys import DIGIT
from .table import VALUES, Table


def radix_sort(b: LinalgBuilder, table: Table, count: Index, capacity: Index, digits: int) -> tuple[Table, SSAValue]:
    """Sorts the first `count` keys, ascending as unsigned integers, and items along with them.

    Returns the table together with the offset of the half that holds the result, 0 or `capacity`.
    """
    # Of fewer than two keys none is read.
    used = b.select(b.less(1, count), digits, 0)
    size = b.minimum(b.mul(used, VALUES), digits * VALUES)
    counts = b.extract_slice(table.counts, [0], [size], [1])
    counts = b.insert_slice(b.insert(fill_op(b.constant(0, i64), counts)), table.counts, [0], sizes=[size])

    def tally(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        (counts,) = carried
        key = s.extract(table.keys, [index])
        for place in range(digits):
            slot = s.add(_digit(s, key, s.index(place * DIGIT)), place * VALUES)
            counts = s.insert_element(scalar.add(s, s.extract(counts, [slot]), s.constant(1, i64)), counts, [slot])
        return [counts]

    (counts,) = b.for_range(0, count, [counts], tally)

    def one_digit(s: OpBuilder, place: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        keys, items, counts, offset = carried
        shift, base = s.mul(place, DIGIT), s.mul(place, VALUES)
        slot = s.add(base, _digit(s, s.extract(keys, [offset]), s.as_index(shift)))
        shared = s.compare("eq", _as_index(s, s.extract(counts, [slot])), count)
        other = s.sub(capacity, offset)

        def start(s: OpBuilder, value: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            total, counts = carried
            slot = s.add(base, value)
            own = s.extract(counts, [slot])
            return [scalar.add(s, total, own), s.insert_element(total, counts, [slot])]

        first = s.insert(arith.IndexCastOp(s.as_index(other), i64))
        counts = s.for_range(0, s.select(shared, 0, VALUES), [first, counts], start)[1]

        def move(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            keys, items, counts = carried
            source = s.add(index, offset)
            key, item = s.extract(keys, [source]), s.extract(items, [source])
            slot = s.add(base, _digit(s, key, s.as_index(shift)))
            place = s.extract(counts, [slot])
            counts = s.insert_element(scalar.add(s, place, s.constant(1, i64)), counts, [slot])
            target = _as_index(s, place)
            return [s.insert_element(key, keys, [target]), s.insert_element(item, items, [target]), counts]

        moved = s.for_range(0, s.select(shared, 0, count), [keys, items, counts], move)
        return [*moved, s.select(shared, offset, other)]

    keys, items, counts, offset = b.for_range(0, used, [table.keys, table.items, counts, b.index(0)], one_digit)
    return replace(table, keys=keys, items=items, counts=counts), offset


def _digit(b: OpBuilder, key: SSAValue, shift: SSAValue) -> SSAValue:
    """Returns a digit of a key as an index."""
    amount = b.insert(arith.IndexCastOp(shift, key.type))
    digit = b.insert(arith.AndIOp(b.insert(arith.ShRUIOp(key, amount)), b.constant(VALUES - 1, key.type)))
    return _as_index(b, digit)


def _as_index(b: OpBuilder, value: SSAValue) -> SSAValue:
    return b.insert(arith.IndexCastOp(value, IndexType()))
