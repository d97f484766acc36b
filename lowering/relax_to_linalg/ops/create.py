"""Creation of tensors as `linalg.fill`, or as one `linalg.generic` that computes from its indices.

    %y = relax.zeros %shape : (!relax.shape<[2, 3]>) -> tensor<2x3xf32>
    %z = relax.arange %range : (!relax.shape<[0, n, 1]>) -> tensor<?xi64, #relax.sym<n>>

becomes

    %y = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>)
    linalg.generic %z[d0] = 0 + (linalg.index 0) * 1
"""

from __future__ import annotations

import math as numbers
from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.ops import create
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import ScalarBuilder, Size, element
from ..builder import LinalgBuilder, signless
from ..rule import Rule, Rules
from .unary import convert


def _result(op: Any, b: LinalgBuilder) -> tuple[list[Size], Attribute]:
    """Returns the sizes of the result and its relax element type."""
    return b.sizes(dims_of(op.result.type)), element_type_of(op.result.type)


def _filled(value: int) -> Rule:
    def lower(op: Any, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        sizes, target = _result(op, b)
        return [b.filled(value, signless(target), sizes)]

    return lower


def _full(op: create.FullOp | create.FullLikeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    value, source = operands[-1], relax_element(op.fill_value)
    sizes, target = _result(op, b)
    return [b.elementwise([value], sizes, signless(target), lambda s, args: convert(s, args[0], source, target))]


def _indexed(s: ScalarBuilder, dim: int) -> SSAValue:
    return s.insert(arith.IndexCastOp(s.iteration(dim), i64))


def _arange(op: create.ArangeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sizes, target = _result(op, b)
    start, _, step = op.limits()
    kind = f64 if isinstance(step, float) else i64
    first = b.constant(start, f64) if isinstance(start, float) else b.size_as(b.size(start), i64)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        assert isinstance(s, ScalarBuilder)
        index = scalar.cast(s, _indexed(s, 0), kind)
        return convert(s, scalar.add(s, first, scalar.mul(s, index, s.constant(step, kind))), kind, target)

    return [b.elementwise([], sizes, signless(target), body)]


def _eye(op: create.EyeOp | create.EyeLikeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sizes, target = _result(op, b)
    kind = signless(target)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        assert isinstance(s, ScalarBuilder)
        distance = scalar.sub(s, _indexed(s, 1), _indexed(s, 0))
        above = scalar.sub(s, distance, s.constant(op.prop("k", 0), i64))
        on_diagonal = scalar.compare(s, "eq", above, s.constant(0, i64))
        return scalar.select(s, on_diagonal, s.constant(1, kind), s.constant(0, kind))

    return [b.elementwise([], sizes, kind, body)]


def _triangle(predicate: str) -> Rule:
    def lower(op: create.TriangleOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        sizes = _result(op, b)[0]

        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            assert isinstance(s, ScalarBuilder)
            row, column = s.iteration(len(sizes) - 2), s.iteration(len(sizes) - 1)
            diagonal = s.insert(arith.AddiOp(row, s.index(op.diagonal())))
            kept = s.insert(arith.CmpiOp(column, diagonal, predicate))
            if args[0].type == i1:
                return s.insert(arith.AndIOp(kept, args[0]))
            return scalar.select(s, kept, args[0], s.constant(0, args[0].type))

        return [b.elementwise(operands, sizes, element(operands[0]), body)]

    return lower


def _hamming_window(op: create.HammingWindowOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sizes, target = _result(op, b)
    period = b.size_as(b.sub(sizes[0], 0 if op.prop("periodic", True) else 1), f64)
    alone = scalar.compare(b, "eq", b.size_as(sizes[0], i64), b.constant(1, i64))

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        assert isinstance(s, ScalarBuilder)
        turn = scalar.mul(s, scalar.cast(s, _indexed(s, 0), f64), s.constant(2 * numbers.pi, f64))
        cosine = s.insert(math.CosOp(scalar.div(s, turn, period)))
        wave = scalar.mul(s, s.constant(op.prop("beta", 0.46), f64), cosine)
        value = scalar.sub(s, s.constant(op.prop("alpha", 0.54), f64), wave)
        return convert(s, scalar.select(s, alone, s.constant(1.0, f64), value), f64, target)

    return [b.elementwise([], sizes, signless(target), body)]


RULES: Rules = {
    create.ZerosOp: _filled(0),
    create.OnesOp: _filled(1),
    create.FullOp: _full,
    create.ZerosLikeOp: _filled(0),
    create.OnesLikeOp: _filled(1),
    create.FullLikeOp: _full,
    create.ArangeOp: _arange,
    create.EyeOp: _eye,
    create.EyeLikeOp: _eye,
    create.TrilOp: _triangle("sle"),
    create.TriuOp: _triangle("sge"),
    create.HammingWindowOp: _hamming_window,
}
