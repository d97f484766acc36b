"""The builder in front of an op that a pass rewrites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from ...builder import BlockBuilder
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.manipulate import ExpandDimsOp
from ...dialects.relax.ops.unary import AsTypeOp
from .value_types import retype


class Emitter(BlockBuilder):
    """Inserts ops before an anchor, with its location; a pattern's rewriter, or whoever else wants to know, is told of them."""

    def __init__(
        self,
        anchor: Operation,
        rewriter: PatternRewriter | None = None,
        inserted: Callable[[Operation], None] | None = None,
    ):
        listener = rewriter.handle_operation_insertion if rewriter is not None else inserted
        place = Builder(InsertPoint.before(anchor))
        self._built: set[Operation] = set()
        place.operation_insertion_handler = [self._built.add, *(() if listener is None else (listener,))]
        location = anchor.location
        assert isinstance(location, LocationAttr)
        super().__init__(place, location=location)
        self._rewriter = rewriter

    def like(self, op: RelaxOp, *operands: SSAValue, **changed: Any) -> Sequence[SSAValue]:
        """Inserts an op with the name and the properties of another one, but for those that change; returns its results."""
        return self.results(type(op), *operands, **{**op.properties, **changed})

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
        if self._rewriter is not None:
            self._rewriter.replace(op, [], values)
            return
        for value, result in zip(values, op.results, strict=True):
            value.name_hint = value.name_hint or result.name_hint
            result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
