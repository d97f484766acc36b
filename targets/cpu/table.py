"""The CPUs that can be chosen by name, one row each. docs/targets.md says how to add one.

Instruction sets are those that generated code may use (not those of systems, as `clzero`), in LLVM's names. Caches are those of a
core of the named processor; for the levels of x86-64 and for aarch64-generic, of the common processors that have just that level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .record import Cache, CpuTarget, vectors_of

KIB = 1024
MIB = 1024 * KIB

X86_64 = "x86_64-unknown-linux-gnu"
AARCH64 = "aarch64-unknown-linux-gnu"
APPLE = "arm64-apple-macosx11.0.0"
WASM = "wasm32-unknown-wasi"

# The levels are those of the x86-64 psABI.
LEVEL_1 = frozenset("cmov cx8 fxsr mmx sse sse2".split())
LEVEL_2 = LEVEL_1 | frozenset("crc32 cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3".split())
LEVEL_3 = LEVEL_2 | frozenset("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave".split())
LEVEL_4 = LEVEL_3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())

HASWELL = LEVEL_3 | frozenset("pclmul rdrnd xsaveopt".split())
ALDER_LAKE = HASWELL | frozenset(
    "adx aes avxvnni gfni movdir64b movdiri prfchw rdseed sha vaes vpclmulqdq xsavec xsaves".split()
)
ICE_LAKE = (
    HASWELL
    | LEVEL_4
    | frozenset("adx aes avx512bitalg avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512vpopcntdq gfni prfchw".split())
    | frozenset("rdseed sha vaes vpclmulqdq xsavec xsaves".split())
)
SAPPHIRE_RAPIDS = ICE_LAKE | frozenset(
    "amx-bf16 amx-int8 amx-tile avx512bf16 avx512fp16 avxvnni movdir64b movdiri".split()
)
ZEN_3 = HASWELL | frozenset("adx aes prfchw rdseed sha sse4a vaes vpclmulqdq xsavec xsaves".split())
ZEN_4 = ICE_LAKE | frozenset("avx512bf16 sse4a".split())
ZEN_5 = ZEN_4 | frozenset("avx512vp2intersect avxvnni movdir64b movdiri".split())

ARMV8 = frozenset("fp-armv8 neon".split())
ARMV8_2 = ARMV8 | frozenset("crc fullfp16 lse rdm".split())
NEOVERSE_N1 = ARMV8_2 | frozenset("dotprod rcpc".split())
NEOVERSE_V1 = NEOVERSE_N1 | frozenset("bf16 complxnum fp16fml i8mm jsconv sha3 sm4".split())
WASM_SIMD = frozenset("bulk-memory bulk-memory-opt mutable-globals nontrapping-fptoint sign-ext simd128".split())
APPLE_M1 = ARMV8_2 | frozenset("complxnum dotprod fp16fml jsconv rcpc sha3".split())


def _row(
    name: str, triple: str, cpu: str, features: frozenset[str], cores: int, l1d: Cache, l2: Cache, l3: Cache | None
) -> CpuTarget:
    bits, registers = vectors_of("aarch64" if triple in (AARCH64, APPLE) else "x86_64", features)
    return CpuTarget(name, triple, cpu, features, bits, registers, l1d, l2, l3, cores)


def _rows() -> Iterable[CpuTarget]:
    small, large = Cache(32 * KIB, 8), Cache(48 * KIB, 12)
    desktop = Cache(256 * KIB, 8), Cache(8 * MIB, 16, cores=4)
    server = Cache(MIB, 16), Cache(22 * MIB, 11, cores=16)
    yield _row("x86-64", X86_64, "x86-64", LEVEL_1, 4, small, *desktop)
    yield _row("x86-64-v2", X86_64, "x86-64-v2", LEVEL_2, 4, small, *desktop)
    yield _row("x86-64-v3", X86_64, "x86-64-v3", LEVEL_3, 4, small, *desktop)
    yield _row("x86-64-v4", X86_64, "x86-64-v4", LEVEL_4, 16, small, *server)
    yield _row("haswell", X86_64, "haswell", HASWELL, 4, small, *desktop)
    # Its efficient cores have the same instruction sets.
    yield _row(
        "alderlake",
        X86_64,
        "alderlake",
        ALDER_LAKE,
        8,
        large,
        Cache(1280 * KIB, 10),
        Cache(30 * MIB, 12, cores=8),
    )
    yield _row(
        "sapphirerapids",
        X86_64,
        "sapphirerapids",
        SAPPHIRE_RAPIDS,
        32,
        large,
        Cache(2 * MIB, 16),
        Cache(60 * MIB, 15, cores=32),
    )
    zen_l3 = Cache(32 * MIB, 16, cores=8)
    yield _row("znver3", X86_64, "znver3", ZEN_3, 8, small, Cache(512 * KIB, 8), zen_l3)
    yield _row("znver4", X86_64, "znver4", ZEN_4, 8, small, Cache(MIB, 8), zen_l3)
    yield _row("znver5", X86_64, "znver5", ZEN_5, 8, large, Cache(MIB, 16), zen_l3)

    yield _row("aarch64-generic", AARCH64, "generic", ARMV8, 4, Cache(32 * KIB, 4), Cache(512 * KIB, 16, cores=4), None)
    arm_l1, arm_l2 = Cache(64 * KIB, 4), Cache(MIB, 8)
    arm_l3 = Cache(32 * MIB, 16, cores=64)
    yield _row("aarch64-neoverse-n1", AARCH64, "neoverse-n1", NEOVERSE_N1, 64, arm_l1, arm_l2, arm_l3)
    # Its vectors of 256 bits are those of SVE, which is not generated.
    yield _row("aarch64-neoverse-v1", AARCH64, "neoverse-v1", NEOVERSE_V1, 64, arm_l1, arm_l2, arm_l3)
    apple = _row(
        "aarch64-apple-m1",
        APPLE,
        "apple-m1",
        APPLE_M1,
        4,
        Cache(128 * KIB, 8, line_size=128),
        Cache(12 * MIB, 12, line_size=128, cores=4),
        Cache(8 * MIB, 16, line_size=128, cores=4),
    )
    yield replace(apple, page_size=16 * KIB)
    # The machine behind it is not known: what most of them are at least, so that code is that for x86-64-v2 but for the instructions.
    yield _row("wasm32", WASM, "generic", WASM_SIMD, 1, small, Cache(256 * KIB, 8), Cache(8 * MIB, 16))


CPU_TARGETS: Mapping[str, CpuTarget] = {row.name: row for row in _rows()}
"""Every row, by name."""

GENERIC: tuple[str, ...] = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64-generic")
"""Rows that stand for no processor in particular, those of an architecture from the least to the most."""
