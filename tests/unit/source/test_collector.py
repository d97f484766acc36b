"""The collector is paused while programs are compiled, and what they leave is looked through before it is a lot."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest
from xdsl_relax import collector
from xdsl_relax.collector import collector_paused, importing


class Cycle:
    """An object that only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_in_a_program(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """The tests have frozen what they were started with; a program has not."""
    monkeypatch.setattr(collector, "_deferred", 0)
    monkeypatch.setattr(collector, "_frozen", False)
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    if frozen:
        gc.freeze()


def test_what_is_made_in_a_pause_is_not_looked_through_at_its_end():
    gc.collect()
    with collector_paused():
        assert not gc.isenabled()
        cycle = weakref.ref(Cycle())
        young = gc.get_count()[0]
        assert young > 0
    assert gc.isenabled() and cycle() is not None and gc.get_count()[0] < max(young, 100)
    gc.collect()
    assert cycle() is None


def test_a_lot_of_what_is_left_is_looked_through(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collector, "MOST_DEFERRED", 5_000)
    kept: list[weakref.ref[Cycle]] = []
    for _ in range(14):
        with collector_paused():
            kept += (weakref.ref(Cycle()) for _ in range(500))
    with collector_paused():
        assert sum(cycle() is not None for cycle in kept) <= 5_000


def test_a_single_pause_collects_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collector, "MOST_DEFERRED", 0)
    with collector_paused():
        cycle = weakref.ref(Cycle())
    assert cycle() is not None
    with collector_paused():
        assert cycle() is None


@pytest.mark.parametrize("pause", [collector_paused, importing])
def test_what_a_program_froze_stays_frozen(pause: object):
    gc.freeze()
    count = gc.get_freeze_count()
    with collector_paused() if pause is collector_paused else importing():
        pass
    assert gc.get_freeze_count() == count
    gc.unfreeze()


def test_what_is_frozen_is_counted_once(monkeypatch: pytest.MonkeyPatch):
    counts = iter((0, 7))
    monkeypatch.setattr(gc, "get_freeze_count", lambda: next(counts))
    for _ in range(4):
        with collector_paused():
            pass
    assert next(counts, None) is None


@pytest.mark.parametrize("pause", [collector_paused, importing])
def test_a_collector_that_is_off_stays_off(pause: object):
    gc.disable()
    try:
        with collector_paused() if pause is collector_paused else importing():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


EXIT = """
import gc
from xdsl_relax.collector import free_nothing_at_exit
free_nothing_at_exit()
class Kept:
    def __init__(self):
        self.itself = self
    def __del__(self):
        print("walked")
kept = Kept()
if {dropped}:
    del kept
    gc.collect()
gc.callbacks.append(lambda phase, info: print("collected", gc.get_freeze_count() > 1000) if phase == "stop" else None)
"""


@pytest.mark.parametrize("dropped", [False, True])
def test_nothing_is_walked_at_exit_and_what_was_dropped_before_is_freed(dropped: bool):
    done = subprocess.run(
        [sys.executable, "-c", EXIT.format(dropped=dropped)], capture_output=True, text=True, check=True
    )
    lines = done.stdout.split("\n")[:-1]
    assert lines.count("walked") == dropped
    assert set(lines) <= {"walked", "collected True"}


AT_EXIT = """
import sys
from xdsl_relax.collector import free_nothing_at_exit
free_nothing_at_exit()
class Kind(type):
    __module__ = sys.argv[1]
class Cycle:
    def __init__(self):
        self.itself = self
    def __del__(self):
        print("freed")
cycle = Cycle()
"""


@pytest.mark.parametrize(("module", "printed"), [("elsewhere", ""), ("nanobind", "freed\n")])
def test_at_exit_objects_are_freed_where_nanobind_looks_for_those_that_are_not(module: str, printed: str):
    done = subprocess.run([sys.executable, "-c", AT_EXIT, module], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (printed, "")
