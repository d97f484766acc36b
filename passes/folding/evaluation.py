"""How passes compute ops on constants: an interface that the rooms above fill, as the interpreter lives there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException


class Evaluator(Protocol):
    """Computes one op on numpy arrays (shape values are tuples of ints)."""

    def can_evaluate(self, op: Operation) -> bool:
        """Returns whether there is a rule for the op."""
        ...

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `EvaluationError` if the op refuses the values."""
        ...


class EvaluationError(Exception):
    """An op that cannot be computed on these values."""


_provider: list[Callable[[], Evaluator]] = []


def provide_evaluator(provider: Callable[[], Evaluator]) -> None:
    """Sets what `evaluator` returns; the provider is called when an evaluator is first needed."""
    _provider[:] = [provider]


def evaluator() -> Evaluator:
    """Returns the evaluator. Raises `PassFailedException` if none is provided, as in a program that uses the passes alone."""
    if not _provider:
        raise PassFailedException(
            "constants cannot be folded: no evaluator is provided (xdsl_relax.universe provides one)"
        )
    return _provider[0]()
