"""Devices of the arrays of an interpreted program: the rule of an op sees plain arrays; operands on several devices are an error."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects.relax.attrs import on_device, vdevice_of
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.ops.core import DataflowOp, OutputOp, TupleGetItemOp, TupleOp
from ..dialects.relax.ops.shape import ShapeOfOp
from ..dialects.relax.ops.vdevice import DeviceCopyOp, HintOnDeviceOp, ToVDeviceOp
from ..dialects.relax.placement import ON_HOST, label, leaves
from .host import device as devices
from .host.device import HOST_DEVICE, Device, DeviceArray, DeviceError, device_of, on
from .rule import Bindings, InterpreterError, Rule

_PASSED_ON = (TupleOp, TupleGetItemOp, HintOnDeviceOp)
"""Ops that hand on values without looking at them."""
_ANY_DEVICE = (ToVDeviceOp, DeviceCopyOp, ShapeOfOp)


def required(value_type: Attribute) -> Device:
    """Returns the device that a type names; raises `InterpreterError` if there is no such device."""
    named = vdevice_of(value_type)
    if named is None:
        return HOST_DEVICE
    try:
        return devices.device(named.kind.data, named.index.data, named.scope.data)
    except DeviceError as error:
        raise InterpreterError(str(error)) from None


def require_placed(where: str, value: Any, value_type: Attribute, strict: bool) -> None:
    """Checks that a value is on the device that its type names; with `strict` a type that names none means the host."""
    if isinstance(value_type, TupleType):
        for index, (item, field) in enumerate(zip(value, value_type.types.data, strict=True)):
            require_placed(f"{where} field {index}", item, field, strict)
    elif isinstance(value_type, TensorType | UnrankedTensorType) and (strict or vdevice_of(value_type) is not None):
        if device_of(value) != required(value_type):
            raise InterpreterError(f"{where} is on {device_of(value)}, expected {required(value_type)}")


def require_host(op: Operation, operands: Sequence[Any]) -> None:
    """Checks that no operand of an op that is not of relax is on another device than the host."""
    for index, (operand, value) in enumerate(zip(op.operands, operands, strict=True)):
        if isinstance(value, DeviceArray):
            raise InterpreterError(
                f"{op.name}: operand {index} {label(operand)} is on {value.device}, expected {HOST_DEVICE}"
            )


def stripped(value: Any) -> Any:
    """Returns a value with plain arrays."""
    if isinstance(value, tuple):
        return tuple(map(stripped, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value.data if isinstance(value, DeviceArray) else value


def run_placed(
    op: Operation, rule: Rule, operands: Sequence[Any], bindings: Bindings, placeless: AbstractSet[SSAValue]
) -> Sequence[Any]:
    """Runs an op by its rule where its operands are, and returns its results on their devices.

    `placeless` are the values that say nothing of where the op runs (`placeless_values`). Raises `InterpreterError` that names the op,
    the operands and the devices if these differ.
    """
    if isinstance(op, _PASSED_ON):
        return rule(op, operands, bindings)
    device = None if isinstance(op, _ANY_DEVICE) else _common_device(op, operands, placeless)
    if isinstance(op, DeviceCopyOp) and device_of(operands[0]).label != op.src_vdevice.label:
        raise InterpreterError(
            f"{op.name}: operand 0 {label(op.x)} is on {device_of(operands[0])}, expected {op.src_vdevice.label}"
        )
    results = rule(op, [stripped(value) for value in operands], bindings)
    return [
        _placed(op, value, result.type, device) if isinstance(result.type, TensorType | UnrankedTensorType) else value
        for result, value in zip(op.results, results, strict=True)
    ]


def _common_device(op: Operation, operands: Sequence[Any], placeless: AbstractSet[SSAValue]) -> Device | None:
    """Returns the device of an op's operands, `None` if no operand is on a particular device."""
    first: tuple[int, Device] | None = (-1, HOST_DEVICE) if isinstance(op, ON_HOST) else None
    for index, (operand, value) in enumerate(zip(op.operands, operands, strict=True)):
        if operand in placeless:
            continue
        for device in _devices(value, operand.type):
            if first is None:
                first = index, device
            elif device != first[1]:
                other = f"operand {first[0]} {label(op.operands[first[0]])} on" if first[0] >= 0 else "expected"
                raise InterpreterError(
                    f"{op.name}: operand {index} {label(operand)} is on {device}, {other} {first[1]}"
                )
    return None if first is None else first[1]


def _devices(value: Any, value_type: Attribute) -> list[Device]:
    if isinstance(value_type, TupleType):
        return [
            device for item, field in zip(value, value_type.types.data, strict=True) for device in _devices(item, field)
        ]
    return [device_of(value)] if isinstance(value_type, TensorType | UnrankedTensorType) else []


def _placed(op: Operation, value: Any, value_type: Attribute, device: Device | None) -> Any:
    declared = None if vdevice_of(value_type) is None else required(value_type)
    if isinstance(op, ToVDeviceOp | DeviceCopyOp):
        declared = required(on_device(value_type, op.dst_vdevice))
    if device is not None and declared is not None and declared != device:
        raise InterpreterError(f"{op.name}: a result is declared on {declared}, the operands are on {device}")
    where = declared or device or HOST_DEVICE
    return value if where.is_host else on(np.asarray(value), where)


def placeless_values(module: ModuleOp) -> AbstractSet[SSAValue]:
    """Returns the values that may be anywhere: they are made from no other tensor, and no type says where.

    The walk is in program order, so that the operands of an op are decided before it.
    """
    placeless: set[SSAValue] = set()
    for op in module.walk():
        if isinstance(op, OutputOp) and isinstance(block := op.parent_op(), DataflowOp):
            pairs = zip(block.results, op.values, strict=True)
            placeless.update(result for result, value in pairs if value in placeless)
        elif isinstance(op, RelaxOp) and not isinstance(op, DataflowOp | ToVDeviceOp | DeviceCopyOp):
            if all(operand in placeless for operand in op.operands if any(True for _ in leaves(operand.type))):
                placeless.update(result for result in op.results if not _names_device(result.type))
    return placeless


def _names_device(value_type: Attribute) -> bool:
    return any(vdevice_of(leaf) is not None for _, leaf in leaves(value_type))
