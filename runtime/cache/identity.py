"""What compiles: the versions and the source files that a program is compiled by, besides what its caller chooses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec

from ...compiler_sources import any_changed, compiler_files, digest_of_files, python_files, source_digest
from ...entry_points import EXTENSIONS, UNIVERSES, offered, package_of
from ...installed import installed_version


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
        **{package: _version(package) for package in ("xdsl", "llvmlite", "numpy", "ml_dtypes")},
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def _version(package: str) -> str:
    """Returns the version of a package, which is not imported; its digest where it runs from a checkout, which keeps a version for long."""
    spec = find_spec(package)
    home = "" if spec is None or spec.origin is None else os.path.dirname(os.path.dirname(spec.origin))
    return installed_version(package, (home,)) or _digest(package)


@cache
def _extensions() -> Mapping[str, str]:
    """Returns the packages of others that add to the compiler: the name of each with its version, and of its top-level module."""
    entries = (entry for group in (UNIVERSES, EXTENSIONS) for entry in offered(group))
    return {package_of(entry): entry.value.partition(":")[0].partition(".")[0] for entry in entries}


@cache
def _digest(module: str) -> str:
    # They may be edited where they are, with the version as it was.
    files = [*_files_of(module)]
    if not files:
        raise UnknownCompilerError(f"the source files of {module}, which is part of the compiler, cannot be read")
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
