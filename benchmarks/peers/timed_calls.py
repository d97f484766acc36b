"""Compiles an ONNX file and times calls of it, some seconds for each line of standard input: `timed_calls.py FILE INPUTS THREADS`.

The inputs are a pickled list of arrays. For each line, a number of seconds, the shortest time of a call in milliseconds is printed.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path


def main() -> None:
    """Answers each line."""
    path, inputs, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    # Threads are started on these processors.
    import xdsl_relax

    compiled = xdsl_relax.compile(path, threads=threads)
    arrays = pickle.loads(inputs.read_bytes())
    compiled(*arrays)
    for line in sys.stdin:
        end = time.perf_counter() + float(line)
        best = float("inf")
        while (start := time.perf_counter()) < end:
            compiled(*arrays)
            best = min(best, time.perf_counter() - start)
        print(1e3 * best, flush=True)


if __name__ == "__main__":
    main()
