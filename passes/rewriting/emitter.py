"""Builds relax ops in front of an op, with types inferred."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.base import AttrValue, RelaxOp
from ...dialects.relax.dense import dense_from_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.ops.core import ConstantOp, ShapeOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp
from ...dialects.relax.ops.unary import AsTypeOp
from ...dialects.symbolic.expressions import Dim
from .value_types import retype


class Emitter:
    """Inserts ops before an anchor; a pattern's rewriter, or whoever else wants to know, is told of them."""

    def __init__(
        self,
        anchor: Operation,
        rewriter: PatternRewriter | None = None,
        inserted: Callable[[Operation], None] | None = None,
    ):
        self.anchor = anchor
        self.rewriter = rewriter
        self.inserted = rewriter.handle_operation_insertion if rewriter is not None else inserted
        self._built: set[Operation] = set()

    def insert(self, op: Operation) -> None:
        """Inserts an op that is built already."""
        op.location = self.anchor.location
        self._built.add(op)
        block = self.anchor.parent
        assert block is not None
        block.insert_op_before(op, self.anchor)
        if self.inserted is not None:
            self.inserted(op)

    def op(
        self,
        op_type: type[RelaxOp],
        *operands: SSAValue,
        result_types: Sequence[Attribute] | None = None,
        **attrs: AttrValue,
    ) -> SSAValue:
        """Builds an op and returns its first result."""
        return self.results(op_type, *operands, result_types=result_types, **attrs)[0]

    def results(
        self,
        op_type: type[RelaxOp],
        *operands: SSAValue,
        result_types: Sequence[Attribute] | None = None,
        **attrs: AttrValue,
    ) -> Sequence[SSAValue]:
        """Builds an op and returns its results."""
        op = op_type.build_from(*operands, result_types=result_types, **attrs)
        self.insert(op)
        return op.results

    def like(
        self, op: RelaxOp, *operands: SSAValue, result_types: Sequence[Attribute] | None = None, **changed: AttrValue
    ) -> Sequence[SSAValue]:
        """Builds an op with the name and the properties of another one, but for those that change; returns its results."""
        return self.results(type(op), *operands, result_types=result_types, **{**op.properties, **changed})

    def scalar(self, value: float, element_type: Attribute) -> SSAValue:
        """Builds a scalar tensor."""
        return self.op(ConstantOp, value=dense_from_numpy(np.asarray(value, numpy_dtype(element_type)), element_type))

    def shape(self, dims: Sequence[Dim]) -> SSAValue:
        """Builds a shape value."""
        return self.op(ShapeOp, result_types=[ShapeType(tuple(dims))])

    def cast(self, value: SSAValue, element_type: Attribute) -> SSAValue:
        """Converts a tensor to an element type, unless it has it."""
        assert isinstance(value.type, TensorType)
        return value if value.type.element_type == element_type else self.op(AsTypeOp, value, dtype=element_type)

    def along(self, vector: SSAValue, axis: int, rank: int) -> SSAValue:
        """Gives a vector trailing dims of size 1, so that it broadcasts along an axis of a tensor of some rank."""
        trailing = list(range(1, rank - axis))
        return self.op(ExpandDimsOp, vector, axis=trailing) if trailing else vector

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Replaces an op by values; those that were built here take over the declared types, the others must have them."""
        for value, result in zip(values, op.results, strict=True):
            if value.type != result.type and value.owner in self._built:
                retype(value, result.type)
        if self.rewriter is not None:
            self.rewriter.replace(op, [], values)
            return
        for value, result in zip(values, op.results, strict=True):
            value.name_hint = value.name_hint or result.name_hint
            result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
