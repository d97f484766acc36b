"""Runs commands in forks of a process that has imported our package, but has not looked for packages that extend it.

Each command sees the packages of a folder of its own, as with `PYTHONPATH`, without the second that imports take.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Self

ROOMS = ("builder", "dialects", "interpreter", "lowering", "passes", "runtime", "targets", "tools")


class ForkServer:
    """The process; use it in a `with` statement."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, site: Path, command: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a script of an installed package, or `python -c CODE`, with the packages of a folder beside those that are."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(site), command, stdin]) + "\n")
        self._process.stdin.flush()
        status, out, err = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(command, status, out, err)


def serve() -> None:
    """Answers the lines of stdin until its end."""
    for room in ROOMS:
        package = importlib.import_module(f"xdsl_relax.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for line in sys.stdin:
        site, command, text = json.loads(line)
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(text.encode())
            given.seek(0)
            child = os.fork()
            if child == 0:
                os._exit(run_in_child(site, command, (given, out, err)))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            texts = [stream.read().decode() for stream in (out, err) if stream.seek(0) == 0]
        print(json.dumps([status, *texts]), flush=True)


def run_in_child(site: str, command: Sequence[str], streams: Sequence[IO[bytes]]) -> int:
    """Runs a command on these streams; returns its exit status."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    os.environ["COLUMNS"] = "120"
    sys.path.insert(0, site)
    importlib.invalidate_caches()
    sys.argv = [*command]
    status = 0
    try:
        if command[:2] == ["python", "-c"]:
            exec(compile(command[2], "<string>", "exec"), {"__name__": "__main__"})
        else:
            (script,) = entry_points(group="console_scripts", name=command[0])
            status = script.load()() or 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    serve()
