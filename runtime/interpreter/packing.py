"""Interpreter rules of packed weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax import packing
from .linear_algebra import product
from .rule import Bindings, Rules


def _pack_weight(op: packing.PackWeightOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (weight,) = args
    rows, columns = weight.shape
    panels = -(-columns // packing.PANEL)
    padded = np.zeros((rows, panels * packing.PANEL), weight.dtype)
    padded[:, :columns] = weight
    return [np.ascontiguousarray(padded.reshape(rows, panels, packing.PANEL).transpose(1, 0, 2))]


def _packed_matmul(op: packing.PackedMatmulOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    lhs, packed = args
    panels, rows, width = packed.shape
    weight = packed.transpose(1, 0, 2).reshape(rows, panels * width)[:, : op.columns.value.data]
    return [product(op, lhs, weight)]


RULES: Rules = {
    packing.PackWeightOp: _pack_weight,
    packing.PackedMatmulOp: _packed_matmul,
}
