"""The options of `relax-run`."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from ..frontend.model.files import libraries, model_suffixes
from ..version import package_version
from .command_line import CommandLineParser
from .option_values import TARGET, THREADS, natural_number, positive, thread_count

PROFILE = "--profile"
TABLE = "table"
TRACE = ".json"
PROFILE_FORMS = {TRACE: "save_trace", ".svg": "save_roofline"}
"""How a file of a profile is written, by how its name ends."""

TIME = "--time"
CALLS = 10
"""How many calls are timed, unless a number says it."""

CHECK = "--check"
INTERPRETER = "interpreter"
CHECKS = (INTERPRETER, *libraries())
"""What results are compared with: the interpreter, or a library that runs models of its own format."""


def parse_options(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the options of a command line, by default that of the process."""
    given = sys.argv[1:] if argv is None else argv
    # An option whose value may be left out would take the file behind it.
    left_out = {CHECK: f"{CHECK}={INTERPRETER}", PROFILE: f"{PROFILE}={TABLE}"}
    parser = argument_parser()
    options, rest = parser.parse_known_args([left_out.get(item, item) for item in _with_calls(given)])
    if rest:
        for flag, value in itertools.pairwise(given):
            if flag in left_out and not value.startswith("-"):
                parser.error(
                    f"unrecognized arguments: {' '.join(rest)}; a value of {flag} stands behind '=': {flag}={value}"
                )
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def _with_calls(given: Sequence[str]) -> list[str]:
    """Returns a command line in which `--time` without a number has one."""
    return [
        f"{TIME}={CALLS}" if item == TIME and following.startswith("-") and not following[1:].isdecimal() else item
        for item, following in itertools.zip_longest(given, given[1:], fillvalue="-")
    ]


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = CommandLineParser(
        prog="relax-run",
        description="Compiles a program, calls one of its functions, and says what came out.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--version", action="version", version=f"relax-run {package_version()}")
    models = ", ".join(model_suffixes())
    add("file", help=f"the program, as MLIR text ('-': standard input), a graph (.json), or a model ({models})")
    add(
        "--entry",
        metavar="NAME",
        help="the function to call (default: main, else the first public one that makes no parameters)",
    )
    add(
        "--input",
        action="append",
        default=[],
        metavar="ARG=SPEC",
        help="an argument, by name or position: a .npy file, random, zeros, ones, arange or a number (default: random)",
    )
    add("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of a symbolic dim (default: 4)")
    add(
        "--value",
        action="append",
        default=[],
        metavar="INPUT=FILE.npy",
        help="fix an input of a model, such as a shape, while it is imported",
    )
    add(
        "--params",
        type=Path,
        action="append",
        metavar="FILE",
        help="parameters from a safetensors file, or several (default: random)",
    )
    add("--save-transformed", type=Path, metavar="FILE", help="write what the transform of parameters made")
    add("--transformed", type=Path, metavar="FILE", help="map such a file instead of running the transform")
    add("--seed", type=natural_number, default=0, help="of the random values (default: 0)")
    add("--out", type=Path, metavar="DIR", help="write the results there, as result_0.npy, ...")
    add("--backend", choices=("native", "interpret"), default="native")
    add(
        CHECK,
        choices=CHECKS,
        metavar="|".join(CHECKS),
        help=f"compare with the interpreter ({CHECK} alone), or with the library that the model comes from; exit 1 if they differ",
    )
    add(
        "--bisect",
        action="store_true",
        help="with --check: name the pass and the kernels at fault, and write a small program",
    )
    add(
        "--reduced",
        type=Path,
        metavar="FILE",
        help="where --bisect writes it (default: FILE.reduced.mlir in this directory)",
    )
    add(
        TIME,
        type=positive,
        metavar="N",
        help=f"call N times; print the median and the minimum time (before another option or last: {CALLS} times)",
    )
    add(
        PROFILE,
        action="append",
        type=_profile,
        metavar="FILE",
        help=f"print a table of the time of each kernel ({PROFILE} alone), write a trace (FILE.json) or a roofline (FILE.svg) of --time N "
        f"calls (default: {CALLS})",
    )
    add(
        "--report",
        type=Path,
        metavar="DIR",
        help="write a page there, report.html: the graph of kernels, their times, what passes did and why, memory over time, the roofline",
    )
    add("--memory", action="store_true", help="print the memory that intermediate tensors take")
    add("--threads", type=thread_count, default=1, metavar="N", help=THREADS)
    add(
        "-p",
        "--passes",
        metavar="PIPELINE",
        help="passes to run first, as for relax-opt (default for native code from -O 2 on: optimize, with parameters lifted)",
    )
    add("-O", dest="opt_level", type=int, choices=range(4), default=2, help="the level of optimization (default: 2)")
    add("--target", metavar="CPU", help=TARGET)
    add(
        "--no-bounds-checks",
        dest="bounds_checks",
        action="store_false",
        help="do not check that tensor ops of other front ends stay inside of their operands",
    )
    add("--cache-info", action="store_true", help="say whether the cache has the compiled program, and why not")
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def _profile(text: str) -> str:
    if text != TABLE and Path(text).suffix not in PROFILE_FORMS:
        raise argparse.ArgumentTypeError(f"expected a file {' or '.join(PROFILE_FORMS)}, got {text!r}")
    return text
