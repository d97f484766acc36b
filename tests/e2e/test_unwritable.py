"""What cannot be written: folders without permission, a disk that is full, a file in place of a folder; every tool says so in one line.

The tests run as root at times, who may write everywhere: the tools then run without the capabilities for that (`capabilities(7)`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
PROGRAM = (ROOT / "examples" / "linear.mlir").read_text()

ANYBODY = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
FULL = """
import resource, sys
# Python cuts bytecode that does not fit, and reads it back in the next process.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
exec(sys.argv.pop(1))
"""
"""A program of Python, and its arguments, run without permissions of root, or where files have no room."""

WRITES: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "opt": ("opt", ("program.mlir", "-o"), "new.mlir", "new.mlir"),
    "opt, over a file": ("opt", ("program.mlir", "-o"), "old.mlir", "old.mlir"),
    "run --out": ("run", ("program.mlir", "--out"), "results", "results/result_0.npy"),
    "run --save-transformed": ("run", ("program.mlir", "--save-transformed"), "p.safetensors", "p.safetensors"),
    "run --report": ("run", ("program.mlir", "--report"), "report", "report/report.html"),
    "run --bisect": ("run", ("program.mlir", "--check", "--bisect", "--reduced"), "cut.mlir", ""),
    "compile": ("compile", ("program.mlir", "-o"), "library", "library/program.o"),
    "export onnx": ("export", ("onnx", "program.mlir", "-o"), "model.onnx", "model.onnx"),
}
"""Tools, their arguments before a path, the path, and the file that does not fit a disk; none where none is written."""


def _run(tool: str, *args: str, folder: Path, before: str, cache: str = "off") -> subprocess.CompletedProcess[str]:
    code = f"import sys; from xdsl_relax.tools.commands import relax_{tool}; sys.exit(relax_{tool}())"
    environment = {**os.environ, "RELAX_CACHE": cache}
    command = [sys.executable, "-c", before, code, *args]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.mlir").write_text(PROGRAM)
    (tmp_path / "old.mlir").write_text("old")
    return tmp_path


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _skip_without(tool: str) -> None:
    if tool == "export" and find_spec("onnx") is None:
        pytest.skip("onnx is not installed")


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are of Linux")
@pytest.mark.parametrize("name", WRITES)
def test_a_folder_that_may_not_be_written_is_one_line(name: str, folder: Path):
    tool, args, path, inside = WRITES[name]
    _skip_without(tool)
    folder.chmod(0o555)
    done = _run(tool, *args, path, folder=folder, before=ANYBODY)
    assert (done.returncode, done.stderr) in [(1, f"{named}: error: permission denied\n") for named in (path, inside)]
    assert _files(folder) == ["old.mlir", "program.mlir"] and (folder / "old.mlir").read_text() == "old"


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name, (*_, inside) in WRITES.items() if inside])
def test_a_disk_that_is_full_is_one_line(name: str, folder: Path):
    tool, args, path, inside = WRITES[name]
    _skip_without(tool)
    done = _run(tool, *args, path, folder=folder, before=FULL)
    assert (done.returncode, done.stderr) == (1, f"{inside}: error: file too large\n")
    assert _files(folder) == ["old.mlir", "program.mlir"] and (folder / "old.mlir").read_text() == "old"


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are of Linux")
def test_a_file_that_may_not_be_read_is_one_line(folder: Path):
    (folder / "program.mlir").chmod(0)
    done = _run("opt", "program.mlir", folder=folder, before=ANYBODY)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "program.mlir: error: permission denied\n")


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are of Linux")
@pytest.mark.parametrize("cache", ["kept", "kept/deeper"])
def test_a_cache_that_may_not_be_written_is_a_warning(cache: str, folder: Path):
    (folder / "kept").mkdir(0o555)
    done = _run("run", "program.mlir", folder=folder, before=ANYBODY, cache=str(folder / cache))
    warning = f"relax-run: warning: compiled programs are not kept: {folder}/{cache}/1: permission denied\n"
    assert (done.returncode, done.stderr) == (0, warning)
