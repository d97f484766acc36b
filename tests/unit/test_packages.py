"""The list of packages in pyproject.toml is what the wheel holds; a folder missing there vanishes from it."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NOT_SHIPPED = {".venv", "build", "dist", "tests", "benchmarks", "examples", "docs"}


def test_every_package_is_listed():
    folders = [path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py")]
    expected = {
        ".".join(("xdsl_relax", *folder.parts))
        for folder in folders
        if not {*folder.parts} & NOT_SHIPPED and not any(part.startswith(".") for part in folder.parts)
    }
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


def test_every_module_lies_in_a_package():
    stray = [
        str(path.relative_to(ROOT))
        for folder in ("dialects", "passes", "lowering", "runtime", "frontend", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    ]
    assert stray == []


def test_every_script_can_be_imported():
    from importlib import import_module

    for target in PROJECT["project"]["scripts"].values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
