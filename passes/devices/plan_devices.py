"""The pass `relax-plan-devices`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import HOST, VDeviceAttr, on_device, vdevice_of
from ...dialects.relax.ops.core import TupleGetItemOp, TupleOp
from ...dialects.relax.ops.vdevice import DeviceCopyOp
from ...dialects.relax.placement import Path, mentions_devices
from ..options import PassWithOptions
from ..rewriting.value_types import retype
from .device_domains import Domains, Read
from .device_solver import Policy, solve
from .place_values import place_values


def parse_device(text: str, option: str) -> VDeviceAttr:
    """Returns the device that an option of a pass names."""
    try:
        return VDeviceAttr.from_label(text)
    except ValueError as error:
        raise PassFailedException(f"{option}: {error}") from None


class _Copies:
    """Inserts copies of values behind where they are made, one for each device."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self._made: dict[tuple[SSAValue, VDeviceAttr], SSAValue] = {}

    def serve(self, reads: Sequence[Read]) -> None:
        """Gives an operand of an op the value on the devices where its tensors are read."""
        op, index = reads[0].op, reads[0].index
        devices = {read.path: device for read in reads if (device := read.target.device) is not None}
        op.operands[index] = self._with(op.operands[index], devices, ())

    def _with(self, value: SSAValue, devices: dict[Path, VDeviceAttr], path: Path) -> SSAValue:
        """Returns a value with the tensors at some paths on other devices."""
        if path in devices:
            return self.on(value, devices[path])
        if not isinstance(value.type, TupleType) or not any(leaf_path[: len(path)] == path for leaf_path in devices):
            return value
        fields: list[SSAValue] = []
        point = _behind(value)
        for index in range(len(value.type.types.data)):
            item = TupleGetItemOp.build_from(value, index=index)
            Rewriter.insert_op(item, point)
            fields.append(self._with(item.result, devices, (*path, index)))
        rebuilt = TupleOp.build_from(*fields)
        Rewriter.insert_op(rebuilt, _behind(fields[-1]))
        return rebuilt.result

    def on(self, value: SSAValue, device: VDeviceAttr) -> SSAValue:
        """Returns a value on another device: a copy, or a second result of an op that reads no tensor."""
        key = (value, device)
        if key not in self._made:
            self._made[key] = self._repeated(value, device) or _copied(value, device)
            self._made[key].name_hint = value.name_hint
        return self._made[key]

    def replace(self, move: Read) -> None:
        """Replaces a hint, or a move, by a copy where the devices differ, and by its operand where they do not."""
        device = move.target.device
        assert device is not None
        new = self.on(move.value, device) if move.crosses else move.value
        new.name_hint = new.name_hint or move.op.results[0].name_hint
        move.op.results[0].replace_all_uses_with(new)
        Rewriter.erase_op(move.op)

    def _repeated(self, value: SSAValue, device: VDeviceAttr) -> SSAValue | None:
        op = value.owner
        if not isinstance(op, Operation) or op not in self.domains.placeless:
            return None
        second = op.clone()
        Rewriter.insert_op(second, InsertPoint.after(op))
        for result in second.results:
            retype(result, on_device(result.type, device))
        return second.results[list(op.results).index(value)]  # pyright: ignore[reportArgumentType]


def _copied(value: SSAValue, device: VDeviceAttr) -> SSAValue:
    copy = DeviceCopyOp.build_from(value, src_vdevice=vdevice_of(value.type), dst_vdevice=device)
    Rewriter.insert_op(copy, _behind(value))
    return copy.result


def _behind(value: SSAValue) -> InsertPoint:
    return InsertPoint.at_start(value.owner) if isinstance(value.owner, Block) else InsertPoint.after(value.owner)


@dataclass(frozen=True)
class PlanDevicesPass(PassWithOptions):
    """Puts every value on a device, and copies values to where they are read.

    ```mlir
    %b = relax.sqrt %a : ...
    %c = relax.hint_on_device %b {dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : ...
    %d = relax.add %c, %y : ...
    ```
    becomes, if `%a` and `%y` are arguments on the host,
    ```mlir
    %a_1 = relax.device_copy %a {src_vdevice = #relax.vdevice<"cpu", 0, "global">, dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : ...
    %b = relax.sqrt %a_1 : (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
    %c = relax.device_copy %b {...} : ...
    %d = relax.add %c, %y : ...
    ```

    By unification, as Relay's PlanDevices: all operands and results of an op share a device; tuples, branches and calls pass devices on; a
    hint places what computes its operand, types and `relax.to_vdevice` place values; what is left is on `default`. Reads that would join
    two devices cross: the value is copied behind where it is made, once for each device. An op that reads no tensor is repeated instead.
    With `fallback`, as Relay's older RewriteAnnotatedOps, every op that no annotation places runs there.

    *Requires* nothing. *Leaves* types that name a device everywhere (but for tensors of unknown rank), no hint and no `relax.to_vdevice`;
    a second run changes nothing. A module that says nothing of devices stays as it is, unless an option names one.
    """

    name = "relax-plan-devices"

    default: str | None = None
    """The device of what nothing places, `"cpu:1"` or `"cpu:1:SCOPE"`; by default the host, `"cpu:0"`."""
    fallback: str | None = None
    """The device of every op that no annotation places."""
    copies: bool = True
    """Whether copies are inserted; without them a read from another device is an error."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.default is None and self.fallback is None and not mentions_devices(op):
            return
        policy = Policy(
            HOST if self.default is None else parse_device(self.default, "default"),
            None if self.fallback is None else parse_device(self.fallback, "fallback"),
            self.copies,
        )
        domains = Domains(op)
        crossing = solve(domains, policy)
        place_values(domains)
        copies = _Copies(domains)
        reads: dict[tuple[Operation, int], list[Read]] = {}
        for read in crossing:
            reads.setdefault((read.op, read.index), []).append(read)
        for group in reads.values():
            copies.serve(group)
        for move in domains.moves:
            copies.replace(move)
