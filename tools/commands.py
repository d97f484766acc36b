"""The tools as commands of a shell: Ctrl-C, a full disk and a reader that has gone away end them with one line at most."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TextIO

from ..collector import free_nothing_at_exit, importing

EXIT_BAD = 1
EXIT_INTERRUPTED = 128 + signal.SIGINT


class Terminated(BaseException):
    """Ends a tool as Ctrl-C does, so that it leaves no temporary files behind; its argument is the number of the signal."""


def relax_opt() -> int:
    """Runs `relax-opt`; returns its exit status."""
    return run_command("relax-opt", lambda: _tool("relax_opt").main())


def relax_run() -> int:
    """Runs `relax-run`; returns its exit status."""
    return run_command("relax-run", lambda: _tool("relax_run").main())


def relax_import() -> int:
    """Runs `relax-import`; returns its exit status."""
    return run_command("relax-import", lambda: _tool("relax_import").main())


def _tool(name: str) -> ModuleType:
    with importing():
        return import_module(f".{name}", __package__)


def relax_export() -> int:
    """Runs `relax-export`; returns its exit status."""
    return run_command("relax-export", lambda: _tool("relax_export").main())


def relax_compile() -> int:
    """Runs `relax-compile`; returns its exit status."""
    return run_command("relax-compile", lambda: _tool("relax_compile").main())


def reported(tool: str, run: Callable[[list[str]], int], args: argparse.Namespace) -> int:
    """Returns the exit status of the work of a tool of that name: its own, 1 for bad input, or 2 for a defect of ours.

    `run` fills the list with the text of the program in `args.file`, for errors to show lines of; `args.debug` shows tracebacks.
    """
    source: list[str] = []
    try:
        return run(source)
    except BrokenPipeError:
        # The reader has seen enough.
        return 0
    except Exception as error:
        # What runs well needs nothing of it.
        from .run_errors import report_error

        return report_error(error, tool, args.file, "".join(source), debug=args.debug)


def run_command(name: str, main: Callable[[], int]) -> int:
    """Returns the exit status of a tool, also where it is interrupted (130) or its output cannot be written (1)."""
    free_nothing_at_exit()
    # A shell may have closed them (`>&-`): nobody reads.
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))
    try:
        with _terminating():
            status = _status(main)
    except Terminated as end:
        # As a process that has no handler ends, so that whoever sent the signal sees what came of it.
        (number,) = end.args
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        status = 128 + number
    except KeyboardInterrupt:
        # The next one ends what the interpreter still does, and has nothing to say.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        print(f"{name}: interrupted", file=sys.stderr)
        status = EXIT_INTERRUPTED
    except BrokenPipeError:
        # Tools end well where nobody reads their results: here nobody reads why one has failed.
        _drop(sys.stdout)
        _drop(sys.stderr)
        status = EXIT_BAD
    except OSError as error:
        status = _cannot_write(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        # A tool that has failed has said why.
        status = status or _cannot_write(error)
        _drop(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:
        # There is no other place to say so.
        _drop(sys.stderr)
    return status


@contextmanager
def _terminating() -> Generator[None]:
    """Lets what ends a process raise `Terminated` inside, unless whoever started the tool has it ignored."""
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: object) -> None:
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise Terminated(number)

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _status(main: Callable[[], int]) -> int:
    try:
        return main()
    except SystemExit as end:
        # Of argparse, after help, a version, or a wrong command line.
        return end.code if isinstance(end.code, int) else 0


def _cannot_write(error: OSError) -> int:
    _drop(sys.stdout)
    if isinstance(error, BrokenPipeError):
        # The reader has seen enough.
        return 0
    print(f"{error.filename or 'stdout'}: error: {(error.strerror or str(error)).lower()}", file=sys.stderr)
    return EXIT_BAD


def _drop(stream: TextIO) -> None:
    """Keeps Python from writing at its exit what could not be written before, and from complaining about that."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
