"""The record of a CPU: its table, its detection, and what follows from its instruction sets."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from xdsl_relax.targets.cpu import NATIVE, Cache, CpuTarget, UnknownTargetError, cpu_target, host_target, target_names
from xdsl_relax.targets.cpu.host import available_processors, read_caches, target_of
from xdsl_relax.targets.cpu.table import CPU_TARGETS, GENERIC

ROWS = list(CPU_TARGETS.values())
X86 = "x86_64-unknown-linux-gnu"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_are_consistent(row: CpuTarget):
    assert row.vector_bits == 32 * row.lanes
    assert row.vector_registers in (16, 32)
    assert row.architecture in ("x86_64", "aarch64", "wasm32")
    assert row.l1d.size < row.l2.size
    for cache in (row.l1d, row.l2, row.l3):
        if cache is not None:
            assert cache.size % (cache.associativity * cache.line_size) == 0, "sets of equal size"
            assert cache.cores <= row.cores


RECOGNIZED = """
import sys, llvmlite.binding as llvm
llvm.initialize_all_targets()
from xdsl_relax.targets.cpu.table import CPU_TARGETS
for row in CPU_TARGETS.values():
    llvm.Target.from_triple(row.triple).create_target_machine(cpu=row.cpu, features=row.llvm_features)
