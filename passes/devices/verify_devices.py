"""The pass `relax-verify-devices`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from .device_domains import Domains
from .device_solver import Policy, solve


class VerifyDevicesPass(ModulePass):
    """Refuses a module in which an op reads a value that lives on another device. Changes nothing.

    ```mlir
    %c = relax.add %a, %b : (tensor<4xf32>, tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32>
    ```
    is refused if `%a` is on the host: `relax.add: operand 1 'b' is on cpu:1 (...), expected cpu:0 (...)`. A value of which nothing is
    said is on the device of what reads it, as far as there is one. `relax.to_vdevice` and `relax.device_copy` may join devices.

    *Requires* nothing. *Leaves* the module as it is.
    """

    name = "relax-verify-devices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        solve(Domains(op), Policy(copies=False))
