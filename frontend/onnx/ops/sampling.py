"""Reading images at computed coordinates: `GridSample`, `RoiAlign`, `DeformConv`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as combinations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator
from ....dialects.symbolic.expressions import product
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, at_least, converters, exactly
from .conv import known_sizes, with_bias
from .windows import padding, spatial

TABLE: Table = {}
op = converters(TABLE)


class Sampler:
    """Reads an image `[n, c, spatial...]` at points: items are gathered by their place in the flattened spatial dims."""

    def __init__(self, node: Node, image: SSAValue):
        self.node = node
        self.sizes = sizes_of(image)[2:]
        self.batch, self.channels = sizes_of(image)[:2]
        self.flat = node.g.reshape(image, [self.batch, self.channels, product(self.sizes)])
        self.element = element_of(image)

    def number(self, size: Known) -> SSAValue:
        """Returns a size as a number to compute coordinates with."""
        return self.node.cast(self.node.g.symbol_value(self.node.g.shape(size)), self.element)

    def items(self, places: Sequence[SSAValue]) -> SSAValue:
        """Returns the items at integral coordinates `[n, points]`, one list a dim, which are clipped, as `[n, c, points]`."""
        g, flat = self.node.g, None
        for place, size in zip(places, self.sizes, strict=True):
            index = g.astype(self.clipped(place, size), dtype=i64)
            flat = index if flat is None else g.add(g.multiply(flat, g.symbol_value(g.shape(size))), index)
        assert flat is not None
        points = sizes_of(flat)[1]
        spread = g.broadcast_to(g.expand_dims(flat, axis=[1]), [self.batch, self.channels, points])
        return g.gather_elements(self.flat, spread, axis=2)

    def clipped(self, place: SSAValue, size: Known) -> SSAValue:
        """Returns coordinates that are moved to the nearest one inside."""
        g = self.node.g
        top = g.subtract(self.number(size), g.constant(1, self.element))
        return g.maximum(g.minimum(place, top), g.constant(0, self.element))

    def inside(self, place: SSAValue, size: Known) -> SSAValue:
        """Returns whether coordinates are inside."""
        g = self.node.g
        return g.logical_and(g.greater_equal(place, g.constant(0, self.element)), g.less(place, self.number(size)))

    def weighted(
        self,
        taps: Sequence[Sequence[tuple[SSAValue, SSAValue]]],
        fold: Callable[[SSAValue, Known], SSAValue] | None = None,
        outside: bool = False,
    ) -> SSAValue:
        """Returns the sum over all combinations of coordinates of the dims of item times weights; `taps` has a list a dim.

        `fold` brings coordinates inside; with `outside` items that are not inside count as 0.
        """
        g, total = self.node.g, None
        for combination in combinations(*taps):
            places = [place for place, _ in combination]
            weight = None
            for (place, factor), size in zip(combination, self.sizes, strict=True):
                if outside:
                    factor = g.where(self.inside(place, size), factor, g.constant(0, self.element))
                weight = factor if weight is None else g.multiply(weight, factor)
            if fold is not None:
                places = [fold(place, size) for place, size in zip(places, self.sizes, strict=True)]
            assert weight is not None
            term = g.multiply(self.items(places), g.expand_dims(weight, axis=[1]))
            total = term if total is None else g.add(total, term)
        assert total is not None
        return total

    def linear(self, where: SSAValue) -> list[tuple[SSAValue, SSAValue]]:
        """Returns the two neighbors of coordinates with their weights."""
        g, unit = self.node.g, self.node.g.constant(1, self.element)
        low = g.floor(where)
        share = g.subtract(where, low)
        return [(low, g.subtract(unit, share)), (g.add(low, unit), share)]


@op("GridSample", ranks={0: at_least(3), 1: at_least(3)})
def _grid_sample(node: Node) -> SSAValue:
    g, rank = node.g, node.rank(0) - 2
    wide = accumulator(node.element(0))
    image = node.cast(node.x(0), wide)
    sampler = Sampler(node, image)
    grid = node.cast(node.x(1), wide)
    batch, *shape, _ = node.shape(1)
    aligns = bool(node.attr("align_corners", 0))
    parts = g.split(g.reshape(grid, [batch, product(shape), rank]), sections=rank, axis=2) if rank > 1 else (grid,)
    # The grid has the coordinate of the last dim first.
    columns = [g.reshape(part, [batch, product(shape)]) for part in reversed(parts)]
    places = [_denormalized(sampler, column, size, aligns) for column, size in zip(columns, sampler.sizes, strict=True)]
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(given := node.attr("mode", "linear"), given)
    outside = node.attr("padding_mode", "zeros")
    if mode not in ("linear", "nearest", "cubic") or outside not in ("zeros", "border", "reflection"):
        raise Unsupported(f"the mode {mode!r} with the padding mode {outside!r} is not known")

    def fold(place: SSAValue, size: Known) -> SSAValue:
        return _reflected(sampler, place, size, aligns) if outside == "reflection" else place

    if mode == "nearest":
        taps = [[(g.round(place), g.ones_like(place))] for place in places]
    elif mode == "linear":
        taps = [sampler.linear(place) for place in places]
    else:
        taps = [_cubic(sampler, place, float(node.attr("cubic_coeff_a", -0.75))) for place in places]
    if mode != "cubic" and outside == "reflection":
        # The coordinate itself is folded, before its neighbors are looked for.
        folded = [fold(place, size) for place, size in zip(places, sampler.sizes, strict=True)]
        folded = [sampler.clipped(place, size) for place, size in zip(folded, sampler.sizes, strict=True)]
        taps = [[(g.round(p), g.ones_like(p))] if mode == "nearest" else sampler.linear(p) for p in folded]
    if mode != "cubic" and outside == "border":
        clipped = [sampler.clipped(place, size) for place, size in zip(places, sampler.sizes, strict=True)]
        taps = [[(g.round(p), g.ones_like(p))] if mode == "nearest" else sampler.linear(p) for p in clipped]
    result = sampler.weighted(taps, fold, outside == "zeros")
    return node.cast(g.reshape(result, [batch, sampler.channels, *shape]), node.element(0))


def _denormalized(sampler: Sampler, place: SSAValue, size: Known, aligns: bool) -> SSAValue:
    """Returns coordinates from -1 to 1 as those of items: the ends are the centers of the outer items, or their borders."""
    g, unit, half = sampler.node.g, *(sampler.node.g.constant(value, sampler.element) for value in (1, 0.5))
    shifted = g.add(place, unit)
    if aligns:
        return g.multiply(g.multiply(shifted, half), g.subtract(sampler.number(size), unit))
    return g.subtract(g.multiply(g.multiply(shifted, sampler.number(size)), half), half)


def _reflected(sampler: Sampler, place: SSAValue, size: Known, aligns: bool) -> SSAValue:
    """Returns coordinates that are mirrored at the ends until they are inside."""
    g, element = sampler.node.g, sampler.element
    unit, two = g.constant(1, element), g.constant(2, element)
    number = sampler.number(size)
    low = g.constant(0 if aligns else -0.5, element)
    span = g.subtract(number, unit) if aligns else number
    safe = g.maximum(span, g.constant(0.5, element))
    period = g.multiply(safe, two)
    distance = g.floor_mod(g.abs(g.subtract(place, low)), period)
    folded = g.add(low, g.minimum(distance, g.subtract(period, distance)))
    return g.where(g.greater(span, g.constant(0, element)), folded, g.zeros_like(folded))


def _cubic(sampler: Sampler, where: SSAValue, a: float) -> list[tuple[SSAValue, SSAValue]]:
    """Returns the four neighbors of coordinates with their weights."""
    g, element = sampler.node.g, sampler.element

    def number(value: float) -> SSAValue:
        return g.constant(value, element)

    low = g.floor(where)
    share = g.subtract(where, low)
    taps: list[tuple[SSAValue, SSAValue]] = []
    for offset in range(-1, 3):
        distance = g.abs(g.subtract(share, number(offset)))
        if offset in (0, 1):
            inner = g.subtract(g.multiply(number(a + 2), distance), number(a + 3))
            weight = g.add(g.multiply(g.multiply(inner, distance), distance), number(1))
        else:
            inner = g.subtract(g.multiply(number(a), distance), number(5 * a))
            inner = g.add(g.multiply(inner, distance), number(8 * a))
            weight = g.subtract(g.multiply(inner, distance), number(4 * a))
        taps.append((g.add(low, number(offset)), weight))
    return taps


@op("RoiAlign", ranks={0: exactly(4), 1: exactly(2), 2: exactly(1)})
def _roi_align(node: Node) -> SSAValue:
    """Converts a node. Each region has the same number of samples in a cell, which must be given."""
    g, element = node.g, node.element(0)
    height, width = int(node.attr("output_height", 1)), int(node.attr("output_width", 1))
    samples = int(node.attr("sampling_ratio", 0))
    if samples <= 0:
        raise Unsupported("samples whose number depends on the region (sampling_ratio = 0) have no counterpart")
    aligned = node.attr("coordinate_transformation_mode", "half_pixel" if node.since >= 16 else "output_half_pixel")
    offset = 0.5 if aligned == "half_pixel" else 0.0
    regions = node.shape(1)[0]
    # Of each region its own image: the gathered images are read at the coordinates of the region.
    sampler = Sampler(node, g.take(node.x(0), node.x(2), axis=0))
    scale = float(node.attr("spatial_scale", 1.0))
    bounds = g.subtract(g.multiply(node.x(1), node.constant(scale)), node.constant(offset))
    left, top, right, bottom = (g.reshape(part, [regions, 1]) for part in g.split(bounds, sections=4, axis=1))
    axes: list[SSAValue] = []
    for low, high, cells in ((top, bottom, height), (left, right, width)):
        span = g.subtract(high, low)
        span = span if offset else g.maximum(span, g.constant(1, element))
        steps = (np.arange(cells * samples) + 0.5) / (cells * samples)
        axes.append(g.add(low, g.multiply(span, g.constant(steps, element))))
    rows, columns = height * samples, width * samples
    places = [
        g.reshape(
            g.broadcast_to(g.expand_dims(axis, axis=[place]), [regions, rows, columns]), [regions, rows * columns]
        )
        for axis, place in zip(axes, (2, 1), strict=True)
    ]
    valid: SSAValue | None = None
    for place, size in zip(places, sampler.sizes, strict=True):
        near = g.greater_equal(place, g.constant(-1, element))
        near = g.logical_and(near, g.less_equal(place, sampler.number(size)))
        valid = near if valid is None else g.logical_and(valid, near)
    assert valid is not None
    taps = [sampler.linear(sampler.clipped(place, size)) for place, size in zip(places, sampler.sizes, strict=True)]
    if node.attr("mode", "avg") == "max":
        return _largest_term(node, sampler, taps, valid, (regions, height, width, samples))
    values = g.where(g.expand_dims(valid, axis=[1]), sampler.weighted(taps), g.constant(0, element))
    values = g.reshape(values, [regions, sampler.channels, height, samples, width, samples])
    return g.mean(values, axis=[3, 5])


def _largest_term(
    node: Node,
    sampler: Sampler,
    taps: Sequence[Sequence[tuple[SSAValue, SSAValue]]],
    valid: SSAValue,
    shape: tuple[Known, int, int, int],
) -> SSAValue:
    """Returns the largest of the weighted items of all samples of a cell: the sum of a sample is not taken."""
    g, element = node.g, node.element(0)
    regions, height, width, samples = shape
    best: SSAValue | None = None
    for combination in combinations(*taps):
        (row, row_weight), (column, column_weight) = combination
        weight = g.expand_dims(g.multiply(row_weight, column_weight), axis=[1])
        term = g.multiply(sampler.items([row, column]), weight)
        best = term if best is None else g.maximum(best, term)
    assert best is not None
    best = g.where(g.expand_dims(valid, axis=[1]), best, g.constant(0, element))
    return g.max(g.reshape(best, [regions, sampler.channels, height, samples, width, samples]), axis=[3, 5])


@op("DeformConv", ranks={0: exactly(4), 1: exactly(4), 2: exactly(4), 4: exactly(4)})
def _deform_conv(node: Node) -> SSAValue:
    """Converts a node. The items of all windows are read at their offsets, then multiplied with the kernel as a matrix."""
    g, element = node.g, node.element(0)
    kernel = known_sizes(node, 1)
    if len(kernel) != 2:
        raise Unsupported(f"convolves two spatial dims, got {len(kernel)}")
    sizes = node.shape(0)[2:]
    strides, dilations = spatial(node, "strides", 2), spatial(node, "dilations", 2)
    pads = padding(node, sizes, kernel, strides, dilations)
    batch, channels = node.shape(0)[:2]
    rows, columns = node.shape(2)[2:]
    groups, offset_groups = int(node.attr("group", 1)), int(node.attr("offset_group", 1))
    outputs, items = node.shape(1)[0], kernel[0] * kernel[1]
    if not all(isinstance(size, int) for size in (channels, outputs, rows, columns)):
        raise Unsupported("needs channels and spatial dims that are numbers")
    channels, outputs, rows, columns = (int(str(size)) for size in (channels, outputs, rows, columns))
    offsets = g.reshape(node.x(2), [batch, offset_groups, items, 2, rows, columns])
    mask = g.reshape(node.x(3 + 1), [batch, offset_groups, 1, items * rows * columns]) if node.has(4) else None
    images = g.split(node.x(0), sections=offset_groups, axis=1) if offset_groups > 1 else (node.x(0),)
    read: list[SSAValue] = []
    for group, image in enumerate(images):
        own = g.squeeze(g.strided_slice(offsets, axes=[1], begin=[group], end=[group + 1]), axis=[1])
        places: list[SSAValue] = []
        for axis, count in enumerate((rows, columns)):
            taps = np.arange(kernel[axis]) * dilations[axis]
            grid = np.arange(count) * strides[axis] - pads[axis]
            shape = (kernel[0], kernel[1], rows, columns)
            spread = (
                np.broadcast_to(taps.reshape((-1, 1, 1, 1) if axis == 0 else (1, -1, 1, 1)), shape)
                + np.broadcast_to(grid.reshape((1, 1, -1, 1) if axis == 0 else (1, 1, 1, -1)), shape)
            ).reshape(1, items, rows, columns)
            moved = g.squeeze(g.strided_slice(own, axes=[2], begin=[axis], end=[axis + 1]), axis=[2])
            place = g.add(moved, g.constant(spread, element))
            places.append(g.reshape(place, [batch, items * rows * columns]))
        sampler = Sampler(node, image)
        values = sampler.weighted([sampler.linear(place) for place in places], outside=True)
        if mask is not None:
            part = g.squeeze(g.strided_slice(mask, axes=[1], begin=[group], end=[group + 1]), axis=[1])
            values = g.multiply(values, part)
        read.append(values)
    patches = g.concat(*read, axis=1) if len(read) > 1 else read[0]
    inner = channels // groups * items
    patches = g.reshape(patches, [batch, groups, inner, rows * columns])
    weight = g.reshape(node.x(1), [groups, outputs // groups, inner])
    result = g.reshape(g.matmul(weight, patches), [batch, outputs, rows, columns])
    return with_bias(node, result, 3)
