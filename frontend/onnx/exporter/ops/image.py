"""Images: a table of items and weights for each of the two dims, computed in f64, applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import Attribute

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.dtypes import is_float, numpy_dtype
from .....dialects.relax.ops import image
from .....dialects.symbolic.expressions import Known
from ..nodes import Nodes
from ..table import Rules, Scope


class _Numbers:
    """Arithmetic on scalars and vectors of f64."""

    def __init__(self, nodes: Nodes):
        self.nodes = nodes

    def of(self, value: str | float) -> str:
        """Returns a number as a value."""
        return value if isinstance(value, str) else self.nodes.scalar(value, f64)

    def apply(self, op_type: str, *values: str | float) -> str:
        """Returns a node of numbers."""
        return self.nodes.add(op_type, *map(self.of, values))

    def holds(self, op_type: str, lhs: str | float, rhs: str | float) -> str:
        """Returns a comparison of numbers."""
        return self.nodes.compare(op_type, self.of(lhs), self.of(rhs))

    def where(self, condition: str, x: str | float, y: str | float) -> str:
        """Returns a choice of numbers."""
        return self.nodes.where(condition, self.of(x), self.of(y))


def _coordinates(op: image.Resize2DOp, axis: int, size: str, count: str, index: str, n: _Numbers) -> str:
    scale = op.scale(axis)

    def scaled(shift: float) -> str:
        place = n.apply("Add", index, shift) if shift else index
        return n.apply("Div", n.apply("Mul", place, size), count) if scale is None else n.apply("Div", place, scale)

    last = n.apply("Sub", size, 1.0)
    steps = n.apply("Max", n.apply("Sub", count, 1.0), 1.0)
    match op.transformation():
        case "half_pixel":
            return n.apply("Sub", scaled(0.5), 0.5)
        case "pytorch_half_pixel":
            return n.where(n.holds("Greater", count, 1.0), n.apply("Sub", scaled(0.5), 0.5), 0.0)
        case "align_corners":
            return n.apply("Div", n.apply("Mul", index, last), steps)
        case "asymmetric":
            return scaled(0.0)
        case "tf_half_pixel_for_nn":
            return scaled(0.5)
        case _:
            start, end = op.region(axis)
            single = n.apply("Mul", 0.5 * (start + end), last)
            step = n.apply("Div", n.apply("Mul", end - start, last), steps)
            several = n.apply("Add", n.apply("Mul", start, last), n.apply("Mul", index, step))
            return n.where(n.holds("Equal", count, 1.0), n.apply("Add", single, n.apply("Mul", index, 0.0)), several)


def _nearest(op: image.Resize2DOp, at: str, n: _Numbers) -> str:
    match op.rounding():
        case "round":
            # Halves go away from zero; a half added to the number below one half would be one.
            magnitude = n.apply("Abs", at)
            whole = n.apply("Floor", magnitude)
            more = n.holds("GreaterOrEqual", n.apply("Sub", magnitude, whole), 0.5)
            rounded = n.where(more, n.apply("Add", whole, 1.0), whole)
            return n.apply("Mul", n.apply("Sign", at), rounded)
        case "round_prefer_floor":
            return n.apply("Ceil", n.apply("Sub", at, 0.5))
        case "round_prefer_ceil":
            return n.apply("Floor", n.apply("Add", at, 0.5))
        case "floor":
            return n.apply("Floor", at)
        case _:
            return n.apply("Ceil", at)


def _cubic_weights(t: str, alpha: float, n: _Numbers) -> list[str]:
    """Returns the weights of the four items around a coordinate with the fractional part `t` (Keys, 1981)."""
    square = n.apply("Mul", t, t)
    cube = n.apply("Mul", square, t)

    def polynomial(a: float, b: float, c: float, d: float) -> str:
        terms = [n.apply("Mul", a, cube), n.apply("Mul", b, square), n.apply("Mul", c, t)]
        return n.apply("Add", n.apply("Add", n.apply("Add", terms[0], terms[1]), terms[2]), d)

    return [
        polynomial(alpha, -2 * alpha, alpha, 0.0),
        polynomial(alpha + 2, -(alpha + 3), 0.0, 1.0),
        polynomial(-(alpha + 2), 2 * alpha + 3, -alpha, 0.0),
        polynomial(-alpha, alpha, 0.0, 0.0),
    ]


def _table(op: image.Resize2DOp, at: str, size: str, n: _Numbers) -> tuple[str, str | None]:
    """Returns the items `[count, taps]` that each place reads, inside the image, and their weights."""
    nodes = n.nodes
    if op.chosen_method() == "nearest_neighbor":
        items, weights = nodes.unsqueezed(_nearest(op, at, n), [1]), None
    else:
        first = n.apply("Floor", at)
        t = n.apply("Sub", at, first)
        is_linear = op.chosen_method() == "linear"
        offsets = nodes.constant(np.arange(0.0, 2.0) if is_linear else np.arange(-1.0, 3.0))
        items = n.apply("Add", nodes.unsqueezed(first, [1]), offsets)
        parts = [n.apply("Sub", 1.0, t), t] if is_linear else _cubic_weights(t, op.prop("cubic_alpha", -0.75), n)
        weights = nodes.joined([nodes.unsqueezed(part, [1]) for part in parts], 1)
        if not is_linear and op.prop("cubic_exclude", 0):
            outside = nodes.add("Or", n.holds("Less", items, 0.0), n.holds("GreaterOrEqual", items, size))
            weights = n.where(outside, 0.0, weights)
            weights = n.apply("Div", weights, nodes.reduced("ReduceSum", weights, [1], True))
    inside = n.apply("Min", n.apply("Max", items, 0.0), n.apply("Sub", size, 1.0))
    return nodes.cast(inside, i64), weights


def _is_exact(element: Attribute) -> bool:
    """Returns whether values of an element type are interpolated in f64."""
    return element == f64 or (not is_float(element) and numpy_dtype(element).itemsize >= 4)


def _resize2d(op: image.Resize2DOp, args: Sequence[Any], scope: Scope) -> str:
    nodes, n = scope.nodes, _Numbers(scope.nodes)
    source, positions = scope.dims(op.data, args[0]), op.positions()
    element = element_type_of(op.result.type)
    dims: list[Known] = [source[position] for position in positions]
    data = nodes.transposed(args[0], positions)
    wide = f64 if _is_exact(nodes.element(data)) or _is_exact(element) else f32
    outside: list[str] = []
    is_nearest = op.chosen_method() == "nearest_neighbor"
    result = data if is_nearest else nodes.cast(data, wide)
    for axis, count in enumerate(args[1]):
        size = nodes.cast(scope.sizes.scalar(dims[2 + axis]), f64)
        index = nodes.cast(scope.indices(count), f64)
        at = _coordinates(op, axis, size, nodes.cast(scope.sizes.scalar(count), f64), index, n)
        if op.transformation() == "pytorch_half_pixel":
            at = scope.expanded(at, [count])
        items, weights = _table(op, at, size, n)
        result = nodes.gathered(result, items, 2 + axis)
        if weights is None:
            result = nodes.squeezed(result, [3 + axis])
        else:
            spread = nodes.unsqueezed(nodes.cast(weights, wide), range(2, 3 - axis))
            result = nodes.reduced("ReduceSum", nodes.add("Mul", result, spread), [3 + axis])
        last = n.apply("Sub", size, 1.0)
        outside.append(nodes.add("Or", n.holds("Less", at, 0.0), n.holds("Greater", at, last)))
    result = nodes.converted(result, element)
    if op.transformation() == "tf_crop_and_resize":
        beyond = nodes.add("Or", nodes.unsqueezed(outside[0], [1]), outside[1])
        result = nodes.where(beyond, nodes.like(op.prop("extrapolation_value", 0.0), result), result)
    return nodes.transposed(result, [positions.index(axis) for axis in range(4)])


RULES: Rules = {image.Resize2DOp: _resize2d}
