"""The rule of setup.py finds every folder with code; one that it misses vanishes from the wheel."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NOT_SHIPPED = {".venv", "build", "dist", "tests", "benchmarks", "examples", "docs"}


def test_every_room_is_in_the_rule():
    """The rule of setup.py names the top-level rooms; what is below them is found."""
    folders = {path.parent.relative_to(ROOT).parts[0] for path in ROOT.glob("*/__init__.py")} - NOT_SHIPPED
    rooms = next(
        ast.literal_eval(node.value)
        for node in ast.parse((ROOT / "setup.py").read_text()).body
        if isinstance(node, ast.Assign)
    )
    assert {*rooms} == folders


def test_every_module_lies_in_a_package():
    stray = [
        str(path.relative_to(ROOT))
        for folder in ("dialects", "interpreter", "passes", "lowering", "targets", "runtime", "frontend", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    ]
    assert stray == []


def test_every_script_can_be_imported():
    from importlib import import_module

    for target in PROJECT["project"]["scripts"].values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
