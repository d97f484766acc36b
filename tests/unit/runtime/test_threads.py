"""How OpenMP runtimes are loaded: ours so that waiting threads sleep, those of others as they are."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from xdsl_relax.runtime.machine import threads


class Runtime:
    """Stands for a libomp; remembers what it was told."""

    def __init__(self) -> None:
        self.blocktimes: list[int] = []
        self.environment = dict(os.environ)

    def kmp_set_blocktime(self, milliseconds: int) -> None:
        self.blocktimes.append(milliseconds)


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        monkeypatch.delenv(name, raising=False)

    def loaded(already: bool) -> Runtime:
        def open_library(name: str, mode: int = ctypes.DEFAULT_MODE) -> Runtime:
            if mode & os.RTLD_NOLOAD and not already:
                raise OSError(f"{name} is not loaded")
            return Runtime()

        monkeypatch.setattr(ctypes, "CDLL", open_library)
        runtime: object = threads._load("libomp.so.5")
        assert isinstance(runtime, Runtime)
        return runtime

    return loaded


def test_threads_of_a_runtime_that_we_load_soon_sleep(load):
    runtime = load(already=False)
    assert runtime.blocktimes == [0]
    assert runtime.environment["KMP_BLOCKTIME"] == "0"
    assert "KMP_BLOCKTIME" not in os.environ


def test_a_runtime_that_others_loaded_is_left_as_it_is(load):
    runtime = load(already=True)
    assert runtime.blocktimes == []
    assert "KMP_BLOCKTIME" not in runtime.environment


def test_what_the_user_has_said_counts(load, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert load(already=False).blocktimes == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind threads")
def test_a_thread_may_have_all_processors_of_the_process():
    def bound() -> tuple[set[int], set[int]]:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        before = os.sched_getaffinity(0)
        threads.unbind()
        return before, os.sched_getaffinity(0)

    with ThreadPoolExecutor(1) as pool:
        before, after = pool.submit(bound).result()
    assert len(before) == 1
    assert after == threads._AT_START
