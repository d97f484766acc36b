"""Folders whose files are replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from ...interpreter.host.errors import ArgumentError, FileError


@contextmanager
def whole_folder(folder: Path, own: Sequence[str]) -> Generator[Path]:
    """Makes a folder whose content appears as a whole at the end; on an error what was there stays. Errors name `folder`.

    Into a folder that is there files are moved at the end; those of `own` that were not made are removed, others stay.
    """
    if folder.exists() and not folder.is_dir():
        raise FileError((str(folder), "expected a folder, this is a file"))
    place = Path(os.path.realpath(folder))
    is_new = not place.exists()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Inside of a folder that is there, as files are moved within one file system alone.
        partial = Path(mkdtemp(".partial", f".{place.name}.", place.parent if is_new else place))
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from None
    try:
        yield partial
        if is_new:
            partial.chmod(0o777 & ~_umask())
            partial.rename(place)
        else:
            _replace(partial, place, own)
    except OSError as error:
        path = _shown(str(error.filename or folder), partial, place, folder)
        raise OSError(error.errno, error.strerror or str(error), path) from None
    except FileError as error:
        raise FileError(*((_shown(file, partial, place, folder), reason) for file, reason in error.problems)) from None
    except ArgumentError as error:
        raise ArgumentError(_shown(str(error), partial, place, folder)) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _shown(text: str, partial: Path, place: Path, folder: Path) -> str:
    """Returns a text with the folder that a caller has named in place of those that are written to."""
    return text.replace(str(partial), str(folder)).replace(str(place), str(folder))


def _replace(partial: Path, place: Path, own: Sequence[str]) -> None:
    """Replaces the files of a folder that are `own`; where that fails those that were there come back.

    The last file is the first to go and the last to come, so that it never stands beside files that it is not of.
    """
    earlier = Path(mkdtemp(dir=partial))
    made = [name for name in own if (partial / name).exists()]
    for name in own:
        if (place / name).is_dir():
            raise FileError((str(place / name), "expected a file, this is a folder"))
    moved: list[tuple[Path, Path]] = []

    def move(name: str, start: Path, end: Path) -> None:
        try:
            (start / name).rename(end / name)
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(place / name)) from None
        moved.append((start / name, end / name))

    try:
        for name in reversed(own):
            if os.path.lexists(place / name):
                move(name, place, earlier)
        for name in made:
            move(name, partial, place)
    except BaseException:
        for source, target in reversed(moved):
            target.rename(source)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
