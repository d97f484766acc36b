"""The version of the package."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def package_version() -> str:
    """Returns the version of the installed package, else that of the source tree, else `0+unknown`."""
    try:
        return version("xdsl-relax")
    except PackageNotFoundError:
        pass
    try:
        return str(tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text())["project"]["version"])
    except (OSError, KeyError, ValueError):
        return "0+unknown"
