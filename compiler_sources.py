"""The source files that decide what the compiler makes of a program: their digest tells this compiler from any other."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

STARTED = time.time_ns()
"""When the package was imported, in nanoseconds."""

ROOMS = ("builder", "dialects", "interpreter", "lowering", "passes", "runtime", "targets")
"""The folders with what compiles a program; importers and tools are none, as a program is what they make."""

_ROOT = Path(__file__).parent


def python_files(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """Yields the Python files in a folder and in those below, in the order of their names."""
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            yield entry
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from python_files(entry.path)


def digest_of_files(files: Iterable[os.DirEntry[str]], root: str | Path) -> str:
    """Returns the SHA-256 of the names and contents of files; empty where there are none."""
    digest = sha256()
    count = 0
    for count, entry in enumerate(files, 1):
        with open(entry.path, "rb", buffering=0) as stream:
            data = stream.read()
        digest.update(f"{entry.path[len(str(root)) :]}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest() if count else ""


def any_changed(files: Iterable[os.DirEntry[str]]) -> bool:
    """Returns whether a file was written since the package was imported: the code that runs need not be what it says."""
    return any(entry.stat().st_mtime_ns >= STARTED for entry in files)


def compiler_files() -> Iterator[os.DirEntry[str]]:
    """Yields the source files of the compiler."""
    with os.scandir(_ROOT) as scanned:
        yield from sorted((entry for entry in scanned if entry.name.endswith(".py")), key=lambda entry: entry.name)
    for room in ROOMS:
        yield from python_files(_ROOT / room)


@cache
def source_digest() -> str:
    """Returns the digest of the compiler's source files; empty where it has none that can be read."""
    try:
        return digest_of_files(compiler_files(), _ROOT)
    except OSError:
        return ""
