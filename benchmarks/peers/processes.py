"""Processes that prepare and time the calls of a peer each; they take turns with those of others, and stand still in between."""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from peers.workloads import Workload

LIMIT = 30.0
"""The seconds of the first call of a workload, from which on the process is ended: such a peer is no peer."""

PROGRAM = Path(__file__).with_name("worker.py")


class Worker:
    """A process that runs workloads by one peer, on as many threads as it is given processors."""

    def __init__(self, peer: str, processors: Sequence[int]) -> None:
        self.peer = peer
        self.processors = processors
        self.process: subprocess.Popen[str] | None = None
        self.seconds = self.computed = 0.0
        """The seconds of the turns of a workload, and those that the threads of the process computed meanwhile."""

    @property
    def busy(self) -> float:
        """The processors that the calls of a workload kept busy, on average: their processor time over their time."""
        return self.computed / self.seconds

    def prepare(self, workload: Workload, folder: Path) -> tuple[float, list[np.ndarray]] | None:
        """Prepares a workload whose files are in a folder; returns the seconds of the first call and its results.

        Returns `None` where the peer has no such function; raises `RuntimeError` where it fails, or takes more than `LIMIT` seconds.
        """
        self.seconds = self.computed = 0.0
        if not self.ask({"workload": workload.name, "folder": str(folder)}):
            return None
        path = folder / f"results of {self.peer}"
        self.send({"results": str(path)})
        taken = self.receive(LIMIT)
        return taken, pickle.loads(path.read_bytes())

    def turn(self, seconds: float) -> float:
        """Calls what was prepared for some seconds; returns the shortest time of a call."""
        self.begin_turn(seconds)
        return self.end_turn()

    def begin_turn(self, seconds: float) -> None:
        """Begins a turn, which `end_turn` waits for."""
        self.send({"seconds": seconds})

    def end_turn(self) -> float:
        """Returns the shortest time of a call of the turn that began."""
        shortest, seconds, computed = self.receive()
        self.seconds += seconds
        self.computed += computed
        return shortest

    def ask(self, request: dict[str, Any]) -> Any:
        """Returns what the process answers."""
        self.send(request)
        return self.receive()

    def send(self, request: dict[str, Any]) -> None:
        """Sends a request, which `receive` waits for; starts the process where it does not run."""
        if self.process is None:
            allowed = os.sched_getaffinity(0)
            # A process begins on the processors of the thread that starts it, before its libraries count them.
            os.sched_setaffinity(0, self.processors)
            self.process = subprocess.Popen(
                [sys.executable, "-W", "ignore", PROGRAM, self.peer],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # Kernels of virtual machines may keep two threads on one processor while another one is idle.
                env=os.environ | {"TVM_NUM_THREADS": str(len(self.processors)), "OMP_PROC_BIND": "true"},
            )
            os.sched_setaffinity(0, allowed)
        assert self.process.stdin is not None
        self.process.send_signal(signal.SIGCONT)
        print(json.dumps(request), file=self.process.stdin, flush=True)

    def receive(self, limit: float | None = None) -> Any:
        """Returns the answer to what was sent; raises `RuntimeError` for an error, or where the process has ended, or after a limit in
        seconds, which ends it.
        """
        assert self.process is not None and self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], limit)[0]:
            self.process.kill()
            self.process.wait()
            self.process = None
            raise RuntimeError(f"no answer within {limit:g} seconds")
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            self.process = None
            raise RuntimeError(f"its process ended with status {status}")
        # Threads that wait for work in a loop would hold the processors of the library whose turn is next.
        self.process.send_signal(signal.SIGSTOP)
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise RuntimeError(answer["error"])
        return answer
