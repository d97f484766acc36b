"""What `relax-run --bisect` prints, and the options that its reduced program is to be run with."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..lowering.pipeline import Settings
from ..runtime.bisection.bisect import Finding, bisect
from ..runtime.bisection.case import Case, number_of_ops
from ..runtime.bisection.passes import Request
from ..runtime.bisection.written import Command
from ..whole_file import require_writable
from .report import Report


def _kept(args: argparse.Namespace) -> tuple[str, ...]:
    """Returns the options that another program is to be run with in the same way."""
    given = [
        *(["--entry", args.entry] if args.entry else []),
        *(["--backend", args.backend] if args.backend != "native" else []),
        *(["--threads", str(args.threads)] if args.threads != 1 else []),
        *(["-p", args.passes] if args.passes else []),
        *(["-O", str(args.opt_level)] if args.opt_level != 2 else []),
        *(["--target", args.target] if args.target else []),
        *([] if args.bounds_checks else ["--no-bounds-checks"]),
    ]
    return tuple(given)


def report_bisection(
    report: Report,
    args: argparse.Namespace,
    module: ModuleOp,
    entry: str,
    arguments: Sequence[Any],
    passes: tuple[ModulePass, ...],
    settings: Settings,
) -> bool:
    """Prints where the results of a program go wrong, and writes a small one; returns whether they do."""
    path = args.reduced or Path(f"{Path(args.file).stem if args.file != '-' else 'stdin'}.reduced.mlir")
    require_writable(path)
    case = Case(module, entry, (tuple(arguments),))
    request = Request(passes, settings, native=args.backend == "native")
    command = Command(seed=args.seed, options=_kept(args))
    with report.status() as progress:
        finding = bisect(case, request, command, path, progress)
    spread = finding.difference.spread if isinstance(finding, Finding) else finding
    for name, elements in spread.items():
        text = f"{elements} elements are NaN or infinite since {name}, as Winograd makes them of data that is so (docs/lifting.md)"
        report.line(f"bisect: {text}; they are not compared")
    if not isinstance(finding, Finding):
        report.line("bisect: agrees with the interpreter after each pass, and in native code", "green")
        return False
    _print_finding(report, finding, case, path)
    return True


def _print_finding(report: Report, finding: Finding, case: Case, path: Path) -> None:
    difference = finding.difference
    step = difference.step
    stage = f" (stage {step.stage})" if step is not None and step.stage else ""
    where = f"differs after {step}{stage}" if step is not None else "native code differs"
    report.line(f"bisect: agrees after {difference.passed} passes; {where}", "bold red")
    report.line(f"bisect: {difference.reason}")
    for kernel in finding.kernels:
        alone = f"kernel {kernel.name} is wrong alone" if kernel.name != case.entry else "each kernel is right alone"
        report.line(f"bisect: {alone}: {kernel.reason}")
    if step is None:
        report.line(f"bisect: suspected: {', '.join(finding.suspects)}")
    ops, left = number_of_ops(case.module), number_of_ops(finding.case.module)
    report.line(f"bisect: wrote {path}, {left} of {ops} ops")
    if finding.command is None:
        report.line("bisect: its arguments cannot be given to relax-run")
    else:
        report.line(f"bisect: {finding.command.text(str(path))}")
