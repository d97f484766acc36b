"""Interpreter rules of copies between devices; the engine puts the results on their device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import vdevice
from ..rule import Bindings, Rules


def _copy(op: vdevice.ToVDeviceOp | vdevice.DeviceCopyOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [np.copy(args[0])]


RULES: Rules = {
    vdevice.HintOnDeviceOp: lambda op, args, bindings: list(args),
    vdevice.ToVDeviceOp: _copy,
    vdevice.DeviceCopyOp: _copy,
}
