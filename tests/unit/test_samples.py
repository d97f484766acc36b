"""Which tests a sample at a target has."""

from __future__ import annotations

from pathlib import Path

from conftest import ANY_TARGET

E2E = Path(__file__).parents[1] / "e2e"


def test_files_that_no_sample_has_are_there():
    assert ANY_TARGET - {path.name for path in E2E.glob("test_*.py")} == set()
