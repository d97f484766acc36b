"""The registry of Python functions that `relax.call_packed` and `relax.call_dps_packed` call by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .blas import BLAS

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **BLAS,
    # Releases an item of a tuple; numpy arrays are released when nothing refers to them.
    "vm.builtin.tuple_reset_item": lambda *_: None,
}


def register_packed(name: str, function: Callable[..., Any]) -> None:
    """Registers a function under the name by which programs call it; a later registration replaces an earlier one.

    It receives numpy arrays. `call_packed` takes what it returns (one array, or a tuple of them); for `call_dps_packed` the result
    arrays follow the arguments, to be written into.
    """
    _FUNCTIONS[name] = function


def packed_function(name: str) -> Callable[..., Any]:
    """Returns a registered function; raises `LookupError` if there is none of that name."""
    if name not in _FUNCTIONS:
        raise LookupError(f"no packed function is registered as {name!r}")
    return _FUNCTIONS[name]
