"""The registry of Python functions that `relax.call_packed` and `relax.call_dps_packed` call by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import to_numpy
from .blas import BLAS
from .errors import ArgumentError
from .kv_cache import KV_CACHE
from .paged_functions import PAGED_CACHE


def invoke_closure(closure: Any, *args: Any) -> Any:
    """Calls a run-time value; raises `ArgumentError` if it cannot be called."""
    if not callable(closure):
        raise ArgumentError(f"a closure is called: expected a function, got {type(closure).__name__}")
    return closure(*args)


def tensor_of_object(value: Any, element_type: str) -> np.ndarray[Any, Any]:
    """Returns an object that is an array of an element type; raises `ArgumentError` for anything else."""
    if not isinstance(value, np.ndarray) or value.dtype.name != element_type:
        description = f"{value.dtype} array" if isinstance(value, np.ndarray) else type(value).__name__
        raise ArgumentError(f"match_cast of an object: expected a {element_type} array, got {description}")
    return value


def invoke_debug_func(state: Any, name: str, line: str, *args: Any) -> Any:
    """Calls a registered function with the line of the model that asks for it, and returns the state that orders such calls."""
    packed_function(name, lambda: {name: f"{line} calls it"})(line, *args)
    return state


def debug_print(line: str, array: np.ndarray[Any, Any]) -> None:
    """Prints an array behind the line of the model that asks for it."""
    print(f"{line}: {array.dtype} {list(array.shape)}\n{array}", flush=True)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **BLAS,
    **KV_CACHE,
    **PAGED_CACHE,
    "vm.builtin.invoke_debug_func": invoke_debug_func,
    "vm.builtin.debug_print": debug_print,
    # Releases an item of a tuple; numpy arrays are released when nothing refers to them.
    "vm.builtin.tuple_reset_item": lambda *_: None,
}

RUNTIME_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "invoke_closure": invoke_closure,
    "tensor_of_object": tensor_of_object,
    "null_value": lambda: None,
}
"""What native code asks of the runtime, by the names of `relax.runtime_function`."""


def register_packed(name: str, function: Callable[..., Any]) -> None:
    """Registers a function under the name by which programs call it; a later registration replaces an earlier one.

    It receives numpy arrays, which it may keep, numbers of Python for scalars and sizes, and tuples of them for shapes. `call_packed` takes
    what it returns: one array, which must not change while the call lasts, or a tuple of them, a scalar, or an object. For
    `call_dps_packed` the result arrays follow the arguments, to be written into; all of them are only there until it returns.
    """
    if not isinstance(name, str) or not callable(function):  # pyright: ignore[reportUnnecessaryIsInstance, reportUnnecessaryComparison]
        raise TypeError(f"expected a name and a function to register, got {name!r:.40} and {function!r:.40}")
    _FUNCTIONS[name] = function


def is_registered(name: str) -> bool:
    """Returns whether there is a function of a name."""
    return name in _FUNCTIONS


def packed_result(returned: Any, dtype: np.dtype[Any]) -> Any:
    """Returns what a packed function returned for a tensor or a number of a dtype: an array, or numbers of Python.

    Raises `ValueError` for an array of another dtype, and for anything else.
    """
    array = to_numpy(returned)
    if isinstance(array, np.ndarray | np.generic):
        if array.dtype != dtype:
            raise ValueError(f"packed function returned dtype {array.dtype}, the program expects {dtype}")
    elif not isinstance(array, bool | int | float | list | tuple):
        raise ValueError(f"packed function returned {type(array).__name__}, the program expects an array of {dtype}")
    return array


def require_written(returned: Any, outputs: Sequence[Any]) -> None:
    """Raises `ValueError` for a result of a function that is to write its results into arrays, and not one of these."""
    if returned is not None and not any(returned is output for output in outputs):
        raise ValueError(
            f"packed function returned {type(returned).__name__}, the program expects it to write into the arrays behind its "
            "arguments (call_packed takes what a function returns)"
        )


class UnregisteredError(LookupError):
    """A program calls functions that nobody registered; the message has a line for each."""


def packed_function(name: str, wanted: Callable[[], Mapping[str, str]]) -> Callable[..., Any]:
    """Returns a registered function.

    Raises `UnregisteredError` if there is none of that name. `wanted` returns all the names that the program calls, each with the
    reason why that is no code of the program, or an empty text: those that nobody registered are listed at once.
    """
    if name not in _FUNCTIONS:
        missing = {missing_name: why for missing_name, why in wanted().items() if missing_name not in _FUNCTIONS} or {
            name: ""
        }
        raise UnregisteredError(
            "\n".join(
                f"no packed function is registered as {missing_name!r}" + (f": {why}" if why else "")
                for missing_name, why in missing.items()
            )
        )
    return _FUNCTIONS[name]
