"""Sorting, and the places of extremes; NaN is larger than every number in an order, and more extreme than every number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bindings import ir
from ..emit import Emitter, element_of, integer, ints, shape_of, tensor
from ..rule import Rule, Rules, result_element, result_shape
from .elementwise import is_float
from .reductions import greatest, least


def sorted_by(e: Emitter, x: Any, axis: int, descending: bool, element: str) -> list[Any]:
    """Writes a stable sort: the elements, and the places where they stood."""
    shape = shape_of(x)
    places = e.iota(shape, axis, element)
    types = [x.type, places.type]
    made = ir.Operation.create(
        "stablehlo.sort",
        results=types,
        operands=[x, places],
        attributes={"dimension": integer(axis), "is_stable": ir.BoolAttr.get(True)},
        regions=1,
    )
    scalars = [tensor((), element_of(item)) for item in (x, x, places, places)]
    block = made.regions[0].blocks.append(*scalars)
    with ir.InsertionPoint(block):
        a, b, *_ = block.arguments
        first, second = (b, a) if descending else (a, b)
        result = _before(e, first, second)
        ir.Operation.create("stablehlo.return", operands=[result])
    return list(made.results)


def _before(e: Emitter, first: Any, second: Any) -> Any:
    """Writes a comparison by a total order of floats, in which zeros are equal and NaN is the largest."""
    if not is_float(first):
        return e.compare("less", first, second)
    keys: list[Any] = []
    for x in (first, second):
        x = e.select(e.compare("equal", x, 0.0), e.constant(0.0, element_of(x)), x)
        keys.append(e.select(e.compare("not_equal", x, x), e.constant(math.nan, element_of(x)), x))
    attributes = {
        "comparison_direction": ir.Attribute.parse("#stablehlo<comparison_direction LT>"),
        "compare_type": ir.Attribute.parse("#stablehlo<comparison_type TOTALORDER>"),
    }
    return e.op("compare", keys, (), "i1", attributes)


def _sort(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    axis = op.prop("axis", -1) % len(shape_of(x))
    return sorted_by(e, x, axis, bool(op.prop("descending", False)), "i32")[0]


def _argsort(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    axis = op.prop("axis", -1) % len(shape_of(x))
    return sorted_by(e, x, axis, bool(op.prop("descending", False)), result_element(op))[1]


def _topk(e: Emitter, op: Any, operands: Sequence[Any]) -> list[Any]:
    x = operands[0]
    axis = op.normalized_axis(len(shape_of(x)))
    count = result_shape(op)[axis]
    values, places = sorted_by(e, x, axis, op.prop("largest", True), str(op.index_type()))
    results = {"values": [values], "indices": [places], "both": [values, places]}[op.prop("ret_type", "both")]
    return [e.along(result, axis, 0, count) for result in results]


def _place(name: str) -> Rule:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        x = operands[0]
        element = element_of(x)
        if op.prop("axis") is None:
            x = e.reshape(x, [int(np.prod(shape_of(x), dtype=np.int64))])
        axis = op.prop("axis", 0) % max(len(shape_of(x)), 1)
        if 0 in shape_of(x):
            return e.constant(0, "i64", result_shape(op))
        outer = [size for index, size in enumerate(shape_of(x)) if index != axis]
        initial = least(element) if name == "greater" else greatest(element)
        # The first one of equals is taken: what there is when there is nothing yet comes last.
        starts = [e.constant(initial, element), e.constant(2**63 - 1, "i64")]
        made = ir.Operation.create(
            "stablehlo.reduce",
            results=[tensor(outer, element), tensor(outer, "i64")],
            operands=[x, e.iota(shape_of(x), axis, "i64"), *starts],
            attributes={"dimensions": ints([axis])},
            regions=1,
        )
        scalars = [tensor((), element), tensor((), "i64")]
        block = made.regions[0].blocks.append(*scalars, *scalars)
        with ir.InsertionPoint(block):
            first, first_place, second, second_place = block.arguments
            is_first, is_same = e.compare(name, first, second), e.compare("equal", first, second)
            if is_float(x):
                nan, other = (e.compare("not_equal", item, item) for item in (first, second))
                is_first = e.binary("or", is_first, e.binary("and", nan, e.unary("not", other)))
                is_same = e.binary("or", is_same, e.binary("and", nan, other))
            earlier = e.binary("and", is_same, e.compare("less", first_place, second_place))
            chosen = e.binary("or", is_first, earlier)
            results = [e.select(chosen, first, second), e.select(chosen, first_place, second_place)]
            ir.Operation.create("stablehlo.return", operands=results)
        return e.reshape(made.results[1], result_shape(op))

    return write


RULES: Rules = {
    "relax.argmax": _place("greater"),
    "relax.argmin": _place("less"),
    "relax.argsort": _argsort,
    "relax.sort": _sort,
    "relax.topk": _topk,
}
