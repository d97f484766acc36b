"""Op cases with sizes, shape values and indices that do not fit, between inaccessible pages: natively on several levels."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from typing import Any

import xdsl_relax
from harness.guard_pages import call_guarded, little_memory
from harness.hostile import hostile_calls
from harness.op_cases import Case, module_of
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.executable.native_function import ExecutionError

from .check import Failure
from .structure import table

SIZES = (0, 1, 2, 3, 5, 7, 8, 11, 13, 16, 17, 31, 32, 33, 61, 64, 67, 127)
CASES = 6
"""How many functions are compiled at a time."""


def cases_of(rng: random.Random) -> Iterator[Case]:
    """Yields cases of the tables with other sizes than theirs."""
    for _ in range(CASES):
        case = rng.choice(rng.choice(table()))
        yield dataclasses.replace(case, sizes={name: rng.choice(SIZES) for name in case.sizes})


def check_boundaries(seed: int) -> Failure | None:
    """Calls random cases with operands that do not fit, in this process; a fault ends it."""
    rng = random.Random(seed)
    for case in cases_of(rng):
        level, threads = rng.randrange(4), rng.choice((1, 1, 2))
        try:
            executable = xdsl_relax.compile(module_of([case]), opt_level=level, threads=threads)
        except (VerifyException, PassFailedException):
            continue  # No rule or lowering for these sizes.
        try:
            calls: list[tuple[str, list[Any]]] = list(hostile_calls(case))
        except (ValueError, IndexError):
            continue  # The values of the case are made for its own sizes.
        for label, operands in calls:
            where = f"{case.name} -O{level} threads={threads} {dict(case.sizes)}, {label}"
            try:
                with little_memory():
                    call_guarded(executable["case_0"], operands)
            except (ArgumentError, ExecutionError):
                continue
            except Exception as error:
                return Failure(f"{type(error).__name__}", f"{where}: {error}")
    return None
