"""Reads an exported program from a file, and refuses what is none."""

from __future__ import annotations

import logging
import warnings
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram

from ..model.problems import ModelImportError
from .archive import Reader, UntouchedZeros, without_weights

HINT = "torch.export.export(module.eval(), arguments) makes one, torch.export.save(program, FILE) writes it"


def load_program(source: ExportedProgram | str | Path) -> ExportedProgram:
    """Returns an exported program. Raises `ModelImportError` for what is none, or a file of torch that holds something else."""
    if isinstance(source, str | Path):
        path = Path(source)
        return _read(path, lambda: torch.export.load(path))
    if not isinstance(source, ExportedProgram):  # pyright: ignore[reportUnnecessaryIsInstance]
        kind = "a module" if isinstance(source, torch.nn.Module) else f"{type(source).__name__}"
        raise ModelImportError(f"expected an exported program, got {kind}; {HINT}")
    return source


def load_for_import(source: ExportedProgram | str | Path) -> tuple[ExportedProgram, Mapping[str, Reader]]:
    """Returns an exported program, and what reads weights of it that it has zeros in place of; see `load_program`."""
    readers: dict[str, Reader] = {}
    if not isinstance(source, str | Path):
        return load_program(source), readers

    def load() -> Any:
        archive, separate = without_weights(Path(source))
        readers.update(separate)
        with UntouchedZeros():
            program = torch.export.load(archive)
        for name, reader in separate.items():
            tensor = program.state_dict.get(name)
            if tensor is not None:
                reader.check(name, tensor)
        return program

    return _read(Path(source), load), readers


def _read(path: Path, load: Callable[[], Any]) -> ExportedProgram:
    if path.is_dir() or not path.exists():
        raise ModelImportError(f"there is no file {path}" if not path.exists() else f"{path} is a directory")
    if not zipfile.is_zipfile(path):
        raise ModelImportError(f"not an exported program of torch: the file is no archive; {HINT}")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    if not any(name.endswith("archive_format") or "models/" in name for name in names):
        what = "a checkpoint, or a module of TorchScript" if any("data.pkl" in name for name in names) else "an archive"
        raise ModelImportError(f"not an exported program of torch: the file is {what}; {HINT}")
    causes: list[BaseException] = []
    try:
        with warnings.catch_warnings(), _logged(causes):
            warnings.simplefilter("ignore")
            return load()
    except Exception as error:
        # It raises whatever its reader meets in a damaged file, or in one of another version.
        raise ModelImportError(
            f"not an exported program that torch {torch.__version__} reads: {_line(causes[-1] if causes else error)}"
        ) from None


@contextmanager
def _logged(causes: list[BaseException]) -> Generator[None]:
    """Collects the errors that torch logs with a traceback, which are not printed: what it raises then says to look at its log."""

    def keep(record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            causes.append(record.exc_info[1])
        return False

    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.partition(".")[0] == "torch"]
    handlers = {handler for logger in loggers for handler in logger.handlers}
    for handler in handlers:
        handler.addFilter(keep)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(keep)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
