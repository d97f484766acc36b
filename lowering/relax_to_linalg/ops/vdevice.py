"""Rules of copies between devices: a kernel that reads from one memory and writes to the other.

    %y = relax.device_copy %x                                      to the device cpu:1

becomes

    linalg.generic %y[d0, d1] = %x[d0, d1]                         in a kernel whose result has relax.vdevice = "cpu:1"
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects.relax.ops import vdevice
from ...emit.tensor_builder import element
from ..builder import LinalgBuilder
from ..rule import Rules


def _copy(
    op: vdevice.DeviceCopyOp | vdevice.ToVDeviceOp, operands: Sequence[SSAValue], b: LinalgBuilder
) -> Sequence[SSAValue]:
    (x,) = operands
    return [b.elementwise([x], b.shape(x), element(x), lambda inner, scalars: scalars[0])]


RULES: Rules = {
    # A hint that no pass has removed leaves its result where its operand is.
    vdevice.HintOnDeviceOp: lambda op, operands, b: operands,
    vdevice.ToVDeviceOp: _copy,
    vdevice.DeviceCopyOp: _copy,
}
