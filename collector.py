"""Python's cycle collector, paused while objects are made by the million and all of them are in use."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """Keeps the collector from walking the IR again and again while it grows: a fifth of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def importing() -> Generator[None, None, None]:
    """Keeps the collector from walking modules while they are imported, and counts them as old afterwards: they stay."""
    with collector_paused():
        yield
        if not gc.get_freeze_count():
            # Moves all objects to the oldest generation without walking them; what the program froze itself stays frozen.
            gc.freeze()
            gc.unfreeze()
