"""Ops, layers and networks against every peer that is installed: `python benchmarks/peers [--threads N] [--only TEXT]`.

Each has a process of its own, pinned to as many processors as it has threads. All take turns; each output is checked against torch in
float64. A ratio is the shortest time of the fastest peer over ours, so that more than 1 is a win. Of several threads the processors that
each kept busy stand beside the time: its processor time over its time. `make peers` installs them and runs this on one and two threads.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import torch
from peers.arguments import positive
from peers.compilers import OF_TORCH, OURS, PEERS
from peers.networks import NETWORKS
from peers.onnx_file import write_files
from peers.processes import Worker
from peers.workloads import WORKLOADS, Workload
from take_turns import shortest_of_turns

MODULES = {"onnxruntime": "onnxruntime", "OpenVINO": "openvino", "IREE": "iree", "XLA": "jax", "TVM": "tvm"}
"""What must be installed of those that read files; the others are torch, which the table needs anyway, and numpy."""


TURN = 0.02
"""The seconds of a turn, of one call at least: a library meets the caches as its own last call left them, not with what another one
just wrote."""


AGAIN = 1.05
"""The ratio up to which a row is measured once more, all prepared anew: where memory lies differs from time to time."""

NEAR = 1.5
"""The peers that are measured again with it: those that take at most so many times as long as the fastest."""


SLOW = 3.0
"""The seconds of the first call from which on there is no other: nobody waits for many of them to learn that they are slow."""


@dataclass(frozen=True)
class Row:
    """The milliseconds of each."""

    name: str
    ours: float
    peers: dict[str, float]
    busy: dict[str, float]
    """The processors that each kept busy, ours too; none of what was called once."""

    @property
    def best(self) -> str:
        """The fastest peer."""
        return min(self.peers, key=lambda name: self.peers[name])

    @property
    def ratio(self) -> float:
        """More than 1 is a win."""
        return self.peers[self.best] / self.ours


def in_float64(module: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> list[np.ndarray]:
    """What torch computes with twice the precision."""
    wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in inputs]
    result = copy.deepcopy(module).double()(*wide)
    return [each.numpy() for each in (result if isinstance(result, (list, tuple)) else [result])]


def mistake(results: Sequence[np.ndarray], expected: Sequence[np.ndarray], tolerance: float) -> str | None:
    """Returns how results differ from those in float64."""
    if len(results) != len(expected):
        return f"{len(results)} results, expected {len(expected)}"
    for result, reference in zip(results, expected, strict=True):
        if result.shape != reference.shape:
            return f"shape {result.shape}, expected {reference.shape}"
        error = float(np.abs(result - reference).max()) / max(float(np.abs(reference).max()), 1e-30)
        if not error <= tolerance:
            return f"error {error:.1e}, expected at most {tolerance:.0e}"
    return None


def measured(workload: Workload, workers: Sequence[Worker], seconds: float, folder: Path) -> Row:
    """Times a workload; raises `RuntimeError` where our result is wrong, and names on stderr what a peer cannot do."""
    module, inputs = write_files(workload, folder)
    expected = in_float64(module, inputs)
    del module
    ready: list[Worker] = []
    slow: dict[str, float] = {}
    for worker in workers:
        if workload.quantized and worker.peer in OF_TORCH:
            continue
        try:
            prepared = worker.prepare(workload, folder)
            if prepared is None:
                continue
            taken, results = prepared
            problem = mistake(results, expected, workload.tolerance)
            if problem is not None:
                raise RuntimeError(problem)
        except RuntimeError as error:
            print(f"{workload.name}: {worker.peer}: {error!s:.200}", file=sys.stderr)
            if worker.peer == OURS:
                raise
            continue
        if taken > SLOW:
            slow[worker.peer] = 1e3 * taken
        else:
            ready.append(worker)
    best = shortest_of_turns([worker.turn for worker in ready], seconds, TURN)
    times = slow | {worker.peer: 1e3 * each for worker, each in zip(ready, best, strict=True)}
    return Row(workload.name, times.pop(OURS), times, {worker.peer: worker.busy for worker in ready})


def measured_in_new_folder(workload: Workload, workers: Sequence[Worker], seconds: float) -> Row:
    """Times a workload as `measured` does, with files that are gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return measured(workload, workers, seconds, Path(folder))


