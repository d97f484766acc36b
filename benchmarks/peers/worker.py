"""Prepares and times calls of one peer for the process that started it, `Worker`: `worker.py PEER`, on as many threads as processors.

A peer has a process of its own: its threads, its variables of the environment and what it loads do not meet those of others. Each line
of standard input is a request in JSON, and each gets a line of JSON:

- `{"workload": NAME, "folder": PATH}` prepares it and answers whether the peer has such a function.
- `{"results": PATH}` calls it, leaves its results there and answers with the seconds of the call.
- `{"seconds": NUMBER}` takes a turn of calls and answers with the seconds of the shortest, those of the turn, and those of all processors.

An answer may be an error. The process ends with the one that started it, which may have left it standing still.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from peers.compilers import OF_TORCH, RUNNERS, Call, Model
from take_turns import timed_turn

PEER = sys.argv[1]
THREADS = len(os.sched_getaffinity(0))

PR_SET_PDEATHSIG = 1
"""The option of Linux's `prctl` that asks for a signal when the parent ends."""


def flat(value: Any) -> Iterator[np.ndarray]:
    """Yields the arrays of a result, as float64 where they hold numbers with a fraction."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    else:
        # Numpy does not read a torch tensor of bf16.
        array = np.asarray(value.double() if getattr(value, "is_floating_point", bool)() else value)
        yield array if array.dtype.kind in "iub" else array.astype(np.float64)


def first_call(call: Call, path: Path) -> float:
    """Returns the seconds of a call, and leaves its results at a path."""
    start = time.perf_counter()
    results = call()
    taken = time.perf_counter() - start
    path.write_bytes(pickle.dumps(list(flat(results))))
    return taken


def turn(call: Call, seconds: float) -> list[float]:
    """Takes a turn; returns the seconds of the shortest call, those of the turn, and those that the threads of this process computed."""
    start, computed = time.perf_counter(), time.process_time()
    shortest = timed_turn(call, seconds)
    return [shortest, time.perf_counter() - start, time.process_time() - computed]


def main() -> None:
    """Answers each line."""
    # A process that stands still does not see the end of its input.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # What libraries print is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    context = nullcontext()
    if PEER in OF_TORCH:
        import torch

        torch.set_num_threads(THREADS)
        context = torch.inference_mode()
    call: Call | None = None
    with context:
        for line in sys.stdin:
            request = json.loads(line)
            answer: float | list[float] | dict[str, str]
            try:
                if "workload" in request:
                    call = None
                    gc.collect()
                    call = RUNNERS[PEER](Model(request["workload"], Path(request["folder"]), THREADS))
                    answer = call is not None
                else:
                    assert call is not None
                    first = "results" in request
                    answer = first_call(call, Path(request["results"])) if first else turn(call, request["seconds"])
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
