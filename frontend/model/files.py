"""Models in files: which importer reads a file, told by its ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .weights import ImportedModel

Read = Callable[..., ImportedModel]


def _onnx(path: Path, dims: Mapping[str, int], values: Mapping[str, Any]) -> ImportedModel:
    from ..onnx import import_onnx

    return import_onnx(path, dims=dims, values=values)


IMPORTERS: Mapping[str, tuple[str, Read]] = {".onnx": ("onnx", _onnx)}
"""For each ending the extra that its importer needs, and the importer, which is loaded when it is used."""


def is_model_file(path: str | Path) -> bool:
    """Returns whether a file is of a format that an importer reads."""
    return "\n" not in str(path) and Path(path).suffix in IMPORTERS


def import_file(
    path: str | Path, dims: Mapping[str, int] | None = None, values: Mapping[str, Any] | None = None
) -> ImportedModel:
    """Returns the model in a file. Raises `ModuleNotFoundError` with the extra to install where the importer's packages are missing."""
    extra, read = IMPORTERS[Path(path).suffix]
    try:
        return read(Path(path), dims or {}, values or {})
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}; install xdsl-relax[{extra}]", name=error.name) from None
