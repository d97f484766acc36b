"""Targets by name."""

from __future__ import annotations

import os
import re

from ...dialects.nearest_name import suggestion
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
    """Returns the error about a name. One with another number is no misspelling: it is another processor."""
    alike = [known for known in target_names() if _numbers(known)[-len(_numbers(name)) :] == _numbers(name)]
    return f"unknown target '{name}'{suggestion(name, alike) or ';'} targets are {', '.join(target_names())}"


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)
