"""From an interface record and object code to an executable: nothing here knows how the code was made.

A pickle of an executable holds these two, one of a function its name as well. Copies are what they are copies of: both are immutable.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..targets.cpu import cpu_target, lacking_features
from .executable.executable import Executable
from .executable.native_function import NativeFunction
from .executable.stepped_function import SteppedNativeFunction
from .executable.workspaces import aligned_empty
from .interface.json_form import digest_of, from_json, to_json, verify_record
from .interface.record import Interface
from .machine.jit import CompileError, ForeignModule, load_object
from .machine.object_file import ObjectFileError, read_object

if TYPE_CHECKING:
    from .executable.callbacks import Callbacks
    from .profile.recorder import Recorder


def link(interface: Interface, code: bytes) -> Executable:
    """Loads machine code into the process.

    Code for a CPU that this machine is not gives an executable whose calls raise `ForeignCodeError`. Raises `ArgumentError` for
    a record that was changed, `CompileError` if the object code does not fit it.
    """
    if not isinstance(interface, Interface):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"interface: expected an interface record (from_json reads one), got {interface!r:.40}")
    if not isinstance(code, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"code: expected the bytes of an object file, got {code!r:.40}")
    verify_record(interface)
    if digest_of(code) != interface.code_digest:
        raise CompileError("the object code is not that of the interface record: their digests differ")
    return executable_of(interface, code)


def executable_of(interface: Interface, code: bytes) -> Executable:
    """Returns what `link` returns of a record and code that are known to be as the compiler has made them."""
    exports = frozenset(name for function in interface.functions for name in (function.entry, function.shape_function))
    _verify_code(code, interface.architecture, exports)
    reason = lacking_features(interface.architecture, interface.features)
    if reason:
        return Executable(interface, ForeignModule(cpu_target(interface.target), reason), code)
    bound: dict[str, Callable[..., Any]] = {}
    callbacks = _callbacks(interface, bound)
    constants = {constant.symbol: _aligned_copy(constant.data) for constant in interface.constants}
    recorder = _recorder(interface)
    symbols = {
        **({} if recorder is None else {recorder.interface.symbol: recorder.address}),
        **({} if callbacks is None else callbacks.addresses()),
        **{symbol: data.ctypes.data for symbol, data in constants.items()},
    }
    module = load_object(code, exports, symbols, keep=(constants, callbacks, recorder))
    return Executable(interface, module, code, bound, recorder)


def _callbacks(interface: Interface, bound: Mapping[str, Callable[..., Any]]) -> Callbacks | None:
    """Returns what native code calls where a program calls Python."""
    if not interface.packed:
        return None
    from .executable.callbacks import Callbacks

    return Callbacks(interface.packed, bound)


def _recorder(interface: Interface) -> Recorder | None:
    """Returns the memory of the profile of code that measures itself."""
    if interface.profile is None:
        return None
    from .profile.recorder import Recorder

    return Recorder(interface.profile)


def _verify_code(code: bytes, architecture: str, exports: frozenset[str]) -> None:
    """Raises `CompileError` unless the code is an object file for an architecture that defines all exports."""
    try:
        object_file = read_object(code)
    except ObjectFileError as error:
        raise CompileError(f"the code is not an object file that can be linked: {error}") from None
    if object_file.architecture != architecture:
        raise CompileError(f"expected object code for {architecture}, got code for {object_file.architecture}")
    missing = sorted(exports - object_file.functions) if object_file.functions is not None else []
    if missing:
        raise CompileError(f"the object code does not define {', '.join(missing)}")


def _aligned_copy(data: bytes) -> np.ndarray[Any, Any]:
    result = aligned_empty(len(data))
    result[:] = np.frombuffer(data, np.uint8)
    return result


def _unpickled(record: str, code: bytes) -> Executable:
    return link(from_json(record), code)


def _unpickled_function(record: str, code: bytes, name: str) -> NativeFunction:
    return _unpickled(record, code)[name]


def _reduced(executable: Executable) -> tuple[Any, ...]:
    return _unpickled, (to_json(executable.interface), executable.code)


def _reduced_function(function: NativeFunction) -> tuple[Any, ...]:
    return _unpickled_function, (to_json(function.interface), function.code, function.signature.name)


# Here, as what makes an executable of a record lies above the executable.
copyreg.pickle(Executable, _reduced)  # pyright: ignore[reportArgumentType]
copyreg.pickle(NativeFunction, _reduced_function)  # pyright: ignore[reportArgumentType]
copyreg.pickle(SteppedNativeFunction, _reduced_function)  # pyright: ignore[reportArgumentType]
