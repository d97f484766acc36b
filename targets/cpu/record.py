"""The record of a CPU, and what follows from its instruction sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ...records import record

BUFFER_ALIGNMENT = 64
"""Bytes to which workspaces, intermediate tensors and constants are aligned: a vector and a line of every x86 CPU.

Whoever calls generated code allocates by it, so that it is the same for all targets.
"""


MOST_THREADS = 4096
"""More threads than any machine has processors."""


@record
class Cache:
    """One level of the data caches that a core sees."""

    size: int
    """Bytes."""
    associativity: int
    """Lines that one set holds (ways)."""
    line_size: int = 64
    """Bytes."""
    cores: int = 1
    """The number of cores that share it."""


@record
class DotProduct:
    """An instruction that multiplies vectors of narrow elements and adds each group of neighboring products to a lane of 32 bits."""

    name: str
    """The instruction."""
    intrinsic: str
    """LLVM's name; `{bits}` stands for the width of the vectors."""
    factors: tuple[str, str]
    """The element types of the factors, in order."""
    accumulator: str
    """The element type of the sum."""
    group: int
    """The number of products that one lane adds."""
    lanes: tuple[int, ...]
    """The numbers of lanes that it has forms for."""
    accumulates: bool = True
    """Whether it adds to a sum; otherwise its result is what a group adds."""
    widens: bool = False
    """Whether bytes are widened to its factors, where no instruction multiplies them as they are."""
    pairs: bool = False
    """Whether it multiplies sums, of a byte of each factor, in place of the bytes: two products by one multiplication."""
    forms: tuple[str, ...] = ()
    """What stands for `{form}` in LLVM's name for each of `lanes`, where it is more than the width."""

    def intrinsic_of(self, lanes: int) -> str:
        """Returns LLVM's name of the form for so many lanes."""
        form = self.forms[self.lanes.index(lanes)] if self.forms else ""
        return self.intrinsic.format(bits=32 * lanes, form=form)


VPDPBUSD = DotProduct("vpdpbusd", "llvm.x86.avx512.vpdpbusd.{bits}", ("ui8", "i8"), "i32", 4, (4, 8, 16))
VDPBF16PS = DotProduct("vdpbf16ps", "llvm.x86.avx512bf16.dpbf16ps.{bits}", ("bf16", "bf16"), "f32", 2, (4, 8, 16))
VPMADDWD = DotProduct(
    name="vpmaddwd",
    intrinsic="llvm.x86.{form}",
    factors=("i16", "i16"),
    accumulator="i32",
    group=2,
    lanes=(4, 8, 16),
    accumulates=False,
    widens=True,
    forms=("sse2.pmadd.wd", "avx2.pmadd.wd", "avx512.pmaddw.d.512"),
)
PAIRED_VPMADDWD = replace(VPMADDWD, name="paired_vpmaddwd", lanes=(8,), forms=("avx2.pmadd.wd",), pairs=True)
SDOT = DotProduct("sdot", "llvm.aarch64.neon.sdot.v4i32.v16i8", ("i8", "i8"), "i32", 4, (4,))
UDOT = DotProduct("udot", "llvm.aarch64.neon.udot.v4i32.v16i8", ("ui8", "ui8"), "i32", 4, (4,))
USDOT = DotProduct("usdot", "llvm.aarch64.neon.usdot.v4i32.v16i8", ("ui8", "i8"), "i32", 4, (4,))
BFDOT = DotProduct("bfdot", "llvm.aarch64.neon.bfdot.v4f32.v8bf16", ("bf16", "bf16"), "f32", 2, (4,))


@record
class Lookup:
    """An instruction that takes a byte for each byte of a vector from a table of 128, which two vectors hold; the sign is not looked at."""

    name: str
    """The instruction."""
    intrinsic: str
    """LLVM's name; the operands are the first half of the table, the places, and the second half."""
    lanes: int
    """The bytes of a vector."""


VPERMI2B = Lookup("vpermi2b", "llvm.x86.avx512.vpermi2var.qi.512", 64)

LOOKUPS = {row.name: row for row in (VPERMI2B,)}
"""By name."""

TILE_ROWS = 16
"""The rows of a tile register at most: rows of the left factor and of sums, and groups of rows of the right factor."""
TILE_ROW_BYTES = 64
"""The bytes of a row of a tile register at most: 16 sums, and so many elements of the left factor."""
TILE_REGISTERS = 8
"""The tile registers that there are."""


@record
class TileProduct:
    """An instruction that multiplies two tiles of narrow elements, and adds groups of products to the elements of 32 bits of a third.

    A row of the right tile has the group of each of its columns side by side.
    """

    name: str
    """The instruction."""
    factors: tuple[str, str]
    """The element types of left and right tile."""
    accumulator: str
    """The element type of the sums."""
    group: int
    """The number of products that an element of the sums takes from each pair of rows of 32 bits."""

    @property
    def intrinsic(self) -> str:
        """LLVM's name, of the form that takes numbers of tile registers."""
        return f"llvm.x86.{self.name}"


