"""The version of the package."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from .installed import installed_version

_PACKAGE = __name__.partition(".")[0]


@cache
def package_version() -> str:
    """Returns the version of the installed package, else that of the source tree, else `0+unknown`."""
    return installed_version(_PACKAGE, sys.path) or _described_version()


def _described_version() -> str:
    """Returns the version where no folder, or more than one, has it in its name."""
    import tomllib
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        pass
    try:
        return str(tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text())["project"]["version"])
    except (OSError, KeyError, ValueError):
        return "0+unknown"
