"""The pass `relax-update-vdevice`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TupleType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import VDeviceAttr, on_device, vdevice_of
from ...dialects.relax.type_dims import tuple_type
from ...dialects.relax.vocabulary.attributes import VDEVICES
from ...dialects.walks import walk_values
from ..options import PassWithOptions, within
from ..rewriting.value_types import retype
from .plan_devices import parse_device


@dataclass(frozen=True)
class UpdateVDevicePass(PassWithOptions):
    """Replaces a device of a module by another one, in its list of devices, in types, and in the attributes of ops.

    With `{index=1 to="cpu:2"}`
    ```mlir
    module attributes {relax.vdevices = [#relax.vdevice<"cpu", 0, "global">, #relax.vdevice<"cpu", 1, "global">]} {
      func.func @f(%x: tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) ...
    ```
    becomes
    ```mlir
    module attributes {relax.vdevices = [#relax.vdevice<"cpu", 0, "global">, #relax.vdevice<"cpu", 2, "global">]} {
      func.func @f(%x: tensor<4xf32, #relax.vdevice<"cpu", 2, "global">>) ...
    ```

    *Requires* the attribute `relax.vdevices` of the module. *Leaves* all other devices.
    """

    name = "relax-update-vdevice"

    to: str
    """The new device, `"cpu:2"` or `"cpu:2:SCOPE"`."""
    index: int = within(0, 0)
    """Which of the module's devices is replaced."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        new = parse_device(self.to, "to")
        listed = VDEVICES.of(op)
        if listed is None:
            raise PassFailedException(f"{self.name}: the module has no {VDEVICES}")
        if not 0 <= self.index < len(listed):
            raise PassFailedException(f"{self.name}: index must be in [0, {len(listed)}), got {self.index}")
        old = listed[self.index]
        VDEVICES.set(op, (*listed[: self.index], new, *listed[self.index + 1 :]))
        _replace(op, old, new)


def _replace(module: ModuleOp, old: VDeviceAttr, new: VDeviceAttr) -> None:
    for value in walk_values(module):
        retype(value, _replaced(value.type, old, new))
    for op in module.walk():
        for properties in (op.properties, op.attributes):
            properties.update({key: new for key, value in properties.items() if value == old})
        if isinstance(op, func.FuncOp):
            types = op.function_type
            op.function_type = FunctionType.from_lists(
                *(
                    [_replaced(value_type, old, new) for value_type in side.data]
                    for side in (types.inputs, types.outputs)
                )
            )


def _replaced(value_type: Attribute, old: VDeviceAttr, new: VDeviceAttr) -> Attribute:
    if isinstance(value_type, TupleType):
        return tuple_type(_replaced(field, old, new) for field in value_type.types.data)
    return on_device(value_type, new) if vdevice_of(value_type) == old else value_type
