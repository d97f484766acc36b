"""Sorts rows sixteen at a time, without indices: lanes are rows, and the elements of a row are on the lines of a network of merges.

    %words[j, r] = word(%x[r, j])                  what is ordered as the elements are: f32, in which no word is NaN, or i32
    the columns of %words are sorted
    %y[r, j] = element(%words[j, r])

Words of equal elements are equal, and so are the elements but for zeros and NaN. Rows with a negative zero or a NaN get theirs again,
in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, i32
from xdsl.ir import SSAValue

from ....dialects.upstream.linalg_bodies import fill_op
from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, Size, element, projection
from ..builder import LinalgBuilder
from ..reshape import collapse, expand
from .keys import SortKeys
from .lines import GROUP, LANES, Lines
from .network import mapped, transposed, written

LONGEST = 1 << 14
"""The most elements of a row: sixteen such rows are in the cache of the second level."""

FEWEST_ROWS = 4
"""The rows below which most lanes would be idle."""


@record
class MergeNetwork:
    """A sort of the last axis of a tensor whose rows have `size` elements."""

    keys: SortKeys
    size: int

    @staticmethod
    def of(keys: SortKeys, sizes: Sequence[Size], axis: int) -> MergeNetwork | None:
        """Returns the network, None where another way is better: for very long rows, few rows, 64-bit elements, other axes."""
        size = sizes[axis]
        if not isinstance(size, int) or axis != len(sizes) - 1 or keys.type != i32 or not 1 < size <= LONGEST:
            return None
        rows = [extent for extent in sizes[:axis] if isinstance(extent, int)]
        return None if len(rows) == axis and prod(rows) < FEWEST_ROWS else MergeNetwork(keys, size)

    @property
    def _is_float(self) -> bool:
        return isinstance(self.keys.source, AnyFloat)

    def run(self, b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Returns the sorted elements of each row."""
        last, size, kind = len(sizes) - 1, self.size, element(x)
        groups = [list(range(last)), [last]]
        rows = collapse(b, x, groups)
        total = b.dim(rows, 0)
        block = b.minimum(total, LANES)
        lines = Lines(f32 if self._is_float else i32, max(1 << (size - 1).bit_length(), GROUP), size)

        def one_block(s: LinalgBuilder, start: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            # The last block ends with the last row, and sorts rows of the one before again.
            begin = s.minimum(start, s.sub(total, block))
            given = s.extract_slice(rows, [begin, 0], [block, size], [1, 1])
            items = written(s, size, block, kind, lambda out: transposed(s, given, out))
            words = lines.sorted(s, self._words(s, items, block, lines))
            first = s.extract_slice(words, [0, 0], [size, block], [1, 1])
            column = written(s, size, block, kind, lambda out: mapped(s, first, out, self._element))
            target = s.extract_slice(carried[0], [begin, 0], [block, size], [1, 1])
            whole = s.insert_slice(transposed(s, column, target), carried[0], [begin, 0], sizes=[block, size])
            return [self._repaired(s, given, whole, begin, block) if self._is_float else whole]

        result, step = b.empty([total, size], kind), b.maximum(block, 1)
        (made,) = b.for_range(0, total, [result], one_block, step, independent=True)
        return expand(b, made, groups, sizes)

    def _words(self, b: LinalgBuilder, items: SSAValue, rows: Size, lines: Lines) -> SSAValue:
        """Returns the words of elements, behind them those that fill lines up."""
        words = b.empty([lines.total, LANES], lines.word)
        out = b.extract_slice(words, [0, 0], [self.size, rows], [1, 1])
        words = b.insert_slice(mapped(b, items, out, self._word), words, [0, 0], sizes=[self.size, rows])
        rest = lines.total - self.size
        if not rest:
            return words
        largest = b.constant(inf if self._is_float else (1 << 31) - 1, lines.word)
        behind = b.extract_slice(words, [self.size, 0], [rest, LANES], [1, 1])
        return b.insert_slice(b.insert(fill_op(largest, behind)), words, [self.size, 0], sizes=[rest, LANES])

    def _word(self, s: ScalarBuilder, x: SSAValue) -> SSAValue:
        """Emits the word of an element; descending order is the ascending one of negative words."""
        if not self._is_float:
            sign = s.constant(-(1 << 31), i32)
            return s.insert(arith.XOrIOp(self.keys.key(s, x), sign))
        x = scalar.widen(s, x)
        ordered = s.insert(arith.NegfOp(x)) if self.keys.descending else x
        end = s.constant(-inf if self.keys.descending else inf, f32)
        return scalar.select(s, scalar.compare(s, "ne", x, x), end, ordered)

    def _element(self, s: OpBuilder, word: SSAValue) -> SSAValue:
        """Emits the element of a word."""
        source = cast(AnyFloat | IntegerType, self.keys.source)
        if self._is_float:
            return scalar.cast(s, s.insert(arith.NegfOp(word)) if self.keys.descending else word, source)
        flipped = (1 << 31) - 1 if self.keys.descending else -(1 << 31)
        key = s.insert(arith.XOrIOp(word, s.constant(flipped, i32)))
        return scalar.cast(s, self.keys.integer(s, key), source)

    def _repaired(self, b: LinalgBuilder, given: SSAValue, sorted_rows: SSAValue, begin: Size, rows: Size) -> SSAValue:
        """Returns all rows, those that have just been sorted with their own zeros and NaN, in order, where these differ in their bits."""
        first = b.extract_slice(b.empty([LANES], i32), [0], [rows], [1])
        zeros = b.insert(fill_op(b.constant(0, i32), first))

        def mark(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            bits = s.insert(arith.BitcastOp(scalar.widen(s, args[0]), i32))
            is_special = s.either(
                scalar.compare(s, "ne", args[0], args[0]),
                scalar.compare(s, "eq", bits, s.constant(-(1 << 31), i32)),
            )
            return scalar.maximum(s, scalar.cast(s, is_special, i32), args[1])

        maps = [projection(2, [0, 1]), projection(2, [0])]
        (marks,) = b.generic([given], [zeros], maps, [PARALLEL, REDUCTION], mark)

        def one_row(s: LinalgBuilder, row: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            is_marked = scalar.compare(s, "ne", s.extract(marks, [row]), s.constant(0, i32))
            count = s.select(is_marked, self.size, 0)
            zero, nan = self._starts(s, given, row, count)
            to = s.add(row, begin)

            def put(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                target, zero, nan = carried
                x = s.extract(given, [row, index])
                is_zero = scalar.compare(s, "eq", x, s.constant(0, x.type))
                is_nan = scalar.compare(s, "ne", x, x)
                place = s.minimum(s.select(is_nan, nan, zero), self.size - 1)
                value = scalar.select(s, s.either(is_zero, is_nan), x, s.extract(target, [to, place]))
                target = s.insert_element(value, target, [to, place])
                return [target, _counted(s, zero, is_zero), _counted(s, nan, is_nan)]

            return [s.for_range(0, count, [carried[0], zero, nan], put)[0]]

        return b.for_range(0, rows, [sorted_rows], one_row)[0]

    def _starts(self, b: LinalgBuilder, given: SSAValue, row: SSAValue, count: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Returns the places of the first zero and of the first NaN among the sorted elements of a row."""
        descending = self.keys.descending

        def tally(s: OpBuilder, index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            x = s.extract(given, [row, index])
            in_front = scalar.compare(s, "gt" if descending else "lt", x, s.constant(0, x.type))
            return [_counted(s, carried[0], in_front), _counted(s, carried[1], scalar.compare(s, "ne", x, x))]

        before, nans = b.for_range(0, count, [b.index(0), b.index(0)], tally)
        if descending:
            return b.as_index(b.add(before, nans)), b.index(0)
        return before, b.as_index(b.sub(self.size, nans))


def _counted(b: OpBuilder, count: SSAValue, condition: SSAValue) -> SSAValue:
    return b.select(condition, b.add(count, 1), count)
