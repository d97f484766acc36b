"""A context that tells passes who computes ops on constants. Imports no rule: a driver that folds nothing loads none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from xdsl.context import Context
from xdsl.ir import Operation


class Evaluator(Protocol):
    """Computes one op on numpy arrays (shape values are tuples of ints)."""

    def can_evaluate(self, op: Operation) -> bool:
        """Returns whether there is a rule for the op."""
        ...

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `InterpreterError` if the op refuses the values."""
        ...


@dataclass
class EvaluatingContext(Context):
    """xDSL's context and an evaluator, which is made when a pass asks for it."""

    make_evaluator: Callable[[], Evaluator] = field(kw_only=True)

    def clone(self) -> EvaluatingContext:
        """Returns a context with the same dialects and the same evaluator."""
        copied = super().clone()
        return EvaluatingContext(
            *(getattr(copied, entry.name) for entry in fields(copied)), make_evaluator=self.make_evaluator
        )


def evaluator_of(ctx: Context) -> Evaluator:
    """Returns the evaluator of a context; that is the interpreter where another driver made the context."""
    if isinstance(ctx, EvaluatingContext):
        return ctx.make_evaluator()
    from .evaluate import InterpreterEvaluator

    return InterpreterEvaluator()
