"""The cache between processes: what one has compiled another one only links, also where some of them are killed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl_relax.tools.relax_run import main

ROOT = Path(__file__).resolve().parents[2]
COMPILE = """
import sys
from pathlib import Path
import numpy as np
import xdsl_relax
exe = xdsl_relax.compile(Path(sys.argv[1]))
x, w = np.arange(24, dtype="f").reshape(3, 8), np.linspace(-1, 1, 32, dtype="f").reshape(4, 8)
print(exe["main"](x, w).tobytes().hex())
print(sorted(sys.modules))
"""
RUN = "import sys; from xdsl_relax.tools.commands import relax_run; sys.exit(relax_run())"
LIST = "import atexit, sys; atexit.register(lambda: print(sorted(sys.modules), file=sys.stderr))\n"
SLOW = re.compile(r"'(xdsl|ml_dtypes|numpy\.ma|xdsl_relax\.interpreter\.host\.packed_functions)(\.\w+)*'")
"""Modules that a program in the cache does without: to import xDSL took as long as all else that its process did."""


def python(code: str, *arguments: str, cache: Path | str, limits: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", limits + code, *arguments],
        env={**os.environ, "RELAX_CACHE": str(cache)},
        capture_output=True,
        text=True,
        cwd=ROOT,
    )


def test_the_second_process_links_what_the_first_has_compiled(tmp_path: Path):
    first, second = (python(COMPILE, "examples/linear.mlir", cache=tmp_path).stdout.splitlines() for _ in range(2))
    assert first[0] == second[0]
    compilers = re.compile(
        r"xdsl_relax\.(lowering|passes|universe|builder|runtime\.compiler|interpreter\.relax|frontend\.nn)\b"
    )
    assert compilers.search(first[1]) and not compilers.search(second[1])
    assert SLOW.search(first[1]) and not SLOW.search(second[1])


@pytest.mark.parametrize("example", ["linear", "row_mean", "devices"])
def test_a_program_in_the_cache_is_run_without_xdsl(example: str, tmp_path: Path):
    path = f"examples/{example}.mlir"
    first, second = (python(LIST + RUN, path, cache=tmp_path) for _ in range(2))
    assert first.returncode == second.returncode == 0 and "found in the cache" in second.stdout
    assert SLOW.search(first.stderr)
    assert [match[0] for match in SLOW.finditer(second.stderr)] == []


def test_relax_run_prints_the_same_of_a_program_in_the_cache(tmp_path: Path):
    options = ("examples/linear.mlir", "--dim", "n=3", "--cache-info")
    first, second = (python(RUN, *options, cache=tmp_path) for _ in range(2))
    assert (first.returncode, first.stderr, second.returncode, second.stderr) == (0, "", 0, "")
    assert "cache: miss: there is no entry of this program; kept for the next time" in first.stdout
    assert f"cache: hit: {tmp_path}/1/" in second.stdout

    def results(printed: str) -> list[str]:
        return [
            re.sub(r" in [\d.]+ \w+$", "", line)
            for line in printed.splitlines()
            if not line.startswith(("cache:", "compiled", "found"))
        ]

    assert results(first.stdout) == results(second.stdout)
    wrong = python(RUN, *options, "--input", "y=ones", cache=tmp_path)
    assert wrong.returncode == 1 and "error: " in wrong.stderr and "Traceback" not in wrong.stderr
    # The interpreter needs the program itself.
    checked = python(RUN, *options, "--check", "--memory", cache=tmp_path)
    assert checked.returncode == 0 and "cache: hit" in checked.stdout
    assert "check: result 0 agrees" in checked.stdout and "intermediate tensors: " in checked.stdout


def test_ranges_of_sizes_are_kept(tmp_path: Path):
    """The size of a symbol that nobody gives is in the range that its function declares."""
    path = tmp_path / "ranges.mlir"
    path.write_text(
        """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> attributes {relax.tir_var_lower_bound = {n = 7 : i64}} {
  %y = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}""".replace("relax.tir_var_lower_bound", lower_bounds())
    )
    first, second = (python(RUN, str(path), "--cache-info", cache=tmp_path / "cache") for _ in range(2))
    assert "with n = 7" in first.stdout, first.stderr
    assert "with n = 7" in second.stdout and "cache: hit" in second.stdout


def lower_bounds() -> str:
    from xdsl_relax.dialects.relax.vocabulary.attributes import SYM_LOWER_BOUNDS

    return SYM_LOWER_BOUNDS.name


@pytest.mark.parametrize("change", ["-O 1", "--threads 2", "--no-bounds-checks", "-p cse", "--target x86-64-v2"])
def test_every_option_of_relax_run_counts(
    change: str, compiled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("RELAX_CACHE", str(compiled))
    monkeypatch.chdir(ROOT)
    assert main(["examples/linear.mlir", "--cache-info", *change.split()]) == 0
    assert "cache: miss: it was compiled " in capsys.readouterr().out


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    assert python(RUN, "examples/linear.mlir", cache=folder).returncode == 0
    return folder


SMALL_FILES = """
import resource, sys
# Python cuts bytecode that does not fit, and reads it back in the next process.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
"""


@pytest.mark.parametrize(
    ("cache", "limits", "reason"),
    [
        ("/dev/null/cache", "", "not a directory"),
        ("~nosuch/x", "", "RELAX_CACHE=~nosuch/x: there is no such home directory"),
        ("{}", SMALL_FILES, "file too large"),
    ],
)
def test_a_cache_that_cannot_be_written_is_a_line_on_stderr(tmp_path: Path, cache: str, limits: str, reason: str):
    ended = python(RUN, "examples/linear.mlir", "--cache-info", cache=cache.format(tmp_path), limits=limits)
    assert ended.returncode == 0 and "not kept" in ended.stdout
    (line,) = ended.stderr.splitlines()
    assert line.startswith("relax-run: warning: compiled programs are not kept: ") and line.endswith(reason)
    assert not [*tmp_path.rglob("*.*")]


def test_writers_that_are_killed_leave_no_entry_that_is_wrong(tmp_path: Path):
    ended = subprocess.run(
        [sys.executable, "-m", "harness.cache_writers", str(tmp_path), "50", "20", "3"],
        cwd=ROOT / "tests",
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    counts = json.loads(ended.stdout)
    assert counts["loaded"] > 50
    assert {name: counts[name] for name in ("damaged", "wrong", "partial", "over")} == {
        "damaged": 0,
        "wrong": 0,
        "partial": 0,
        "over": 0,
    }
