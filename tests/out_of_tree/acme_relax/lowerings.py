"""How the ops are lowered to linalg: on tensors without symbols, whose sizes are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue
from xdsl_relax.dialects.relax.attrs import dims_of
from xdsl_relax.lowering.emit import scalar
from xdsl_relax.lowering.emit.op_builder import OpBuilder
from xdsl_relax.lowering.relax_to_linalg.builder import LinalgBuilder
from xdsl_relax.lowering.relax_to_linalg.rule import Rules

from .dialect import SwishPlusOp


def _swish_plus(op: SwishPlusOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    target = op.result.type.element_type

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        x, y = (scalar.widen(s, arg) for arg in args[:2])
        scaled = scalar.mul(s, x, s.constant(-op.factor, x.type))
        swish = scalar.div(s, x, scalar.add(s, s.constant(1.0, x.type), s.insert(math.ExpOp(scaled))))
        return scalar.cast(s, s.insert(arith.AddfOp(swish, y)), target)

    return [b.elementwise(operands, b.sizes(dims_of(op.result.type)), target, body)]


RULES: Rules = {SwishPlusOp: _swish_plus}
