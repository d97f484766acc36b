"""Arguments of the benchmarks' command lines."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def positive(kind: type[int | float]) -> Callable[[str], float]:
    """Returns a reader of numbers above zero."""

    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
        if not number > 0:
            raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
        return number

    return read
