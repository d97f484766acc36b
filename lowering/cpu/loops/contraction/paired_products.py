"""Products of sums of bytes, as assembly, whose order LLVM keeps; see `schedule/paired_products`.

Of a processor's four pipes for vectors of integers two multiply. `vpmaddwd` and an addition for each group of two steps keep them busier
than the others; here there is one `vpmaddwd` for four steps, and three additions. On a Zen 3 that is 91 multiply-adds a nanosecond of the
103 that four pipes allow, for 82 by products one by one. LLVM's own order of the same instructions has 80.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from .....records import record
from .....targets.cpu import DOT_PRODUCTS
from ....emit.constructors import vector_type
from ....emit.emitter import Index
from ...schedule.paired_products import PAIRED_STEPS
from ..builder import LoopBuilder
from ..loop_nest import with_loop
from ..stack import stack
from .dot_product import LANE_BITS
from .tiled_contraction import TiledContraction

REGISTERS = 16
"""The vector registers of AVX2."""

UNROLLED = PAIRED_STEPS // 4
"""The groups of two pairs of an iteration."""

VECTOR = 32
"""The bytes of a vector."""

PAIR = 4
"""The bytes of two steps of a row, or of a lane, in i16."""

LANES_OF_ROW = 4
"""The lanes of vectors of what belongs to rows."""

ADDED_LATER, AHEAD, FIRST_AHEAD = 1.0, 1.0, 0.3
"""In products: how long after it a product is added, how long before it its factors are, and how long the first one before the second.

