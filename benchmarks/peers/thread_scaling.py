"""Our own time on one thread over that on two, which take turns: `python benchmarks/peers/thread_scaling.py [--only TEXT]`.

Two processes, pinned to one and to two processors, are called in turns, so that both meet what else the machine does. The tables of the
peers on one and on two threads are made one after the other and differ by what happened in between.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from peers.arguments import positive
from peers.compilers import as_numpy
from peers.onnx_file import write_onnx
from peers.workloads import CONTRACTIONS, CONVOLUTIONS, QUANTIZED, TRANSFORMERS, WORKLOADS, Workload

WORKER = Path(__file__).with_name("timed_calls.py")
THREADS = (1, 2)


def times(workload: Workload, folder: Path, rounds: int, seconds: float) -> list[float]:
    """Returns the shortest time for each number of threads, in milliseconds."""
    _, inputs, path = write_onnx(workload, folder)
    arrays = folder / "inputs"
    arrays.write_bytes(pickle.dumps([as_numpy(tensor) for tensor in inputs]))
    best = [float("inf")] * len(THREADS)
    workers = [
        subprocess.Popen(
            [sys.executable, WORKER, str(path), str(arrays), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for threads in THREADS
    ]
    for _ in range(rounds):
        for number, worker in enumerate(workers):
            assert worker.stdin is not None and worker.stdout is not None
            print(seconds, file=worker.stdin, flush=True)
            best[number] = min(best[number], float(worker.stdout.readline()))
    for worker in workers:
        worker.communicate()
    return best


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/peers/thread_scaling.py", description=__doc__)
    parser.add_argument(
        "--only", help="workloads with this text in their name (default: products, layers and networks)"
    )
    parser.add_argument("--rounds", type=positive(int), default=6, help="turns of each (default: 6)")
    parser.add_argument("--seconds", type=positive(float), default=0.3, help="seconds of a turn (default: 0.3)")
    arguments = parser.parse_args()
    chosen = [*CONTRACTIONS, *CONVOLUTIONS, *TRANSFORMERS, *QUANTIZED]
    if arguments.only is not None:
        chosen = [workload for workload in WORKLOADS if arguments.only in workload.name]
    if not chosen:
        parser.error(f"--only: no workload has {arguments.only!r} in its name")
    print("| workload | one thread ms | two threads ms | one / two |\n|---|---|---|---|")
    for workload in chosen:
        with tempfile.TemporaryDirectory() as folder:
            single, double = times(workload, Path(folder), arguments.rounds, arguments.seconds)
        print(f"| {workload.name} | {single:.3f} | {double:.3f} | {single / double:.2f} |", flush=True)


if __name__ == "__main__":
    with torch.inference_mode():
        main()
