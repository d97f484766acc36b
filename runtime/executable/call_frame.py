"""What native code and Python share during one native call: objects by handle, arrays that Python lends, an error on its way out."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np


class CallFrame:
    """The Python values that one native call refers to."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        """What a Python function raised; it cannot unwind through native code, and is raised after the call."""
        self._objects: dict[int, Any] = {}
        self._handles = 0
        self._lent: dict[int, list[np.ndarray[Any, Any]]] = {}

    def handle_of(self, value: Any) -> int:
        """Returns a new handle of an object."""
        self._handles += 1
        self._objects[self._handles] = value
        return self._handles

    def object_of(self, handle: int) -> Any:
        """Returns the object of a handle."""
        return self._objects[handle]

    def lend(self, array: np.ndarray[Any, Any]) -> int:
        """Keeps an array until it is released, or the call ends; returns its address."""
        address = array.__array_interface__["data"][0]
        self._lent.setdefault(address, []).append(array)
        return address

    def lent(self, address: int) -> np.ndarray[Any, Any] | None:
        """Returns the array that was lent at an address, if one was."""
        arrays = self._lent.get(address)
        return None if arrays is None else arrays[-1]

    def release_object(self, handle: int) -> None:
        """Forgets an object."""
        self._objects.pop(handle, None)

    def release(self, address: int) -> None:
        """Forgets an array."""
        arrays = self._lent.get(address)
        if arrays is not None:
            arrays.pop()
            if not arrays:
                del self._lent[address]


class _Frames(threading.local):
    def __init__(self) -> None:
        self.stack: list[CallFrame] = []


_frames = _Frames()


def current_frame() -> CallFrame:
    """Returns the frame of the innermost native call of this thread."""
    return _frames.stack[-1]


@contextmanager
def call_frame() -> Generator[CallFrame]:
    """Makes the frame of a native call."""
    frame = CallFrame()
    _frames.stack.append(frame)
    try:
        yield frame
    finally:
        _frames.stack.pop()
