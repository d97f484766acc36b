"""Errors that reach another process: a pool of processes would wait for ever for one that cannot be unpickled."""

from __future__ import annotations

from typing import Any


class PicklableError(Exception):
    """An error whose constructor takes something else than its text. A pickle has the text, and attributes that are texts."""

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value if isinstance(value, str | tuple | list) else None for name, value in vars(self).items()}
        return _restored, (type(self), str(self)), state


def _restored(kind: type[PicklableError], text: str) -> PicklableError:
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    return error
