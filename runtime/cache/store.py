"""The folder of a cache: files that appear as a whole, are read only if they are as they were written, and go when they are the oldest.

Processes share it without a lock: an entry is written under a name of its own and renamed, and what a reader has opened stays until it
is closed. Nothing that goes wrong here keeps a program from being compiled.
"""

from __future__ import annotations

import fcntl
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from tempfile import mkstemp

from ...callers import caller_level
from .entry import FORMAT, DamagedEntryError, Entry, Header, packed, read_header, require_digest, unpacked
from .key import Key

_SUFFIX = ".relax"
_PARTIAL = ".partial"
_HEADER_BYTES = 1 << 16


class CacheWarning(UserWarning):
    """Says why compiled programs are not kept."""


_warned: set[str] = set()
"""What this process has warned of: one warning is enough."""


def warn_not_kept(about: str, reason: str) -> None:
    """Warns that programs are not kept, once about the same."""
    if about not in _warned:
        _warned.add(about)
        warnings.warn(f"compiled programs are not kept: {reason}", CacheWarning, stacklevel=caller_level())


class Store:
    """A folder of entries that takes `limit` bytes at most."""

    def __init__(self, folder: Path, limit: int):
        # In a folder of its own, so that nobody else may write there whatever the mode of the one that the user has named.
        self.folder = folder / str(FORMAT)
        self.limit = limit
        self.problem = ""
        """Why something was not read or kept; empty where nothing went wrong."""

    def path(self, key: Key) -> Path:
        """Returns the file of an entry."""
        return self.folder / f"{key.name}{_SUFFIX}"

    def load(self, key: Key) -> Entry | None:
        """Returns the entry of a key, which from then on is the youngest; `None` where there is none.

        Raises `DamagedEntryError` for one that is not as it was written, which is removed.
        """
        path = self.path(key)
        try:
            self._require_own(self.folder)
            # Only a file has an end, and is there at once.
            data = path.read_bytes() if S_ISREG(path.stat().st_mode) else b""
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(error)
            return None
        try:
            header, entry = unpacked(data)
            if not key.is_of(header.key):
                raise DamagedEntryError("it is that of another program")
        except DamagedEntryError:
            with suppress(OSError):
                path.unlink()
            raise
        with suppress(OSError):
            os.utime(path)
        return entry

    def save(self, key: Key, source: str, entry: Entry) -> bool:
        """Writes an entry, and removes the oldest ones where the cache grows too large; returns whether the entry is there."""
        pieces = packed(key.parts, source, entry)
        if sum(map(len, pieces)) > self.limit:
            self._say(
                "size", f"a program of {sum(map(len, pieces))} bytes is not kept, the cache may have {self.limit}"
            )
            return False
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._require_own(self.folder)
            try:
                self._write(self.path(key), pieces)
                self._remove_oldest(keep=self.path(key))
            except FileNotFoundError:
                # The folder is being emptied: what follows is kept again.
                return False
        except OSError as error:
            self._warn(error)
            return False
        return True

    def headers(self, prefix: str = "") -> Iterator[Header]:
        """Yields what entries say of themselves, the youngest first.

        Those whose names start so are read to their end, and left out unless they are as they were written; of all entries only the
        start is read.
        """
        files: list[os.DirEntry[str]] = []
        with suppress(OSError):
            named = (file for file in self._files() if file.name.startswith(prefix) and file.name.endswith(_SUFFIX))
            files = [file for file in named if file.is_file()]
        for file in sorted(files, key=_age, reverse=True):
            with suppress(OSError, DamagedEntryError), open(file.path, "rb") as stream:
                data = stream.read() if prefix else stream.read(_HEADER_BYTES)
                if prefix:
                    require_digest(data)
                yield read_header(data)[0]

    def _write(self, path: Path, pieces: Iterable[bytes]) -> None:
        # Readable and writable by the user alone.
        descriptor, partial = mkstemp(_PARTIAL, dir=self.folder)
        try:
            with open(descriptor, "wb") as stream:
                # What is locked has a writer that lives: `_remove_oldest` leaves it alone. Some file systems have no locks.
                with suppress(OSError):
                    fcntl.flock(stream, fcntl.LOCK_EX)
                stream.writelines(pieces)
                stream.flush()
                os.fsync(stream.fileno())
                os.replace(partial, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(partial)
            raise

    def _remove_oldest(self, keep: Path) -> None:
        entries: list[tuple[float, int, str]] = []
        for file in self._files():
            with suppress(OSError):
                if file.name.endswith(_PARTIAL):
                    _remove_abandoned(file.path)
                elif file.name.endswith(_SUFFIX):
                    entries.append((_age(file), file.stat().st_size, file.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                return
            if path != str(keep):
                with suppress(OSError):
                    os.unlink(path)
                total -= size

    def _files(self) -> list[os.DirEntry[str]]:
        with os.scandir(self.folder) as files:
            return [*files]

    def _require_own(self, folder: Path) -> None:
        """Raises `OSError` where another user may write what this process would run."""
        state = os.stat(folder)
        if state.st_uid != os.geteuid():
            raise PermissionError(0, f"belongs to user {state.st_uid}, not {os.geteuid()}", str(folder))
        if state.st_mode & 0o022:
            raise PermissionError(0, "may be written by others", str(folder))

    def _warn(self, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        self._say(str(self.folder), f"{self.folder}: {reason}")

    def _say(self, about: str, reason: str) -> None:
        self.problem = reason
        warn_not_kept(about, reason)


def _age(file: os.DirEntry[str]) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _remove_abandoned(path: str) -> None:
    """Removes what a process has left that was ended while it wrote."""
    with open(path, "r+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        os.unlink(path)
