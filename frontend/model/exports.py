"""Formats that programs are exported to: for each, what writes a file of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ...records import record
from .problems import ProgramExportError
from .stored_weights import Params


@record
class ExportOptions:
    """What is exported, and how."""

    entry: str = "main"
    """The function."""
    params: Params | None = None
    """Weights to store in the file, by the names of the arguments that they replace."""
    version: str | None = None
    """The version of the format, as it counts them; `None` for its own choice."""


@record
class ExportFormat:
    """A format that programs are exported to."""

    description: str
    """What is written."""
    extra: str
    """The extra of this package that it needs."""
    write: Callable[[ModuleOp, Path, ExportOptions], None]
    """Writes a program to a file."""


def _write_onnx(module: ModuleOp, path: Path, options: ExportOptions) -> None:
    from ..onnx.exporter.module import save_model, to_onnx

    version = {} if options.version is None else {"opset": _opset(options.version)}
    save_model(to_onnx(module, params=options.params, entry=options.entry, **version), path)


def _opset(version: str) -> int:
    try:
        return int(version)
    except ValueError:
        raise ProgramExportError(f"the version of onnx is an opset, such as 21, got {version}") from None


def _write_stablehlo(module: ModuleOp, path: Path, options: ExportOptions) -> None:
    from ..stablehlo.exporter.module import save_stablehlo

    save_stablehlo(module, path, entry=options.entry, params=options.params, version=options.version)


EXPORT_FORMATS: Mapping[str, ExportFormat] = {
    "onnx": ExportFormat(
        "a model of ONNX, with large weights in FILE.data; --format-version is its opset", "onnx", _write_onnx
    ),
    "stablehlo": ExportFormat(
        "a program of StableHLO: a portable artifact (of --format-version, such as 1.9.0) if OUT ends in .mlirbc, else text",
        "jax",
        _write_stablehlo,
    ),
}
"""The formats by name. Exporters, and the libraries that they stand on, are loaded when they are used."""


def export_as(export_format: ExportFormat, module: ModuleOp, path: Path, options: ExportOptions) -> None:
    """Writes a program to a file of a format.

    Raises `ModuleNotFoundError` with the extra to install where packages are missing, and `ProgramExportError`.
    """
    try:
        export_format.write(module, path, options)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}; install xdsl-relax[{export_format.extra}]", name=error.name) from None
