"""Calls of registered Python functions, and of functions in C that are registered like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..annotations import checked
from ..extern import call_extern, result_types
from ..python_calls import call_python
from ..tensor import wrapped


@checked
def extern(name: str, args: Sequence[Any], out: Any) -> Any:
    """Returns what a registered function writes into the arrays that follow its arguments; `out` are placeholders of the results.

    Arguments are tensors, objects, numbers, sizes, strings, and tuples or lists of such.
    """
    return call_extern(name, args, out)


@checked
def call_packed(name: str, args: Sequence[Any], out: Any) -> Any:
    """Returns what a registered function returns, with the types of placeholders `out`: tensors, or `nn.Object.placeholder()`.

    The function has no side effects that others rely on: a call whose result nothing uses is removed. Arguments are those of `extern`.
    """
    return wrapped(call_python(name, args, result_types(out), name=name))
