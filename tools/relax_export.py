"""`relax-export`: write a program as a model of another system."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..frontend.model.exports import EXPORT_FORMATS, ExportOptions, export_as
from ..frontend.model.stored_weights import exported_function
from ..passes.cleanup.bind_symbolic_vars import BindSymbolicVarsPass
from ..runtime.compiler import load, relax_context
from ..runtime.inputs import parse_sizes
from ..runtime.params.params import load_params
from ..version import package_version
from ..whole_file import require_other
from .command_line import CommandLineParser
from .commands import reported, run_command


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = CommandLineParser(prog="relax-export", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--version", action="version", version=f"relax-export {package_version()}")
    listed = "; ".join(f"{name}: {export_format.description}" for name, export_format in EXPORT_FORMATS.items())
    add("format", choices=sorted(EXPORT_FORMATS), help=listed)
    add("file", type=Path, help="the program, as MLIR text")
    add("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    add("--params", type=Path, metavar="FILE.safetensors", help="store these weights in place of arguments")
    add("--entry", default="main", metavar="NAME", help="the function to export (default: main)")
    add(
        "--dim", action="append", default=[], metavar="NAME=SIZE", help="fix the size of a symbolic dim of the function"
    )
    add("--format-version", metavar="N", help="the version of the format, such as the opset of ONNX")
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for a program that cannot be read or exported, or 2 for a defect of ours."""
    args = argument_parser().parse_args(argv)
    return reported("relax-export", lambda source: _run(args, source), args)


def _run(args: argparse.Namespace, source: list[str]) -> int:
    require_other(args.output, [args.file, *([] if args.params is None else [args.params])])
    source.append(args.file.read_bytes().decode("utf-8", "replace"))
    params = None if args.params is None else load_params(args.params)
    options = ExportOptions(args.entry, params, args.format_version)
    sizes = [f"{name}={size}" for name, size in parse_sizes(args.dim).items()]
    module = load(args.file)
    if sizes:
        exported_function(module, args.entry)
        BindSymbolicVarsPass(sizes=tuple(sizes), function=args.entry).apply(relax_context(), module)
    export_as(EXPORT_FORMATS[args.format], module, args.output, options)
    return 0


if __name__ == "__main__":
    sys.exit(run_command("relax-export", main))
