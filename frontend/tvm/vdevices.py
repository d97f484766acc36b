"""Virtual devices of Relax and of the dialect, both ways."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import json
import re
from typing import Any

import tvm
from tvm import relax
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from ...dialects.relax.attrs import VDeviceAttr
from ...dialects.relax.vocabulary.attributes import VDEVICES
from .diagnostics import Unsupported, UnsupportedError

TARGETS = "tvm.vdevice_targets"
"""On a module: the targets of its devices, as TVM writes them."""


_KIND = re.compile(r"(.+?)(-\d+)?")
"""The kind of a device, and the number of its target where a module has several for one device: `cuda-2`."""


def device_attribute(device_type: int, index: int, scope: str) -> VDeviceAttr:
    """Returns the attribute of a device of which the type is a number of DLPack."""
    kind = str(tvm.runtime.device(device_type, 0)).split(":")[0]
    return VDeviceAttr.of(kind, index, scope)


def device_number(vdevice: VDeviceAttr) -> int:
    """Returns the type of a device as a number of DLPack."""
    try:
        return int(tvm.runtime.device(_kind(vdevice), 0).dlpack_device_type())
    except ValueError:
        raise Unsupported(f"device {vdevice.label}") from None


def _kind(vdevice: VDeviceAttr) -> str:
    match = _KIND.fullmatch(vdevice.kind.data)
    return match[1] if match else vdevice.kind.data


class ImportDevices:
    """The virtual devices of a module of TVM; two that differ in the target alone differ here in the kind."""

    def __init__(self, ir_module: Any) -> None:
        self._targets: dict[VDeviceAttr, list[str]] = {}
        self._listed = ir_module.global_infos.get("vdevice")
        for vdevice in self._listed or ():
            self.attribute(vdevice)

    def attribute(self, vdevice: Any) -> VDeviceAttr:
        """Returns the attribute of a virtual device."""
        index, scope, target = int(vdevice.vdevice_id), str(vdevice.memory_scope), str(vdevice.target)
        plain = device_attribute(int(vdevice.target.get_target_device_type()), index, scope)
        targets = self._targets.setdefault(plain, [])
        if target not in targets:
            targets.append(target)
        position = targets.index(target)
        return plain if position == 0 else VDeviceAttr.of(f"{plain.kind.data}-{position + 1}", index, scope)

    def write(self, module: ModuleOp) -> None:
        """Lists the devices on a module, with their targets."""
        if self._listed is not None:
            VDEVICES.set(module, tuple(map(self.attribute, self._listed)))
            module.attributes[TARGETS] = ArrayAttr([StringAttr(str(vdevice.target)) for vdevice in self._listed])


class ExportDevices:
    """The virtual devices of a module, one for each attribute."""

    def __init__(self, module: ModuleOp) -> None:
        self._made: dict[VDeviceAttr, Any] = {}
        self.global_infos: dict[str, list[Any]] = {}
        """What lists the devices in a module of TVM."""
        targets = module.attributes.get(TARGETS)
        for index, vdevice in enumerate(VDEVICES.of(module) or ()):
            target = targets.data[index] if isinstance(targets, ArrayAttr) and index < len(targets.data) else None
            try:
                made = _made(vdevice, target.data if isinstance(target, StringAttr) else None)
            except Unsupported as error:
                raise UnsupportedError("export", [f"entry {index} of {VDEVICES}: {error}"]) from None
            self.global_infos.setdefault("vdevice", []).append(made)
            self._made.setdefault(vdevice, made)

    def vdevice(self, attr: VDeviceAttr) -> Any:
        """Returns the virtual device of an attribute."""
        if attr not in self._made:
            self._made[attr] = _made(attr, None)
        return self._made[attr]


def _made(attr: VDeviceAttr, target: str | None) -> Any:
    if target is not None:
        made = relax.VDevice(tvm.target.Target(json.loads(target)), attr.index.data, attr.scope.data)
        if int(made.target.get_target_device_type()) == device_number(attr):
            return made
    kind = "llvm" if _kind(attr) == "cpu" else _kind(attr)
    try:
        return relax.VDevice(kind, attr.index.data, attr.scope.data)
    except Exception:  # TVM raises under many types.
        raise Unsupported(f"device {attr.label}") from None
