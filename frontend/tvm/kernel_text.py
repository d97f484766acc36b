"""Kernels as text, both ways."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import tvm
from tvm_ffi import structural_equal, structural_map, structural_walk


def kernel_text(kernel: Any) -> str:
    """Returns the script of a kernel, or its JSON if the script does not give the same kernel back."""
    text = kernel.script()
    try:
        if structural_equal(kernel_from_text(text), kernel):
            return text
    except Exception:  # TVM's parser raises whatever it meets.
        pass
    return tvm.ir.save_json(kernel)


@lru_cache(maxsize=1024)
def kernel_from_text(text: str) -> Any:
    """Returns the kernel that `kernel_text` wrote."""
    return tvm.ir.load_json(text) if text.startswith("{") else tvm.script.from_source(text)


def callees(kernel: Any) -> list[str]:
    """Returns the names of the functions of its module that a kernel calls."""
    names: dict[str, None] = {}
    structural_walk(kernel.body, (tvm.ir.GlobalVar, lambda variable: names.setdefault(variable.name_hint)))
    return list(names)


def linked(kernel: Any, variables: Mapping[str, Any]) -> Any:
    """Returns a kernel that calls the functions of a module, by their names, in place of those of which its text has the names alone."""
    if variables.keys().isdisjoint(callees(kernel)):
        return kernel
    replace = tvm.ir.GlobalVar, lambda variable: variables.get(variable.name_hint, variable)
    return kernel.with_body(structural_map(kernel.body, replace))
