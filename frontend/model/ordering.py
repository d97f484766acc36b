"""The first elements in order, of a number that may be symbolic."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...builder import BlockBuilder
from ...dialects.symbolic.nodes import Known
from .value_types import element_of, sizes_of


def first_in_order(g: BlockBuilder, x: SSAValue, count: Known, axis: int, largest: bool) -> Sequence[SSAValue]:
    """Returns the first elements along an axis in order, and their indices; of a symbolic number of them all are sorted."""
    if count == 0:
        shape = [*sizes_of(x)]
        shape[axis] = 0
        return [g.zeros(g.shape(*shape), dtype=element) for element in (element_of(x), i64)]
    known = count if isinstance(count, int) else 0
    ordered = g.topk(x, k=known, axis=axis, largest=largest, ret_type="both", dtype=i64)
    if isinstance(count, int):
        return ordered
    return [g.strided_slice(item, g.shape(0), g.shape(count), axes=[axis], strides=[1]) for item in ordered]
