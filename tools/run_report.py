"""What `relax-run` prints: arguments, results, memory, the comparison of results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..runtime.compare import compare
from ..runtime.executable.arguments import Signature
from ..runtime.session import Values
from .report import Report, bytes_text, describe_type, statistics

if TYPE_CHECKING:
    from ..runtime.activation_memory import ActivationMemory

SHOWN_PARAMS = 8

QUANTIZED = (
    "check: the model is quantized: results that differ from those of {} by some steps of the quantization (some times its scale) "
    "are expected (docs/onnx.md)"
)
"""What is said where results of a quantized model differ from those of a library, which rounds in other places."""


def print_arguments(report: Report, args: argparse.Namespace, entry: Signature, values: Values) -> None:
    """Prints the function, its sizes, and a table of its arguments."""
    sizes = [
        f"{name} = {size}{' (default)' if name in values.default_sizes else ''}" for name, size in values.sizes.items()
    ]
    report.line(f"{args.file}: @{entry.name}{' with ' + ', '.join(sizes) if sizes else ''}", "bold")
    rows = [
        (argument.name, describe_type(value), spec, *statistics(value))
        for argument, value, spec in zip(entry.inputs, values.inputs, values.specs, strict=True)
    ]
    shown = list(values.params.items())
    if len(shown) > SHOWN_PARAMS:
        shown = shown[: SHOWN_PARAMS - 1]
    origins = values.param_origins
    rows += [(label, describe_type(value), origins[label], *statistics(value)) for label, value in shown]
    report.table(("argument", "type", "from", "min>", "mean>", "max>"), rows)
    if len(values.params) > len(shown):
        hidden = list(values.params.values())[len(shown) :]
        size = sum(getattr(value, "nbytes", 0) for value in hidden)
        report.line(f"  and {len(hidden)} more parameters, {bytes_text(size)}")


def print_results(report: Report, results: Sequence[Any]) -> None:
    """Prints a table of the results."""
    rows = [(f"result {i}", describe_type(value), *statistics(value)) for i, value in enumerate(results)]
    report.table(("result", "type", "min>", "mean>", "max>"), rows)


def print_memory(report: Report, memory: ActivationMemory, arena: int | None) -> None:
    """Prints what intermediate tensors take, each for itself, in the storages that they share, and in native code."""
    sizes = " of the largest sizes that dims may have" if memory.planned > memory.unplanned else ""
    report.line(
        f"intermediate tensors: {memory.tensors}, {memory.unplanned / 1e6:.3f} MB; in {memory.storages} storages{sizes}, "
        f"{memory.planned / 1e6:.3f} MB{'' if arena is None else f'; in the arena of native code, {arena / 1e6:.3f} MB'}"
    )


def print_check(report: Report, results: Sequence[Any], expected: Sequence[Any], name: str) -> bool:
    """Prints whether results agree with those of the interpreter, or of a library; returns whether all do."""
    if len(results) != len(expected):
        report.line(f"check: FAILED: {len(results)} results, {name} has {len(expected)}", "bold red")
        return False
    agree, compared = True, not results
    for index, (got, want) in enumerate(zip(results, expected, strict=True)):
        verdict = compare(got, want)
        detail = verdict.reason or f"error {verdict.error:.2g}, tolerance {verdict.tolerance:.2g}"
        word, style = (f"agrees with {name}", "green") if verdict.agrees else ("FAILED", "bold red")
        report.line(f"check: result {index} {word}: {detail}", style)
        agree, compared = agree and verdict.agrees, compared or verdict.compared
    if not compared:
        print("relax-run: warning: nothing was compared: all results are NaN, empty, or no arrays", file=sys.stderr)
    return agree
