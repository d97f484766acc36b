"""Sorting along an axis: each row becomes keys, whose order is that of integers, and indices go along with them.

    %y = relax.sort %x : (tensor<7xf32>) -> tensor<7xf32>

becomes

    linalg.generic %keys[d0] = key(%x[d0]),  %items[d0] = d0
    radix sort of %keys with %items
    linalg.generic %y[d0] = %x[%items[d0]]

Rows go through a `merge_network` where nobody asks for indices, many short ones through a `network` with them. `topk` of few elements among
many sorts only those that `selection` leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.relax.ops import sorting
from ....dialects.symbolic.expressions import Dim
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import PARALLEL, ScalarBuilder, Size, element, tensor_shape
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from ..sorting.key_sort import key_sort
from ..sorting.keys import SortKeys
from ..sorting.merge_network import MergeNetwork
from ..sorting.network import Network
from ..sorting.selection import Selection, row_point
from ..sorting.table import Table
from .indexing import iterations
from .manipulate import known_dims, sizes_of


def _sorted_indices(
    keys: SortKeys, axis: int, x: SSAValue, b: LinalgBuilder, sizes: Sequence[Size], count: Size, kind: Attribute
) -> SSAValue:
    """Returns the indices, of an integer type, of the first `count` elements of each row, in their order."""
    size = sizes[axis]
    result = b.empty([*sizes[:axis], count, *sizes[axis + 1 :]], kind)
    if 0 in sizes:
        return result
    outer = [extent for i, extent in enumerate(sizes) if i != axis]
    selection = Selection.of(keys, size, count)

    def one_row(s: LinalgBuilder, position: list[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        table = Table.empty(s, keys.type, size, keys.digits)
        extents = [extent if i == axis else 1 for i, extent in enumerate(sizes)]
        row = s.extract_slice(x, [*position[:axis], 0, *position[axis:]], extents, [1] * len(sizes))
        candidates = size
        if selection is None:
            table = _filled(s, row, axis, size, keys, table)
        else:
            table, candidates = selection.candidates(s, row, axis, table)
        table, offset = key_sort(s, table, candidates, size, keys.digits)

        def store(s: OpBuilder, index: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
            item = scalar.cast(s, s.extract(table.items, [s.add(index, offset)]), kind)
            return [s.insert_element(item, values[0], [*position[:axis], index, *position[axis:]])]

        return s.for_range(0, count, carried, store)

    return b.for_each(outer, [result], one_row, independent=True)[0]


def _filled(b: LinalgBuilder, row: SSAValue, axis: int, size: Size, keys: SortKeys, table: Table) -> Table:
    """Returns the table with the keys of a row, numbered from 0."""

    def body(s: ScalarBuilder, args: Sequence[SSAValue]) -> list[SSAValue]:
        return [keys.key(s, args[0]), s.insert(arith.IndexCastOp(s.iteration(0), i64))]

    halves = [b.extract_slice(tensor, [0], [size], [1]) for tensor in (table.keys, table.items)]
    along, zero = AffineExpr.dimension(0), AffineExpr.constant(0)
    read = AffineMap(1, 0, tuple(row_point(len(tensor_shape(row)), axis, along, zero)))
    maps = [read, *[AffineMap.identity(1)] * 2]
    new = b.generic([row], halves, maps, [PARALLEL], body)
    pairs = zip(new, (table.keys, table.items), strict=True)
    numbered, items = (b.insert_slice(half, whole, [0], sizes=[size]) for half, whole in pairs)
    return replace(table, keys=numbered, items=items)


def _gathered(b: LinalgBuilder, x: SSAValue, order: SSAValue, sizes: Sequence[Size], axis: int) -> SSAValue:
    """Returns the elements that indices name."""

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        location: list[Size] = list(iterations(s, len(sizes)))
        location[axis] = s.insert(arith.IndexCastOp(args[0], IndexType()))
        return s.extract(x, location)

    return b.elementwise([order], sizes, element(x), body)


def _converted(b: LinalgBuilder, order: SSAValue, sizes: Sequence[Size], target: Attribute) -> SSAValue:
    if element(order) == target:
        return order
    return b.elementwise([order], sizes, target, lambda s, args: scalar.cast(s, args[0], target))


def _ordered(
    op: sorting.SortingOp,
    x: SSAValue,
    b: LinalgBuilder,
    descending: bool,
    sizes: Sequence[Size],
    count: Size,
    wanted: Sequence[bool],
) -> list[SSAValue]:
    """Returns what is `wanted` of the first `count` elements of each row, in their order: the elements, their indices."""
    axis = op.normalized_axis(len(sizes))
    keys = SortKeys(element(x), is_unsigned(relax_element(op.x)), descending)
    network = Network.of(keys, sizes, axis, count)
    merges = MergeNetwork.of(keys, sizes, axis) if not wanted[1] and count == sizes[axis] else None
    index = signless(op.index_type())
    if merges is not None:
        return [merges.run(b, x, sizes)]
    if network is not None:
        return network.run(b, x, sizes, wanted, index)
    order = _sorted_indices(keys, axis, x, b, sizes, count, i64 if wanted[0] else index)
    kept = [size if i != axis else count for i, size in enumerate(sizes)]
    results = [_gathered(b, x, order, kept, axis)] if wanted[0] else []
    return [*results, _converted(b, order, kept, index)] if wanted[1] else results


def _sort(op: sorting.SortOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    sizes = sizes_of(b, x, known_dims(op))
    size = sizes[op.normalized_axis(len(sizes))]
    return _ordered(op, x, b, op.prop("descending", False), sizes, size, (True, False))


def _argsort(op: sorting.ArgsortOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    sizes = sizes_of(b, x, known_dims(op))
    size = sizes[op.normalized_axis(len(sizes))]
    return _ordered(op, x, b, op.prop("descending", False), sizes, size, (False, True))


def _topk(op: sorting.TopKOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    sizes = sizes_of(b, x, known_dims(op))
    axis = op.normalized_axis(len(sizes))
    count = _count(b, op, op.count(known_dims(op)[axis]), sizes[axis])
    kind = op.prop("ret_type", "both")
    largest = op.prop("largest", True)
    if kind != "both":
        return _ordered(op, x, b, largest, sizes, count, (kind == "values", kind == "indices"))
    if op.outputs[1].first_use is not None:
        return _ordered(op, x, b, largest, sizes, count, (True, True))
    (values,) = _ordered(op, x, b, largest, sizes, count, (True, False))
    return [values, b.empty(b.shape(values), signless(op.index_type()))]


def _count(b: LinalgBuilder, op: sorting.TopKOp, count: Dim, size: Size) -> Size:
    if count is not None:
        return b.size(count)
    return size if op.prop("k", 1) < 1 else b.minimum(op.prop("k", 1), size)


RULES: Rules = {
    sorting.SortOp: _sort,
    sorting.ArgsortOp: _argsort,
    sorting.TopKOp: _topk,
}
