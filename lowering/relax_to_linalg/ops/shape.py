"""Shape values as `index` arithmetic.

    %t = relax.shape_to_tensor %s : (!relax.shape<[n, 4]>) -> tensor<2xi64>

becomes

    %t = tensor.from_elements (arith.index_cast %n), 4 : tensor<2xi64>
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, TensorType, i64
from xdsl.ir import SSAValue

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import shape_value
from ....dialects.relax.ops import shape
from ...emit.tensor_builder import tensor_shape
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from .unary import convert


def _shape_of(op: shape.ShapeOfOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    return [
        b.as_index(b.dim(operands[0], axis) if dim is None else b.size(dim))
        for axis, dim in enumerate(dims_of(op.x.type) or ())
    ]


def _shape_to_tensor(op: shape.ShapeToTensorOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sizes = b.sizes(shape_value(op.shape))
    if not sizes:
        return [b.empty([0], i64)]
    return [_from_elements(b, [b.size_as(size, i64) for size in sizes], [len(sizes)])]


def _from_elements(b: LinalgBuilder, items: Sequence[SSAValue], dims: Sequence[int]) -> SSAValue:
    result = TensorType(items[0].type, dims)
    return b.insert(tensor.FromElementsOp.create(operands=items, result_types=[result]))


def _tensor_to_shape(op: shape.TensorToShapeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    count = tensor_shape(operands[0])[0]
    limits = None if op.bounds is None else b.sizes(shape_value(op.bounds))
    results: list[SSAValue] = []
    for axis in range(count):
        size = b.insert(arith.IndexCastOp(b.extract(operands[0], [axis]), IndexType()))
        name = f"size {axis}"
        b.check(size, ">=", b.index(0), f"tensor_to_shape: {name} is negative", (name, ""))
        if limits is not None:
            bound = b.as_index(limits[axis])
            b.check(size, "<=", bound, f"tensor_to_shape: {name} exceeds its bound", (name, "its bound"))
            size = b.insert(arith.MinSIOp(size, bound))
        results.append(size)
    return results


def _symbol_value(op: shape.SymbolValueOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    target = element_type_of(op.result.type)
    size = b.size(shape_value(op.shape)[op.prop("index", 0)])
    scalar = convert(b, b.size_as(size, i64), i64, target)
    assert scalar.type == signless(target)
    return [_from_elements(b, [scalar], [])]


RULES: Rules = {
    shape.ShapeOfOp: _shape_of,
    shape.ShapeToTensorOp: _shape_to_tensor,
    shape.TensorToShapeOp: _tensor_to_shape,
    shape.SymbolValueOp: _symbol_value,
}
