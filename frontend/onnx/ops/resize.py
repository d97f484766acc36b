"""Resizing by interpolation: one dim after the other, each by items and weights that are computed during the import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float
from ....dialects.symbolic.expressions import apply
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ...model.value_types import normalized_axes
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)

MAX_TAPS = 8
"""So many items of a window are gathered one by one; wider windows are products with a matrix."""


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


@op("Resize", "Upsample")
def _resize(node: Node) -> SSAValue:
    method, x = Method.of(node), node.x(0)
    dims = _dims(node, method)
    if _is_symbolic(dims):
        return _by_op(node, method, dims)
    for dim in dims:
        x = _interpolated(node, x, method, dim)
    return x


def _is_symbolic(dims: Sequence[Dim]) -> bool:
    return not all(isinstance(dim.size, int) and isinstance(dim.result, int) for dim in dims)


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
        sizes = _kept_aspect(node, [shape[axis] for axis in axes], wanted)
        dims = [Dim(a, shape[a], size, None, roi) for a, size, roi in zip(axes, sizes, regions, strict=True)]
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
    if scale == floor(scale):
        result = apply("*", size, int(scale))
    elif 1 / scale == floor(1 / scale):
        result = apply("floordiv", size, int(1 / scale))
    else:
        raise Unsupported(f"a dim of size {size} cannot be scaled by {scale:g}; {number_hint([size])}")
    assert result is not None
    return result


def _kept_aspect(node: Node, sizes: Sequence[Known], wanted: Sequence[Known]) -> list[Known]:
    """Returns the sizes that are asked for, by the policy for the aspect ratio."""
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return list(wanted)
    pairs = [(a, b) for a, b in zip(sizes, wanted, strict=True) if isinstance(a, int) and isinstance(b, int)]
    if len(pairs) != len(sizes):
        raise Unsupported(f"keeping the aspect ratio needs sizes that are numbers; {number_hint(sizes)}")
    pick = min if policy == "not_larger" else max
    scale = pick(b / a for a, b in pairs)
    return [floor(scale * a + 0.5) for a, _ in pairs]


def _by_op(node: Node, method: Method, dims: Sequence[Dim]) -> SSAValue:
    """Returns the image resized by the op of the dialect, which takes symbolic sizes, of the two last dims of four."""
    rank = node.rank(0)
    fits = rank == 4 and {dim.axis for dim in dims} <= {2, 3} and not method.antialias and not method.excludes_outside
    if not fits or method.transformation in ("half_pixel_symmetric", "tf_crop_and_resize"):
        hint = number_hint([size for dim in dims for size in (dim.size, dim.result)])
        raise Unsupported(
            f"symbolic sizes are those of the two last dims of four, without antialias or cropping; {hint}"
        )
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


def coordinates(dim: Dim, transformation: str) -> np.ndarray:
    """Returns where each place of the result lies in the dim."""
    assert isinstance(dim.size, int) and isinstance(dim.result, int)
    scale = dim.result / dim.size if dim.scale is None else dim.scale
    length = scale * dim.size
    places = np.arange(dim.result, dtype=np.float64)
    match transformation:
        case "half_pixel":
            return (places + 0.5) / scale - 0.5
        case "pytorch_half_pixel":
            return (places + 0.5) / scale - 0.5 if dim.result > 1 else np.zeros(dim.result)
        case "half_pixel_symmetric":
            # The center of the result is that of the dim, also where the size is rounded.
            offset = dim.size / 2 * (1 - dim.result / length)
            return offset + (places + 0.5) / scale - 0.5
        case "align_corners":
            return places * (dim.size - 1) / (length - 1) if length != 1 else np.zeros(dim.result)
        case "asymmetric":
            return places / scale
        case "tf_half_pixel_for_nn":
            return (places + 0.5) / scale
        case "tf_crop_and_resize":
            start, end = dim.region
            span = (end - start) * (dim.size - 1)
            inner = places * span / (length - 1) if length != 1 else np.full(dim.result, span / 2)
            return start * (dim.size - 1) + inner
        case _:
            raise Unsupported(f"the coordinate transformation {transformation!r} is not known")


def table(dim: Dim, method: Method) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns for each place of the result the items that it is computed from, their weights, and whether it lies inside."""
    assert isinstance(dim.size, int) and isinstance(dim.result, int)
    where = coordinates(dim, method.transformation)
    # A coordinate on an item has that item as the upper one of its two neighbors.
    base = np.ceil(where) - 1
    share = (where - base)[:, None]
    scale = min(dim.result / dim.size if dim.scale is None else dim.scale, 1.0) if method.antialias else 1.0
    match method.mode:
        case "nearest":
            items, weights = _nearest(share, method.nearest)
        case "linear":
            reach = ceil(1 / scale)
            items = np.arange(1 - reach, reach + 1)
            weights = np.clip(1 - np.abs((items - share) * scale), 0, 1)
        case "cubic":
            reach = ceil(2 / scale)
            items = np.arange(1 - reach, reach + 1)
            weights = _cubic(np.abs((items - share) * scale), method.cubic)
        case _:
            raise Unsupported(f"the mode {method.mode!r} is not known")
    places = (base[:, None] + items).astype(np.int64)
    if method.excludes_outside:
        weights = weights * ((places >= 0) & (places < dim.size))
    if method.excludes_outside or method.antialias:
        weights = weights / weights.sum(1, keepdims=True)
    inside = (where >= 0) & (where <= dim.size - 1)
    return np.clip(places, 0, dim.size - 1), weights, inside


