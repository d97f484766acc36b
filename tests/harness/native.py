"""Compiles a module with the native pipeline, for tables of op cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import ExecutionError, NativeFunction

from harness.guard_pages import call_guarded, faults, little_memory
from harness.hostile import OpCase, hostile_calls


def compile_native(program: ModuleOp) -> Callable[..., Sequence[Any]]:
    """Returns `run(function, *args)` for a relax module; results are a sequence, whatever their number."""
    return runner(xdsl_relax.compile(program))


def runner(executable: Executable) -> Callable[..., Sequence[Any]]:
    """Returns `run(function, *args)` for an executable."""

    def run(function: str, *args: Any) -> Sequence[Any]:
        results = executable[function](*args)
        return results if isinstance(results, tuple | list) else (results,)

    return run


def check_hostile(executable: Executable, cases: Sequence[OpCase]) -> None:
    """Calls the functions of cases, `case_<i>`, between inaccessible pages with operands that do not fit."""
    failures = faults(
        [
            (f"{case.name}, {label}", _hostile(executable[f"case_{index}"], operands))
            for index, case in enumerate(cases)
            for label, operands in hostile_calls(case)
        ]
    )
    assert not failures, "\n".join(failures)


def _hostile(function: NativeFunction, operands: Sequence[Any]) -> Callable[[], str | None]:
    """Returns a call that must end with results or with an error of a class that callers know."""

    def call() -> str | None:
        try:
            with little_memory():
                call_guarded(function, operands)
        except (ArgumentError, ExecutionError):
            return None
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    return call
