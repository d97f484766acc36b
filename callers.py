"""Who called: frames outside of this package."""

from __future__ import annotations

import sys
from types import FrameType

PACKAGE = __name__.partition(".")[0]


def caller_level() -> int:
    """Returns the `stacklevel` of `warnings.warn` for the innermost line outside of this package."""
    frame, level = sys._getframe(), 0  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_own(frame):
        frame, level = frame.f_back, level + 1
    return level


def is_own(frame: FrameType) -> bool:
    """Returns whether a frame runs code of this package, or of a `with` statement of it."""
    return package_of_frame(frame) in (PACKAGE, "contextlib")


def package_of_frame(frame: FrameType) -> str:
    """Returns the first part of the name of the module whose code a frame runs."""
    return frame.f_globals.get("__name__", "").partition(".")[0]
