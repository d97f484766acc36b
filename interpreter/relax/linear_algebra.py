"""Interpreter rules of linear algebra; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...dialects.relax.base import element
from ...dialects.relax.dtypes import accumulator_of, numpy_dtype
from ...dialects.relax.ops import linear_algebra
from ...dialects.relax.rules.einsum_rules import parse_subscripts
from ..rule import Bindings, Rules, result_dtype, widened
from .unary import converted


def product(op: Any, lhs: Any, rhs: Any) -> Any:
    """Returns the matrix product, accumulated in the wider one of the operands' type and that of the result."""
    result = op.out_dtype or element(op.operands[0])
    wide = numpy_dtype(accumulator_of(element(op.operands[0]), result))
    return converted(np.asarray(np.matmul(lhs.astype(wide), rhs.astype(wide))), numpy_dtype(result))


def _matmul(op: linear_algebra.MatmulOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [product(op, args[0], args[1])]


def _linear(op: linear_algebra.LinearOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    result = product(op, args[0], args[1].T)
    return [result + args[2] if len(args) > 2 else result]


def _einsum(op: linear_algebra.EinsumOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    # numpy wants all dims under an ellipsis in the result; here those that it leaves out are summed, as in torch.
    subscripts = parse_subscripts(op.subscripts.data, [np.ndim(array) for array in args])
    numbers = {label: number for number, label in enumerate(dict.fromkeys(chain(*subscripts.operands)))}
    operands: list[Any] = []
    for array, labels in zip(args, subscripts.operands, strict=True):
        operands += [widened(array), [numbers[label] for label in labels]]
    result = np.einsum(*operands, [numbers[label] for label in subscripts.result])
    return [np.asarray(result).astype(result_dtype(op))]


RULES: Rules = {
    linear_algebra.MatmulOp: _matmul,
    linear_algebra.LinearOp: _linear,
    linear_algebra.EinsumOp: _einsum,
    linear_algebra.OuterOp: lambda op, args, bindings: [np.multiply.outer(args[0], args[1])],
}
