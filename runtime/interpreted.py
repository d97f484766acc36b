"""Functions of a module as the interpreter computes them, called as native ones are."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ..interpreter.engine import Interpreter
from .session import Call


def interpret(module: ModuleOp) -> Call:
    """Calls by the interpreter."""
    return Interpreter(module).call
