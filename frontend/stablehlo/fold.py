"""Folding: what follows from constants and sizes alone is computed during the import, so that dynamic shapes become symbolic ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Attribute

from ...dialects.relax.dtypes import INTEGERS, numpy_dtype
from ..model.sizes import SizeArray, combined, is_symbolic, settled
from .node import Node
from .values import Tensor

MAX_ELEMENTS = 64
"""Larger tensors are no sizes."""

ARITHMETIC = {
    "stablehlo.add": "+",
    "stablehlo.subtract": "-",
    "stablehlo.multiply": "*",
    "stablehlo.divide": "/",
    "stablehlo.remainder": "mod",
    "stablehlo.maximum": "max",
    "stablehlo.minimum": "min",
}

COMPARISONS: Mapping[str, tuple[str, bool]] = {
    "EQ": ("==", False),
    "NE": ("==", True),
    "LT": ("<", False),
    "GE": ("<", True),
    "GT": (">", False),
    "LE": (">", True),
}


def folded(node: Node) -> Tensor | None:
    """Returns the result of an op on known integers, `None` for all others."""
    # Invariant: what is folded has at most MAX_ELEMENTS, and no elements that wrap around.
    fold = FOLDS.get(node.op.name)
    if node.op.name == "stablehlo.get_dimension_size":
        size = node.shape(0)[node.attr("dimension")]
        return _tensor(np.array(size, np.int64 if isinstance(size, int) else object), node.result.element)
    if fold is None or not node.inputs or node.result.small is not None:
        return None
    arrays: list[SizeArray] = []
    for item in node.inputs:
        if not isinstance(item, Tensor) or not item.is_known or item.count > MAX_ELEMENTS:
            return None
        array = item.array
        if array.dtype != object and not isinstance(item.element, IntegerType):
            return None
        arrays.append(array)
    result = fold(node, arrays)
    return None if result is None else _tensor(result, node.result.element)


def _tensor(array: SizeArray, element: Attribute) -> Tensor:
    array = settled(array) if array.dtype == object else array
    return Tensor(known=array if is_symbolic(array) else array.astype(numpy_dtype(element)), element=element)


def _arithmetic(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    wide = _wide(node, arrays)
    result = None if wide is None else combined(ARITHMETIC[node.op.name], *wide)
    return None if result is None or not _holds(result, node.result.element) else result


def _wide(node: Node, arrays: Sequence[SizeArray]) -> list[SizeArray] | None:
    """Returns integers as i64; `None` where that does not hold them."""
    if node.element() not in INTEGERS or not all(_holds(array, i64) for array in arrays):
        return None
    return [array if array.dtype == object else array.astype(np.int64) for array in arrays]


def _holds(array: SizeArray, element: Attribute) -> bool:
    """Returns whether an integer type has all the numbers, and half of its range is left for sums."""
    if is_symbolic(array) or not array.size:
        return True
    limits = np.iinfo(numpy_dtype(element))
    return limits.min // 2 <= int(array.min()) and int(array.max()) <= limits.max // 2


def _compare(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    op, is_negated = COMPARISONS[node.word("comparison_direction")]
    wide = _wide(node, arrays)
    result = None if wide is None else combined(op, *wide)
    return None if result is None or is_symbolic(result) else (result != 0) != is_negated


def _select(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    condition, then, otherwise = arrays
    return None if is_symbolic(condition) else np.where(condition.astype(bool), then, otherwise)


def _convert(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    return arrays[0] if isinstance(node.result.element, IntegerType) else None


def _reshape(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    sizes = node.result.sizes
    return None if None in sizes else arrays[0].reshape([size for size in sizes if size is not None])


def _broadcast(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    sizes = [size for size in node.result.sizes if size is not None]
    if len(sizes) < len(node.result.sizes) or np.prod(sizes, dtype=np.int64) > MAX_ELEMENTS:
        return None
    own = [1] * len(sizes)
    for axis, size in zip(node.ints("broadcast_dimensions"), arrays[0].shape, strict=True):
        own[axis] = size
    return np.broadcast_to(arrays[0].reshape(own), sizes)


def _concatenate(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    return np.concatenate(arrays, axis=node.attr("dimension"))


def _slice(node: Node, arrays: Sequence[SizeArray]) -> SizeArray | None:
    bounds = zip(node.ints("start_indices"), node.ints("limit_indices"), node.ints("strides"), strict=True)
    return arrays[0][tuple(slice(*bound) for bound in bounds)]


def _logic(function: Callable[[SizeArray, SizeArray], SizeArray]) -> Fold:
    return lambda node, arrays: None if any(map(is_symbolic, arrays)) else function(arrays[0], arrays[1])


Fold = Callable[[Node, Sequence[SizeArray]], "SizeArray | None"]

FOLDS: dict[str, Fold] = {
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.convert": _convert,
    "stablehlo.reshape": _reshape,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.slice": _slice,
    "stablehlo.and": _logic(np.bitwise_and),
    "stablehlo.or": _logic(np.bitwise_or),
}
