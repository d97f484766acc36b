"""Pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters
from .windows import padding, spatial

TABLE: Table = {}
op = converters(TABLE)


class Window:
    """The window that the attributes of a node describe."""

    def __init__(self, node: Node):
        self.kernel = [int(item) for item in node.attr("kernel_shape", ())]
        self.rank = rank = len(self.kernel)
        self.sizes = node.shape(0)[2:]
        if not 1 <= rank <= 3 or len(self.sizes) != rank:
            raise Unsupported(f"pools 1 to 3 spatial dims, got {len(self.sizes)}")
        self.strides = spatial(node, "strides", rank)
        self.dilations = spatial(node, "dilations", rank)
        self.pads = padding(node, self.sizes, self.kernel, self.strides, self.dilations)
        self.ceil = bool(node.attr("ceil_mode", 0))

    def arguments(self) -> dict[str, Any]:
        """Returns the attributes of a pooling op."""
        return {
            "pool_size": self.kernel,
            "strides": self.strides,
            "padding": self.pads,
            "dilation": self.dilations,
            "ceil_mode": self.ceil,
        }

    def results(self) -> list[int]:
        """Returns the sizes of the result; raises `Unsupported` for sizes that are no numbers."""
        sizes: list[int] = []
        for axis, size in enumerate(self.sizes):
            if not isinstance(size, int):
                raise Unsupported(f"needs spatial dims that are numbers, got {size}")
            before, after = self.pads[axis], self.pads[self.rank + axis]
            span = size + before + after - (self.kernel[axis] - 1) * self.dilations[axis] - 1
            stride = self.strides[axis]
            count = (-(-span // stride) if self.ceil else span // stride) + 1
            # No window begins behind the data and the padding before it.
            count -= self.ceil and (count - 1) * stride >= size + before
            sizes.append(count)
        return sizes

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns for each window its items as places in the flattened spatial dims, and whether they are inside."""
        results = self.results()
        places, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
        for axis, count in enumerate(results):
            size = self.sizes[axis]
            assert isinstance(size, int)
            starts = np.arange(count) * self.strides[axis] - self.pads[axis]
            along = starts[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]
            places = places[:, None, :, None] * size + np.clip(along, 0, max(size - 1, 0))[None, :, None, :]
            inside = inside[:, None, :, None] & ((along >= 0) & (along < size))[None, :, None, :]
            shape = (places.shape[0] * places.shape[1], -1)
            places, inside = places.reshape(shape), inside.reshape(shape)
        return places, inside


@op("MaxPool")
def _max_pool(node: Node) -> Sequence[SSAValue]:
    window = Window(node)
    if node.wants(1):
        return _max_pool_with_places(node, window)
    return [node.g.op(f"nn.max_pool{window.rank}d", node.x(0), **window.arguments())]


def _max_pool_with_places(node: Node, window: Window) -> Sequence[SSAValue]:
    """Converts a node. The items of all windows are gathered: their largest one, and where it stands in the whole tensor."""
    g = node.g
    batch, channels = node.shape(0)[:2]
    if not isinstance(batch, int) or not isinstance(channels, int):
        raise Unsupported("the indices of maximum pooling need sizes that are numbers")
    items = prod(size for size in window.sizes if isinstance(size, int))
    places, inside = window.places()
    flat = g.reshape(node.x(0), [batch, channels, items])
    taken = g.take(flat, g.constant(places), axis=2)
    element = node.element(0)
    if is_float(element):
        least = g.constant(-np.inf, element)
    else:
        least = g.constant(0 if str(element).startswith("u") else -(1 << (int(str(element)[1:]) - 1)), element)
    taken = g.where(g.constant(inside), taken, least)
    best = g.argmax(taken, axis=3, keepdims=True)
    chosen = g.broadcast_to(g.constant(places), [batch, channels, *places.shape])
    chosen = g.gather_elements(chosen, best, axis=3)
    if node.attr("storage_order", 0) == 1 and window.rank > 1:
        chosen = _column_major(node, chosen, window)
    starts = np.arange(batch * channels, dtype=np.int64).reshape(batch, channels, 1, 1) * items
    chosen = g.add(chosen, g.constant(starts, i64))
    shape = [batch, channels, *window.results()]
    return [g.reshape(g.max(taken, axis=[3]), shape), g.reshape(chosen, shape)]


