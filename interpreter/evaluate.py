"""Evaluation of single ops on constants by the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from .engine import Interpreter
from .relax.rules import all_rules
from .rule import Bindings


class InterpreterEvaluator:
    """Evaluates relax ops by their interpreter rules, and calls by interpreting the callee."""

    def can_evaluate(self, op: Operation) -> bool:
        """Returns whether there is a rule for the op."""
        return type(op) in all_rules() or isinstance(op, func.CallOp)

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `InterpreterError` if the op refuses the values."""
        with np.errstate(all="ignore"):
            if isinstance(op, func.CallOp):
                return Interpreter(_module(op)).call(op.callee.string_value(), *operands)
            return all_rules()[type(op)](op, operands, Bindings())


def _module(op: Operation) -> ModuleOp:
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, ModuleOp):
        parent = parent.parent_op()
    assert parent is not None
    return parent
