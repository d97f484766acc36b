"""What became of the cases of a suite: outcomes, their table, and cases that run in another process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32


@dataclass(frozen=True)
class Outcome:
    """What became of a case; the words that a suite has for it are in its module."""

    word: str
    detail: str = ""


def listed(outcomes: Mapping[str, Outcome]) -> str:
    """Returns the cases with what became of them, one a line."""
    return "\n".join(f"{name}: {item.word}: {item.detail}" for name, item in outcomes.items())


def crash_of(error: Exception, engine: str = "") -> Outcome:
    """Returns the outcome of a case that raised an error it may not raise."""
    return Outcome("crash", (f"{engine}: " if engine else "") + one_line(error))


def one_line(error: Exception) -> str:
    """Returns the type and the message of an error, shortened."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def in_tenth(name: str) -> bool:
    """Returns whether a case is in the tenth that CI runs, by its name alone."""
    return crc32(name.encode()) % 10 == 0


def print_table(title: str, table: Mapping[str, Counter[str]], words: Sequence[str], rows: bool = True) -> Counter[str]:
    """Prints how often each word was the outcome, for each group and in all; returns the latter."""
    total = sum(table.values(), Counter[str]())
    width = max(map(len, (title, *table)), default=0) + 2
    print(f"{title:{width}}" + "".join(f"{word:>9}" for word in words))
    for name, counts in [*(sorted(table.items()) if rows else ()), ("all", total)]:
        print(f"{name:{width}}" + "".join(f"{counts[word]:9}" for word in words))
    return total


class Row(NamedTuple):
    """What became of one of the items that a case consists of."""

    case: str
    item: str
    word: str
    detail: str


def print_case(case: str, items: Mapping[str, Outcome]) -> None:
    """Prints, in a process of `rows_apart`, what became of a case."""
    rows = [Row(case, item, outcome.word, outcome.detail) for item, outcome in items.items()]
    print(json.dumps(rows), flush=True)


def rows_apart(script: str, cases: Sequence[str]) -> list[Row]:
    """Returns what became of the items of all cases, which a script runs in another process.

    The script is started with the options of this process and `--from N`, and ends each case from number N on with `print_case`. Behind a case
    that ends the process, which is a crash, it is started again.
    """
    rows: list[Row] = []
    first = 0
    while first < len(cases):
        command = [sys.executable, script, *sys.argv[1:], "--from", str(first)]
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as running,
        ):
            assert running.stdout is not None
            for line in running.stdout:
                if line.startswith("["):
                    rows += (Row(*row) for row in json.loads(line))
                    first += 1
                    if first % 100 == 0:
                        print(f"{first} of {len(cases)} cases", file=sys.stderr, flush=True)
            status = running.wait()
            errors.seek(0)
            reason = f"the process ended with {status}: {errors.read()[-300:]}"
        if first < len(cases):
            rows.append(Row(cases[first], cases[first], "crash", reason))
            first += 1
    return rows
