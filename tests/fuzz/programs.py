"""Random programs: what each is checked with, and how one that fails is cut and written."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xdsl_relax.runtime.bisection.case import Case
from xdsl_relax.runtime.bisection.cutter import cut
from xdsl_relax.runtime.bisection.written import Command, command_for, write_case

from .check import CONFIGURATIONS, DEFAULT_LEVEL, OTHER_LEVELS, PASSES, Configuration, Failure, check, in_child
from .structure import generate

TRIES = 250


@dataclass(frozen=True)
class Plan:
    """The configurations and passes that a program is checked with."""

    configurations: tuple[Configuration, ...]
    passes: tuple[str, ...]


def plan_of(seed: int, thorough: bool) -> Plan:
    """Returns what the program of a seed is checked with: two levels and six passes, or, thoroughly, all that there is."""
    if thorough:
        return Plan(CONFIGURATIONS, PASSES)
    rng = random.Random(seed)
    return Plan((rng.choice(DEFAULT_LEVEL), rng.choice(OTHER_LEVELS)), tuple(rng.sample(PASSES, 6)))


def check_seed(seed: int, thorough: bool = False, size: int | None = None) -> Failure | None:
    """Makes and checks the program of a seed, in this process; one whose values do not fit the memory of the process is none."""
    try:
        program = generate(seed, size)
    except MemoryError:
        return None
    plan = plan_of(seed, thorough)
    return check(program.module, program.arguments, plan.configurations, plan.passes)


def subject(failure: Failure) -> str:
    """Returns what an error message says, without places and numbers."""
    line = next((text for text in failure.message.splitlines() if text.strip()), "")
    return re.sub(r"<text>:\S*|%\w+|@\w+|\d+", "", line)[:60]


def plan_for(failure: Failure, plan: Plan) -> Plan:
    """Returns the part of a plan that showed a failure; all of it for a crash."""
    configurations = tuple(
        c for c in plan.configurations if str(c) in re.split(r":| arguments| twice", failure.kind)[0]
    )
    passes = tuple(name for name in plan.passes if failure.kind.startswith(f"pass {name}"))
    if failure.kind == "crash":
        return plan
    return Plan(configurations[-1:], passes)


def options_of(plan: Plan) -> tuple[str, ...]:
    """Returns what `relax-run` is told so that it does the same."""
    if plan.passes and not plan.configurations:
        return ("--backend", "interpret", "-p", plan.passes[0])
    return plan.configurations[0].options if plan.configurations else ()


def cut_seed(
    seed: int, failure: Failure, thorough: bool, size: int | None, path: Path, progress: Callable[[str], None]
) -> str:
    """Writes the program of a seed, cut to what still fails in the same way; returns the command that runs it."""
    program = generate(seed, size)
    plan = plan_for(failure, plan_of(seed, thorough))
    wanted = subject(failure) if "Error" in failure.kind or "Exception" in failure.kind else ""

    def fails(case: Case) -> bool:
        outcome = in_child(
            lambda: check(case.module, [list(run) for run in case.runs], plan.configurations, plan.passes)
        )
        return outcome is not None and outcome.kind == failure.kind and (not wanted or subject(outcome) == wanted)

    whole = Case(program.module, "main", tuple(tuple(run) for run in program.arguments))
    case = cut(whole, fails, TRIES, progress)
    command = Command(options=options_of(plan))
    shown_by = command_for(case, fails, command, path) if len(case.runs) == 1 else None
    write_case(path, case, shown_by or command, f"seed {seed}: {failure.kind}: {failure.message.splitlines()[0][:200]}")
    return (shown_by or command).text(path.name)