def _column_major(node: Node, places: SSAValue, window: Window) -> SSAValue:
    """Returns places counted with the first spatial dim as the fastest one."""
    sizes = [size for size in window.sizes if isinstance(size, int)]
    table = np.arange(prod(sizes), dtype=np.int64).reshape(sizes[::-1]).transpose().reshape(-1)
    return node.g.take(node.g.constant(table), places, axis=0)


@op("AveragePool")
def _average_pool(node: Node) -> SSAValue:
    window = Window(node)
    counts_padding = bool(node.attr("count_include_pad", 0))
    return node.g.op(f"nn.avg_pool{window.rank}d", node.x(0), count_include_pad=counts_padding, **window.arguments())


@op("LpPool")
def _lp_pool(node: Node) -> SSAValue:
    g, window = node.g, Window(node)
    power = node.constant(node.attr("p", 2))
    raised = g.power(g.abs(node.x(0)), power)
    if window.ceil:
        results = window.results()
        for axis, count in enumerate(results):
            size = window.sizes[axis]
            assert isinstance(size, int)
            reach = (count - 1) * window.strides[axis] + (window.kernel[axis] - 1) * window.dilations[axis] + 1
            window.pads[window.rank + axis] = max(reach - size - window.pads[axis], 0)
        window.ceil = False
    mean = g.op(f"nn.avg_pool{window.rank}d", raised, count_include_pad=True, **window.arguments())
    total = g.multiply(mean, node.constant(prod(window.kernel)))
    return g.power(total, g.divide(node.constant(1), power))


@op("GlobalAveragePool")
def _global_average_pool(node: Node) -> SSAValue:
    return node.g.mean(node.x(0), axis=list(range(2, node.rank(0))), keepdims=True)


@op("GlobalMaxPool")
def _global_max_pool(node: Node) -> SSAValue:
    return node.g.max(node.x(0), axis=list(range(2, node.rank(0))), keepdims=True)


@op("GlobalLpPool")
def _global_lp_pool(node: Node) -> SSAValue:
    g, power = node.g, node.constant(node.attr("p", 2))
    total = g.sum(g.power(g.abs(node.x(0)), power), axis=list(range(2, node.rank(0))), keepdims=True)
    return g.power(total, g.divide(node.constant(1), power))


@op("MaxUnpool")
def _max_unpool(node: Node) -> SSAValue:
    """Converts a node. The indices are places in the whole result, as it would be without `output_shape`."""
    g = node.g
    kernel = [int(item) for item in node.attr("kernel_shape", ())]
    rank = len(kernel)
    strides = spatial(node, "strides", rank)
    pads = [int(item) for item in node.attr("pads", [0] * (2 * rank))]
    if node.rank(0) != rank + 2:
        raise Unsupported(f"takes {rank + 2} dims for a kernel of {rank}, got {node.rank(0)}")
    if len(pads) != 2 * rank:
        raise Unsupported(f"takes {2 * rank} pads for a kernel of {rank} dims, got {len(pads)}")
    shape = [*node.shape(0)[:2]]
    for axis, size in enumerate(node.shape(0)[2:]):
        if not isinstance(size, int):
            raise Unsupported(f"needs spatial dims that are numbers, got {size}")
        shape.append((size - 1) * strides[axis] - pads[axis] - pads[rank + axis] + kernel[axis])
    if not all(isinstance(size, int) for size in shape):
        raise Unsupported("needs dims that are numbers")
    count = prod(size for size in shape if isinstance(size, int))
    zeros = g.zeros(g.shape(count), dtype=node.element(0))
    result = g.scatter_elements(zeros, g.reshape(node.x(1), [-1]), g.reshape(node.x(0), [-1]), axis=0)
    result = g.reshape(result, shape)
    if node.has(2):
        wanted = node.ints(2)
        if len(wanted) != len(shape):
            raise Unsupported(f"output_shape must have {len(shape)} sizes, got {len(wanted)}")
        width = [item for size, target in zip(shape, wanted, strict=True) for item in (0, target - int(str(size)))]
        result = g.nn.pad(result, pad_width=width)
    return result
