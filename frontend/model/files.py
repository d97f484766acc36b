"""Models in files: for each format its importer, and what else runs a model of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...records import record
from .problems import ModelImportError
from .weights import ImportedModel

Dims = Mapping[str, int]
Values = Mapping[str, "np.ndarray[Any, Any]"]


FILE_NAME = re.compile(r'[^\s{}()"%@]+\.(?!mlir$)\w+')
"""What has no character that every program has."""


@record
class Format:
    """A format of model files."""

    description: str
    """What a file of it is."""
    extra: str
    """The extra of this package that its importer needs."""
    read: Callable[[Path, Dims, Values], ImportedModel]
    """Imports the model in a file, for given sizes and values of inputs."""
    suffixes: tuple[str, ...] = ()
    """The endings of files that are of this format wherever a program is expected."""
    library: str = ""
    """The package that `run` calls; empty where there is none."""
    run: Callable[[Path, Values], list[Any]] | None = None
    """Returns what the library that the format belongs to computes, for inputs by their names."""


def _read_onnx(path: Path, dims: Dims, values: Values) -> ImportedModel:
    from ..onnx import import_onnx

    return import_onnx(path, dims=dims, values=values)


def _run_onnx(path: Path, inputs: Values) -> list[Any]:
    from ..onnx.original import run_original

    return run_original(path, inputs)


def _read_stablehlo(path: Path, dims: Dims, values: Values) -> ImportedModel:
    if values:
        raise ModelImportError("values of inputs are fixed in models of onnx alone")
    from ..stablehlo import import_stablehlo

    return import_stablehlo(path, dims=dims)


def _run_stablehlo(path: Path, inputs: Values) -> list[Any]:
    from ..stablehlo.original import run_original

    return run_original(path, inputs)


def _read_tvm(path: Path, dims: Dims, values: Values) -> ImportedModel:
    if dims or values:
        raise ModelImportError("a Relax module has its own sizes and inputs, which cannot be fixed")
    from ..tvm import from_relax
    from ..tvm.importer.load import load_module

    try:
        module, params = load_module(path)
        return ImportedModel(from_relax(module), params)
    except ValueError as error:
        raise ModelImportError(str(error)) from error


def _read_torch(path: Path, dims: Dims, values: Values) -> ImportedModel:
    if values:
        raise ModelImportError("values of inputs are fixed in models of onnx; torch.export fixes those of its own")
    from ..torch import import_exported_program

    return import_exported_program(path, dims=dims)


def _run_torch(path: Path, inputs: Values) -> list[Any]:
    from ..torch.original import run_original

    return run_original(path, inputs)


FORMATS: Mapping[str, Format] = {
    "onnx": Format(
        "a model of ONNX: FILE.onnx, with data in other files beside it if there is any",
        "onnx",
        _read_onnx,
        (".onnx",),
        "onnxruntime",
        _run_onnx,
    ),
    "torch": Format(
        "a program of torch.export: FILE.pt2 of torch.export.save",
        "torch",
        _read_torch,
        (".pt2",),
        "torch",
        _run_torch,
    ),
    "stablehlo": Format(
        "a program of StableHLO: text, bytecode, or a portable artifact",
        "jax",
        _read_stablehlo,
        (".stablehlo", ".mlirbc"),
        "jax",
        _run_stablehlo,
    ),
    "tvm": Format("a Relax IRModule: FILE.json of tvm.ir.save_json, or FILE.py that defines one", "tvm", _read_tvm),
}
"""The formats by name. Importers, and the libraries that they stand on, are loaded when they are used."""


def format_of(path: str | Path) -> Format | None:
    """Returns the format of a file by its ending, `None` for a program of our own."""
    if "\n" in str(path):
        return None
    suffix = Path(path).suffix
    return next((item for item in FORMATS.values() if suffix in item.suffixes), None)


def import_file(path: str | Path, dims: Dims | None = None, values: Values | None = None) -> ImportedModel:
    """Returns the model in a file of a format that its ending names; see `import_as`."""
    model_format = format_of(path)
    if model_format is None:
        raise ModelImportError(f"expected a file that ends in {_suffixes()}, got {Path(path).name}")
    return import_as(model_format, path, dims, values)


def import_as(
    model_format: Format, path: str | Path, dims: Dims | None = None, values: Values | None = None
) -> ImportedModel:
    """Returns the model in a file of a format.

    Raises `OSError` for a file that cannot be read, and `ModuleNotFoundError` with the extra to install where packages are missing.
    """
    path = Path(path)
    if path.is_file() or path.is_dir() or not path.exists():
        # Libraries say it in words of their own.
        path.open("rb").close()
    for name, size in (dims or {}).items():
        if isinstance(size, int) and size < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelImportError(f"the size '{name}' must not be negative, got {size}")
        if isinstance(size, int) and size >= 1 << 63:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelImportError(f"the size '{name}' must fit 64 bits, got {size}")
    try:
        return model_format.read(path, dims or {}, values or {})
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}; install xdsl-relax[{model_format.extra}]", name=error.name) from None
    except ModelImportError as error:
        reader = reader_of(path)
        if reader is None or format_of(path) is model_format:
            raise
        raise ModelImportError(f"{error}; {reader}") from None


def reader_of(path: str | Path) -> str | None:
    """Returns what reads a file, in words, if its ending is that of a model."""
    suffix = Path(path).suffix
    name = next((name for name, item in FORMATS.items() if suffix in item.suffixes), None)
    return None if name is None else f"a file that ends in {suffix} is read by relax-import {name}"


def model_suffixes() -> list[str]:
    """Returns the endings of files that are models."""
    return [suffix for item in FORMATS.values() for suffix in item.suffixes]


def require_library(path: str | Path, library: str) -> Format:
    """Returns the format of a file that a library runs.

    Raises `ModelImportError` for a file that it does not run, and `ModuleNotFoundError` where it is not installed.
    """
    model_format = format_of(path)
    if model_format is None or model_format.library != library:
        runs = [suffix for item in FORMATS.values() if item.library == library for suffix in item.suffixes]
        raise ModelImportError(f"{library} runs files that end in {' or '.join(runs)}, this is none")
    if find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named '{library}'; install it", name=library)
    return model_format


def libraries() -> list[str]:
    """Returns the names of the libraries that run models of some format."""
    return [item.library for item in FORMATS.values() if item.library]


def require_no_file(program: str) -> None:
    """Raises `ModelImportError` for text that is the name of a file that is neither a program nor a model."""
    if FILE_NAME.fullmatch(program):
        raise ModelImportError(f"expected a program, or a file that ends in .mlir or {_suffixes()}, got {program!r}")


def _suffixes() -> str:
    return " or ".join(model_suffixes())
