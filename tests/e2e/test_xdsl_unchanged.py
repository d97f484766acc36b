"""An embedder's xDSL is the same before and after this package is imported and has loaded, compiled and run a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness.xdsl_snapshot import PLANTED

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def changes() -> tuple[list[str], list[str]]:
    """Returns what a fresh process finds changed by this package, and by a change that it plants then."""
    run = subprocess.run(
        [sys.executable, "-m", "harness.xdsl_snapshot"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    place = lines.index(PLANTED)
    return lines[:place], lines[place + 1 :]


def test_xdsl_is_left_as_it_is(changes: tuple[list[str], list[str]]):
    assert changes[0] == []


def test_a_change_is_found(changes: tuple[list[str], list[str]]):
    assert {"arith.select definition", "text select"} <= {*changes[1]}
