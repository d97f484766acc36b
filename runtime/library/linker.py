"""Shared libraries: whatever of a C compiler and a linker the machine has."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...interpreter.host.errors import ArgumentError
from ...records import record
from ...targets.cpu import CpuTarget, host_target

FLAGS = ("-O2", "-std=c11")


@record
class Linker:
    """A program that makes a shared library of an object file."""

    name: str
    command: tuple[str, ...]
    compiles: bool
    """Whether it compiles C, so that the library has the functions of the header; else it has machine code alone."""


def zig() -> tuple[str, ...]:
    """Returns the command of the C compiler of zig: that of the `ziglang` package, or one that is on the path; empty without one."""
    if find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    path = shutil.which("zig")
    return () if path is None else (path, "cc")


def linkers() -> list[Linker]:
    """Returns the linkers that there are, the preferred one first."""
    compilers = [Linker(name, (path,), True) for name in ("cc", "gcc", "clang") if (path := shutil.which(name))]
    if zig():
        compilers.append(Linker("zig cc", zig(), True))
    others = [Linker(name, (path,), False) for name in ("ld", "ld.lld", "lld") if (path := shutil.which(name))]
    return [*compilers, *others]


def choose_linker(target: CpuTarget, wanted: str | None = None) -> Linker | None:
    """Returns what links code for a target: the named one, else the first there is; `None` where there is none.

    Raises `ArgumentError` for a name that is none of theirs.
    """
    if linker_is_foreign(target):
        # What is there links for this machine; zig alone links for others.
        known = [Linker("zig cc", (*zig(), "-target", zig_target(target)), True)] if zig() else []
    else:
        known = linkers()
    if wanted is None:
        return next(iter(known), None)
    for linker in known:
        if linker.name == wanted:
            return linker
    names = ", ".join(linker.name for linker in known) or "none"
    raise ArgumentError(f"there is no linker '{wanted}' for {target.name}; there is {names}")


def linker_is_foreign(target: CpuTarget) -> bool:
    """Returns whether what links for this machine does not link for a target."""
    host = host_target()
    return target.architecture != host.architecture or target.is_apple != host.is_apple


def zig_target(target: CpuTarget) -> str:
    """Returns what zig calls the system that code for a target runs on."""
    if target.is_wasm:
        return f"{target.architecture}-wasi"
    return f"{target.architecture}-{'macos' if target.is_apple else 'linux-gnu'}"


def library_file(name: str, target: CpuTarget) -> str:
    """Returns the name of a shared library, or of the module of WebAssembly that takes its place."""
    if target.is_wasm:
        return f"{name}.wasm"
    return f"lib{name}.{'dylib' if target.is_apple else 'so'}"


def shared_files(name: str) -> list[str]:
    """Returns the names that shared libraries have, each that of another kind of target."""
    return [f"lib{name}.so", f"lib{name}.dylib", f"{name}.wasm"]


def link_library(
    folder: Path, name: str, target: CpuTarget, linker: Linker, libraries: Sequence[str], exports: Sequence[str]
) -> None:
    """Makes the shared library of the files in a folder; raises `ArgumentError` with what the linker says.

    `exports` are the functions of C that a module of WebAssembly offers, beside the entries of machine code.
    """
    sources = [f"{name}.c", f"{name}.o", *libraries] if linker.compiles else [f"{name}.o"]
    if target.is_wasm:
        names = (*exports, "malloc", "free", "aligned_alloc")
        options = [*FLAGS, "-s", "-mexec-model=reactor", *(f"-Wl,--export={export}" for export in names)]
    elif linker.compiles:
        options = [*FLAGS, "-shared", "-fPIC", *([] if target.is_apple else ["-Wl,-z,noexecstack"])]
    else:
        flavor = ["-flavor", "gnu"] if linker.name == "lld" else []
        options = [*flavor, "-shared", *([] if target.is_apple else ["-znoexecstack"])]
    run([*linker.command, *options, "-o", library_file(name, target), *sources], folder, linker.name)


def run(command: Sequence[Any], folder: Path, name: str) -> None:
    """Runs a linker in a folder; raises `ArgumentError` with the first line of what it says where it fails."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (
            [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["no reason"]
        )
        raise ArgumentError(f"{name} made no library: {said[0].strip()}")
