"""Compiles a module with the native pipeline, for tables of op cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.runtime.executable.executable import Executable


def compile_native(program: ModuleOp) -> Callable[..., Sequence[Any]]:
    """Returns `run(function, *args)` for a relax module; results are a sequence, whatever their number."""
    return runner(xdsl_relax.compile(program))


def runner(executable: Executable) -> Callable[..., Sequence[Any]]:
    """Returns `run(function, *args)` for an executable."""

    def run(function: str, *args: Any) -> Sequence[Any]:
        results = executable[function](*args)
        return results if isinstance(results, tuple | list) else (results,)

    return run
