"""Folders import downward only: dialects < passes < lowering < runtime < frontend < tools."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORDER = ("dialects", "passes", "lowering", "runtime", "frontend", "tools")
FILES = sorted(path for folder in ORDER for path in (ROOT / folder).rglob("*.py"))


def imported_folders(source: str, path: Path) -> Iterator[tuple[int, str]]:
    """The line and the folder of each import from this package, relative or absolute, at any depth of the code."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            module = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                target = (*base, *module, alias.name)
                yield node.lineno, target[0]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            parts = node.module.split(".")
            if parts[0] == "xdsl_relax":
                for alias in node.names:
                    yield node.lineno, [*parts, alias.name][1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "xdsl_relax":
                    yield node.lineno, parts[1] if len(parts) > 1 else ""


def violations(source: str, path: Path) -> list[str]:
    """Each import that goes upward."""
    folder = path.relative_to(ROOT).parts[0]
    return [
        f"{path.relative_to(ROOT)}:{line}: {folder} imports {target}"
        for line, target in imported_folders(source, path)
        if target in ORDER and ORDER.index(target) > ORDER.index(folder)
    ]


def test_imports_point_downward():
    assert len(FILES) > 20
    found = [violation for path in FILES for violation in violations(path.read_text(), path)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "from ..runtime import jit",
        "from .. import runtime",
        "from ..runtime.jit import Jit",
        "import xdsl_relax.tools.relax_opt",
        "from xdsl_relax import frontend",
        "def f():\n    from xdsl_relax.lowering.pipeline import PIPELINES",
    ],
)
def test_an_upward_import_is_found(source: str):
    assert violations(source, ROOT / "passes" / "planted.py")


@pytest.mark.parametrize("source", ["from ..dialects import relax", "from . import fuse_ops", "import xdsl.ir"])
def test_a_downward_import_is_accepted(source: str):
    assert not violations(source, ROOT / "passes" / "planted.py")


def test_imports_are_relative_inside_the_package():
    absolute = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in FILES
        for line in path.read_text().splitlines()
        if line.lstrip().startswith(("import xdsl_relax", "from xdsl_relax"))
    ]
    assert absolute == []
