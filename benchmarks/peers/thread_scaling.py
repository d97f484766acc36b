"""Our own time on one thread over that on two, which take turns: `python benchmarks/peers/thread_scaling.py [--networks] [--only TEXT]`.

Processes that are pinned to one and to two processors are called in turns, so that both meet what else the machine does. The tables of
the peers on one and on two threads are made one after the other and differ by what happened in between.

What the machine allows is measured beside it: two processes of one thread each, on a processor each, that share no work and run at the
same time. Where they take longer than one of them alone, which is so where all wait for the same memory, two threads cannot be twice as
fast as one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from peers.arguments import positive
from peers.compilers import OURS
from peers.networks import NETWORKS
from peers.onnx_file import write_files
from peers.processes import Worker
from peers.workloads import CONTRACTIONS, CONVOLUTIONS, QUANTIZED, TRANSFORMERS, WORKLOADS, Workload


class Processes:
    """Processes of one thread on each of two processors, and one of two threads."""

    def __init__(self) -> None:
        first, second = sorted(os.sched_getaffinity(0))[:2]
        self.single, self.beside = Worker(OURS, [first]), Worker(OURS, [second])
        self.double = Worker(OURS, [first, second])

    def times(self, workload: Workload, rounds: int, seconds: float) -> tuple[float, float, float]:
        """Returns the shortest seconds of one thread, of two threads, and of one thread while another does the same work beside it."""
        alone = together = shared = float("inf")
        with tempfile.TemporaryDirectory() as folder:
            write_files(workload, Path(folder))
            for worker in (self.single, self.beside, self.double):
                worker.prepare(workload, Path(folder))
            for _ in range(rounds):
                alone = min(alone, self.single.turn(seconds))
                together = min(together, self.double.turn(seconds))
                for worker in (self.single, self.beside):
                    worker.begin_turn(seconds)
                shared = min(shared, max(self.single.end_turn(), self.beside.end_turn()))
        return alone, together, shared


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/peers/thread_scaling.py", description=__doc__)
    parser.add_argument(
        "--only", help="workloads with this text in their name (default: products, layers and networks)"
    )
    parser.add_argument(
        "--networks", action="store_true", help="whole networks in place of products, layers and ResNet-18"
    )
    parser.add_argument("--rounds", type=positive(int), default=6, help="turns of each (default: 6)")
    parser.add_argument("--seconds", type=positive(float), default=0.3, help="seconds of a turn (default: 0.3)")
    arguments = parser.parse_args()
    named = NETWORKS if arguments.networks else WORKLOADS
    chosen = NETWORKS if arguments.networks else [*CONTRACTIONS, *CONVOLUTIONS, *TRANSFORMERS, *QUANTIZED]
    if arguments.only is not None:
        chosen = [workload for workload in named if arguments.only in workload.name]
    if not chosen:
        parser.error(f"--only: no workload has {arguments.only!r} in its name")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("expected two processors, this process has one")
    processes = Processes()
    print("| workload | one thread ms | two threads ms | one / two | two programs at once |\n|---|---|---|---|---|")
    for workload in chosen:
        alone, together, shared = processes.times(workload, arguments.rounds, arguments.seconds)
        print(
            f"| {workload.name} | {1e3 * alone:.3f} | {1e3 * together:.3f} | {alone / together:.2f} | {2 * alone / shared:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    with torch.inference_mode():
        main()
