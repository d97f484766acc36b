"""The modules that TVM's own tests build, collected while the tests run, and kept in files.

python tests/oracles/tvm_corpus.py --tvm CHECKOUT FOLDER [FILE...]

A module is what a pass is called with, and what a test compares structurally, results of frontends included. Each test file of TVM leaves one file
in the folder, with a line of JSON for each module that no line before it holds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

import pytest
import tvm
import tvm_ffi
from tvm import relax

PARTS = ("test_transform_", "test_frontend_", "test_analysis", "test_backend_", "test_dataflow", "test_codegen_")
"""How the names of the test files start whose modules are collected unless told."""

FOLDER = Path("tests/python/relax")

LARGEST = 4 << 20
"""How many characters of JSON a module may have."""


@dataclass(frozen=True)
class Entry:
    """A module of the corpus."""

    test: str
    text: str
    """The module as JSON of TVM."""

    def module(self) -> Any:
        """Returns the module."""
        return tvm.ir.load_json(self.text)


def entries(folder: Path, parts: Sequence[str] = ()) -> Iterator[Entry]:
    """Returns the modules in a folder, from the files with one of the parts in their names."""
    for path in sorted(folder.glob("*.jsonl")):
        if not parts or any(part in path.name for part in parts):
            with path.open() as lines:
                for line in lines:
                    yield Entry(*json.loads(line))


class Collector:
    """A plug-in of pytest that keeps modules while tests run."""

    def __init__(self, out: IO[str]):
        self._out = out
        self._known: set[int] = set()
        self._test = ""
        self.count = 0
        """How many modules there are."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Notes down which test runs."""
        self._test = nodeid.rpartition("/")[2]

    def keep(self, given: Any) -> None:
        """Keeps a module, or a function as a module, that has Relax functions."""
        if isinstance(given, relax.Function):
            given = tvm.IRModule({"main": given})
        if not isinstance(given, tvm.IRModule) or not _has_functions(given):
            return
        digest = tvm_ffi.structural_hash(given, map_free_vars=True)
        if digest in self._known:
            return
        self._known.add(digest)
        try:
            text = tvm.ir.save_json(given)
        except Exception:  # A module with objects that have no JSON, such as compiled code, is none that can be kept.
            return
        if len(text) <= LARGEST:
            self._out.write(json.dumps([self._test, text]) + "\n")
            self._out.flush()
            self.count += 1


def _has_functions(module: Any) -> bool:
    return any(isinstance(function, relax.Function) for _, function in module.functions_items())


@contextlib.contextmanager
def watched(keep: Callable[[Any], None]) -> Iterator[None]:
    """Shows the modules that passes and comparisons get."""
    call: Any = tvm.transform.Pass.__call__
    compare: Any = tvm.ir.assert_structural_equal

    def called(self: Any, module: Any) -> Any:
        keep(module)
        return call(self, module)

    def compared(left: Any, right: Any, *options: Any, **named: Any) -> None:
        keep(left)
        keep(right)
        compare(left, right, *options, **named)

    with (
        patch.object(tvm.transform.Pass, "__call__", called),
        patch.object(tvm.ir, "assert_structural_equal", compared),
    ):
        yield


def collect(path: Path, folder: Path) -> int:
    """Runs a test file of TVM; returns how many modules it leaves in the folder."""
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-c", "/dev/null", "--rootdir", "/", "--noconftest"]
    with (folder / f"{path.stem}.jsonl").open("w") as out:
        collector = Collector(out)
        with watched(collector.keep), contextlib.redirect_stdout(io.StringIO()):
            pytest.main([*options, str(path)], plugins=[collector])
    return collector.count


def main() -> int:
    """Collects the corpus; prints how many modules each file has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tvm", type=Path, required=True, help="a checkout of apache/tvm")
    parser.add_argument("folder", type=Path, help="where the modules go")
    parser.add_argument("files", nargs="*", help="how the names of test files start")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    starts = tuple(options.files) or PARTS
    for path in sorted((options.tvm.resolve() / FOLDER).glob("test_*.py")):
        if path.name.startswith(starts):
            print(path.name, collect(path, options.folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