The fastest of 250 choices on a Zen 3 for four rows; those nearby are 1 % slower.
"""


@dataclass(eq=False)
class _Instruction:
    """An instruction, when it should be, and the ones whose results it takes."""

    time: float
    text: str
    """With `{0}`, `{1}` for the registers of what it takes, and `{r}` for its own."""
    takes: Sequence[_Instruction] = ()
    has_result: bool = True
    uses: int = 0
    register: int | None = None


@dataclass
class _Order:
    """Instructions in the order of their times, as far as there are registers."""

    free: list[int]
    lines: list[str] = field(default_factory=list)

    def write(self, waiting: list[_Instruction]) -> None:
        """Writes all of them; each time the first one of those whose operands are there that finds a register."""
        waiting = sorted(waiting, key=lambda each: each.time)
        while waiting:
            ready = (each for each in waiting if all(taken.register is not None for taken in each.takes))
            chosen = next(each for each in ready if self._fits(each))
            waiting.remove(chosen)
            self._write(chosen)

    def _fits(self, instruction: _Instruction) -> bool:
        return bool(self.free) or not instruction.has_result or any(taken.uses == 1 for taken in instruction.takes)

    def _write(self, instruction: _Instruction) -> None:
        registers = [taken.register for taken in instruction.takes]
        for taken in instruction.takes:
            taken.uses -= 1
            if taken.uses == 0:
                assert taken.register is not None
                self.free.append(taken.register)
        instruction.register = self.free.pop(0) if instruction.has_result else -1
        self.lines.append(instruction.text.format(*registers, r=instruction.register))


@record
class PairedTile:
    """What the loop is written for."""

    rows: int
    vectors: int
    """The vectors of columns."""
    row_bytes: int
    """From a row of the left factor to the next."""
    pair_bytes: int
    """From the first pairs of the columns of the panel to the second ones, and to the first ones of the next group."""

    @property
    def sums(self) -> int:
        """The vectors of sums, in the first registers."""
        return self.rows * self.vectors

    @property
    def text(self) -> str:
        """The assembly, of which the operands are the addresses of rows, panel and sums, and the iterations."""
        sums = range(self.sums)
        return "\n".join(
            (
                "movq $0, %rax",
                "movq $1, %rcx",
                "movq $3, %rdx",
                *(f"vpxor %xmm{s}, %xmm{s}, %xmm{s}" for s in sums),
                ".p2align 5",
                "1:",
                *self._iteration(),
                f"addq $${UNROLLED * 2 * PAIR}, %rax",
                f"addq $${UNROLLED * 2 * self.pair_bytes}, %rcx",
                "decq %rdx",
                "jnz 1b",
                *(f"vmovdqu %ymm{s}, {s * VECTOR}($2)" for s in sums),
            )
        )

    @property
    def constraints(self) -> str:
        """What the assembly takes and overwrites."""
        registers = ["rax", "rcx", "rdx", *(f"ymm{r}" for r in range(REGISTERS)), "memory", "cc"]
        return ",".join(["r"] * 4 + [f"~{{{name}}}" for name in registers])

    def _iteration(self) -> list[str]:
        """Returns the instructions of some groups of steps."""
        all_: list[_Instruction] = []

        def add(time: float, text: str, *takes: _Instruction, has_result: bool = True) -> _Instruction:
            for taken in takes:
                taken.uses += 1
            all_.append(_Instruction(time, text, takes, has_result))
            return all_[-1]

        for group in range(UNROLLED):
            start = group * self.sums
            places = [
                (2 * group + pair) * self.pair_bytes + v * VECTOR for pair in range(2) for v in range(self.vectors)
            ]
            columns = [add(start - AHEAD - FIRST_AHEAD - 0.3, f"vmovdqu {place}(%rcx), %ymm{{r}}") for place in places]
            for row in range(self.rows):
                place = row * self.row_bytes + group * 2 * PAIR
                time = start + row * self.vectors - 1 - AHEAD
                first = add(time - 0.2 - FIRST_AHEAD, f"vpbroadcastd {place}(%rax), %ymm{{r}}")
                second = add(time - 0.1, f"vpbroadcastd {place + PAIR}(%rax), %ymm{{r}}")
                for v in range(self.vectors):
                    time, total = start + row * self.vectors + v, row * self.vectors + v
                    # The pairs of the column are crossed with those of the row.
                    x = add(
                        time - AHEAD - FIRST_AHEAD, "vpaddw %ymm{0}, %ymm{1}, %ymm{r}", columns[self.vectors + v], first
                    )
                    y = add(time - AHEAD, "vpaddw %ymm{0}, %ymm{1}, %ymm{r}", columns[v], second)
                    product = add(time, "vpmaddwd %ymm{0}, %ymm{1}, %ymm{r}", x, y)
                    text = f"vpaddd %ymm{{0}}, %ymm{total}, %ymm{total}"
                    add(time + ADDED_LATER + 0.05, text, product, has_result=False)
        order = _Order(list(range(self.sums, REGISTERS)))
        order.write(all_)
        return order.lines


def emit_paired_products(
    b: LoopBuilder, tile: PairedTile, rows: Index, panel: Index, sums: Index, steps: Index
) -> None:
    """Emits the products of all steps, whole iterations and at least one, given where rows, panel and sums are in memory.

    The panel has the columns' first pairs of each group, then the second ones.
    """
    values = [rows, panel, sums, b.floordiv(steps, PAIRED_STEPS)]
    operands = [b.insert(arith.IndexCastOp(b.as_index(value), i64)) for value in values]
    b.append(llvm.InlineAsmOp(tile.text, tile.constraints, operands, has_side_effects=True))


def emit_terms_of_rows(whole: TiledContraction) -> SSAValue:
    """Emits what belongs to each row alone, for each panel the sum of `x0 * x2 + x1 * x3` of its steps; returns where these lie."""
    b, k, t = whole.b, whole.k, whole.t
    (row,), (step,) = k.rows, k.reduced
    rows, steps = k.nest.sizes[row], k.nest.sizes[step]
    assert rows is not None and steps is not None
    terms = stack(b, k.acc_type, rows * -(-steps // t.chunk))
    name = DOT_PRODUCTS["vpmaddwd"].intrinsic_of(LANES_OF_ROW)
    zero = b.constant(0, vector_type(k.acc_type, LANES_OF_ROW))
    half = b.constant(LANE_BITS, vector_type(i64, LANES_OF_ROW // 2))

    def panel(index: Index, first: Index) -> None:
        def one_row(r: Index) -> None:
            point = with_loop(with_loop([0] * whole.nest.rank(), row, r), step, first)
            start, count = whole.fa.offset(b, point), b.minimum(b.sub(steps, first), t.chunk)

            def add(i: Index, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
                pairs = b.vector_load(whole.fa.buffer, [b.add(start, i)], 2 * LANES_OF_ROW)
                # The second pair of each four steps comes to the first; what meets the second one is zero.
                seconds = b.insert(arith.ShRUIOp(b.insert(vector.BitcastOp(pairs, half.type)), half))
                factors = [pairs, b.insert(vector.BitcastOp(seconds, pairs.type))]
                return [b.insert(arith.AddiOp(sums[0], b.insert(llvm.CallIntrinsicOp(name, factors, [zero.type]))))]

            (sums,) = b.loop(0, count, 2 * LANES_OF_ROW, [zero], add, no_unroll=True)
            first_half, second_half = b.extract(sums, 0), b.extract(sums, 2)
            b.store(b.insert(arith.AddiOp(first_half, second_half)), terms, [b.add(b.mul(index, rows), r)])

        b.plain_loop(0, rows, 1, one_row)

    for index, first in enumerate(range(0, steps, t.chunk)):
        panel(index, first)
    return terms
