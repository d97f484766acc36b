"""Programs run by native code and by the interpreter, called in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.interpreter.engine import Interpreter

Call = Callable[..., Any]
"""Calls a function of a program by its name, and returns its result, or a tuple of several."""


def natively(module: ModuleOp) -> Call:
    """Compiles a program."""
    program = xdsl_relax.compile(module)
    return lambda name, *arguments: program[name](*arguments)


def interpreted(module: ModuleOp) -> Call:
    """Gives a program to the interpreter."""
    program = Interpreter(module)

    def call(name: str, *arguments: Any) -> Any:
        results = program.call(name, *arguments)
        return results[0] if len(results) == 1 else tuple(results)

    return call


ENGINES: Mapping[str, Callable[[ModuleOp], Call]] = {"native": natively, "interpreter": interpreted}
"""The engines, by name."""
