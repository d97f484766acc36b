"""Interpreter rules of packed weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.base import element
from ...dialects.relax.ops import packing
from ..rule import Bindings, Rules
from .linear_algebra import product


def _pack_weight(op: packing.PackWeightOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (weight,) = args
    rows, columns = weight.shape
    group = packing.group_of(element(op.weight))
    width = op.panel_columns
    groups, panels = -(-rows // group), -(-columns // width)
    padded = np.zeros((groups * group, panels * width), weight.dtype)
    padded[:rows, :columns] = weight
    packed = padded.reshape(groups, group, panels, width).transpose(2, 0, 3, 1)
    return [np.ascontiguousarray(packed if group > 1 else packed[..., 0])]


def _packed_matmul(op: packing.PackedMatmulOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    lhs, packed = args
    panels, groups, width, *rest = packed.shape
    group = rest[0] if rest else 1
    weight = packed.reshape(panels, groups, width, group).transpose(1, 3, 0, 2).reshape(groups * group, panels * width)
    return [product(op, lhs, weight[: lhs.shape[-1], : op.columns.value.data])]


RULES: Rules = {
    packing.PackWeightOp: _pack_weight,
    packing.PackedMatmulOp: _packed_matmul,
}
