"""The pass `relax-realize-vdevice`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import VDeviceAttr
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.vdevice import HintOnDeviceOp, ToVDeviceOp
from ...dialects.relax.vocabulary.attributes import VDEVICES
from .device_domains import Domains
from .place_values import place_values


def realize(domains: Domains) -> None:
    """Propagates known devices through the module, last to those operands of hints that nothing else places; nothing is guessed."""
    hints = [move for move in domains.moves if isinstance(move.op, HintOnDeviceOp)]
    for hint in hints:
        hint.target.place(_device(hint.op), "hint")
    constants = {read for read in domains.reads if isinstance(read.value.owner, ConstantOp)}
    for read in domains.reads:
        if read not in constants:
            read.source.join(read.target)
    # Types of results follow from those of operands, so that they may be of before a hint came between.
    domains.place_declared(weak=True)
    # Of several hints on values that belong together the last counts, but for those on arguments.
    for hint in sorted(reversed(hints), key=lambda hint: not isinstance(hint.value, BlockArgument)):
        hint.source.place(_device(hint.op), "hint")
    for read in constants:
        if read.target.device is not None:
            read.source.join(read.target)


def _device(op: object) -> VDeviceAttr:
    assert isinstance(op, HintOnDeviceOp)
    return op.dst_vdevice


def require_listed(module: ModuleOp) -> None:
    """Checks that the devices of hints are among those that the module lists, if it lists any."""
    listed = VDEVICES.of(module)
    if listed is None:
        return
    for op in module.walk():
        if isinstance(op, HintOnDeviceOp) and op.dst_vdevice not in listed:
            names = ", ".join(device.label for device in listed)
            raise PassFailedException(f"{op.name}: {op.dst_vdevice.label} is not in {VDEVICES}; the module has {names}")


class RealizeVDevicePass(ModulePass):
    """Turns hints into types that name devices, and into moves where a hint is about another device than that of its operand.

    ```mlir
    %a = relax.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = relax.hint_on_device %a {dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : (tensor<4xf32>) -> tensor<4xf32>
    %c = relax.exp %b : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %a = relax.add %x, %y : (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>, tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> ...
    %c = relax.exp %a : (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
    ```

    As Relax's RealizeVDevice: known are types of arguments, results of hints and moves; that is passed on in both directions between
    operands and results of an op; then what types of results say, then the operands of hints that are still unknown. Where we differ: the
    fields of a tuple need not be on one device, a call passes devices on to the arguments and results of the callee, and a constant is
    wherever it is read. A module attribute `relax.vdevices`, if there is one, lists the devices that hints may name.

    *Requires* nothing. *Leaves* no hint; values that nothing places stay so; `relax-verify-devices` refuses what is placed twice.
    """

    name = "relax-realize-vdevice"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_listed(op)
        domains = Domains(op)
        realize(domains)
        place_values(domains)
        for move in domains.moves:
            if not isinstance(move.op, HintOnDeviceOp):
                continue
            hint, new = move.op, move.value
            if move.source.device != hint.dst_vdevice:
                to_device = ToVDeviceOp.build_from(hint.x, dst_vdevice=hint.dst_vdevice)
                Rewriter.insert_op(to_device, InsertPoint.before(hint))
                new = to_device.result
            new.name_hint = new.name_hint or hint.result.name_hint
            hint.result.replace_all_uses_with(new)
            Rewriter.erase_op(hint)
