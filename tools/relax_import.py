"""`relax-import`: turn a model of another system into a program in MLIR text, and its weights into a safetensors file."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..frontend.externalize_constants import externalize_constants
from ..frontend.tvm import from_relax
from ..runtime.inputs import parse_assignments, parse_sizes
from ..runtime.params.safetensors_file import write_safetensors
from ..version import package_version
from ..whole_file import write_text
from .commands import run_command
from .diagnostics import diagnose

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

EXIT_BAD = 1
EXIT_INTERNAL = 2

Imported = tuple["ModuleOp", Mapping[str, Any]]


def _import_onnx(path: Path, args: argparse.Namespace) -> Imported:
    from ..frontend.onnx import import_onnx

    values = {name: np.load(spec) for name, spec in parse_assignments(args.value, "--value").items()}
    model = import_onnx(path, dims=parse_sizes(args.dim), values=values)
    return model.module, model.params


def _import_tvm(path: Path, args: argparse.Namespace) -> Imported:
    if args.dim or args.value:
        raise ValueError("--dim and --value are for models of onnx")
    from ..frontend.tvm.importer.load import load_module

    module, params = load_module(path)
    return from_relax(module), params


SOURCES: dict[str, tuple[Callable[[Path, argparse.Namespace], Imported], str]] = {
    "onnx": (_import_onnx, "a model of ONNX: FILE.onnx, with data in other files beside it if there is any"),
    "tvm": (_import_tvm, "a Relax IRModule: FILE.json of tvm.ir.save_json, or FILE.py that defines one"),
}
"""For each source how to import from it, and what it takes."""


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(prog="relax-import", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--version", action="version", version=f"relax-import {package_version()}")
    add("source", choices=sorted(SOURCES), help="; ".join(f"{name}: {text}" for name, (_, text) in SOURCES.items()))
    add("file", type=Path, help="the model")
    add("-o", "--output", metavar="OUT.mlir", default="-", help="the program ('-': standard output, the default)")
    add("--params", type=Path, metavar="OUT.safetensors", help="write weights there; large constants become parameters")
    add("--dim", action="append", default=[], metavar="NAME=SIZE", help="fix the size of a named dim of the inputs")
    add("--value", action="append", default=[], metavar="INPUT=FILE.npy", help="fix an input, such as a shape")
    add("--debug", action="store_true", help="show the Python traceback of an error")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; returns 0, 1 for a model that cannot be read or imported, or 2 for a defect of ours."""
    args = argument_parser().parse_args(argv)
    try:
        return _run(args)
    except BrokenPipeError:
        # The reader has seen enough.
        return 0
    except Exception as error:
        if args.debug:
            traceback.print_exception(error)
        if isinstance(error, OSError):
            # A file that cannot be read or written need not be the model; what has no name is standard output.
            print(diagnose(error, str(error.filename or "stdout")), file=sys.stderr)
            return EXIT_BAD
        if isinstance(error, ValueError | ModuleNotFoundError):
            extra = f"; install xdsl-relax[{args.source}]" if isinstance(error, ModuleNotFoundError) else ""
            print(f"{args.file}: error: {error}{extra}", file=sys.stderr)
            return EXIT_BAD
        message = f"internal error: {type(error).__name__}: {error}; run with --debug for the traceback"
        print(f"{args.file}: {message}", file=sys.stderr)
        return EXIT_INTERNAL


def _run(args: argparse.Namespace) -> int:
    module, params = SOURCES[args.source][0](args.file, args)
    if args.params is not None:
        constants = externalize_constants(module)
        module.verify()
        write_safetensors(args.params, {**params, **constants})
    text = str(module) + "\n"
    if args.output == "-":
        sys.stdout.write(text)
    else:
        write_text(args.output, text)
    return 0


if __name__ == "__main__":
    sys.exit(run_command("relax-import", main))
