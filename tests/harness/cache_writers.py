"""Processes that share a cache and are killed while they write: `python -m harness.cache_writers FOLDER WRITERS KILLS SEED`.

Prints one line of JSON: how many entries were loaded, and how many were not what was written.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from xdsl_relax.runtime.cache.entry import DamagedEntryError, Entry
from xdsl_relax.runtime.cache.key import Key, key_of
from xdsl_relax.runtime.cache.store import Store
from xdsl_relax.runtime.compiler import compile
from xdsl_relax.runtime.link import link
from xdsl_relax.runtime.source import Source
from xdsl_relax.targets.cpu import host_target

PROGRAMS = 6
PAD = 1 << 18
"""Bytes that entries are made longer by, so that writing takes a while."""


def programs() -> list[tuple[Key, Entry]]:
    """Returns programs that add different numbers, compiled."""
    compiled: list[tuple[Key, Entry]] = []
    for number in range(PROGRAMS):
        source = Source(
            f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %c = relax.constant {{value = dense<{number}.0> : tensor<4xf32>}} : () -> tensor<4xf32>
  %r = relax.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}""",
            "<text>",
        )
        executable = compile(source)
        entry = Entry(executable.interface, executable.code, chr(97 + number) * PAD)
        compiled.append((key_of(source, {}, host_target()), entry))
    return compiled


def is_right(number: int, expected: Entry, entry: Entry, runs: bool) -> bool:
    """Returns whether an entry is the one that was written, and computes what it should."""
    if entry != expected:
        return False
    if not runs:
        return True
    result = link(entry.interface, entry.code)["main"](np.zeros(4, np.float32))
    return bool((result == number).all())


def work(store: Store, compiled: list[tuple[Key, Entry]], seed: int, tally: Any) -> None:
    """Writes and reads until it is killed; counts what it loads, what is damaged and what is wrong."""
    choice = random.Random(seed)
    # Each line is written at once, so that a kill leaves whole lines.
    while True:
        number = choice.randrange(len(compiled))
        key, expected = compiled[number]
        if choice.random() < 0.5:
            store.save(key, "", expected)
        try:
            entry = store.load(key)
        except DamagedEntryError:
            os.write(tally, b"d")
            continue
        if entry is not None:
            os.write(tally, b"l" if is_right(number, expected, entry, choice.random() < 0.05) else b"w")


def main(folder: str, writers: int, kills: int, seed: int) -> dict[str, int]:
    """Runs the processes, kills some of them, starts others, and counts."""
    compiled = programs()
    # A few entries fit, so that writers remove those of each other.
    store = Store(Path(folder), int(4.5 * PAD))
    choice = random.Random(seed)
    reader, tally = os.pipe()
    os.set_blocking(reader, False)
    counts = {"l": 0, "d": 0, "w": 0}

    def start(number: int) -> int:
        child = os.fork()
        if child == 0:
            try:
                work(store, compiled, seed + number, tally)
            finally:
                os._exit(1)
        return child

    def drain() -> None:
        while True:
            try:
                letters = os.read(reader, 1 << 16).decode()
            except BlockingIOError:
                return
            for letter in counts:
                counts[letter] += letters.count(letter)

    children = [start(number) for number in range(writers)]
    for kill in range(kills):
        time.sleep(choice.uniform(0.0, 0.05))
        index = choice.randrange(writers)
        os.kill(children[index], signal.SIGKILL)
        os.waitpid(children[index], 0)
        children[index] = start(writers + kill)
        drain()
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    drain()
    unreadable = 0
    for number, (key, expected) in enumerate(compiled):
        try:
            entry = store.load(key)
            if entry is not None and not is_right(number, expected, entry, True):
                counts["w"] += 1
        except DamagedEntryError:
            unreadable += 1
    left_before = len([*store.folder.glob("*.partial")])
    # The next writer removes what the killed ones have left.
    key, entry = compiled[0]
    store.save(key, "", entry)
    partial = len([*store.folder.glob("*.partial")])
    size = sum(file.stat().st_size for file in store.folder.iterdir())
    return {
        "loaded": counts["l"],
        "damaged": counts["d"] + unreadable,
        "wrong": counts["w"],
        "partial_before": left_before,
        "partial": partial,
        "over": max(0, size - store.limit),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], *map(int, sys.argv[2:5]))))
