"""Times several functions that take turns, so that what else happens on the machine meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable

FEWEST_TURNS = 8
"""The turns that each function takes at least: long calls would be measured twice or three times else."""

TOO_SLOW = 10
"""Functions that take so many times the shortest time of another take one turn only."""


def take_turns(*calls: Callable[[], object], seconds: float = 2.0, turn: float = 0.0) -> list[float]:
    """Returns the shortest time of each function, in seconds, called in turns for `seconds` altogether.

    A turn is one call, or as many as begin within `turn` seconds.
    """
    best = [float("inf")] * len(calls)
    end = time.perf_counter() + seconds
    turns = 0
    while turns < FEWEST_TURNS or time.perf_counter() < end:
        for index, call in enumerate(calls):
            if turns and best[index] > TOO_SLOW * min(best):
                continue
            over = time.perf_counter() + turn
            while True:
                start = time.perf_counter()
                call()
                now = time.perf_counter()
                best[index] = min(best[index], now - start)
                if now >= over:
                    break
        turns += 1
    return best
