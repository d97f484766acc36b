"""What compiles: the versions and the source files that a program is compiled by, besides what its caller chooses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import llvmlite
import ml_dtypes
import numpy as np
import xdsl

from ...compiler_sources import any_changed, compiler_files, digest_of_files, python_files, source_digest
from ...entry_points import EXTENSIONS, UNIVERSES, offered, package_of

_XDSL = "xdsl"


class UnknownCompilerError(Exception):
    """Says why it cannot be told what compiles."""


def compiler_identity() -> Mapping[str, str]:
    """Returns what compiles by name, each with a version or a digest; raises `UnknownCompilerError`."""
    try:
        return {**_packages(), **{package: _digest(module) for package, module in _extensions().items()}}
    except OSError as error:
        raise UnknownCompilerError(f"{error.filename} cannot be read") from None


def require_unchanged() -> None:
    """Raises `UnknownCompilerError` if source files were written since they were, or may have been, imported."""
    try:
        names = ("xdsl_relax", *_extensions().values())
        for name, files in zip(names, (compiler_files(), *map(_files_of, names[1:])), strict=True):
            if any_changed(files):
                raise UnknownCompilerError(f"source files of {name} were changed since the process has started")
    except OSError as error:
        raise UnknownCompilerError(f"{error.filename} cannot be read") from None


@cache
def _packages() -> Mapping[str, str]:
    own = source_digest()
    if not own:
        raise UnknownCompilerError("the source files of xdsl_relax cannot be read")
    return {
        "xdsl-relax": own,
        "xdsl": _version_of_xdsl(),
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "ml_dtypes": ml_dtypes.__version__,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def _version_of_xdsl() -> str:
    """Returns the version of xDSL, with the digest of its files where it runs from a checkout, which keeps a version for long."""
    home = Path(xdsl.__file__).parent
    versions = [folder.name.split("-")[1] for folder in _metadata([str(home.parent)]) if _is_of(folder, _XDSL)]
    if len(versions) == 1:
        return versions[0].removesuffix(".dist").removesuffix(".egg")
    return f"{xdsl.__version__} {digest_of_files(python_files(home), home)}"


@cache
def _extensions() -> Mapping[str, str]:
    """Returns the packages of others that add to the compiler: the name of each with its version, and of its top-level module."""
    if not _may_have_extensions():
        return {}
    entries = (entry for group in (UNIVERSES, EXTENSIONS) for entry in offered(group))
    modules = {package_of(entry): entry.value.partition(":")[0].partition(".")[0] for entry in entries}
    return {package: module for package, module in modules.items() if module != _XDSL}


@cache
def _digest(module: str) -> str:
    # They may be edited where they are, with the version as it was.
    files = [*_files_of(module)]
    if not files:
        raise UnknownCompilerError(f"the source files of {module}, which adds to the compiler, cannot be read")
    return digest_of_files(files, os.path.dirname(files[0].path))


def _files_of(module: str) -> Iterable[os.DirEntry[str]]:
    """Returns the source files of a top-level module, which is not imported."""
    spec = find_spec(module)
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        yield from python_files(folder)
    if spec.submodule_search_locations is None and spec.origin is not None:
        with os.scandir(os.path.dirname(spec.origin)) as beside:
            yield from (entry for entry in beside if entry.path == spec.origin)


def _may_have_extensions() -> bool:
    """Returns whether an installed package may name one of our entry points: its file of them is looked through for their names.

    `importlib.metadata` knows for certain, and takes longer to import than all else that a hit does.
    """
    groups = tuple(f"[{group}]" for group in (UNIVERSES, EXTENSIONS))
    if any(place.endswith(".egg") or os.path.isfile(place) for place in sys.path):
        return True
    for folder in _metadata(sys.path):
        if _is_of(folder, _XDSL) or _is_of(folder, "xdsl_relax"):
            continue
        try:
            text = Path(folder.path, "entry_points.txt").read_text("utf-8", "replace").replace(" ", "")
        except OSError:
            continue
        if any(group in text for group in groups):
            return True
    return False


def _is_of(folder: os.DirEntry[str], package: str) -> bool:
    return folder.name.split("-")[0].lower() == package


def _metadata(places: Iterable[str]) -> Iterator[os.DirEntry[str]]:
    """Yields the folders in which installers describe packages."""
    for place in places:
        try:
            with os.scandir(place or ".") as entries:
                folders = [entry for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        yield from folders
