"""The OpenMP runtime that parallel kernels call, and how many threads it uses."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import threading
from contextlib import suppress
from pathlib import Path

from ...records import record
from .forks import end_teams_at_forks

_AT_START = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
"""The processors that this process had when this was imported, before a runtime may bind threads; none where systems do not say."""

_CANDIDATES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so", "libomp.dylib", "libgomp.dylib")
_SYMBOLS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads")


@record
class OpenMP:
    """A loaded OpenMP runtime: its path or name, its handle, and the addresses that native code calls."""

    name: str
    library: ctypes.CDLL
    symbols: dict[str, int]


@functools.cache
def find_openmp() -> OpenMP | None:
    """Returns the OpenMP runtime that the process has loaded, else one that the system has; None without any.

    A process with two runtimes has two thread pools, so one that is there already is preferred.
    """
    for name in (*_loaded_runtimes(), *_CANDIDATES):
        try:
            library = _load(name)
            symbols = {symbol: ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0 for symbol in _SYMBOLS}
        except (OSError, AttributeError):
            continue
        if all(symbols.values()):
            library.omp_set_num_threads.argtypes = [ctypes.c_int]
            library.omp_set_num_threads.restype = None
            library.omp_get_max_threads.argtypes = []
            library.omp_get_max_threads.restype = ctypes.c_int
            end_teams_at_forks(library)
            return OpenMP(name, library, symbols)
    return None


_PATIENCE = {"GOMP_SPINCOUNT": "3000", "KMP_BLOCKTIME": "0"}
"""How long waiting threads spin: longer than the serial parts between parallel regions and between calls take. With 1000 they slept there,
and short kernels took twice as long to wake them (a convolution of 46 us: 65 us). Where two threads have one processor, a region takes
as long as one of them spins: a convolution of 29 us takes 0.2 ms, and 0.5 ms with 10000."""
_STACKS = {"GOMP_STACKSIZE": "8192", "KMP_STACKSIZE": "8M"}
"""The stacks of threads, 8 MiB: with `ulimit -s unlimited` libgomp's have 2 MiB, and LLVM's always 4 MiB."""


def _load(name: str) -> ctypes.CDLL:
    """Loads a runtime whose waiting threads soon sleep and have stacks for all kernels, unless the user has said otherwise.

    libgomp's own choice is to spin for milliseconds. Where other processes want the cores as well, a thread that has spun
    its time away is not scheduled when there is work, and each parallel region takes as long as a time slice. A runtime that
    the process has loaded already belongs to somebody else, who may want its threads to spin: it is left as it is.
    """
    try:
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD)
    except OSError:
        pass  # Not there yet.
    settings = (("OMP_WAIT_POLICY", _PATIENCE), ("OMP_STACKSIZE", _STACKS))
    wanted = [item for said, added in settings if said not in os.environ for item in added.items()]
    added = {name: value for name, value in wanted if name not in os.environ}
    # libgomp reads the environment as it is loaded, so that child processes need not see this.
    os.environ.update(added)
    try:
        library = ctypes.CDLL(name)
        if "KMP_BLOCKTIME" in added and hasattr(library, "kmp_set_blocktime"):
            library.kmp_set_blocktime(0)
    finally:
        for key in added:
            os.environ.pop(key, None)
    return library


def _loaded_runtimes() -> list[str]:
    """Paths of OpenMP runtimes that are mapped into this process."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return []
    paths: dict[str, None] = {}
    for line in maps.splitlines():
        path = line.split(maxsplit=5)[-1]
        if path.startswith("/") and re.search(r"/lib(gomp|omp|iomp5)[-.\w]*\.so", path):
            paths[path] = None
    return list(paths)


def unbind() -> None:
    """Lets the calling thread run on all processors that this process had when it began.

    An OpenMP runtime may bind the thread that calls it first, and threads that this one starts are bound as well.
    """
    if _AT_START:
        with suppress(OSError):
            os.sched_setaffinity(0, _AT_START)


def available_threads() -> int:
    """Returns the processors that this process may use: its affinity, bounded by its cgroup's quota (at least 1)."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count() or 1
    quota = _cgroup_quota()
    return max(1, min(count, quota) if quota is not None else count)


def _cgroup_quota() -> int | None:
    """Returns the whole processors that the cgroup grants, rounded up; None without a limit."""
    limits: list[float] = []
    for directory in _cgroup_directories():
        try:
            quota, period = (directory / "cpu.max").read_text().split()
            if quota != "max":
                limits.append(int(quota) / int(period))
        except (OSError, ValueError):
            pass
        try:
            quota = int((directory / "cpu.cfs_quota_us").read_text())
            period = int((directory / "cpu.cfs_period_us").read_text())
            if quota > 0:
                limits.append(quota / period)
        except (OSError, ValueError):
            pass
    return max(1, -int(-min(limits) // 1)) if limits else None


def _cgroup_directories() -> list[Path]:
    root = Path("/sys/fs/cgroup")
    directories = [root, root / "cpu"]
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return directories
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = root / "cpu" if controllers else root
        current = base / path.lstrip("/")
        while current != base and base in current.parents:
            directories.append(current)
            current = current.parent
    return directories


def default_threads() -> int:
    """Returns the number of threads unless told otherwise: `OMP_NUM_THREADS`, else the available processors."""
    setting = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if setting.isdigit() and int(setting) > 0:
        return int(setting)
    return available_threads()


class _State(threading.local):
    applied: int = 0


_state = _State()
_wanted: int | None = None


def set_num_threads(count: int) -> None:
    """Sets the number of threads (>= 1) of parallel kernels, for all threads of the program."""
    global _wanted
    if count < 1:
        raise ValueError(f"number of threads: got {count}, want at least 1")
    _wanted = count
    apply_num_threads()


def get_num_threads() -> int:
    """Returns the number of threads that parallel kernels use: 1 without an OpenMP runtime."""
    if find_openmp() is None:
        return 1
    return _wanted if _wanted is not None else default_threads()


def apply_num_threads() -> None:
    """Tells the OpenMP runtime the number of threads; it keeps one per calling thread, so each call site asks."""
    wanted = _wanted
    if wanted is None:
        wanted = _default()
    if _state.applied == wanted:
        return
    runtime = find_openmp()
    if runtime is not None:
        runtime.library.omp_set_num_threads(wanted)
    _state.applied = wanted


@functools.cache
def _default() -> int:
    return default_threads()
