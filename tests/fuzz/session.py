"""A run of the fuzzer: what it takes in turn, how far it is, and a table at the end."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from .boundaries import check_boundaries
from .check import Failure, in_child
from .mutants import BATCH, check_mutants, cut_mutant, kinds
from .programs import check_seed, cut_seed
from .worker import Worker

SHARES = {"programs": 0.75, "boundaries": 0.1, "mutants": 0.15}
"""How the time is divided."""


@dataclass
class Session:
    """The state of a run: what was checked, how long that took, and what failed."""

    seed: int
    out: Path | None
    thorough: bool = False
    size: int | None = None
    checked: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    failures: list[tuple[str, int, Failure, str]] = field(default_factory=list)
    console: Console = field(default_factory=Console)
    status: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        self.worker = Worker(lambda seed: check_seed(seed, self.thorough, self.size))

    def run(self, kinds_wanted: tuple[str, ...], seconds: float | None, count: int | None) -> None:
        """Checks things in turn until the time is over, or so many of each kind are checked."""
        with closing(self.worker):
            self._run(kinds_wanted, seconds, count)

    def _run(self, kinds_wanted: tuple[str, ...], seconds: float | None, count: int | None) -> None:
        start = time.perf_counter()
        steps = {"programs": self.program, "boundaries": self.boundaries, "mutants": self.mutants}
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True) as progress:
            task = progress.add_task("")
            self.status = lambda text: progress.update(
                task, description=f"{self.summary()}  [dim]{text}", refresh=self.console.is_terminal
            )
            turn = 0
            while True:
                elapsed = time.perf_counter() - start
                behind = [kind for kind in kinds_wanted if count is None or self.checked[kind] < count]
                if not behind or (seconds is not None and elapsed >= seconds):
                    return
                kind = min(behind, key=lambda kind: self.seconds[kind] / SHARES[kind])
                began = time.perf_counter()
                self.status(kind)
                steps[kind](self.seed + turn)
                self.seconds[kind] += time.perf_counter() - began
                turn += 1

    def summary(self) -> str:
        """Returns how much was checked."""
        done = ", ".join(f"{count} {kind}" for kind, count in self.checked.items() if kind in SHARES)
        return f"{done}, {len(self.failures)} failed"

    def program(self, seed: int) -> None:
        failure = self.worker.failure_of(seed)
        self.checked["programs"] += 1
        if failure is None:
            return
        command = ""
        if self.out is not None and not failure.kind.startswith("fuzzer"):
            path = self.out / f"seed_{seed}.mlir"
            command = cut_seed(seed, failure, self.thorough, self.size, path, self.status)
        self.failed("program", seed, failure, command)

    def boundaries(self, seed: int) -> None:
        failure = in_child(lambda: check_boundaries(seed))
        self.checked["boundaries"] += 1
        if failure is not None:
            self.failed("boundaries", seed, failure, f"check_boundaries({seed})")

    def mutants(self, seed: int) -> None:
        names = list(kinds())
        name = names[(self.checked["mutants"] // BATCH) % len(names)]
        first = seed * BATCH
        for mutant, failure in check_mutants(name, range(first, first + BATCH)):
            written = ""
            if self.out is not None:
                path = self.out / f"{name.replace(' ', '_')}_{mutant}{kinds()[name].suffix}"
                path.write_bytes(cut_mutant(name, mutant, failure))
                written = str(path)
            self.failed(f"{name} mutant", mutant, failure, written)
        self.checked["mutants"] += BATCH

    def failed(self, kind: str, seed: int, failure: Failure, command: str) -> None:
        """Reports a failure at once."""
        self.failures.append((kind, seed, failure, command))
        text = f"{kind} {seed}: {failure.kind}: {failure.message.strip()[:300]}"
        self.console.print(text, style="red", markup=False, highlight=False)
        if command:
            self.console.print(f"  {command}", markup=False, highlight=False)
        self.console.file.flush()

    def print_table(self) -> None:
        """Prints what was checked, how long it took, and the failures."""
        table = Table(title="fuzz")
        for column in ("kind", "checked", "seconds", "failed"):
            table.add_column(column, justify="left" if column == "kind" else "right")
        for kind in SHARES:
            if self.checked[kind]:
                failed = sum(kind.rstrip("s") in label or label in kind for label, *_ in self.failures)
                table.add_row(kind, str(self.checked[kind]), f"{self.seconds[kind]:.0f}", str(failed))
        self.console.print(table)
        for failure, number in Counter(f"{label}: {f.kind}" for label, _, f, _ in self.failures).most_common():
            self.console.print(f"{number:5d} {failure}", markup=False, highlight=False)