"""


def test_llvm_knows_every_name():
    """LLVM says on stderr what it does not recognize, and goes on."""
    done = subprocess.run([sys.executable, "-c", RECOGNIZED], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    wrong = subprocess.run(
        [sys.executable, "-c", RECOGNIZED.replace("row.llvm_features", "'+nonsense'")], capture_output=True, text=True
    )
    assert "nonsense" in wrong.stderr


def test_levels_include_one_another():
    x86 = [CPU_TARGETS[name] for name in GENERIC if CPU_TARGETS[name].architecture == "x86_64"]
    assert [row.vector_bits for row in x86] == [128, 128, 256, 512]
    for less, more in pairwise(x86):
        assert less.features < more.features
    assert [row.fuses_multiply_add for row in x86] == [False, False, True, True]
    assert [row.masks_memory for row in x86] == [False, False, True, True]
    assert [row.converts_f16 for row in x86] == [False, False, True, True]
    assert [row.fetches_streams for row in x86] == [False, False, False, True]
    assert [row.reads_side_by_side for row in x86] == [True, True, True, False]


def test_a_zen_4_multiplies_half_vectors_and_fetches_by_itself():
    names = ("x86-64-v3", "znver4", "znver5", "sapphirerapids")
    assert [cpu_target(name).products_per_cycle for name in names] == [2, 1, 2, 2]
    assert [cpu_target(name).fetches_factors for name in names] == [False, False, True, True]
    assert cpu_target("znver4").fetches_streams


def test_processors_with_far_caches():
    assert {name for name, row in CPU_TARGETS.items() if row.has_far_caches} == {"sapphirerapids"}
    assert cpu_target("sapphirerapids").reads_side_by_side and not cpu_target("znver5").reads_side_by_side


@pytest.mark.parametrize(
    ("name", "present"),
    [
        ("x86-64-v4", False),
        ("haswell", False),
        ("alderlake", True),
        ("znver4", True),
        ("sapphirerapids", True),
        ("aarch64-neoverse-n1", False),
    ],
)
def test_unsigned_times_signed_bytes(name: str, present: bool):
    assert (cpu_target(name).dot_product("ui8", "i8") is not None) == present


def test_narrow_dot_products_need_their_encoding():
    reported: dict[str, bool] = dict.fromkeys(("sse2", "avx", "avx512vnni"), True)
    assert target_of("x", X86, reported, Path("/nonexistent")).dot_products == ()
    reported["avx512vl"] = True
    assert [d.name for d in target_of("x", X86, reported, Path("/nonexistent")).dot_products] == ["vpdpbusd"]


def test_tile_products():
    target = cpu_target("sapphirerapids")
    assert [row.name for row in target.tile_products] == ["tdpbf16ps", "tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud"]
    product = target.tile_product("i8", "ui8")
    assert product is not None and product.intrinsic == "llvm.x86.tdpbsud"
    assert cpu_target("znver5").tile_products == ()
    reported: dict[str, bool] = dict.fromkeys(("sse2", "amx-int8"), True)
    assert target_of("x", X86, reported, Path("/nonexistent")).tile_products == ()
    reported["amx-tile"] = True
    assert target_of("x", X86, reported, Path("/nonexistent")).tile_product("bf16", "bf16") is None


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("znvr4", "znver4"),
        ("zen3", "znver3"),
        ("saphirerapids", "sapphirerapids"),
        ("x86_64_v3", "x86-64-v3"),
        ("neoverse-n1", "aarch64-neoverse-n1"),
    ],
)
def test_unknown_names(name: str, near: str):
    with pytest.raises(
        UnknownTargetError, match=f"unknown target '{name}', did you mean '{near}'\\? targets are "
    ) as error:
        cpu_target(name)
    assert all(known in str(error.value) for known in target_names())


@pytest.mark.parametrize("name", ["znver2", "x86-64-v5", "aarch64-apple-m4", "skylake", "?"])
def test_another_processor_is_no_misspelled_name(name: str):
    with pytest.raises(UnknownTargetError, match=f"unknown target '{re.escape(name)}'; targets are native, "):
        cpu_target(name)


def test_the_host_is_detected_once():
    host = host_target()
    assert host is cpu_target(NATIVE)
    assert host.name == NATIVE
    assert host.cores == len(available_processors())
    assert host.vector_bits >= 128
    assert not host.features & host.absent


def describe(folder: Path, index: int, **values: object) -> None:
    entry = folder / "cpu0" / "cache" / f"index{index}"
    entry.mkdir(parents=True)
    for name, value in values.items():
        (entry / name).write_text(f"{value}\n")


def cache(level: int, kind: str, size: str, ways: int, cores: str = "0") -> dict[str, object]:
    return {
        "level": level,
        "type": kind,
        "size": size,
        "ways_of_associativity": ways,
        "coherency_line_size": 64,
        "shared_cpu_list": cores,
    }


def test_caches_of_linux(tmp_path: Path):
    describe(tmp_path, 0, **cache(1, "Data", "48K", 12, "0-1"))
    describe(tmp_path, 1, **cache(1, "Instruction", "32K", 8))
    describe(tmp_path, 2, **cache(2, "Unified", "1M", 0))
    describe(tmp_path, 3, **{**cache(3, "Unified", "32768K", 16, "0-3,8,10-11"), "coherency_line_size": "?"})
    caches = read_caches(tmp_path / "cpu0" / "cache")
    assert caches == {1: Cache(48 * 1024, 12, 64, 2), 2: Cache(1 << 20, (1 << 20) // 64, 64, 1)}


def test_shared_caches(tmp_path: Path):
    describe(tmp_path, 0, **cache(3, "Unified", "32768K", 16, "0-3,8,10-11"))
    assert read_caches(tmp_path / "cpu0" / "cache")[3].cores == 7


@pytest.mark.parametrize(
    ("triple", "reported", "row"),
    [
        (X86, {}, "x86-64"),
        (X86, {"avx2": True}, "x86-64"),
        (X86, dict.fromkeys(CPU_TARGETS["haswell"].features, True), "x86-64-v3"),
        (X86, {**dict.fromkeys(CPU_TARGETS["znver4"].features, True), "avx512dq": False}, "x86-64-v3"),
        (X86, dict.fromkeys(CPU_TARGETS["znver4"].features, True), "x86-64-v4"),
        ("arm64-apple-darwin24.1.0", {}, "aarch64-generic"),
    ],
)
def test_defaults_without_sysfs(triple: str, reported: dict[str, bool], row: str, tmp_path: Path):
    target, default = target_of("x", triple, reported, tmp_path), CPU_TARGETS[row]
    assert (target.l1d, target.l2, target.l3) == (default.l1d, default.l2, default.l3)
    assert target.features == (frozenset(n for n, on in reported.items() if on) or default.features)


def test_features_for_llvm():
    target = target_of("x", X86, {"avx": True, "avx2": False, "sse2": True}, Path("/nonexistent"))
    assert target.llvm_features == "+avx,-avx2,+sse2"
    assert (target.vector_bits, target.vector_registers) == (256, 16)
