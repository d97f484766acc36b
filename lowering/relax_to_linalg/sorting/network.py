"""Sorts many short rows at once: lanes are rows, and the keys of a row go through a bitonic network.

    %words[j, r] = word(%x[r, j], j)                        key, place and the bits that the key lacks, in one integer
    %words[i, r] = min or max(%words[i, r], %words[k, r])   for each stage of the network; line k is the partner of line i
    %y[r, j] = element(%words[j, r])

Lines i and k of a stage are those of two halves of a run, in opposite order where the halves are sorted and are merged, else in the same
order. Where few keys are wanted, runs that are as long as that are not merged: the smaller words of two are. No two words of a row are
equal, so that the network is stable. Lines are filled up to a power of two by words behind all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.upstream.linalg_bodies import fill_op
from ....records import record
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, ScalarBuilder, Size, element, projection
from ..builder import LinalgBuilder
from ..reshape import collapse, expand
from .keys import SortKeys

LARGEST = 64
"""The most keys of a row."""

FEWEST_ROWS = 8
"""The rows below which lanes would be idle."""

BLOCK = 2048
"""The words that are sorted at once; two such blocks are in the cache of the first level."""

PLACES = 8
"""The bits of a place in a row."""

_REST = 24
"""The bits of a word below the place: the sign and the mantissa of an f32, or all of a shorter one."""

_SIGN, _EXPONENT, _MANTISSA = -(1 << 31), 0x7F800000, 0x7FFFFF
"""The bits of an f32."""


@record
class Network:
    """A sort of the last axis of a tensor by which the first `count` of `size` keys are found."""

    keys: SortKeys
    size: int
    count: int

    @staticmethod
    def of(keys: SortKeys, sizes: Sequence[Size], axis: int, count: Size) -> Network | None:
        """Returns the network, None where another way is better: for long rows, few rows, 64-bit elements, other axes."""
        size = sizes[axis]
        if not isinstance(size, int) or not isinstance(count, int) or axis != len(sizes) - 1 or keys.type != i32:
            return None
        rows = [extent for extent in sizes[:axis] if isinstance(extent, int)]
        if not 0 < count <= size <= LARGEST or (len(rows) == axis and prod(rows) < FEWEST_ROWS):
            return None
        return Network(keys, size, count)

    @property
    def lines(self) -> int:
        """The words of a row, a power of two."""
        return 1 << (self.size - 1).bit_length()

    def run(
        self, b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size], wanted: Sequence[bool], index: Attribute
    ) -> list[SSAValue]:
        """Returns what is `wanted` of the first `count` elements of each row, in their order: the elements, their indices."""
        last = len(sizes) - 1
        groups = [list(range(last)), [last]]
        rows = collapse(b, x, groups)
        total = b.dim(rows, 0)
        block = b.minimum(total, BLOCK // self.lines)

        def place(s: OpBuilder, word: SSAValue) -> SSAValue:
            return scalar.cast(s, self._place(s, word), index)

        reads = [read for read, is_wanted in zip((self._element, place), wanted, strict=True) if is_wanted]
        types = [kind for kind, is_wanted in zip((element(x), index), wanted, strict=True) if is_wanted]
        results = [b.empty([total, self.count], kind) for kind in types]

        def one_block(s: LinalgBuilder, start: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            # The last block ends with the last row, and sorts rows of the one before again.
            begin = s.minimum(start, s.sub(total, block))
            given = s.extract_slice(rows, [begin, 0], [block, self.size], [1, 1])
            items = written(s, self.size, block, element(x), lambda out: transposed(s, given, out))
            words = self._sorted(s, self._words(s, items, block), block)
            first = s.extract_slice(words, [0, 0], [self.count, block], [1, 1])
            whole: list[SSAValue] = []
            for read, kind, result in zip(reads, types, carried, strict=True):
                column = written(s, self.count, block, kind, lambda out, read=read: mapped(s, first, out, read))
                target = s.extract_slice(result, [begin, 0], [block, self.count], [1, 1])
                target = transposed(s, column, target)
                whole.append(s.insert_slice(target, result, [begin, 0], sizes=[block, self.count]))
            return whole

        made = b.for_range(0, total, results, one_block, b.maximum(block, 1), independent=True)
        return [expand(b, each, groups, [*sizes[:last], self.count]) for each in made]

    def _words(self, b: LinalgBuilder, items: SSAValue, rows: Size) -> SSAValue:
        """Returns the words of elements, behind them those that fill lines up."""
        words = b.empty([self.lines, rows], i64)
        out = b.extract_slice(words, [0, 0], [self.size, rows], [1, 1])
        words = b.insert_slice(mapped(b, items, out, self._word), words, [0, 0], sizes=[self.size, rows])
        if self.lines == self.size:
            return words
        rest = b.extract_slice(words, [self.size, 0], [self.lines - self.size, rows], [1, 1])
        rest = b.insert(fill_op(b.constant((1 << 63) - 1, i64), rest))
        return b.insert_slice(rest, words, [self.size, 0], sizes=[self.lines - self.size, rows])

    def _sorted(self, b: LinalgBuilder, words: SSAValue, rows: Size) -> SSAValue:
        """Returns the first lines, sorted: `count`, rounded up to a power of two.

        Stages read one of two tensors and write the other in turns. Of two runs that are as long as that, one
        half of what both have is kept, so that 6 of 64 keys take half the time of a sort.
        """
        lines, kept = self.lines, 1 << (self.count - 1).bit_length()
        other = b.extract_slice(b.empty([lines, rows], i64), [0, 0], [lines, rows], [1, 1])
        merged = 1
        while merged < kept:
            words, other = self._stage(b, words, other, lines, rows, merged, opposite=True), words
            words, other = self._stages(b, words, other, lines, rows, merged // 2)
            merged *= 2
        while lines > kept:
            words, other = self._smaller(b, words, other, lines, rows, kept), words
            lines //= 2
            other = b.extract_slice(other, [0, 0], [lines, rows], [1, 1])
            words, other = self._stages(b, words, other, lines, rows, kept // 2)
        return words

    def _stages(
        self, b: LinalgBuilder, words: SSAValue, other: SSAValue, lines: int, rows: Size, half: int
    ) -> tuple[SSAValue, SSAValue]:
        """Returns the lines after the stages of runs of twice `half`, of `half` and so on, and the tensor that the next stage writes."""
        while half:
            words, other = self._stage(b, words, other, lines, rows, half, opposite=False), words
            half //= 2
        return words, other

    def _smaller(
        self, b: LinalgBuilder, words: SSAValue, other: SSAValue, lines: int, rows: Size, kept: int
    ) -> SSAValue:
        """Returns the smaller words of each two runs, as many as one has, in an order that stages sort."""
        runs = expand(b, words, [[0, 1, 2], [3]], [lines // (2 * kept), 2, kept, rows])
        groups = [[0, 1], [2]]
        out = b.extract_slice(other, [0, 0], [lines // 2, rows], [1, 1])
        out = expand(b, out, groups, [lines // (2 * kept), kept, rows])
        run, line, lane = (AffineExpr.dimension(i) for i in range(3))
        first = AffineMap(3, 0, (run, AffineExpr.constant(0), line, lane))
        second = AffineMap(3, 0, (run, AffineExpr.constant(1), line * -1 + (kept - 1), lane))

        def least(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            return scalar.minimum(s, args[0], args[1])

        (smaller,) = b.generic([runs, runs], [out], [first, second, AffineMap.identity(3)], [PARALLEL] * 3, least)
        return collapse(b, smaller, groups)

    def _stage(
        self, b: LinalgBuilder, words: SSAValue, other: SSAValue, lines: int, rows: Size, half: int, *, opposite: bool
    ) -> SSAValue:
        """Returns the lines after a stage: those of the first half of each run are the smaller words, those of the second the larger."""
        shape = [lines // (2 * half), 2, half, rows]
        groups = [[0, 1, 2], [3]]
        runs, out = expand(b, words, groups, shape), expand(b, other, groups, shape)
        run, side, line, lane = (AffineExpr.dimension(i) for i in range(4))
        partner = AffineMap(4, 0, (run, side * -1 + 1, line * -1 + (half - 1) if opposite else line, lane))

        def exchange(s: ScalarBuilder, args: Sequence[SSAValue]) -> SSAValue:
            is_first = s.insert(arith.CmpiOp(s.iteration(1), s.index(0), "eq"))
            own, other = args[:2]
            return scalar.select(s, is_first, scalar.minimum(s, own, other), scalar.maximum(s, own, other))

        identity = AffineMap.identity(4)
        (runs,) = b.generic([runs, runs], [out], [identity, partner, identity], [PARALLEL] * 4, exchange)
        return collapse(b, runs, groups)

    def _word(self, s: ScalarBuilder, x: SSAValue) -> SSAValue:
        """Emits the word of an element: the key as the upper half, of which signed integers have the order; place and rest below."""
        sign = s.constant(-(1 << 31), i32)
        key = scalar.cast(s, s.insert(arith.XOrIOp(self.keys.key(s, x), sign)), i64)
        upper = s.insert(arith.ShLIOp(key, s.constant(32, i64)))
        place = s.insert(arith.ShLIOp(scalar.cast(s, s.iteration(0), i64), s.constant(_REST, i64)))
        low = s.insert(arith.OrIOp(place, scalar.cast(s, self._rest(s, x), i64, unsigned=True)))
        return s.insert(arith.OrIOp(upper, low))

    def _rest(self, s: OpBuilder, x: SSAValue) -> SSAValue:
        """Emits the bits (i32) that tell elements with the same key apart."""
        if not isinstance(x.type, AnyFloat):
            return s.constant(0, i32)
        if x.type.bitwidth <= _REST:
            return scalar.cast(s, s.insert(arith.BitcastOp(x, IntegerType(x.type.bitwidth))), i32, unsigned=True)
        bits = s.insert(arith.BitcastOp(x, i32))
        mantissa = s.insert(arith.AndIOp(bits, s.constant(_MANTISSA, i32)))
        sign = s.insert(arith.ShRUIOp(s.insert(arith.AndIOp(bits, s.constant(_SIGN, i32))), s.constant(8, i32)))
        return s.insert(arith.OrIOp(mantissa, sign))

    def _place(self, s: OpBuilder, word: SSAValue) -> SSAValue:
        """Emits the index of the element of a word."""
        place = s.insert(arith.ShRUIOp(word, s.constant(_REST, i64)))
        return s.insert(arith.AndIOp(place, s.constant((1 << PLACES) - 1, i64)))

    def _element(self, s: OpBuilder, word: SSAValue) -> SSAValue:
        """Emits the element of a word."""
        source = cast(AnyFloat | IntegerType, self.keys.source)
        low = scalar.cast(s, word, i32)
        if isinstance(source, AnyFloat) and source.bitwidth <= _REST:
            return s.insert(arith.BitcastOp(scalar.cast(s, low, IntegerType(source.bitwidth)), source))
        upper = scalar.cast(s, s.insert(arith.ShRUIOp(word, s.constant(32, i64))), i32)
        sign = s.constant(_SIGN, i32)
        key = s.insert(arith.XOrIOp(upper, sign))
        if self.keys.descending:
            key = s.insert(arith.XOrIOp(key, s.constant(-1, i32)))
        if isinstance(source, IntegerType):
            return scalar.cast(s, self.keys.integer(s, key), source)
        # Keys with the upper bit are those of positive numbers; the key of both zeros, and that of all NaN, have lost bits.
        positive = s.insert(arith.ShRSIOp(key, s.constant(31, i32)))
        flipped = s.insert(arith.XOrIOp(positive, s.constant(-1, i32)))
        bits = s.insert(arith.XOrIOp(key, s.insert(arith.OrIOp(flipped, sign))))
        own_sign = s.insert(arith.AndIOp(s.insert(arith.ShLIOp(low, s.constant(8, i32))), sign))
        mantissa = s.insert(arith.AndIOp(low, s.constant(_MANTISSA, i32)))
        nan = s.insert(arith.OrIOp(s.insert(arith.OrIOp(own_sign, mantissa)), s.constant(_EXPONENT, i32)))
        bits = scalar.select(s, scalar.compare(s, "eq", key, sign), own_sign, bits)
        bits = scalar.select(s, scalar.compare(s, "eq", key, s.constant(-1, i32)), nan, bits)
        return s.insert(arith.BitcastOp(bits, source))


def written(
    b: LinalgBuilder, lines: int, rows: Size, kind: Attribute, write: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """Returns new lines that are written to memory, and are not computed where they are read."""
    # A slice of what was inserted is no producer to fuse.
    whole = b.empty([lines, rows], kind)
    out = b.extract_slice(whole, [0, 0], [lines, rows], [1, 1])
    whole = b.insert_slice(write(out), whole, [0, 0], sizes=[lines, rows])
    return b.extract_slice(whole, [0, 0], [lines, rows], [1, 1])


def mapped(
    b: LinalgBuilder, x: SSAValue, out: SSAValue, body: Callable[[ScalarBuilder, SSAValue], SSAValue]
) -> SSAValue:
    """Returns lines with what `body` makes of each of their elements."""
    maps = [AffineMap.identity(2)] * 2
    return b.generic([x], [out], maps, [PARALLEL] * 2, lambda s, args: body(s, args[0]))[0]


def transposed(b: LinalgBuilder, x: SSAValue, out: SSAValue) -> SSAValue:
    """Returns the rows of a table as its lines, and lines as rows."""
    maps = [projection(2, [1, 0]), AffineMap.identity(2)]
    return b.generic([x], [out], maps, [PARALLEL] * 2, lambda s, args: args[0])[0]
