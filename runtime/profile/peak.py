"""The most that this machine computes and moves, measured once and kept beside the cache of compiled programs.

Three loops: multiply-adds on vectors of f32 in registers, reads of a buffer that no cache holds, and of one that the second-level cache
holds. On several threads each has a part of the work.
"""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from ...records import record
from ...targets.cpu import CpuTarget, host_target
from ...whole_file import write_text
from ..cache.settings import CacheOffError, cache_folder
from ..executable.workspaces import aligned_empty
from ..machine.jit import NativeModule, compile_ir
from ..machine.threads import unbind

FORMAT = 1
"""The version of how peaks are measured and kept."""

ACCUMULATORS = 12
"""Independent vectors, more than a core has in flight."""

_LEAST_MEMORY, _MOST_MEMORY = 1 << 26, 1 << 28
_PART = 1 << 23
"""The bytes that are read at a time."""
_SECONDS = 0.004
"""How long one measurement runs: short, so that other processes leave some of many alone."""
_ALL_SECONDS = 0.4
"""How long all measurements of one speed take."""


@record
class Peak:
    """Operations and bytes in a second; an operation is an addition or a multiplication of f32."""

    cpu: str
    threads: int
    flops: float
    memory: float
    """Bytes of main memory."""
    cache: float
    """Bytes of the second-level caches."""
    cache_size: int
    """How large the second-level cache of a thread is."""

    def bandwidth(self, size: float) -> float:
        """Returns the bytes in a second of the memory that so many bytes lie in when they are read again and again."""
        return self.cache if size <= self.cache_size else self.memory

    @property
    def text(self) -> str:
        """The peaks on one line."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return (
            f"peak of {self.cpu} on {threads}: {self.flops / 1e9:.1f} GFLOP/s in f32, memory {self.memory / 1e9:.1f} GB/s, "
            f"second-level cache {self.cache / 1e9:.1f} GB/s"
        )


@cache
def machine_peak(threads: int) -> Peak:
    """Returns the peak of this machine on a number of threads, 0 for all processors: as it is kept, or measured and kept."""
    target = host_target()
    count = threads or target.cores
    path = _path(target, count)
    if path is not None:
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(path.read_text())
            flops, memory, cached = (_positive(kept[name]) for name in ("flops", "memory", "cache"))
            return Peak(target.cpu, count, flops, memory, cached, target.l2.size)
    peak = measure_peak(target, count)
    if path is not None:
        # What cannot be kept is measured again.
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(asdict(peak)))
    return peak


def _positive(value: object) -> float:
    if not isinstance(value, float) or not 0 < value < float("inf"):
        raise ValueError("a speed is a positive number")
    return value


def _path(target: CpuTarget, threads: int) -> Path | None:
    try:
        folder = cache_folder(None)
    except CacheOffError:
        return None
    processor = f"{FORMAT} {target.cpu} {target.llvm_features} {target.l2} {target.l3} {threads}"
    return folder / f"peak-{sha256(processor.encode()).hexdigest()[:16]}.json"


def measure_peak(target: CpuTarget, threads: int) -> Peak:
    """Measures the peak of this machine."""
    code = compile_ir(_ir(target), target)
    per_step = 2 * ACCUMULATORS * target.lanes
    flops = _best(threads, lambda _: _arithmetic(code), lambda steps: steps * per_step)
    last = target.l3 or target.l2
    size = min(max(4 * last.size * threads, _LEAST_MEMORY), _MOST_MEMORY) // threads
    memory, cached = (_bandwidth(code, target, threads, bytes_) for bytes_ in (size, target.l2.size // 2))
    return Peak(target.cpu, threads, flops, memory, cached, target.l2.size)


def _bandwidth(code: NativeModule, target: CpuTarget, threads: int, size: int) -> float:
    """Returns the bytes in a second that threads read of buffers of this size, one for each, a part at a time."""
    step = ACCUMULATORS * target.vector_bits // 8
    steps = max(1, min(size, _PART) // step)
    part = steps * step
    parts = max(1, size // part)
    buffers = [aligned_empty(parts * part) for _ in range(threads)]
    for buffer in buffers:
        buffer.fill(1)
    read = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(code.address("read"))
    sink = aligned_empty(64 * threads)

    def loop(thread: int) -> Callable[[int], None]:
        address, result = buffers[thread].ctypes.data, sink.ctypes.data + 64 * thread
        offsets = cycle(range(0, parts * part, part))

        def run(rounds: int) -> None:
            for offset in islice(offsets, rounds):
                read(address + offset, steps, result)

        return run

    return _best(threads, loop, lambda rounds: rounds * part)


def _arithmetic(code: NativeModule) -> Callable[[int], None]:
    sink = np.zeros(64, np.float32)
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address("compute"))
    return lambda steps: run(steps, sink.ctypes.data)


def _best(threads: int, loop: Callable[[int], Callable[[int], None]], work: Callable[[int], int]) -> float:
    """Returns the largest amount of work in a second that threads do together."""
    loops = [loop(thread) for thread in range(threads)]
    count, seconds = 1, 0.0
    while seconds < _SECONDS / 4:
        count = count if not seconds else count * 4
        seconds = _timed(loops[:1], count, None)
    count = max(1, round(count * _SECONDS / seconds))
    with ThreadPoolExecutor(threads, initializer=unbind) as pool:
        shortest, end = _timed(loops, count, pool), time.perf_counter() + _ALL_SECONDS
        while time.perf_counter() < end:
            shortest = min(shortest, _timed(loops, count, pool))
    return threads * work(count) / shortest


def _timed(loops: Sequence[Callable[[int], None]], count: int, pool: ThreadPoolExecutor | None) -> float:
    start = time.perf_counter()
    if pool is None or len(loops) == 1:
        loops[0](count)
    else:
        list(pool.map(lambda loop: loop(count), loops))
    return time.perf_counter() - start


def _ir(target: CpuTarget) -> str:
    """Returns the loops in LLVM IR."""
    floats, integers = f"<{target.lanes} x float>", f"<{target.lanes} x i32>"
    return "\n".join(
        (
            _function(
                "compute",
                "i64 %count, ptr %sink",
                floats,
                [_multiply_add(target, floats, number) for number in range(ACCUMULATORS)],
                "fadd",
            ),
            _function(
                "read",
                "ptr %data, i64 %count, ptr %sink",
                integers,
                [
                    f"  %base{number} = mul i64 %i, {ACCUMULATORS}\n"
                    f"  %at{number} = add i64 %base{number}, {number}\n"
                    f"  %p{number} = getelementptr {integers}, ptr %data, i64 %at{number}\n"
                    f"  %v{number} = load {integers}, ptr %p{number}, align {target.vector_bits // 8}\n"
                    f"  %n{number} = xor {integers} %a{number}, %v{number}"
                    for number in range(ACCUMULATORS)
                ],
                "xor",
            ),
            f"declare {floats} @llvm.fma.v{target.lanes}f32({floats}, {floats}, {floats})",
        )
    )


def _multiply_add(target: CpuTarget, kind: str, number: int) -> str:
    # A factor below 1: sums stay far from infinity, and from numbers that are slow.
    factor, addend = (f"<{', '.join(['float ' + value] * target.lanes)}>" for value in ("0.5", "1.0"))
    if target.fuses_multiply_add:
        call = f"call {kind} @llvm.fma.v{target.lanes}f32({kind} %a{number}, {kind} {factor}, {kind} {addend})"
        return f"  %n{number} = {call}"
    return f"  %m{number} = fmul {kind} %a{number}, {factor}\n  %n{number} = fadd {kind} %m{number}, {addend}"


def _function(name: str, arguments: str, kind: str, body: Sequence[str], combine: str) -> str:
    """Returns a loop over accumulators of a type; it stores what they make together, so that nothing of it is needless."""
    count = len(body)
    phis = [f"  %a{k} = phi {kind} [ zeroinitializer, %entry ], [ %n{k}, %loop ]" for k in range(count)]
    sums = [f"  %s{k} = {combine} {kind} {'%n0' if k == 1 else f'%s{k - 1}'}, %n{k}" for k in range(1, count)]
    lines = [
        f"define void @{name}({arguments}) {{",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *phis,
        *body,
        "  %next = add i64 %i, 1",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %loop, label %end",
        "end:",
        *sums,
        f"  store {kind} %s{count - 1}, ptr %sink, align 4",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)
