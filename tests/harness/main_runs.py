"""Runs of the function `@main` of a program, by the interpreter and as machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.runtime.compiler import compile as compile_module
from xdsl_relax.runtime.interpreted import interpret

Array: TypeAlias = "np.ndarray[Any, Any]"
Run = Callable[[ModuleOp, Sequence[Array]], Sequence[Array]]


def interpreted(module: ModuleOp, arguments: Sequence[Array]) -> Sequence[Array]:
    """Runs a program by the interpreter."""
    return interpret(module)("main", *arguments)


def native(module: ModuleOp, arguments: Sequence[Array]) -> Sequence[Array]:
    """Runs a program as machine code."""
    return compile_module(module)["main"].call(*arguments)


ENGINES: Mapping[str, Run] = {"interpret": interpreted, "native": native}
"""The engines, by name."""
