"""What is known of machines, and the formats that leave the compiler. May not transform programs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.utils.target import Target


def _graph_json() -> type[Target]:
    """Returns the target, which is imported when a program is first printed as it."""
    return import_module(f"{__name__}.graph_json.graph_json").GraphJsonTarget


def _llvm_ir() -> type[Target]:
    """Returns the target, which is imported when a program is first printed as it."""
    return import_module(f"{__name__}.llvm_ir.target").LLVMIRTarget


TARGETS: dict[str, Callable[[], type[Target]]] = {"graph-json": _graph_json, "llvm-ir": _llvm_ir}
"""What a program can be printed as, other than MLIR."""
