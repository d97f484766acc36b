"""The registry of Python functions that `relax.call_packed` and `relax.call_dps_packed` call by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class UnregisteredError(LookupError):
    """A program calls functions that nobody registered; the message has a line for each."""


def packed_function(name: str, wanted: Callable[[], Mapping[str, str]]) -> Callable[..., Any]:
    """Returns a registered function.

    Raises `UnregisteredError` if there is none of that name. `wanted` returns all the names that the program calls, each with the
    reason why that is no code of the program, or an empty text: those that nobody registered are listed at once.
    """
    if name not in _FUNCTIONS:
        missing = {one: why for one, why in wanted().items() if one not in _FUNCTIONS} or {name: ""}
        raise UnregisteredError(
            "\n".join(
                f"no packed function is registered as {one!r}" + (f": {why}" if why else "")
                for one, why in missing.items()
            )
        )
    return _FUNCTIONS[name]
