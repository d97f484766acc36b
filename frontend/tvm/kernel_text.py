"""Kernels as text, both ways."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from functools import lru_cache
from typing import Any

import tvm
from tvm_ffi import structural_equal


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