TILE_PRODUCTS = {
    row.name: row
    for row in (
        TileProduct("tdpbf16ps", ("bf16", "bf16"), "f32", 2),
        TileProduct("tdpbssd", ("i8", "i8"), "i32", 4),
        TileProduct("tdpbsud", ("i8", "ui8"), "i32", 4),
        TileProduct("tdpbusd", ("ui8", "i8"), "i32", 4),
        TileProduct("tdpbuud", ("ui8", "ui8"), "i32", 4),
    )
}
"""Every instruction on tile registers (AMX) by its name."""

DOT_PRODUCTS = {row.name: row for row in (VPDPBUSD, VDPBF16PS, VPMADDWD, PAIRED_VPMADDWD, SDOT, UDOT, USDOT, BFDOT)}
"""Every instruction by its name."""


@record
class CpuTarget:
    """What the compiler knows of a CPU. Two programs that are compiled for equal records are the same code."""

    name: str
    """The name by which `--target` chooses it."""
    triple: str
    """LLVM's name of architecture, system and object format."""
    cpu: str
    """LLVM's name of the processor, which decides the order of instructions."""
    features: frozenset[str]
    """LLVM's names of the instruction sets that code may use."""
    vector_bits: int
    """The width of a vector of 32-bit lanes; vectors of other elements have the same number of lanes."""
    vector_registers: int
    """The number of vector registers."""
    l1d: Cache
    l2: Cache
    l3: Cache | None
    cores: int
    """The number of cores that a program may use."""
    absent: frozenset[str] = frozenset()
    """LLVM's names of instruction sets that `cpu` stands for and that this processor lacks all the same."""
    page_size: int = 4096
    """The bytes of a page of virtual memory."""
    loads_per_cycle: int = 2
    """Vectors that a core reads from the first-level cache in a cycle."""
    arithmetic_latency: int = 4
    """Cycles from the operands of an addition or a multiplication of floats to its result."""

    @property
    def architecture(self) -> str:
        """The first part of the triple, `arm64` written as `aarch64`."""
        first = self.triple.partition("-")[0]
        return "aarch64" if first == "arm64" else first

    @property
    def is_apple(self) -> bool:
        """Whether code is for the systems of Apple: objects are Mach-O, libraries end in `.dylib`."""
        return "-apple-" in self.triple

    @property
    def counter(self) -> Literal["none", "cycles", "ticks"]:
        """What counts time in a register that programs may read: cycles of a constant rate, or ticks of a timer."""
        counters: dict[str, Literal["none", "cycles", "ticks"]] = {"x86_64": "cycles", "aarch64": "ticks"}
        return counters.get(self.architecture, "none")

    @property
    def is_wasm(self) -> bool:
        """Whether code is WebAssembly: addresses have 32 bits, there are no threads, and modules take the place of shared libraries."""
        return self.architecture == "wasm32"

    @property
    def knows_bf16(self) -> bool:
        """Whether LLVM has a form of bf16 in registers."""
        return not self.is_wasm

    @property
    def lanes(self) -> int:
        """The number of lanes of a vector."""
        return self.vector_bits // 32

    @property
    def products_per_cycle(self) -> int:
        """The vectors that a core multiplies and adds in a cycle: two, which a Zen 4 takes in halves."""
        return 1 if self.cpu == "znver4" else 2

    @property
    def line_size(self) -> int:
        """The bytes of a line of the first-level cache."""
        return self.l1d.line_size

    @property
    def llvm_features(self) -> str:
        """The instruction sets as LLVM takes them: `+avx,-avx2`."""
        signs = {**dict.fromkeys(self.features, "+"), **dict.fromkeys(self.absent, "-")}
        return ",".join(signs[name] + name for name in sorted(signs))

    @property
    def fuses_multiply_add(self) -> bool:
        """Whether one instruction multiplies and adds with a single rounding."""
        return self.architecture == "aarch64" or "fma" in self.features

    @property
    def scaled_bits(self) -> frozenset[int]:
        """The widths of vectors of floats that an instruction multiplies by powers of 2."""
        if "avx512f" not in self.features:
            return frozenset()
        return frozenset((128, 256, 512) if "avx512vl" in self.features else (512,))

    @property
    def table_lanes(self) -> int:
        """The entries of a vector of f32 from which an instruction takes one for each lane; 0 where there is no use in it."""
        return 16 if "avx512f" in self.features and self.vector_bits >= 512 else 0

    @property
    def bf16_lanes(self) -> int:
        """The lanes of a vector of f32 that an instruction rounds to bf16, but for subnormal numbers; 0 where there is none."""
        return self.lanes if self.vector_bits == 512 and {"avx512bf16", "avx512dq"} <= self.features else 0

    @property
    def converts_f16(self) -> bool:
        """Whether an instruction converts vectors of f16 to f32."""
        return self.architecture == "aarch64" or "f16c" in self.features

    @property
    def stores_past_caches(self) -> bool:
        """Whether stores of aligned vectors may go to memory without a copy in a cache, until `sfence`."""
        return self.architecture == "x86_64"

    @property
    def has_few_registers(self) -> bool:
        """Whether there are 16 vector registers: tiles are small then, and wait for what comes from afar."""
        return self.vector_registers < 32

    @property
    def fetches_streams(self) -> bool:
        """Whether code gains from fetching what it reads from the beginning to the end before the processor does so by itself.

        Measured: a loss on Zen 3 (15 instead of 21 GB/s from memory at any distance), a gain on Zen 5.
        """
        return self.architecture == "aarch64" or "avx512f" in self.features

    @property
    def fetches_factors(self) -> bool:
        """Whether products with one row gain from it as well, which do little but read.

        Measured: a loss on Zen 4 (23 instead of 27 GB/s from memory), a gain on Zen 5 and Emerald Rapids.
        """
        return self.fetches_streams and self.cpu != "znver4"

    @property
    def has_far_caches(self) -> bool:
        """Whether what a core's own caches do not hold comes from a cache that all cores of the chip share.

        Measured on an Emerald Rapids: 30 GB/s for a core. Zen has a third-level cache for each group of cores, and targets that name no
        processor are taken for that.
        """
        return "avx512f" in self.features and not self.cpu.startswith(("znver", "x86-64"))

    @property
    def reads_side_by_side(self) -> bool:
        """Whether several streams come faster from memory than one.

        Measured: on a Zen 3 without fetches, on an Emerald Rapids with them; a single stream with fetches was as fast as memory on a Zen 5.
        """
        return not self.fetches_streams or self.has_far_caches

    @property
    def masks_memory(self) -> bool:
        """Whether loads and stores of some lanes of a vector are instructions, for elements of 32 and 64 bits at least."""
        return "avx" in self.features

    @property
    def splits_stores(self) -> bool:
        """Whether a part of a vector is stored faster as parts of powers of two than under a mask.

        Measured on a Zen 3, where a masked store of 6 lanes takes 14 cycles, and those of 4 and 2 take 2.
        """
        return self.masks_memory and "avx512f" not in self.features

    @property
    def dot_products(self) -> tuple[DotProduct, ...]:
        """The instructions that add up neighboring products, on vectors of `vector_bits`."""
        has = self.features.__contains__
        # Narrow forms of an AVX-512 instruction need AVX512VL.
        encodes = self.vector_bits == 512 or has("avx512vl")
        has_bytes = (has("avx512vnni") and encodes) or (has("avxvnni") and self.vector_bits < 512)
        has_words = has("avx512bw") if self.vector_bits == 512 else has("avx2")
        rows = (
            (VPDPBUSD, has_bytes),
            (VDPBF16PS, has("avx512bf16") and encodes),
            # Bytes are multiplied at half the rate as i16: where they are as they are, products of i16 have not been measured.
            (VPMADDWD, has_words and not has_bytes),
            # Its registers are those of AVX2, and where there are twice as many LLVM's order has not been measured.
            (
                PAIRED_VPMADDWD,
                self.vector_bits == 256 and has("avx2") and self.vector_registers == 16 and not has_bytes,
            ),
            (SDOT, has("dotprod")),
            (UDOT, has("dotprod")),
            (USDOT, has("i8mm")),
            (BFDOT, self.architecture == "aarch64" and has("bf16")),
        )
        return tuple(instruction for instruction, present in rows if present)

    @property
    def lookup(self) -> Lookup | None:
        """The instruction that looks bytes up in a table; None where there is none."""
        return VPERMI2B if "avx512vbmi" in self.features and self.vector_bits == 512 else None

    @property
    def tile_products(self) -> tuple[TileProduct, ...]:
        """The instructions that multiply tiles."""
        if "amx-tile" not in self.features:
            return ()
        feature = {"f32": "amx-bf16", "i32": "amx-int8"}
        return tuple(row for row in TILE_PRODUCTS.values() if feature[row.accumulator] in self.features)

    def tile_product(self, *factors: str) -> TileProduct | None:
        """Returns the instruction that multiplies tiles of these element types; None if there is none."""
        return next((instruction for instruction in self.tile_products if instruction.factors == factors), None)

    def dot_product(self, *factors: str) -> DotProduct | None:
        """Returns the instruction for factors of these element types; None if there is none."""
        return next((instruction for instruction in self.dot_products if instruction.factors == factors), None)


def vectors_of(architecture: str, features: frozenset[str]) -> tuple[int, int]:
    """Returns the width in bits and the number of vector registers that instruction sets provide.

    AVX without AVX2 has integers of 128 bits only; LLVM splits what it lacks.
    """
    if architecture == "aarch64":
        return 128, 32
    if "avx512f" in features:
        return 512, 32
    return (256, 16) if "avx" in features else (128, 16)
