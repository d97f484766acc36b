"""The interpreter as the evaluator of single ops on constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ..passes.folding.evaluation import EvaluationError
from .engine import Interpreter
from .relax.rules import RULES
from .rule import Bindings, InterpreterError


class InterpreterEvaluator:
    """Evaluates relax ops by their interpreter rules, and calls by interpreting the callee."""

    def can_evaluate(self, op: Operation) -> bool:
        """Returns whether there is a rule for the op."""
        return type(op) in RULES or isinstance(op, func.CallOp)

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `EvaluationError` if the op refuses the values."""
        try:
            with np.errstate(all="ignore"):
                if isinstance(op, func.CallOp):
                    return Interpreter(_module(op)).call(op.callee.string_value(), *operands)
                return RULES[type(op)](op, operands, Bindings())
        except InterpreterError as error:
            raise EvaluationError(str(error)) from error


def _module(op: Operation) -> ModuleOp:
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, ModuleOp):
        parent = parent.parent_op()
    assert parent is not None
    return parent
