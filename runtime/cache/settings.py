"""Where the cache is and how large it may grow, as the caller or the environment says."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...interpreter.host.errors import ArgumentError

FOLDER_VARIABLE = "RELAX_CACHE"
"""The environment variable that names the folder of the cache, or says `off` or `0`."""
SIZE_VARIABLE = "RELAX_CACHE_SIZE"
"""The environment variable that says how large the cache may grow: a number of bytes, with K, M, G or T for powers of 1024."""

OFF = "off"
"""What says that there is none, in any case, as `0` does; a folder of such a name is `./off`."""
DEFAULT_SIZE = 1 << 30
"""The bytes that the cache may grow to where nothing else is said."""

_SIZE = re.compile(r"(\d+)([KMGT]?)i?B?", re.IGNORECASE)


class CacheOffError(Exception):
    """Says why a program is not looked for in a cache."""


class NoFolderError(CacheOffError):
    """Says why the folder that is asked for cannot be the cache."""


def cache_folder(given: bool | str | Path | None) -> Path:
    """Returns the folder of the cache; raises `CacheOffError` where there is none.

    `given` is a folder, `True` or `False`, or `None` where the environment decides. Raises `NoFolderError` for a home that does not exist.
    """
    if given is False or (isinstance(given, str) and _is_off(given)):
        raise CacheOffError("the caller wants none")
    if given is not None and given is not True:
        if not isinstance(given, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"cache: expected a folder, True or False, got {given!r:.60}")
        return _absolute("cache", given)
    wanted = os.environ.get(FOLDER_VARIABLE, "")
    if wanted and not _is_off(wanted):
        return _absolute(FOLDER_VARIABLE, wanted)
    if wanted and given is None:
        raise CacheOffError(f"{FOLDER_VARIABLE}={wanted}")
    # A path that is not absolute is invalid, by the specification of these folders.
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(base) and not os.path.isabs(home):
        raise CacheOffError(f"there is no home directory; {FOLDER_VARIABLE} names a folder")
    return Path(base if os.path.isabs(base) else os.path.join(home, ".cache"), "xdsl-relax")


def _is_off(text: str) -> bool:
    return text.lower() in (OFF, "0")


def _absolute(name: str, folder: str | Path) -> Path:
    """Returns the path of a folder, in the directory of the user that it begins with."""
    try:
        return Path(folder).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        reason = (getattr(error, "strerror", None) or "there is no such home directory").lower()
        raise NoFolderError(f"{name}={folder}: {reason}") from None


def cache_size() -> int:
    """Returns the bytes that the cache may grow to; raises `ArgumentError` where the environment does not say it in numbers."""
    text = os.environ.get(SIZE_VARIABLE, "").strip()
    if not text:
        return DEFAULT_SIZE
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ArgumentError(f"{SIZE_VARIABLE}: expected bytes such as 500M or 2G, got {text!r}")
    return int(match[1]) << (10 * " KMGT".index(match[2].upper() or " "))
