"""From a program with wrong results to the pass or the kernels at fault, and to a small program that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...records import record
from .case import Case
from .cutter import cut
from .kernels import WrongKernel, wrong_kernels
from .passes import NATIVE, Difference, Request, differs_after, first_difference
from .reference import Reference
from .written import Command, command_for, write_case


@record
class Finding:
    """Where a program goes wrong, and what is left of it."""

    difference: Difference
    kernels: tuple[WrongKernel, ...]
    """Those whose native code is wrong alone, or else the function that calls them."""
    case: Case
    command: Command | None
    """What reproduces it; `None` if only arguments do that `relax-run` cannot make."""

    @property
    def suspects(self) -> tuple[str, ...]:
        """The pass after which results differ; of native code the passes, or at least the stages, that may be at fault."""
        if self.difference.step is not None:
            return (self.difference.step.item.name,)
        return tuple(dict.fromkeys(name for kernel in self.kernels for name in kernel.suspects)) or NATIVE

    @property
    def reason(self) -> str:
        """What is wrong, in one line."""
        return f"{self.difference.culprit}: {self.difference.reason.splitlines()[0]}"


def bisect(
    case: Case, request: Request, command: Command, path: Path, progress: Callable[[str], None] = lambda _: None
) -> Finding | Mapping[str, int]:
    """Returns what is wrong with a program, and writes a small one to a path.

    Where nothing is, returns how many elements Winograd's products made NaN or infinite, as they may, behind which passes. Raises
    `InterpreterError` where the interpreter refuses the program as it is.
    """
    reference = Reference(case, request.agrees)
    difference = first_difference(case, request, reference, progress)
    if difference is None:
        return reference.spread

    def holds(candidate: Case) -> bool:
        return differs_after(candidate, request, difference)

    small = cut(case, holds, progress=progress) if holds(case) else case
    # Of a small program only, as the interpreter takes long for large ones at the stage linalg.
    kernels = wrong_kernels(small, request, progress) if difference.step is None else []
    progress("the command that reproduces it")
    shown_by = command_for(small, holds, command, path)
    finding = Finding(difference, tuple(kernels), small, shown_by)
    write_case(path, small, shown_by or command, finding.reason)
    return finding