def _nearest(share: np.ndarray, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns the one item that is nearest; a share of 1 is the item itself."""
    upper = {
        "round_prefer_floor": share > 0.5,
        "round_prefer_ceil": share >= 0.5,
        "floor": share >= 1,
        "ceil": share > 0,
    }.get(mode)
    if upper is None:
        raise Unsupported(f"the nearest mode {mode!r} is not known")
    return upper.astype(np.int64), np.ones(share.shape)


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def _interpolated(node: Node, x: SSAValue, method: Method, dim: Dim) -> SSAValue:
    """Returns a tensor with one dim resized."""
    assert isinstance(dim.size, int) and isinstance(dim.result, int)
    g, rank, element = node.g, node.rank(0), node.element(0)
    places, weights, inside = table(dim, method)
    trailing = [1] * (rank - dim.axis - 1)
    if places.shape[1] == 1:
        times = dim.result // dim.size
        if np.array_equal(places[:, 0], np.repeat(np.arange(dim.size), times)):
            result = g.repeat(x, repeats=times, axis=dim.axis)
        else:
            result = g.take(x, g.constant(places[:, 0], i64), axis=dim.axis)
    else:
        wide = f64 if element == f64 else f32
        x = node.cast(x, wide)
        if places.shape[1] > MAX_TAPS:
            result = _by_matrix(node, x, dim, places, weights)
        else:
            terms = [
                g.multiply(
                    g.take(x, g.constant(places[:, tap], i64), axis=dim.axis),
                    g.constant(weights[:, tap].reshape(-1, *trailing), wide),
                )
                for tap in range(places.shape[1])
            ]
            result = terms[0]
            for term in terms[1:]:
                result = g.add(result, term)
        result = node.cast(result if is_float(element) else g.round(result), element)
    if method.transformation == "tf_crop_and_resize" and not inside.all():
        kept = g.constant(inside.reshape(-1, *trailing))
        result = g.where(kept, result, g.constant(method.extrapolation, element))
    return result


def _by_matrix(node: Node, x: SSAValue, dim: Dim, places: np.ndarray, weights: np.ndarray) -> SSAValue:
    assert isinstance(dim.size, int)
    g, rank = node.g, node.rank(0)
    matrix = np.zeros((dim.size, len(places)))
    np.add.at(matrix, (places, np.arange(len(places))[:, None]), weights)
    order = [axis for axis in range(rank) if axis != dim.axis] + [dim.axis]
    back = [order.index(axis) for axis in range(rank)]
    wide = f64 if node.element(0) == f64 else f32
    return g.permute_dims(g.matmul(g.permute_dims(x, axes=order), g.constant(matrix, wide)), axes=back)
