"""`python -m tests.fuzz --count 500 --seed 0`: checks random programs; prints and writes what fails, reduced."""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from .check import CONFIGURATIONS, PASSES, Failure, check, in_child
from .reduce import main_of, ops_of, reduce
from .structure import generate


def plan(seed: int, thorough: bool) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Returns the configurations and passes that the program of a seed is checked with."""
    if thorough:
        return CONFIGURATIONS, PASSES
    rng = random.Random(seed)
    return (CONFIGURATIONS[0], rng.choice(CONFIGURATIONS[1:])), tuple(rng.sample(PASSES, 6))


def run_seed(seed: int, thorough: bool = False, size: int | None = None) -> Failure | None:
    """Makes and checks the program of a seed, in this process."""
    program = generate(seed, size)
    return check(program.module, program.arguments, *plan(seed, thorough))


def subject(failure: Failure) -> str:
    """Returns what an error message says, without places and numbers."""
    line = next((text for text in failure.message.splitlines() if text.strip()), "")
    return re.sub(r"<text>:\S*|%\w+|@\w+|\d+", "", line)[:60]


def reduced(seed: int, failure: Failure, size: int | None) -> tuple[ModuleOp, list[list[Any]]]:
    """Returns the program of a seed, cut to what still fails in the same way."""
    program = generate(seed, size)
    level = next(
        (
            configuration
            for configuration in CONFIGURATIONS
            if f"-O{configuration[0]} threads={configuration[1]}" in failure.kind
        ),
        None,
    )
    if failure.kind == "crash":
        plan_ = (
            ((CONFIGURATIONS[0],), ())
            if in_child(lambda: check(program.module, program.arguments, CONFIGURATIONS[:1], ()))
            else plan(seed, True)
        )
    else:
        passes = tuple(
            name
            for name in PASSES
            if failure.kind.startswith((f"pass {name}:", f"pass {name} ")) or failure.kind == f"pass {name}"
        )
        plan_ = ((level,) if level else (), passes)
    stem = subject(failure) if "Error" in failure.kind or "Exception" in failure.kind else ""

    def fails(module: ModuleOp, arguments: list[list[Any]]) -> bool:
        outcome = in_child(lambda: check(module, arguments, *plan_))
        return outcome is not None and outcome.kind == failure.kind and (not stem or subject(outcome) == stem)

    return reduce(program.module, [list(args) for args in program.arguments], fails)


def describe(value: Any) -> str:
    """Returns an argument in words."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, threshold=40, separator=", ").replace("\n", " ")
        return f"{value.dtype}{list(value.shape)} {text}"
    return repr(value)


def main() -> int:
    """Runs the tool; exit status 1 if a program failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="the number of programs (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program (default: 0)")
    parser.add_argument("--size", type=int, help="the number of ops (default: random, 1 to 30)")
    parser.add_argument("--thorough", action="store_true", help="every configuration and pass for each program")
    parser.add_argument("--no-reduce", action="store_true", help="only print what fails")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write each reduced program there")
    args = parser.parse_args()
    failures: Counter[str] = Counter()
    start = time.perf_counter()
    for seed in range(args.seed, args.seed + args.count):
        failure = in_child(lambda seed=seed: run_seed(seed, args.thorough, args.size))
        if failure is None:
            continue
        failures[failure.kind] += 1
        print(f"== seed {seed}: {failure.kind}: {failure.message.strip()[-600:]}", flush=True)
        if args.no_reduce or failure.kind.startswith("fuzzer"):
            continue
        module, arguments = reduced(seed, failure, args.size)
        print(f"-- {len(ops_of(main_of(module)))} ops\n{str(module)[:6000]}")
        for run in arguments:
            for index, value in enumerate(run):
                print(f"   argument {index}: {describe(value)[:400]}")
        sys.stdout.flush()
        if args.out is not None:
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / f"seed_{seed}.mlir").write_text(
                f"// {failure.kind}: {failure.message.splitlines()[0]}\n{module}\n"
            )
    seconds = time.perf_counter() - start
    print(f"{args.count} programs in {seconds:.0f} s, {failures.total()} failed")
    for kind, count in failures.most_common():
        print(f"  {count:4d} {kind}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
