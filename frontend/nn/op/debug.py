"""Functions of Python that a method calls while it runs: to print a tensor, or to look at it."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import FileLineColLoc

from ....builder.locations import caller_location
from ....dialects.relax.attrs import ObjectType
from ..annotations import checked
from ..effects import IOEffect
from ..errors import ModelError
from ..python_calls import call_python
from ..scope import current_scope
from ..tensor import Object, Tensor


@checked
def debug_func(name: str, *args: Any, _line_info: str | None = None) -> None:
    """Calls the Python function that is registered under a name: `f("model.py:12", *args)`, tensors as numpy arrays.

    Arguments are tensors, numbers, sizes and strings. The module must be exported with `debug=True`.
    """
    scope = current_scope()
    io = None if scope is None else scope.program.io
    if not isinstance(io, IOEffect):
        raise ModelError(f"{name} is called for debugging, but the module is not exported with debug=True")
    line = _caller_line() if _line_info is None else _line_info
    name_hint = io.state.value.name_hint
    arguments = [io.state, name, line, *args]
    io.state = Object(
        call_python("vm.builtin.invoke_debug_func", arguments, [ObjectType()], float_dtype="float32", name=name_hint)
    )


@checked
def print_(tensor: Tensor) -> None:
    """Prints a tensor when the program runs. The module must be exported with `debug=True`."""
    debug_func("vm.builtin.debug_print", tensor)


def _caller_line() -> str:
    where = caller_location()
    return f"{where.filename.data}:{where.line.data}" if isinstance(where, FileLineColLoc) else "unknown"
