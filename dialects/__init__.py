"""Dialects, by name; each is loaded when a program first needs it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Dialect


def _lazy(folder: str, module: str, name: str) -> Callable[[], Dialect]:
    """Returns a factory that imports a dialect when it is called."""
    return lambda: getattr(import_module(f"{__name__}.{folder}.{module}"), name)


DIALECTS: dict[str, Callable[[], Dialect]] = {"relax": _lazy("relax", "dialect", "Relax")}

EXTENDED_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "arith": _lazy("upstream", "arith_ops", "EXTENDED_ARITH"),
    "func": _lazy("upstream", "func_ops", "EXTENDED_FUNC"),
    "linalg": _lazy("upstream", "linalg_ops", "EXTENDED_LINALG"),
    "llvm": _lazy("upstream", "llvm_ops", "EXTENDED_LLVM"),
    "scf": _lazy("upstream", "scf_ops", "EXTENDED_SCF"),
    "tensor": _lazy("upstream", "tensor_ops", "EXTENDED_TENSOR"),
}
"""xDSL's dialects with what it lacks; our tools register them in place of xDSL's. The universe may not: names must be unique."""
