"""What memory the machine can still give, so that a call that needs more is refused before it takes any."""

from __future__ import annotations

import os
from pathlib import Path

UNCHECKED = 1 << 28
"""So many bytes are taken without a look at what is free."""
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
"""The limit of the control group and what it uses, in both versions of control groups."""


class OutOfMemoryError(Exception):
    """The machine has not the memory that a call needs."""


def require_memory(size: int) -> None:
    """Raises `OutOfMemoryError` if the machine has less memory left than so many bytes."""
    if size < UNCHECKED:
        return
    free = available_memory()
    if size > free:
        raise OutOfMemoryError(f"{size} bytes of memory are needed, {free} are free")


def available_memory() -> int:
    """Returns the bytes that the machine, and the control group of the process, can give without taking them from others."""
    free = [_of_machine()]
    for limit, usage in _GROUPS:
        most, used = _number(limit), _number(usage)
        if most is not None and used is not None:
            free.append(max(most - used, 0))
    return min(free)


def _of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    table = dict(line.split(":", 1) for line in lines)
    return sum(int(table[name].split()[0]) << 10 for name in ("MemAvailable", "SwapFree"))


def _number(path: str) -> int | None:
    """Returns the number in a file; `None` where there is no such file, or it sets no limit."""
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):
        return None
