"""A process that checks many programs: what it has imported and computed of types and sizes serves the next program too."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess

from xdsl_relax.runtime.bisection.isolated import end_after, ended_by

from .check import SECONDS, Failure, in_child, limit_memory

PROGRAMS = 200
"""So many programs are checked by one process, whose caches grow from each to the next."""

Check = Callable[[int], Failure | None]
"""Makes and checks the program of a seed."""


@dataclass
class Worker:
    """Checks the programs of seeds in a process of its own, which is replaced when it ends.

    A crash belongs to the program that was being checked. Whatever fails is checked again in a new process, where nothing came before it: a
    failure that is not repeated there depends on the programs before, which is a failure as well, and says so.
    """

    check: Check
    process: ForkProcess | None = None
    pipe: Connection | None = None
    seeds: list[int] = field(default_factory=list)
    """What the process has checked."""

    def failure_of(self, seed: int) -> Failure | None:
        """Returns what is wrong with the program of a seed."""
        if self.process is None or len(self.seeds) >= PROGRAMS:
            self._start()
        before = tuple(self.seeds)
        failure = self._answer(seed)
        if failure is None:
            return None
        alone = in_child(lambda: self.check(seed))
        if alone is not None and alone.kind == failure.kind:
            return alone
        again = "nothing" if alone is None else alone.kind
        return Failure(f"fuzzer: {failure.kind}, alone {again}", f"after {[*before]}: {failure.message}")

    def close(self) -> None:
        """Ends the process."""
        if self.process is None or self.pipe is None:
            return
        self.pipe.close()
        self.process.join()
        self.process = self.pipe = None
        self.seeds.clear()

    def _start(self) -> None:
        self.close()
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(self.check, other, self.pipe), daemon=True)
        self.process.start()
        other.close()

    def _answer(self, seed: int) -> Failure | None:
        """Has the process check a program; its end is the answer where there is no other."""
        assert self.process is not None and self.pipe is not None
        self.seeds.append(seed)
        try:
            self.pipe.send(seed)
            return self.pipe.recv()
        except (EOFError, ConnectionError):
            process = self.process
            self.close()
            assert process.exitcode is not None
            return Failure("crash", ended_by(process.exitcode, SECONDS))


def _serve(check: Check, pipe: Connection, other: Connection) -> None:
    """Answers seeds until there are no more."""
    other.close()
    # What exists now is used by all programs: the collector need not look at it.
    gc.freeze()
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        while True:
            seed = pipe.recv()
            end_after(SECONDS)
            limit_memory()
            try:
                failure = check(seed)
            except Exception as error:
                failure = Failure(f"fuzzer: {type(error).__name__}", f"{error}")
            end_after(0)
            pipe.send(failure)