def measured_again(row: Row, again: Row) -> Row:
    """Returns the shortest times of two measurements."""
    peers = {name: min(row.peers[name], again.peers.get(name, row.peers[name])) for name in row.peers}
    return Row(row.name, min(row.ours, again.ours), peers, row.busy)


def cells(row: Row, peers: Sequence[str], threads: int) -> str:
    """Returns the cells of our time and those of peers; of several threads with the processors that were busy."""
    times = row.peers | {OURS: row.ours}
    busy = {name: f" ({processors:.1f})" for name, processors in row.busy.items()} if threads > 1 else {}
    return " | ".join(f"{times[name]:.3f}{busy.get(name, '')}" if name in times else "-" for name in (OURS, *peers))


def known_peers(text: str) -> list[str]:
    """Returns the peers of a list that commas separate; raises `ArgumentTypeError` for others."""
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown peers: {', '.join(map(repr, unknown))}; expected some of {', '.join(PEERS)}"
        )
    return names


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/peers", description=__doc__)
    parser.add_argument("--threads", type=positive(int), default=1, help="threads and processors of each (default: 1)")
    parser.add_argument("--only", default="", help="workloads with this text in their name")
    parser.add_argument("--networks", action="store_true", help="networks of torchvision and transformers")
    parser.add_argument(
        "--peers",
        default=[*PEERS],
        type=known_peers,
        help=f"peers, separated by commas (default: all that are installed): {', '.join(PEERS)}",
    )
    parser.add_argument("--seconds", type=positive(float), default=3.0, help="time of each workload (default: 3)")
    arguments = parser.parse_args()
    chosen = NETWORKS if arguments.networks else WORKLOADS
    workloads = [workload for workload in chosen if arguments.only in workload.name]
    if not workloads:
        parser.error(f"--only: no workload has {arguments.only!r} in its name")
    if find_spec("onnxscript") is None:
        parser.error(
            "onnxscript is not installed, with which torch writes the models; `make peers` installs all that is compared"
        )
    processors = sorted(os.sched_getaffinity(0))
    if arguments.threads > len(processors):
        parser.error(
            f"--threads: expected at most {len(processors)}, the processors of this process, got {arguments.threads}"
        )
    peers = [name for name in arguments.peers if find_spec(MODULES.get(name, "torch"))]
    workers = [Worker(name, processors[: arguments.threads]) for name in (OURS, *peers)]
    # What this process computes is the expected results.
    torch.set_num_threads(arguments.threads)
    print(f"| workload | ours ms | {' | '.join(peers)} | ratio |\n|---|---|{'---|' * len(peers)}---|")
    rows: list[Row] = []
    for workload in workloads:
        row = measured_in_new_folder(workload, workers, arguments.seconds)
        if not row.peers:
            print(f"| {row.name} | {cells(row, peers, arguments.threads)} | - |", flush=True)
            continue
        if row.ratio < AGAIN:
            near = [each for each in workers if row.peers.get(each.peer, 0) <= NEAR * row.peers[row.best]]
            row = measured_again(row, measured_in_new_folder(workload, near, arguments.seconds))
        rows.append(row)
        print(f"| {row.name} | {cells(row, peers, arguments.threads)} | {row.ratio:.2f} |", flush=True)
    mean = f"{geometric_mean(row.ratio for row in rows):.2f}" if rows else "-"
    print(f"\ngeometric mean of {len(rows)} ratios: {mean}")


if __name__ == "__main__":
    with torch.inference_mode():
        main()
