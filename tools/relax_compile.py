"""`relax-compile`: compile a program or a model ahead of time, for programs of C and for Python without this compiler."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..frontend.model.ahead_of_time import compile_library
from ..frontend.model.files import format_of, model_suffixes
from ..lowering.pipeline import Lift
from ..runtime.inputs import load_files, parse_assignments, parse_sizes
from ..runtime.library.folder import NO_LINKER
from ..version import package_version
from .command_line import CommandLineParser
from .commands import reported, run_command
from .option_values import TARGET, THREADS, thread_count

LIFTS: dict[str, Lift] = {"none": False, "each": True, "shared": "shared"}


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = CommandLineParser(prog="relax-compile", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--version", action="version", version=f"relax-compile {package_version()}")
    add("file", help=f"the program, as MLIR text, or a model ({', '.join(model_suffixes())})")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to write, as a whole or not at all")
    add("--name", help="what file names and names of C begin with (default: the name of the file)")
    add(
        "--params",
        type=Path,
        action="append",
        metavar="FILE",
        help="weights from a safetensors file, or several, to transform and write beside the code (default: those of the model)",
    )
    add("--dim", action="append", default=[], metavar="NAME=SIZE", help="fix the size of a symbolic dim")
    add(
        "--value",
        action="append",
        default=[],
        metavar="INPUT=FILE.npy",
        help="fix an input of a model, such as a shape",
    )
    add(
        "--lift",
        choices=LIFTS,
        help="transform parameters for each function, or once for all (default: where there are weights, as functions allow it)",
    )
    add("--target", metavar="CPU", help=TARGET)
    add(
        "--threads",
        type=thread_count,
        default=1,
        metavar="N",
        help=THREADS,
    )
    add("-p", "--passes", metavar="PIPELINE", default=(), help="passes to run first, as for relax-opt")
    add("-O", dest="opt_level", type=int, choices=range(4), default=2, help="the level of optimization (default: 2)")
    add(
        "--no-bounds-checks",
        dest="bounds_checks",
        action="store_false",
        help="do not check that tensor ops of other front ends stay inside of their operands",
    )
    add(
        "--linker",
        metavar="NAME",
        help=f"what makes the shared library: cc, gcc, clang, 'zig cc', ld, ld.lld, lld or {NO_LINKER} (default: the first there is)",
    )
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for a program that cannot be read or compiled, or 2 for a defect of ours."""
    args = argument_parser().parse_args(argv)
    return reported("relax-compile", lambda source: _run(args, source), args)


def _run(args: argparse.Namespace, source: list[str]) -> int:
    program: Any = Path(args.file)
    if format_of(program) is None:
        source.append(program.read_text(errors="replace"))
    written = compile_library(
        program,
        args.output,
        name=args.name,
        params=args.params,
        dims=parse_sizes(args.dim),
        values=load_files(parse_assignments(args.value, "--value")),
        linker=args.linker,
        opt_level=args.opt_level,
        threads=args.threads,
        lift=None if args.lift is None else LIFTS[args.lift],
        target=args.target,
        bounds_checks=args.bounds_checks,
        passes=args.passes,
    )
    for file in written.files:
        print(file)
    if written.note:
        print(f"relax-compile: warning: {written.note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(run_command("relax-compile", main))
