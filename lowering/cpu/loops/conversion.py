"""What happens to the operands of a contraction before they are multiplied."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from .builder import LoopBuilder


@dataclass(frozen=True)
class Conversion:
    """What happens to an operand before it is multiplied: operations with one operand each, first to last."""

    ops: tuple[Operation, ...]

    @property
    def key(self) -> str:
        return "".join(f".{op.name.rpartition('.')[2]}.{op.results[0].type}" for op in self.ops)

    def emit(self, b: LoopBuilder, value: SSAValue) -> SSAValue:
        """Applies the operations to a scalar or to lanes."""
        for op in self.ops:
            type_ = op.results[0].type
            if isinstance(value.type, VectorType):
                type_ = VectorType(type_, value.type.get_shape())
            value = b.insert(
                type(op).create(
                    operands=[value],
                    result_types=[type_],
                    properties=dict(op.properties),
                    attributes=dict(op.attributes),
                )
            )
        return value
