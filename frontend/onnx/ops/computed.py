"""Formulas of numpy on tensors of the program: what is written once holds for known arrays and for computed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, SSAValue

from ....builder import BlockBuilder
from ....dialects.symbolic.nodes import Known
from ...model.value_types import element_of

UFUNCS: Mapping[Any, str] = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.true_divide: "divide",
    np.floor: "floor",
    np.ceil: "ceil",
    np.absolute: "abs",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.equal: "equal",
    np.less: "less",
    np.less_equal: "less_equal",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.logical_and: "logical_and",
}
"""The functions of numpy that have a counterpart, each with its name in the dialect."""


class Computed(NDArrayOperatorsMixin):
    """A tensor of f64, or of conditions, that functions of numpy become ops on."""

    def __init__(self, builder: BlockBuilder, value: SSAValue):
        self.builder = builder
        self.value = value

    @classmethod
    def size(cls, builder: BlockBuilder, size: Known) -> Computed:
        """Returns a size as a number."""
        return cls(builder, builder.astype(builder.symbol_value(builder.shape(size)), dtype=f64))

    @classmethod
    def places(cls, builder: BlockBuilder, size: Known) -> Computed:
        """Returns the numbers below a size."""
        return cls(builder, builder.arange([0, size, 1], dtype=f64))

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **_: Any) -> Computed:
        if method != "__call__" or ufunc not in UFUNCS:
            return NotImplemented
        return self._made(UFUNCS[ufunc], operands)

    def __array_function__(self, function: Callable[..., Any], _types: Any, operands: Any, _names: Any) -> Computed:
        return self._made("where", operands) if function is np.where else NotImplemented

    def _made(self, op: str, operands: tuple[Any, ...]) -> Computed:
        return Computed(self.builder, getattr(self.builder, op)(*map(self._tensor, operands)))

    def _tensor(self, operand: Any) -> SSAValue:
        return operand.value if isinstance(operand, Computed) else self.builder.constant(operand, f64)


def tensor(builder: BlockBuilder, numbers: np.ndarray[Any, Any] | Computed, element: Attribute) -> SSAValue:
    """Returns numbers, known or computed, as a tensor of the program."""
    if not isinstance(numbers, Computed):
        return builder.constant(numbers, element)
    return numbers.value if element_of(numbers.value) == element else builder.astype(numbers.value, dtype=element)
