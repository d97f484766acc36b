"""Values of options that several tools have."""

from __future__ import annotations

import argparse

from ..targets.cpu import MOST_THREADS, TARGET_VARIABLE

TARGET = f"the CPU to compile for (default: {TARGET_VARIABLE} in the environment, else native; docs/targets.md has the names)"
THREADS = "threads of one call, 0 for what OpenMP says (default: 1)"


def positive(text: str) -> int:
    """Returns a number that is at least 1."""
    value = _integer(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {value}")
    return value


def natural_number(text: str) -> int:
    """Returns a number that is at least 0."""
    value = _integer(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected a number that is not negative, got {value}")
    return value


def thread_count(text: str) -> int:
    """Returns a number of threads, 0 for what is decided when a function is called."""
    value = _integer(text)
    if not 0 <= value <= MOST_THREADS:
        raise argparse.ArgumentTypeError(f"expected 0 to {MOST_THREADS} threads, got {value}")
    return value


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
