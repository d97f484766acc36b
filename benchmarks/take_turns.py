"""Times several functions that take turns, so that what else happens on the machine meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable

FEWEST_TURNS = 8
"""The turns that each function takes at least: long calls would be measured twice or three times else."""

TOO_SLOW = 10
"""Functions that take so many times the shortest time of another take one turn only."""

FEWEST_CALLS = 3
"""The calls of a turn at least, unless they take `LONG` seconds: the first one after a pause may find its memory and code cold, which
costs a short function a hundred times its time, and it would count as too slow from then on."""

LONG = 0.5
"""The seconds of a turn after which one call is enough."""

CLOSE = 1.1
"""Functions that take at most so many times the shortest time of another are close: which is faster takes longer to tell."""

LONGER = 3
"""So many times as long again, those that are close take turns among themselves."""


def take_turns(*calls: Callable[[], object], seconds: float = 2.0, turn: float = 0.0) -> list[float]:
    """Returns the shortest time of each function, in seconds, called in turns for `seconds` altogether, or longer where several are close.

    A turn is a few calls, or as many as begin within `turn` seconds.
    """
    best = [float("inf")] * len(calls)
    _take_turns(calls, best, TOO_SLOW, FEWEST_TURNS, seconds, turn)
    if sum(each <= CLOSE * min(best) for each in best) > 1:
        _take_turns(calls, best, CLOSE, 0, LONGER * seconds, turn)
    return best


def _take_turns(
    calls: tuple[Callable[[], object], ...], best: list[float], limit: float, fewest: int, seconds: float, turn: float
) -> None:
    """Keeps the shortest times of functions; those that have taken more than `limit` times another's are left out."""
    end = time.perf_counter() + seconds
    turns = 0
    while turns < fewest or time.perf_counter() < end:
        for index, call in enumerate(calls):
            if best[index] < float("inf") and best[index] > limit * min(best):
                continue
            begin = time.perf_counter()
            done = 0
            while True:
                start = time.perf_counter()
                call()
                now = time.perf_counter()
                best[index] = min(best[index], now - start)
                done += 1
                if now - begin >= (turn if done >= FEWEST_CALLS else LONG):
                    break
        turns += 1
