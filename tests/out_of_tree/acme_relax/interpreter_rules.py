"""How the interpreter computes the ops: on numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl_relax.interpreter.rule import Bindings, Rules, result_dtype, widened

from .dialect import SwishPlusOp


def _swish_plus(op: SwishPlusOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, y = (widened(np.asarray(arg)) for arg in args)
    return [np.asarray(x / (1 + np.exp(-op.factor * x)) + y).astype(result_dtype(op))]


RULES: Rules = {SwishPlusOp: _swish_plus}
