"""The structure of programs: constants, tuples, shape values, casts, devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i64

from .....dialects.relax.attrs import ShapeType, element_type_of
from .....dialects.relax.dense import dense_to_numpy
from .....dialects.relax.ops import core, shape, vdevice
from .....dialects.symbolic.expressions import Known
from ..sizes import Entry
from ..table import Rules, Scope, known
from ..values import Fields


def _constant(op: core.ConstantOp, args: Sequence[Any], scope: Scope) -> str:
    return scope.nodes.constant(dense_to_numpy(op.value), op.result.name_hint or "constant")


def _itself(op: Any, args: Sequence[Any], scope: Scope) -> Any:
    return args[0]


def _tensor_to_shape(op: shape.TensorToShapeOp, args: Sequence[Any], scope: Scope) -> tuple[Known, ...]:
    assert isinstance(op.result.type, ShapeType)
    return tuple(Entry(args[0], index) for index in range(len(op.result.type.data)))


def _shape(op: core.ShapeOp, args: Sequence[Any], scope: Scope) -> tuple[Known, ...]:
    assert isinstance(op.result.type, ShapeType)
    return known(op.result.type.data)


def _symbol_value(op: shape.SymbolValueOp, args: Sequence[Any], scope: Scope) -> str:
    size = scope.sizes.scalar(args[0][op.prop("index", 0)])
    return scope.nodes.converted(size, element_type_of(op.result.type))


def _shape_to_tensor(op: shape.ShapeToTensorOp, args: Sequence[Any], scope: Scope) -> str:
    return scope.nodes.cast(scope.sizes.shape(args[0]), i64)


RULES: Rules = {
    core.ConstantOp: _constant,
    core.MatchCastOp: _itself,
    core.TupleOp: lambda op, args, scope: Fields(args),
    core.TupleGetItemOp: lambda op, args, scope: args[0][op.index.value.data],
    core.ShapeOp: _shape,
    core.StopLiftParamsOp: _itself,
    core.KillObjectOp: lambda op, args, scope: [],
    shape.ShapeOfOp: lambda op, args, scope: scope.dims(op.x, args[0]),
    shape.ShapeToTensorOp: _shape_to_tensor,
    shape.TensorToShapeOp: _tensor_to_shape,
    shape.SymbolValueOp: _symbol_value,
    vdevice.HintOnDeviceOp: _itself,
    vdevice.ToVDeviceOp: _itself,
    vdevice.DeviceCopyOp: _itself,
}
