"""Interpreter rules of shape manipulation."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...dialects.relax.base import dims
from ...dialects.relax.ops import manipulate
from ..rule import Bindings, Rules, result_dtype, widened


def _permute_dims(op: manipulate.PermuteDimsOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [np.transpose(args[0], op.permutation(args[0].ndim))]


def _reshape(op: manipulate.ReshapeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, shape = args
    target = bindings.dims(manipulate.reshaped(op.size_context(), x.shape, shape) if -1 in shape else shape)
    flat = np.reshape(x, -1)
    count = prod(target)
    if count != flat.size:
        flat = np.pad(flat, (0, max(count - flat.size, 0)), "edge" if flat.size else "constant")[:count]
    return [flat.reshape(target)]


def _squeeze(op: manipulate.SqueezeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [np.squeeze(args[0], op.removed(dims(op.x) or args[0].shape))]


def _split(op: manipulate.SplitOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (x,) = args
    axis = op.prop("axis", 0) % x.ndim
    parts: list[Any] = []
    for begin, size in op.ranges(x.shape[axis]):
        assert isinstance(begin, int) and isinstance(size, int)
        parts.append(x[(slice(None),) * axis + (slice(begin, begin + size),)])
    return parts


def _collapse_sum_to(op: manipulate.CollapseSumToOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, shape = args
    lead = x.ndim - len(shape)
    axes = (*range(lead), *(lead + axis for axis, size in enumerate(shape) if size == 1))
    dtype = result_dtype(op)
    wide = widened(x)
    return [np.asarray(np.sum(wide, axis=axes, dtype=wide.dtype)).reshape(shape).astype(dtype)]


def _meshgrid(op: manipulate.MeshgridOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return list(np.meshgrid(*map(np.atleast_1d, args), indexing=op.prop("indexing", "ij")))


def _pad(op: manipulate.PadOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (x,) = args
    widths = op.widths(x.ndim)
    mode = op.prop("pad_mode", "constant")
    if mode == "constant":
        value = np.asarray(op.prop("pad_value", 0.0)).astype(x.dtype)
        return [np.pad(x, widths, "constant", constant_values=value) if x.ndim else x]
    for axis, (before, after) in enumerate(widths):
        size = x.shape[axis]
        index = np.arange(-before, size + after)
        if mode == "reflect":
            index = np.abs(index)
            index = np.where(index >= size, 2 * (size - 1) - index, index)
        elif mode == "circular" and size:
            index = np.where(index < 0, index + size, np.where(index >= size, index - size, index))
        if size == 0:
            x = np.zeros((*x.shape[:axis], before + after, *x.shape[axis + 1 :]), x.dtype)
        else:
            x = np.take(x, np.clip(index, 0, size - 1), axis)
    return [x]


RULES: Rules = {
    manipulate.PermuteDimsOp: _permute_dims,
    manipulate.ReshapeOp: _reshape,
    manipulate.FlattenOp: lambda op, args, bindings: [np.reshape(args[0], -1)],
    manipulate.ExpandDimsOp: lambda op, args, bindings: [np.expand_dims(args[0], op.prop("axis"))],
    manipulate.SqueezeOp: _squeeze,
    manipulate.ConcatOp: lambda op, args, bindings: [np.concatenate(args, op.prop("axis", 0))],
    manipulate.StackOp: lambda op, args, bindings: [np.stack(args, op.prop("axis", 0))],
    manipulate.SplitOp: _split,
    manipulate.BroadcastToOp: lambda op, args, bindings: [np.broadcast_to(args[0], args[1])],
    manipulate.CollapseSumToOp: _collapse_sum_to,
    manipulate.RepeatOp: lambda op, args, bindings: [np.repeat(args[0], op.prop("repeats"), op.prop("axis"))],
    manipulate.TileOp: lambda op, args, bindings: [np.tile(args[0], op.prop("repeats"))],
    manipulate.FlipOp: lambda op, args, bindings: [np.flip(args[0], op.prop("axis"))],
    manipulate.MeshgridOp: _meshgrid,
    manipulate.PadOp: _pad,
}
