"""Damages files of TVM modules and imports them, each in a child process; prints what came of them, by class.

python tests/oracles/oracle_tvm_mutants.py FOLDER --count 20000        # FOLDER is what tvm_corpus.py wrote

A mutant is a module whose JSON has other numbers, references, names, types or missing fields. What may come of it is a module, or an error of a
documented class: the exit status is 1 if anything else does.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from xdsl_relax.frontend.tvm import UnsupportedError, from_relax
from xdsl_relax.frontend.tvm.importer import load
from xdsl_relax.frontend.tvm.importer.load import load_module
from xdsl_relax.runtime.bisection.isolated import Returned, isolated

from oracles.tvm_corpus import entries

LARGEST = 40_000
BATCH = 100
SECONDS = 10

NUMBERS = (0, 1, -1, 2, 7, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), 1.5, 1e300, True, None, "", "x")
IMPORTED, REFUSED, REFUSED_FILE = "imported", "refused by the importer", "refused by TVM's reader"
ENDED = "crashes TVM in a process of its own, refused"
FAILED, CRASHED = "OTHER EXCEPTION", "CRASH"


def mutant(text: str, rng: random.Random) -> str:
    """Returns the JSON of a module with one to three changes."""
    graph = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(graph, rng)
    return json.dumps(graph)


def _change(graph: dict[str, Any], rng: random.Random) -> None:
    nodes: list[dict[str, Any]] = graph["nodes"]
    node = rng.choice(nodes)
    data, choice = node.get("data"), rng.random()
    if choice < 0.1:
        node["type"] = rng.choice(nodes)["type"]
    elif choice < 0.15:
        nodes[rng.randrange(len(nodes))] = json.loads(json.dumps(rng.choice(nodes)))
    elif isinstance(data, dict) and data:
        key = rng.choice(list(data))
        if choice < 0.3:
            del data[key]
        elif choice < 0.7:
            data[key] = rng.randrange(len(nodes))
        else:
            data[key] = rng.choice(NUMBERS)
    elif isinstance(data, list) and data:
        index = rng.randrange(len(data))
        if choice < 0.4:
            del data[index]
        elif choice < 0.8:
            data[index] = rng.randrange(len(nodes))
        else:
            data.insert(index, rng.choice(data))
    else:
        node["data"] = rng.choice(NUMBERS)


def _read(text: str, folder: Path) -> tuple[str, str]:
    path = folder / "mutant.json"
    path.write_text(text)
    try:
        module = load_module(path)[0]
    except ValueError as error:
        return ENDED if "it ends the process" in str(error) else REFUSED_FILE, str(error)
    try:
        from_relax(module)
    except (UnsupportedError, ValueError) as error:
        return REFUSED, str(error)
    except Exception as error:
        return FAILED, f"{type(error).__name__}: {error}"
    return IMPORTED, ""


def outcomes(texts: Sequence[str], seeds: range) -> list[tuple[int, str, str]]:
    """Reads the mutants of some seeds in child processes; returns seed, class and message of each.

    They are read without the trial of `load_module`, which takes a process each; one that ends the process is read again with it.
    """
    made: list[tuple[int, str, str]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "log"
        pending = list(seeds)
        while pending:
            log.write_text("")

            def read_one(seed: int) -> tuple[int, str, str]:
                rng = random.Random(seed)
                kind, message = _read(mutant(rng.choice(texts), rng), folder)
                return seed, kind, message[:2000]

            def read_all(todo: Sequence[int] = tuple(pending)) -> None:
                with log.open("a") as out, patch.object(load, "isolated", lambda *_: None):
                    for seed in todo:
                        out.write(json.dumps(read_one(seed)) + "\n")
                        out.flush()

            isolated(read_all, SECONDS * len(pending))
            done = [tuple(json.loads(line)) for line in log.read_text().splitlines()]
            made += done
            pending = pending[len(done) :]
            if pending:
                seed = pending.pop(0)
                outcome = isolated(partial(read_one, seed), SECONDS)
                made.append(outcome.value if isinstance(outcome, Returned) else (seed, CRASHED, str(outcome)))
    return made


def main() -> int:
    """Prints the classes; 1 if a mutant ended a process or raised another exception."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what tvm_corpus.py wrote")
    parser.add_argument("--count", type=int, default=1000, help="how many mutants (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    options = parser.parse_args()
    texts = [entry.text for entry in entries(options.folder) if len(entry.text) <= LARGEST]
    counts: Counter[str] = Counter()
    for first in range(options.seed, options.seed + options.count, BATCH):
        for seed, kind, message in outcomes(texts, range(first, min(first + BATCH, options.seed + options.count))):
            counts[kind] += 1
            if kind in (FAILED, CRASHED):
                print(f"seed {seed}: {kind}: {re.sub(chr(10), ' ', message)[:300]}", flush=True)
    print(f"{counts.total()} mutants of {len(texts)} modules")
    for kind, count in counts.most_common():
        print(f"{kind}: {count}")
    return int(counts[FAILED] + counts[CRASHED] > 0)


if __name__ == "__main__":
    sys.exit(main())
