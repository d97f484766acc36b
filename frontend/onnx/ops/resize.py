"""Resizing by interpolation: one dim after the other, each by items and weights, which the program computes of symbolic sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, inf
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type, f32, f64, i1, i64
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.dtypes import is_float
from ....dialects.symbolic.expressions import apply, equal
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ...model.value_types import normalized_axes
from ..node import Node
from ..table import Table, converters
from .computed import Computed, tensor
from .manipulate import with_size

TABLE: Table = {}
op = converters(TABLE)

MAX_TAPS = 8
"""So many items of a window are gathered one by one; wider windows are products with a matrix."""

MAX_TABLE = 1 << 25
"""So many items have the tables that are computed during the import, and the matrices, of one dim."""

MAX_COMPUTED_TAPS = 64
"""The widest window of a symbolic size, all of whose items are gathered one by one."""

Numbers: TypeAlias = "np.ndarray[Any, Any] | Computed"
"""One number for each place of a result, known or computed by the program."""


@dataclass(frozen=True)
class Method:
    """How a node interpolates."""

    mode: str
    transformation: str
    nearest: str
    cubic: float
    excludes_outside: bool
    antialias: bool
    extrapolation: float

    @classmethod
    def of(cls, node: Node) -> Method:
        """Returns the method of a node; `Upsample` and version 10 of `Resize` have one transformation."""
        is_old = node.op == "Upsample" or node.since < 11
        return cls(
            mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode := node.attr("mode", "nearest"), mode),
            transformation=node.attr("coordinate_transformation_mode", "asymmetric" if is_old else "half_pixel"),
            nearest=node.attr("nearest_mode", "floor" if is_old else "round_prefer_floor"),
            cubic=float(node.attr("cubic_coeff_a", -0.75)),
            excludes_outside=bool(node.attr("exclude_outside", 0)),
            antialias=bool(node.attr("antialias", 0)),
            extrapolation=float(node.attr("extrapolation_value", 0.0)),
        )


@dataclass(frozen=True)
class Dim:
    """One dim that is resized."""

    axis: int
    size: Known
    result: Known
    scale: float | None
    """`None` for the quotient of the sizes."""
    region: tuple[float, float] = (0.0, 1.0)

    @property
    def is_symbolic(self) -> bool:
        """Whether the sizes are known only when the program runs."""
        return not (isinstance(self.size, int) and isinstance(self.result, int))

    @property
    def ratio(self) -> float:
        """The scale as a number; 1 where it is known only when the program runs, or is none."""
        if self.scale is not None:
            return self.scale
        if isinstance(self.size, int) and isinstance(self.result, int) and self.size:
            return self.result / self.size
        return 1.0

    @property
    def is_quotient(self) -> bool:
        """Whether the scale is that of the sizes, of which none is rounded."""
        if self.scale is None:
            return True
        scale = Fraction(self.scale)
        return bool(equal(apply("*", self.result, scale.denominator), apply("*", self.size, scale.numerator)))


@op("Resize", "Upsample")
def _resize(node: Node) -> SSAValue:
    method, x = Method.of(node), node.x(0)
    dims = _dims(node, method)
    if any(dim.is_symbolic for dim in dims) and _has_op(node, method, dims):
        return _by_op(node, method, dims)
    for dim in dims:
        x = _interpolated(node, x, method, dim)
    return x


def _dims(node: Node, method: Method) -> list[Dim]:
    """Returns the dims that change, or that are read in part."""
    # Invariant: scales, where there are any, are kept beside the sizes: coordinates are computed with them as they are.
    shape, rank = node.shape(0), node.rank(0)
    axes = normalized_axes([int(a) for a in node.attr("axes", list(range(rank)))], rank)
    scales_at = 1 if node.op == "Upsample" or node.since < 11 else 2
    given = node.attributes.get("scales")
    scales = None
    if given is not None:
        scales = [float(item) for item in given]
    elif node.has(scales_at) and (not node.is_known(scales_at) or node.known(scales_at).size):
        scales = [float(item) for item in node.known(scales_at).reshape(-1)]
    regions = [(0.0, 1.0)] * len(axes)
    if method.transformation == "tf_crop_and_resize":
        roi = [float(item) for item in node.known(1).reshape(-1)]
        _require_each(roi, 2 * len(axes), "bounds of regions")
        regions = list(zip(roi[: len(axes)], roi[len(axes) :], strict=True))
    if scales is not None:
        _require_each(scales, len(axes), "scales")
        results = [_scaled(shape[axis], scale) for axis, scale in zip(axes, scales, strict=True)]
        dims = [Dim(a, shape[a], r, s, roi) for a, r, s, roi in zip(axes, results, scales, regions, strict=True)]
    else:
        wanted = node.sizes(3)
        _require_each(wanted, len(axes), "sizes")
        sizes, scale = _kept_aspect(node, [shape[axis] for axis in axes], wanted)
        dims = [Dim(a, shape[a], size, scale, roi) for a, size, roi in zip(axes, sizes, regions, strict=True)]
    whole = method.transformation != "tf_crop_and_resize"
    return [dim for dim in dims if not (whole and dim.result == dim.size and dim.scale in (None, 1.0))]


def _require_each(given: Sequence[object], count: int, what: str) -> None:
    if len(given) != count:
        raise Unsupported(f"takes {count} {what} for the dims that are resized, got {len(given)}")


def _scaled(size: Known, scale: float) -> Known:
    """Returns the size of a dim after scaling, rounded down."""
    if not 0 < scale < inf:
        raise Unsupported(f"scales must be positive and finite, got {scale:g}")
    if isinstance(size, int):
        return floor(size * scale)
    # Each scale is a binary fraction, so that this is the size that numbers have.
    ratio = Fraction(scale)
    result = apply("floordiv", apply("*", size, ratio.numerator), ratio.denominator)
    assert result is not None
    return result


def _kept_aspect(node: Node, sizes: Sequence[Known], wanted: Sequence[Known]) -> tuple[Sequence[Known], float | None]:
    """Returns the sizes by the policy for the aspect ratio, and the scale that all of them then have."""
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted, None
    pairs = [(a, b) for a, b in zip(sizes, wanted, strict=True) if isinstance(a, int) and isinstance(b, int)]
    if len(pairs) != len(sizes):
        raise Unsupported(f"keeping the aspect ratio needs sizes that are numbers; {number_hint(sizes)}")
    if any(a == 0 for a, _ in pairs):
        raise Unsupported("keeping the aspect ratio needs dims with elements, one has the size 0")
    pick = min if policy == "not_larger" else max
    scale = pick(b / a for a, b in pairs)
    return [floor(scale * a + 0.5) for a, _ in pairs], scale


def _has_op(node: Node, method: Method, dims: Sequence[Dim]) -> bool:
    """Returns whether the op of the dialect computes the same: it resizes the two last dims of four, by the quotient of sizes."""
    is_image = node.rank(0) == 4 and {dim.axis for dim in dims} <= {2, 3} and all(dim.is_quotient for dim in dims)
    is_plain = method.transformation not in ("half_pixel_symmetric", "tf_crop_and_resize")
    return is_image and is_plain and not method.antialias and not method.excludes_outside


def _by_op(node: Node, method: Method, dims: Sequence[Dim]) -> SSAValue:
    sizes = list(node.shape(0)[2:])
    for dim in dims:
        sizes[dim.axis - 2] = dim.result
    return node.g.image.resize2d(
        node.x(0),
        sizes,
        method={"nearest": "nearest_neighbor"}.get(method.mode, method.mode),
        coordinate_transformation_mode=method.transformation,
        rounding_method=method.nearest if method.mode == "nearest" else "",
        cubic_alpha=method.cubic,
    )


@dataclass(frozen=True)
class Line:
    """One dim in numbers, known or computed by the program, which formulas are written in."""

    size: Any
    result: Any
    scale: Any
    places: Numbers

    @classmethod
    def of(cls, node: Node, dim: Dim) -> Line:
        """Returns the numbers of a dim."""
        if not isinstance(dim.size, int) or not isinstance(dim.result, int):
            size, result = Computed.size(node.g, dim.size), Computed.size(node.g, dim.result)
            return cls(size, result, dim.scale or result / size, Computed.places(node.g, dim.result))
        if dim.size == 0 < dim.result:
            raise Unsupported(f"dim {dim.axis} has no elements, its size cannot become {dim.result}")
        return cls(dim.size, dim.result, dim.ratio, np.arange(dim.result, dtype=np.float64))


def coordinates(line: Line, transformation: str, region: tuple[float, float] = (0.0, 1.0)) -> Any:
    """Returns where each place of the result lies in the dim."""
    scale, places, last = line.scale, line.places, line.size - 1
    match transformation:
        case "half_pixel":
            return (places + 0.5) / scale - 0.5
        case "pytorch_half_pixel":
            return np.where(np.greater(line.result, 1), (places + 0.5) / scale - 0.5, 0)
        case "half_pixel_symmetric":
            # The center of the result is that of the dim, also where the size is rounded.
            offset = (line.size - line.result / scale) / 2
            return offset + (places + 0.5) / scale - 0.5
        case "align_corners":
            return _between_ends(line, last, 0)
        case "asymmetric":
            return places / scale
        case "tf_half_pixel_for_nn":
            return (places + 0.5) / scale
        case "tf_crop_and_resize":
            start, end = region
            span = (end - start) * last
            return start * last + _between_ends(line, span, span / 2)
        case _:
            raise Unsupported(f"the coordinate transformation {transformation!r} is not known")


def _between_ends(line: Line, span: Any, only: Any) -> Any:
    """Returns places that are spread over a span, or where the only one lies."""
    length = line.scale * line.size
    is_one = np.equal(length, 1)
    return np.where(is_one, only, line.places * span / np.where(is_one, 1, length - 1))


def taps(line: Line, method: Method, where: Any) -> list[tuple[Numbers, Numbers | None]]:
    """Returns the items that each place is computed from, each with its weights; the one that is nearest has none."""
    # A coordinate on an item has that item as the upper one of its two neighbors.
    base = np.ceil(where) - 1
    share = where - base
    scale = min(line.scale, 1.0) if method.antialias else 1.0
    if method.mode == "nearest":
        return [(_inside(base + np.where(_is_upper(share, method.nearest), 1, 0), line), None)]
    if method.mode not in ("linear", "cubic"):
        raise Unsupported(f"the mode {method.mode!r} is not known")
    reach = _reach(method, line.scale)
    items = range(1 - reach, reach + 1)
    distances = [np.abs((item - share) * scale) for item in items]
    if method.mode == "linear":
        weights = [np.maximum(1 - distance, 0) for distance in distances]
    else:
        weights = [_cubic(distance, method.cubic) for distance in distances]
    places = [base + item for item in items]
    if method.excludes_outside:
        weights = [
            np.where(np.logical_and(np.greater_equal(place, 0), np.less(place, line.size)), weight, 0)
            for place, weight in zip(places, weights, strict=True)
        ]
    if method.excludes_outside or method.antialias:
        total = sum(weights[1:], weights[0])
        weights = [weight / total for weight in weights]
    return [(_inside(place, line), weight) for place, weight in zip(places, weights, strict=True)]


def _inside(place: Any, line: Line) -> Any:
    return np.maximum(np.minimum(place, line.size - 1), 0)


def _is_upper(share: Any, mode: str) -> Any:
    """Returns whether the upper one of two neighbors is nearest; a share of 1 is the item itself."""
    match mode:
        case "round_prefer_floor":
            return np.greater(share, 0.5)
        case "round_prefer_ceil":
            return np.greater_equal(share, 0.5)
        case "floor":
            return np.greater_equal(share, 1)
        case "ceil":
            return np.greater(share, 0)
        case _:
            raise Unsupported(f"the nearest mode {mode!r} is not known")


def _cubic(distance: Any, a: float) -> Any:
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(np.less_equal(distance, 1), near, np.where(np.less(distance, 2), far, 0))


def _interpolated(node: Node, x: SSAValue, method: Method, dim: Dim) -> SSAValue:
    """Returns a tensor with one dim resized."""
    g, element = node.g, node.element(0)
    _require_bounded(method, dim)
    if dim.is_symbolic and dim.scale is None:
        # A dim without elements has none to compute others from.
        x = with_size(node, x, dim.axis, apply("max", dim.size, 1) or 1)
    line = Line.of(node, dim)
    where = coordinates(line, method.transformation, dim.region)
    items = taps(line, method, where)
    if items[0][1] is None:
        result = _picked(node, x, dim, items[0][0])
    else:
        wide = f64 if element == f64 else f32
        result = _weighted(node, node.cast(x, wide), dim, items, wide)
        result = node.cast(result if is_float(element) else g.round(result), element)
    if method.transformation == "tf_crop_and_resize":
        kept = np.logical_and(np.greater_equal(where, 0), np.less_equal(where, line.size - 1))
        if isinstance(kept, Computed) or not kept.all():
            result = g.where(_along(node, dim, kept, i1), result, g.constant(method.extrapolation, element))
    return result


def _require_bounded(method: Method, dim: Dim) -> None:
    """Raises `Unsupported` for windows and tables that are larger than those of any image."""
    width = 1 if method.mode == "nearest" else 2 * _reach(method, dim.ratio)
    if isinstance(dim.size, int) and isinstance(dim.result, int):
        count = max(width, dim.result * (dim.size if width > MAX_TAPS else width))
        if count > MAX_TABLE:
            table = f"its table would have {count} items, more than {MAX_TABLE}"
            raise Unsupported(f"dim {dim.axis} of size {dim.size} cannot become {dim.result}: {table}")
        return
    hint = number_hint([dim.size, dim.result])
    if method.antialias and dim.scale is None:
        raise Unsupported(f"antialias needs a scale that is a number; {hint}")
    if width > MAX_COMPUTED_TAPS:
        raise Unsupported(f"windows of a symbolic size have up to {MAX_COMPUTED_TAPS} items, got {width}; {hint}")


def _reach(method: Method, scale: Any) -> int:
    """Returns how many items to each side of a place count; a smaller scale has wider windows if it is to smooth."""
    return ceil((1 if method.mode == "linear" else 2) / (min(scale, 1.0) if method.antialias else 1.0))


def _picked(node: Node, x: SSAValue, dim: Dim, places: Numbers) -> SSAValue:
    """Returns one item for each place of the result."""
    g = node.g
    if isinstance(places, np.ndarray) and isinstance(dim.size, int):
        times = len(places) // dim.size if dim.size else 0
        if np.array_equal(places, np.repeat(np.arange(dim.size), times)):
            return g.repeat(x, repeats=times, axis=dim.axis)
    return g.take(x, tensor(g, places, i64), axis=dim.axis)


def _weighted(
    node: Node, x: SSAValue, dim: Dim, items: Sequence[tuple[Any, Any]], wide: Float32Type | Float64Type
) -> SSAValue:
    """Returns the sum of the items of each place by their weights."""
    g = node.g
    if len(items) > MAX_TAPS and not dim.is_symbolic:
        return _by_matrix(node, x, dim, items, wide)
    terms = [
        g.multiply(g.take(x, tensor(g, places, i64), axis=dim.axis), _along(node, dim, weights, wide))
        for places, weights in items
    ]
    return reduce(g.add, terms)


def _along(node: Node, dim: Dim, numbers: Numbers, element: Attribute) -> SSAValue:
    """Returns one number for each place of a dim in a shape that is broadcast to the tensor."""
    trailing = node.rank(0) - dim.axis - 1
    if not isinstance(numbers, Computed):
        return node.g.constant(numbers.reshape(-1, *[1] * trailing), element)
    value = tensor(node.g, numbers, element)
    return node.g.expand_dims(value, axis=list(range(1, trailing + 1))) if trailing else value


def _by_matrix(
    node: Node, x: SSAValue, dim: Dim, items: Sequence[tuple[Any, Any]], wide: Float32Type | Float64Type
) -> SSAValue:
    assert isinstance(dim.size, int) and isinstance(dim.result, int)
    g, rank = node.g, node.rank(0)
    matrix = np.zeros((dim.size, dim.result))
    for places, weights in items:
        np.add.at(matrix, (places.astype(np.int64), np.arange(dim.result)), weights)
    order = [axis for axis in range(rank) if axis != dim.axis] + [dim.axis]
    back = [order.index(axis) for axis in range(rank)]
    return g.permute_dims(g.matmul(g.permute_dims(x, axes=order), g.constant(matrix, wide)), axes=back)
