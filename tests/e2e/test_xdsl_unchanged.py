"""An embedder's xDSL is the same before and after this package is imported and has loaded, compiled and run a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def changes(*arguments: str) -> list[str]:
    """Returns what a fresh process finds changed."""
    run = subprocess.run(
        [sys.executable, "-m", "harness.xdsl_snapshot", *arguments],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.splitlines()


def test_xdsl_is_left_as_it_is():
    assert changes() == []


def test_a_change_is_found():
    assert {"arith.select definition", "text select"} <= {*changes("plant")}
