"""Devices: hints, moves and copies of tensors between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import base, irdl_op_definition, operand_def, opt_prop_def, prop_def

from ...symbolic.conditions import SizeContext
from ..attrs import VDeviceAttr, on_device, vdevice_of
from ..base import BOOL, TENSOR, TensorOp, fail
from ..fusion_pattern import FusionPattern

DEVICE = base(VDeviceAttr)


@irdl_op_definition
class HintOnDeviceOp(TensorOp):
    """The operand itself; says on which device it should be computed.

    The result lives where its readers want it, or on the device too with `fixed = true` (of the older `on_device`).
    `relax-realize-vdevice` takes it as Relax does: the result is on the device, and so is the operand if nothing else is said of it.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.hint_on_device"
    x = operand_def(TENSOR)
    dst_vdevice = prop_def(DEVICE)
    fixed = opt_prop_def(BOOL)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [on_device(self.x.type, vdevice_of(self.result.type) if self.results else None)]


@irdl_op_definition
class ToVDeviceOp(TensorOp):
    """The operand on a device: a copy if it lives on another one.

    to_vdevice_c1: the device that the result type names is `dst_vdevice`.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.to_vdevice"
    x = operand_def(TENSOR)
    dst_vdevice = prop_def(DEVICE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if self.results:
            _require(self.result.type, self.dst_vdevice, "to_vdevice_c1", "result")
        return [on_device(self.x.type, self.dst_vdevice)]


@irdl_op_definition
class DeviceCopyOp(TensorOp):
    """A copy of a tensor from the memory of one device to that of another one.

    device_copy_c1: the device that the operand type names is `src_vdevice`.
    device_copy_c2: the device that the result type names is `dst_vdevice`.
    device_copy_c3: the devices differ.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.device_copy"
    x = operand_def(TENSOR)
    src_vdevice = prop_def(DEVICE)
    dst_vdevice = prop_def(DEVICE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        _require(self.x.type, self.src_vdevice, "device_copy_c1", "operand")
        if self.results:
            _require(self.result.type, self.dst_vdevice, "device_copy_c2", "result")
        if self.src_vdevice == self.dst_vdevice:
            fail("device_copy_c3", f"src_vdevice and dst_vdevice must differ, both are {self.src_vdevice.label}")
        return [on_device(self.x.type, self.dst_vdevice)]


def _require(value_type: Attribute, vdevice: VDeviceAttr, constraint: str, what: str) -> None:
    actual = vdevice_of(value_type)
    if actual is not None and actual != vdevice:
        fail(constraint, f"the {what} is on {actual.label}, expected {vdevice.label}")
