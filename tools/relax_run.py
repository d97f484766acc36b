"""`relax-run`: compile a program, call one of its functions, and say what came out."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from errno import ENOTDIR
from typing import TextIO

from ..dialects.relax.vocabulary.names import PARAMS_FROM
from ..frontend.model.files import require_library
from ..interpreter.host.errors import ArgumentError
from ..runtime.cache.store import CacheWarning
from ..runtime.executable.arguments import Signature
from ..runtime.inputs import parse_assignments, parse_sizes
from ..runtime.machine.jit import ForeignCodeError
from ..runtime.session import Values, choose_entry, host_call
from ..targets.cpu import cpu_target, lacking
from ..whole_file import require_writable
from .commands import reported, run_command
from .function_run import FunctionRun
from .report import Report
from .run_options import CHECK, INTERPRETER, PROFILE, TABLE, parse_options
from .run_program import RunProgram
from .run_report import print_arguments

EXIT_BAD = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for bad input and failed checks, or 2 for a defect of ours."""
    args = parse_options(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return reported("relax-run", lambda source: _run(args, source), args)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, CacheWarning):
        print(f"relax-run: warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=file or sys.stderr, end="")


def _run(args: argparse.Namespace, source: list[str]) -> int:
    inputs = parse_assignments(args.input, "--input")
    sizes = parse_sizes(args.dim)
    _check_before_work(args)
    program = RunProgram(args, source, sizes)
    entry = choose_entry(program.functions, args.entry)
    if args.bisect:
        return _bisect(args, program, entry, inputs, sizes)
    _check_transform_options(args, program.transformed, entry.name)
    run = FunctionRun(args, program, entry, inputs, sizes)
    run.prepare()
    run.call()
    run.measure()
    return 0 if run.agrees() else EXIT_BAD


def _check_before_work(args: argparse.Namespace) -> None:
    """Raises an error for what would fail after compilation: a target that this machine is not, results that have no place, a library that
    does not run the model.
    """
    # Invariant: nothing is read but the names of files.
    if args.backend == "native" and args.target is not None:
        target = cpu_target(args.target)
        reason = lacking(target)
        if reason:
            raise ForeignCodeError(f"cannot run code for {target.name}: {reason}")
    if args.out is not None and args.out.exists() and not args.out.is_dir():
        raise NotADirectoryError(ENOTDIR, "--out takes a directory, this is a file", str(args.out))
    if args.profile is not None or args.report is not None:
        if args.backend != "native" or args.bisect:
            flag = PROFILE if args.report is None else "--report"
            raise ArgumentError(f"{flag} measures native code: it goes without --backend interpret and --bisect")
        if args.report is not None and args.report.exists() and not args.report.is_dir():
            raise NotADirectoryError(ENOTDIR, "--report takes a directory, this is a file", str(args.report))
        for file in args.profile or ():
            if file != TABLE:
                require_writable(file)
    if args.check in (None, INTERPRETER):
        return
    require_library(args.file, args.check)
    if args.params or args.bisect:
        flag = "--bisect compares with the interpreter" if args.bisect else "--params replaces the weights of the model"
        raise ArgumentError(f"{flag}, {CHECK}={args.check} runs the model as it is")


def _check_transform_options(args: argparse.Namespace, functions: Mapping[str, Signature], name: str) -> None:
    """Raises `ArgumentError` for options about transformed parameters that cannot be followed."""
    entry = choose_entry(functions, name)
    given = {"--transformed": args.transformed, "--save-transformed": args.save_transformed}
    flags = [flag for flag, value in given.items() if value is not None]
    if not flags:
        return
    if args.backend != "native":
        raise ArgumentError(f"{flags[0]} needs --backend native")
    if entry.params_from is None:
        raise ArgumentError(f"{flags[0]}: {entry.name} takes no transformed parameters (it has no {PARAMS_FROM})")
    if args.transformed is not None:
        others = {"--save-transformed": args.save_transformed, "--params": args.params, "--check": args.check or None}
        for flag in (flag for flag, value in others.items() if value is not None):
            raise ArgumentError(
                f"{flag} needs the parameters as they were, but --transformed gives what became of them"
            )


def _bisect(
    args: argparse.Namespace, program: RunProgram, entry: Signature, inputs: Mapping[str, str], sizes: Mapping[str, int]
) -> int:
    """Says where the results of a program go wrong; returns 1 if they do."""
    if not args.check or args.transformed is not None:
        raise ArgumentError("--bisect needs --check, and the parameters as they were")
    values = Values(
        program.functions,
        program.functions,
        entry.name,
        inputs=inputs,
        sizes=sizes,
        params=args.params or program.weights or (),
        seed=args.seed,
        ranges=program.ranges(entry.name),
    )
    report = Report()
    arguments = values.arguments(program.functions, entry.name, host_call(program.parsed.oracle(), program.functions))
    print_arguments(report, args, entry, values)
    return EXIT_BAD if program.parsed.bisect(report, entry.name, arguments) else 0


if __name__ == "__main__":
    sys.exit(run_command("relax-run", main))
