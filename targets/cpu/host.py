"""The record of the machine that runs this process."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import llvmlite.binding as binding

from .record import Cache, CpuTarget, vectors_of
from .table import CPU_TARGETS, GENERIC
from .tile_registers import may_use_tiles

NATIVE = "native"

SYSFS = Path("/sys/devices/system/cpu")


@cache
def host_target() -> CpuTarget:
    """Returns the record `native`.

    Instruction sets are those that the processor reports, present or absent: a name alone would promise what a virtual machine may
    have switched off; tile registers are those of a process that has asked for them, which this does: code for this machine is loaded after
    its record is known. Caches are what Linux reports; where it is silent, and on other systems, those of the most demanding generic
    row that this processor satisfies.
    """
    triple = binding.get_process_triple()
    try:
        reported = dict(binding.get_host_cpu_features())
    except RuntimeError:
        # Some systems report nothing; every 64-bit processor has the base of its architecture.
        reported = {}
    if reported.get("amx-tile") and not may_use_tiles():
        reported.update((name, False) for name in reported if name.startswith("amx-"))
    return target_of(binding.get_host_cpu_name(), triple, reported, SYSFS)


def assembles(target: CpuTarget) -> bool:
    """Returns whether code for a target may have assembly: LLVM reads that of this machine's architecture alone."""
    return target.architecture == host_target().architecture


def lacking(target: CpuTarget) -> str:
    """Returns what keeps this machine from running code for a target, as the end of a sentence; empty if nothing does."""
    return lacking_features(target.architecture, target.features)


def lacking_features(architecture: str, features: Iterable[str]) -> str:
    """Returns what keeps this machine from running code with the instruction sets of an architecture, as `lacking` does."""
    host = host_target()
    if architecture != host.architecture:
        return f"this machine is {host.architecture}, not {architecture}"
    missing = sorted(set(features) - host.features)
    return f"this machine lacks {', '.join(missing)}" if missing else ""


def target_of(cpu: str, triple: str, reported: dict[str, bool], sysfs: Path) -> CpuTarget:
    """Returns the record of a processor that reports these features, with the caches that a sysfs folder describes."""
    architecture = "aarch64" if triple.startswith(("aarch64", "arm64")) else "x86_64"
    rows = [CPU_TARGETS[name] for name in GENERIC if CPU_TARGETS[name].architecture == architecture]
    features = frozenset(name for name, present in reported.items() if present) or rows[0].features
    nearest = [row for row in rows if row.features <= features]
    default = nearest[-1] if nearest else rows[0]
    processors = available_processors()
    caches = read_caches(sysfs / f"cpu{processors[0]}" / "cache")
    return CpuTarget(
        NATIVE,
        triple,
        cpu,
        features,
        *vectors_of(architecture, features),
        caches.get(1, default.l1d),
        caches.get(2, default.l2),
        caches.get(3, None if caches else default.l3),
        len(processors),
        frozenset(name for name, present in reported.items() if not present),
        mmap.PAGESIZE,
    )


def available_processors() -> list[int]:
    """Returns the numbers of the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def read_caches(folder: Path) -> dict[int, Cache]:
    """Returns the data caches that Linux describes in a folder, by level; those that it describes in part are left out."""
    caches: dict[int, Cache] = {}
    for entry in sorted(folder.glob("index*")):
        try:
            if (entry / "type").read_text().strip() == "Instruction":
                continue
            level, ways, line = (
                int((entry / name).read_text()) for name in ("level", "ways_of_associativity", "coherency_line_size")
            )
            size = _bytes((entry / "size").read_text().strip())
            cores = _count((entry / "shared_cpu_list").read_text().strip())
        except (OSError, ValueError):
            continue
        if min(size, line) > 0:
            # 0 ways: any line of the cache.
            caches[level] = Cache(size, ways if ways > 0 else size // line, line, cores)
    return caches


def _bytes(text: str) -> int:
    """Returns the bytes of a size such as `48K`."""
    scales = {"K": 1024, "M": 1024**2, "G": 1024**3}
    return int(text[:-1]) * scales[text[-1]] if text[-1:] in scales else int(text)


def _count(text: str) -> int:
    """Returns how many numbers a list such as `0-3,8` has."""
    total = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        total += int(last or first) - int(first) + 1
    return total
