"""Sorts the columns of a table of lines by exchanges between lines, each of which is a vector: a bitonic network of merges.

    %a = vector.transfer_read %words[%i, 0]      %b = vector.transfer_read %words[%k, 0]
    %words = vector.transfer_write (min %a, %b), %words[%i, 0]
    %words = vector.transfer_write (max %a, %b), %words[%k, 0]

Sixteen lines are in registers for up to four stages in turn, and blocks that the cache of the first level holds are sorted one by one
before they are merged. The smaller word always goes to the line in front: lines that are filled up with the largest words stay behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, ArrayAttr, BoolAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.upstream.arith_ops import CmpfOp, SelectOp
from ....records import record
from ...emit.constructors import vector_type
from ...emit.emitter import Index
from ..builder import LinalgBuilder

LANES = 16
"""The words of a line."""

GROUP = 16
"""The lines that registers hold."""

BLOCK = GROUP * GROUP
"""The lines that are merged with one another by two passes, in the cache of the first level."""

Pairs = Sequence[tuple[int, int]]
"""The lines of a group that are compared at once: the one that gets the smaller words, the one that gets the larger."""


def _halving(lines: int) -> list[Pairs]:
    """Returns the stages that sort lines whose words rise and fall: pairs half of the lines apart, then a quarter, and so on."""
    stages: list[Pairs] = []
    distance = lines // 2
    while distance:
        stages.append([(k, k + distance) for k in range(lines) if not k & distance])
        distance //= 2
    return stages


def _merging(lines: int) -> list[Pairs]:
    """Returns the stages that merge two sorted halves, of which the second is read from its end."""
    half = lines // 2
    halves = _halving(half)
    return [
        [(k, lines - 1 - k) for k in range(half)],
        *([*stage, *((i + half, k + half) for i, k in stage)] for stage in halves),
    ]


def _sorting(lines: int) -> list[Pairs]:
    """Returns the stages that sort lines."""
    stages: list[Pairs] = []
    merged = 2
    while merged <= lines:
        for stage in _merging(merged):
            stages.append([(run + i, run + k) for run in range(0, lines, merged) for i, k in stage])
        merged *= 2
    return stages


@record
class Lines:
    """A table whose columns are sorted, the first `used` lines of `total`, a power of two and at least a group; the rest is filled up."""

    word: Attribute
    total: int
    used: int

    def sorted(self, b: LinalgBuilder, words: SSAValue) -> SSAValue:
        """Returns the table with its columns sorted."""
        block = min(self.total, BLOCK)
        (words,) = b.for_range(
            0, self.used, [words], lambda s, base, c: [self._sorted_block(s, c[0], base, block)], block
        )
        half = block
        while half < self.total:
            words = self._merged(b, words, half)
            half *= 2
        return words

    def _sorted_block(self, b: LinalgBuilder, words: SSAValue, base: Index, block: int) -> SSAValue:
        words = self._neighbors(b, words, base, block, _sorting(GROUP))
        half = GROUP
        while half < block:
            lines = 2 * half // GROUP
            words = self._halves_joined(b, words, base, block, half, lines)
            words = self._neighbors(b, words, base, block, _halving(GROUP))
            half *= 2
        return words

    def _merged(self, b: LinalgBuilder, words: SSAValue, half: int) -> SSAValue:
        """Returns the table with sorted runs of `half` lines, at least a block, merged two by two."""
        lines = min(2 * half // BLOCK, GROUP)
        words = self._halves_joined(b, words, 0, self.used, half, lines)
        apart = 2 * half // lines
        if apart > BLOCK:
            words = self._spread(b, words, 0, self.used, apart, apart // BLOCK)

        def one_block(s: LinalgBuilder, base: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            words = self._spread(s, carried[0], base, BLOCK, BLOCK, GROUP)
            return [self._neighbors(s, words, base, BLOCK, _halving(GROUP))]

        return b.for_range(0, self.used, [words], one_block, BLOCK)[0]

    def _neighbors(
        self, b: LinalgBuilder, words: SSAValue, base: Index, count: int, stages: Sequence[Pairs]
    ) -> SSAValue:
        """Returns the table after stages between neighboring lines."""

        def one_group(s: LinalgBuilder, start: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            first = s.add(base, start)
            return [self._exchanged(s, carried[0], [s.add(first, k) for k in range(GROUP)], stages)]

        return b.for_range(0, count, [words], one_group, GROUP)[0]

    def _spread(self, b: LinalgBuilder, words: SSAValue, base: Index, count: int, run: int, lines: int) -> SSAValue:
        """Returns the table after the stages of runs between lines that are far apart: so many of a run are a group."""
        apart = run // lines

        def places(s: LinalgBuilder, start: SSAValue, line: SSAValue) -> list[Index]:
            return [s.add(s.add(start, line), k * apart) for k in range(lines)]

        return self._groups(b, words, base, count, run, apart, places, _halving(lines))

    def _halves_joined(
        self, b: LinalgBuilder, words: SSAValue, base: Index, count: int, half: int, lines: int
    ) -> SSAValue:
        """Returns the table after the first stages of a merge of sorted runs of `half` lines."""
        run, apart = 2 * half, 2 * half // lines

        def places(s: LinalgBuilder, start: SSAValue, line: SSAValue) -> list[Index]:
            first = s.add(start, line)
            last = s.sub(s.add(start, run - 1), line)
            front = [s.add(first, k * apart) for k in range(lines // 2)]
            return [*front, *(s.sub(last, k * apart) for k in reversed(range(lines // 2)))]

        return self._groups(b, words, base, count, run, apart, places, _merging(lines))

    def _groups(
        self,
        b: LinalgBuilder,
        words: SSAValue,
        base: Index,
        count: int,
        run: int,
        groups: int,
        places: Callable[[LinalgBuilder, SSAValue, SSAValue], Sequence[Index]],
        stages: Sequence[Pairs],
    ) -> SSAValue:
        """Returns the table after stages in each of the `groups` of each run, whose lines are at `places`."""

        def one_run(s: LinalgBuilder, offset: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            start = s.as_index(s.add(base, offset))

            def one_group(s: LinalgBuilder, line: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                return [self._exchanged(s, carried[0], places(s, start, line), stages)]

            return s.for_range(0, groups, carried, one_group)

        return b.for_range(0, count, [words], one_run, run)[0]

    def _exchanged(
        self, b: LinalgBuilder, words: SSAValue, places: Sequence[Index], stages: Sequence[Pairs]
    ) -> SSAValue:
        """Returns the table after stages between the lines at some places."""
        first, kind = b.index(0), vector_type(self.word, LANES)
        along = AffineMapAttr(AffineMap(2, 0, (AffineExpr.dimension(1),)))
        inside, padding = ArrayAttr([BoolAttr.from_bool(True)]), b.constant(0, self.word)
        at = [[b.as_index(place), first] for place in places]
        lines = [b.insert(vector.TransferReadOp(words, where, padding, kind, inside, along)) for where in at]
        for stage in stages:
            for i, k in stage:
                lines[i], lines[k] = self._ordered(b, lines[i], lines[k])
        for line, where in zip(lines, at, strict=True):
            assert isinstance(words.type, TensorType)
            words = b.insert(
                vector.TransferWriteOp(line, words, where, inside, permutation_map=along, result_type=words.type)
            )
        return words

    def _ordered(self, b: LinalgBuilder, x: SSAValue, y: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Returns the smaller words of two lines, and the larger ones; none is NaN."""
        if not isinstance(self.word, AnyFloat):
            return b.insert(arith.MinSIOp(x, y)), b.insert(arith.MaxSIOp(x, y))
        # As processors have it: each word of equal ones, which may be zeros of two signs, goes to one side.
        smaller, larger = b.insert(CmpfOp(x, y, "olt")), b.insert(CmpfOp(y, x, "ogt"))
        return b.insert(SelectOp(smaller, x, y)), b.insert(SelectOp(larger, y, x))
