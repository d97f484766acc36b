"""Output files that are there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from errno import EINVAL
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO


@contextmanager
def whole_file(path: str | Path) -> Generator[BinaryIO, None, None]:
    """Opens a file to write; one of that name is replaced at the end, or kept on an error. An `OSError` names the file.

    What is no regular file (a pipe, `/dev/stdout`) is written in place.
    """
    in_place = Path(path).exists() and not Path(path).is_file()
    target = Path(path if in_place else os.path.realpath(path))
    partial = target if in_place else target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as stream:
            yield stream
        if not in_place:
            if target.exists():
                shutil.copymode(target, partial)
            partial.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        if not in_place:
            # Where there is no such directory there is no partial file either.
            with suppress(OSError):
                partial.unlink()


def require_writable(path: str | Path) -> None:
    """Raises the `OSError` of a file that cannot be written, before what goes there is computed."""
    if Path(path).exists() and not Path(path).is_file():
        return
    try:
        with TemporaryFile(dir=Path(os.path.realpath(path)).parent):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def require_other(path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Raises an `OSError` for an output file that is one of the files that are read."""
    for file in inputs:
        if Path(path).is_file() and Path(file).exists() and os.path.samefile(path, file):
            raise OSError(EINVAL, "is read, expected another file to write", str(path))


def write_text(path: str | Path, text: str) -> None:
    """Writes a whole file of text."""
    with whole_file(path) as stream:
        stream.write(text.encode())
