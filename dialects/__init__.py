"""Dialects, by name; each is loaded when a program first needs it."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Dialect


def _relax() -> Dialect:
    from .relax import Relax

    return Relax


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "relax": _relax,
}


def _arith() -> Dialect:
    from .upstream.arith_ops import EXTENDED_ARITH

    return EXTENDED_ARITH


def _func() -> Dialect:
    from .upstream.func_ops import EXTENDED_FUNC

    return EXTENDED_FUNC


def _llvm() -> Dialect:
    from .upstream.llvm_ops import EXTENDED_LLVM

    return EXTENDED_LLVM


def _linalg() -> Dialect:
    from .upstream.linalg_ops import EXTENDED_LINALG

    return EXTENDED_LINALG


def _tensor() -> Dialect:
    from .upstream.tensor_ops import EXTENDED_TENSOR

    return EXTENDED_TENSOR


EXTENDED_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "arith": _arith,
    "func": _func,
    "linalg": _linalg,
    "llvm": _llvm,
    "tensor": _tensor,
}
"""xDSL's dialects with what it lacks; our tools register them in place of xDSL's. The universe may not: names must be unique."""
