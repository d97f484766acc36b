"""From an interface record and object code to an executable: nothing here knows how the code was made."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from ..targets.cpu import cpu_target, lacking_features
from .executable.callbacks import Callbacks
from .executable.executable import Executable, aligned_empty
from .interface.record import Interface
from .machine.jit import CompileError, ForeignModule, load_object


def link(interface: Interface, code: bytes) -> Executable:
    """Loads machine code into the process.

    Code for a CPU that this machine is not gives an executable whose calls raise `ForeignCodeError`. Raises `CompileError` if the
    object code does not fit the record.
    """
    if digest_of(code) != interface.digest:
        raise CompileError("the object code is not that of the interface record: their digests differ")
    reason = lacking_features(interface.architecture, interface.features)
    if reason:
        return Executable(interface, ForeignModule(cpu_target(interface.target), reason), code)
    callbacks = Callbacks(interface.packed)
    constants = {constant.symbol: _aligned_copy(constant.data) for constant in interface.constants}
    symbols = {
        **callbacks.addresses(),
        **{symbol: data.ctypes.data for symbol, data in constants.items()},
    }
    exports = frozenset(name for function in interface.functions for name in (function.entry, function.shape_function))
    return Executable(interface, load_object(code, exports, symbols, keep=(constants, callbacks)), code)


def digest_of(code: bytes) -> str:
    """Returns what tells object code apart from any other: its SHA-256, in hexadecimal."""
    return sha256(code).hexdigest()


def _aligned_copy(data: bytes) -> np.ndarray[Any, Any]:
    result = aligned_empty(len(data))
    result[:] = np.frombuffer(data, np.uint8)
    return result
