"""Targets by name."""

from __future__ import annotations

import os
from difflib import get_close_matches

from .host import NATIVE, host_target
from .record import CpuTarget
from .table import CPU_TARGETS

DEFAULT = "x86-64-v4"
"""What passes and `relax-opt` assume where no target is given, so that their output is the same on every machine."""


TARGET_VARIABLE = "RELAX_TARGET"
"""The environment variable that names the target of `compile` and `relax-run` where none is given."""


class UnknownTargetError(ValueError):
    """Says which targets there are."""


def target_names() -> tuple[str, ...]:
    """Returns the names of all targets."""
    return NATIVE, *CPU_TARGETS


def cpu_target(name: str) -> CpuTarget:
    """Returns the target of a name; raises `UnknownTargetError`."""
    if name == NATIVE:
        return host_target()
    target = CPU_TARGETS.get(name)
    if target is None:
        raise UnknownTargetError(_unknown(name))
    return target


def default_target() -> str:
    """Returns the name of the target that code is compiled for where none is given: that of `RELAX_TARGET`, else `native`."""
    return os.environ.get(TARGET_VARIABLE) or NATIVE


def _unknown(name: str) -> str:
    nearest = get_close_matches(name, target_names(), n=1, cutoff=0.4)
    question = f", did you mean '{nearest[0]}'?" if nearest else ";"
    return f"unknown target '{name}'{question} targets are {', '.join(target_names())}"
