"""Times several functions that take turns, so that what else happens on the machine meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

Turn = Callable[[float], float]
"""Calls a function as often as calls begin within some seconds, and returns the shortest time of a call in seconds."""

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
    """Returns the shortest time of each function, in seconds, as `shortest_of_turns` does."""
    return shortest_of_turns([partial(timed_turn, call) for call in calls], seconds, turn)


def timed_turn(call: Callable[[], object], seconds: float) -> float:
    """Takes a turn: a few calls, or as many as begin within `seconds`; returns the shortest time of a call."""
    best = float("inf")
    begin = time.perf_counter()
    done = 0
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
        done += 1
        if now - begin >= (seconds if done >= FEWEST_CALLS else LONG):
            return best


def shortest_of_turns(turns: Sequence[Turn], seconds: float, turn: float) -> list[float]:
    """Returns the shortest time of each, in seconds, by turns of `turn` seconds for `seconds` altogether, longer where some are close."""
    best = [float("inf")] * len(turns)
    _take_turns(turns, best, TOO_SLOW, FEWEST_TURNS, seconds, turn)
    if sum(each <= CLOSE * min(best) for each in best) > 1:
        _take_turns(turns, best, CLOSE, 0, LONGER * seconds, turn)
    return best


def _take_turns(
    turns: Sequence[Turn], best: list[float], limit: float, fewest: int, seconds: float, turn: float
) -> None:
    """Keeps the shortest times of functions; those that have taken more than `limit` times another's are left out."""
    end = time.perf_counter() + seconds
    done = 0
    while done < fewest or time.perf_counter() < end:
        for index, take in enumerate(turns):
            if best[index] < float("inf") and best[index] > limit * min(best):
                continue
            best[index] = min(best[index], take(turn))
        done += 1
