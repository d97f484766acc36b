"""Pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float, is_unsigned
from ....dialects.symbolic.expressions import product
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..node import Node
from ..table import Table, converters
from .conv import spread

TABLE: Table = {}
op = converters(TABLE)


class Window:
    """The window that the arguments of a node describe, over data that has a batch."""

    def __init__(self, node: Node, rank: int, has_dilation: bool):
        self.rank = rank
        self.kernel = spread(node.ints("kernel_size"), rank)
        self.strides = spread(node.ints("stride"), rank) if node.has("stride") and node["stride"] else self.kernel
        self.padding = spread(node.ints("padding"), rank)
        self.dilation = spread(node.ints("dilation"), rank) if has_dilation else [1] * rank
        self.ceil = bool(node["ceil_mode"])
        given = node.value("self")
        self.batched = len(sizes_of(given)) == rank + 2
        self.data = given if self.batched else node.g.expand_dims(given, axis=[0])

    def arguments(self) -> dict[str, Any]:
        """Returns the attributes of a pooling op."""
        return {
            "pool_size": self.kernel,
            "strides": self.strides,
            "padding": [*self.padding, *self.padding],
            "dilation": self.dilation,
            "ceil_mode": self.ceil,
        }

    def unbatched(self, node: Node, result: SSAValue) -> SSAValue:
        """Returns a result without the batch that the data did not have."""
        return result if self.batched else node.g.squeeze(result, axis=[0])


@op("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(node: Node) -> SSAValue:
    g, rank = node.g, int(node.op[-2])
    window = Window(node, rank, False)
    divisor = node.arguments.get("divisor_override")
    result = g.op(
        f"nn.avg_pool{rank}d",
        window.data,
        count_include_pad=bool(node["count_include_pad"]) or divisor is not None,
        **window.arguments(),
    )
    if divisor is not None:
        if window.ceil:
            raise Unsupported("divisor_override with ceil_mode has no counterpart")
        result = g.multiply(result, node.number(prod(window.kernel) / node.int("divisor_override")))
    return window.unbatched(node, result)


@op("max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool(node: Node) -> SSAValue:
    window = Window(node, int(node.op[-2]), True)
    return window.unbatched(node, node.g.op(f"nn.max_pool{window.rank}d", window.data, **window.arguments()))


@op("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices")
def _max_pool_with_indices(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node. Where the indices are read, the items of all windows are gathered: their largest one, and its place."""
    window = Window(node, int(node.op.split("_")[1][4]), True)
    if not node.is_read(1):
        return [
            window.unbatched(node, node.g.op(f"nn.max_pool{window.rank}d", window.data, **window.arguments())),
            None,
        ]
    g = node.g
    batch, channels, *sizes = sizes_of(window.data)
    counts = node.result_dims()[-window.rank :]
    places, inside = _places(window, sizes, counts)
    flat = g.reshape(window.data, [batch, channels, product(sizes)])
    element = node.element()
    taken = g.where(g.constant(inside), g.take(flat, g.constant(places), axis=2), node.number(least(element)))
    best = g.argmax(taken, axis=3, keepdims=True)
    chosen = g.gather_elements(g.broadcast_to(g.constant(places), [batch, channels, *places.shape]), best, axis=3)
    shape = [batch, channels, *counts]
    return [window.unbatched(node, g.reshape(item, shape)) for item in (g.max(taken, axis=[3], keepdims=False), chosen)]


def least(element: object) -> float | int:
    """Returns the least number of an element type."""
    if is_float(element):  # pyright: ignore[reportArgumentType]
        return -np.inf
    return 0 if is_unsigned(element) else -(1 << (int(str(element)[1:]) - 1))  # pyright: ignore[reportArgumentType]


def _places(window: Window, sizes: Sequence[Known], counts: Sequence[Known]) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each window its items as places in the flattened spatial dims, and whether they are inside."""
    places, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
    for axis, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        if not isinstance(size, int) or not isinstance(count, int):
            raise Unsupported(f"the indices of maximum pooling need spatial dims that are numbers, got {size}")
        starts = np.arange(count) * window.strides[axis] - window.padding[axis]
        along = starts[:, None] + np.arange(window.kernel[axis]) * window.dilation[axis]
        places = places[:, None, :, None] * size + np.clip(along, 0, max(size - 1, 0))[None, :, None, :]
        inside = inside[:, None, :, None] & ((along >= 0) & (along < size))[None, :, None, :]
        shape = (places.shape[0] * places.shape[1], -1)
        places, inside = places.reshape(shape), inside.reshape(shape)
    return places, inside


@op("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive_avg_pool(node: Node) -> SSAValue:
    g, rank = node.g, int(node.op[-2])
    x = node.x("self")
    batched = len(sizes_of(x)) == rank + 2
    sizes = node.ints("output_size")
    if sizes == [1] * rank and is_float(node.element()):
        return g.mean(x, axis=list(range(-rank, 0)), keepdims=True)
    x = x if batched else g.expand_dims(x, axis=[0])
    result = g.op(f"nn.adaptive_avg_pool{rank}d", x, output_size=sizes)
    return result if batched else g.squeeze(result, axis=[0])


@op("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max_pool(node: Node) -> Sequence[SSAValue]:
    """Converts a node. The windows differ in size: each is a row of items, filled up with ones that are masked."""
    g, rank = node.g, int(node.op[-2])
    x = node.x("self")
    (*outer,) = sizes_of(x)[:-rank]
    sizes = sizes_of(x)[-rank:]
    places, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
    counts = node.ints("output_size")
    for size, count in zip(sizes, counts, strict=True):
        if not isinstance(size, int):
            raise Unsupported(f"adaptive maximum pooling needs spatial dims that are numbers, got {size}")
        steps = np.arange(count)
        starts, ends = steps * size // count, -(-(steps + 1) * size // count)
        along = starts[:, None] + np.arange((ends - starts).max(initial=0))
        held = along < ends[:, None]
        places = places[:, None, :, None] * size + np.minimum(along, max(size - 1, 0))[None, :, None, :]
        inside = inside[:, None, :, None] & held[None, :, None, :]
        shape = (places.shape[0] * places.shape[1], -1)
        places, inside = places.reshape(shape), inside.reshape(shape)
    flat = g.reshape(x, [*outer, product(sizes)])
    taken = g.where(
        g.constant(inside), g.take(flat, g.constant(places), axis=len(outer)), node.number(least(node.element()))
    )
    axis = len(outer) + 1
    best = g.argmax(taken, axis=axis, keepdims=True)
    chosen = g.gather_elements(g.broadcast_to(g.constant(places), [*outer, *places.shape]), best, axis=axis)
    shape = [*outer, *counts]
    return [g.reshape(g.max(taken, axis=[axis], keepdims=False), shape), g.reshape(chosen, shape)]
