"""`relax-import`: turn a model of another system into a program in MLIR text, and its weights into a safetensors file."""

from __future__ import annotations

import argparse
import os
import sys
from collections import ChainMap
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from ..frontend.externalize_constants import externalize_constants
from ..frontend.model.files import FORMATS, import_as
from ..frontend.model.problems import ModelImportError
from ..interpreter.host.errors import ArgumentError
from ..runtime.inputs import load_files, parse_assignments, parse_sizes
from ..runtime.params.safetensors_file import write_safetensors
from ..runtime.signatures import signatures
from ..version import package_version
from ..whole_file import require_other, require_writable, write_text
from .command_line import CommandLineParser
from .commands import reported, run_command


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = CommandLineParser(prog="relax-import", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--version", action="version", version=f"relax-import {package_version()}")
    listed = "; ".join(f"{name}: {model_format.description}" for name, model_format in FORMATS.items())
    add("source", choices=sorted(FORMATS), help=listed)
    add("file", type=Path, help="the model")
    add("-o", "--output", metavar="OUT.mlir", default="-", help="the program ('-': standard output, the default)")
    add("--params", type=Path, metavar="OUT.safetensors", help="write weights there; large constants become parameters")
    add("--dim", action="append", default=[], metavar="NAME=SIZE", help="fix the size of a named dim of the inputs")
    add("--value", action="append", default=[], metavar="INPUT=FILE.npy", help="fix an input, such as a shape")
    add(
        "--print-debuginfo",
        action="store_true",
        help="write what each op comes from: its node, and the modules around it",
    )
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for a model that cannot be read or imported, or 2 for a defect of ours."""
    args = argument_parser().parse_args(argv)
    return reported("relax-import", lambda _: _run(args), args)


def _run(args: argparse.Namespace) -> int:
    outputs = [file for file in (args.output, args.params) if file not in (None, "-")]
    if len({os.path.realpath(file) for file in outputs}) < len(outputs):
        raise ArgumentError(f"-o and --params name the same file, {args.params}")
    for output in outputs:
        require_other(output, [args.file])
        require_writable(output)
    values = load_files(parse_assignments(args.value, "--value"))
    model = import_as(FORMATS[args.source], args.file, parse_sizes(args.dim), values)
    for output in outputs:
        require_other(output, model.files)
    if args.params is not None:
        constants = externalize_constants(model.module)
        model.module.verify()
        weights = ChainMap(constants, cast(dict[str, Any], model.params))
        expected = [param.label for function in signatures(model.module).values() for param in function.params]
        if expected and not weights:
            names = ", ".join(f"'{name}'" for name in dict.fromkeys(expected))
            raise ModelImportError(f"the file has no weights for {names}: leave out --params")
        # A weight is read when it is written.
        write_safetensors(args.params, weights, progress=True)
    text = _text(model.module, args.print_debuginfo)
    if args.output == "-":
        sys.stdout.write(text)
    else:
        write_text(args.output, text)
    return 0


def _text(module: ModuleOp, with_locations: bool) -> str:
    stream = StringIO()
    Printer(stream, print_debuginfo=with_locations).print_op(module)
    return stream.getvalue() + "\n"


if __name__ == "__main__":
    sys.exit(run_command("relax-import", main))
