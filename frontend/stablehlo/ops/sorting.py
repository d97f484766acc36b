"""Sorting with any comparator: by keys where it compares functions of the two elements, else by counting what comes before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import is_float, ui8
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..bits import ordered
from ..bodies import applied
from ..node import Node
from ..table import Table, converters
from ..values import Tensor

TABLE: Table = {}
op = converters(TABLE)

MAX_COUNTED = 2048
"""Longer dims are sorted by keys alone: counting takes the square of memory."""


@dataclass(frozen=True)
class Key:
    """One comparison of a lexicographic order: of a value of the one side with that of the other one."""

    lhs: Any
    rhs: Any
    descends: bool
    is_total: bool


@op("sort")
def _sort(node: Node) -> list[SSAValue]:
    g, count = node.g, len(node.inputs)
    axis = int(node.attr("dimension", -1))
    axis = axis + node.rank(0) if axis < 0 else axis
    values = node.xs()
    block = node.regions[0].blocks[0]
    keys = _keys(block, list(block.operations)[-1].operation.operands[0])
    sides = [_side(key, block, count) for key in keys or ()]
    if keys is None or not all(sides):
        places = _counted(node, values, axis)
    else:
        places = None
        # From the last key to the first one: sorting is stable.
        for key in reversed(keys):
            places = _by_key(node, key, values, axis, places)
        assert places is not None
    return [g.gather_elements(x, places, axis=axis) for x in values]


def _by_key(node: Node, key: Key, values: list[SSAValue], axis: int, places: SSAValue | None) -> SSAValue:
    """Returns the order by a key, of what another order has brought into its order."""
    g = node.g
    x = _evaluated(node, key, values)
    # Truth values are sorted as numbers; -0 and 0, and NaN, have their places in a total order alone.
    x = ordered(g, x) if key.is_total else x
    x = g.astype(x, dtype=ui8) if element_of(x) == i1 else x
    x = x if places is None else g.gather_elements(x, places, axis=axis)
    if key.descends and not is_float(element_of(x)):
        # The complement of an integer is in the other order, and equal ones stay in theirs.
        order = g.argsort(g.bitwise_not(x), axis=axis, dtype=i64)
    elif key.descends:
        order = g.argsort(g.negative(x), axis=axis, dtype=i64)
    else:
        order = g.argsort(x, axis=axis, dtype=i64)
    return order if places is None else g.gather_elements(places, order, axis=axis)


def _evaluated(node: Node, key: Key, values: list[SSAValue]) -> SSAValue:
    """Returns the side of a key that the first argument of each pair stands for, of all elements."""
    block = node.regions[0].blocks[0]
    side = key.lhs if _arguments(key.lhs, block) <= set(range(0, 2 * len(values), 2)) else key.rhs
    return evaluated(node, block, side, values)


def evaluated(node: Node, block: Any, wanted: Any, values: list[SSAValue]) -> SSAValue:
    """Returns a value of a body for whole tensors: both arguments of a pair are the same tensor."""
    arguments = [Tensor(value=values[index // 2]) for index in range(2 * len(values))]
    outer = node.importer.is_lifted
    node.importer.is_lifted = True
    try:
        node.importer.run(block, arguments)
        value = node.importer.lookup(wanted)
    finally:
        node.importer.is_lifted = outer
    if not isinstance(value, Tensor):
        raise Unsupported("")
    return node.importer.materialized(value)


def _side(key: Key, block: Any, count: int) -> bool:
    """Returns whether a key compares a function of the ones with the same function of the others."""
    left, right = _arguments(key.lhs, block), _arguments(key.rhs, block)
    first, second = set(range(0, 2 * count, 2)), set(range(1, 2 * count, 2))
    if not left or not right:
        return False
    if left <= first and right <= second:
        return _alike(key.lhs, key.rhs, block)
    return left <= second and right <= first and _alike(key.rhs, key.lhs, block)


def _arguments(value: Any, block: Any) -> set[int]:
    """Returns the numbers of the arguments of a body that a value is computed from."""
    for index, argument in enumerate(block.arguments):
        if value == argument:
            return {index}
    owner = value.owner
    if not hasattr(owner, "operands"):
        return set()
    return set[int]().union(*(_arguments(operand, block) for operand in owner.operands))


def _alike(lhs: Any, rhs: Any, block: Any) -> bool:
    """Returns whether two values are computed alike, from first arguments and from second ones."""
    arguments = list(block.arguments)
    if lhs in arguments or rhs in arguments:
        return lhs in arguments and rhs in arguments and arguments.index(lhs) + 1 == arguments.index(rhs)
    if lhs == rhs:
        return True
    a, b = lhs.owner, rhs.owner
    same_op = (a.name, len(a.operands), _attributes(a)) == (b.name, len(b.operands), _attributes(b))
    return same_op and all(_alike(x, y, block) for x, y in zip(a.operands, b.operands, strict=True))


def _attributes(owner: Any) -> dict[str, str]:
    names = [str(getattr(item, "name", item)) for item in owner.attributes]
    return {name: str(owner.attributes[name]) for name in names}


def _keys(block: Any, value: Any) -> list[Key] | None:
    """Returns the keys of a comparator: `a < b`, or `a < b or (a == b and rest)` in one of its forms; `None` for any other."""
    # Invariant: the keys say what the comparator says for all pairs; what is not recognized is `None`.
    owner = value.owner
    if not hasattr(owner, "operands"):
        return None
    operands = list(owner.operands)
    if owner.name == "stablehlo.compare":
        key = _comparison(owner, block)
        return None if key is None else [key]
    if owner.name == "stablehlo.select":
        condition, then, otherwise = operands
        first = _keys(block, otherwise)
        rest = _keys(block, then)
        if first is None or rest is None or len(first) != 1 or not _is_equality(condition, first[0]):
            return None
        return [*first, *rest]
    if owner.name == "stablehlo.or":
        for strict, equal in (operands, operands[::-1]):
            first = _keys(block, strict)
            tail = equal.owner
            if first is None or len(first) != 1 or getattr(tail, "name", "") != "stablehlo.and":
                continue
            for condition, following in (list(tail.operands), list(tail.operands)[::-1]):
                rest = _keys(block, following)
                if rest is not None and _is_equality(condition, first[0]):
                    return [*first, *rest]
    return None


def _comparison(owner: Any, block: Any) -> Key | None:
    direction = _direction(owner)
    if direction not in ("LT", "GT"):
        return None
    lhs, rhs = owner.operands
    is_swapped = any(index % 2 for index in _arguments(lhs, block))
    is_total = "compare_type" in owner.attributes and "TOTALORDER" in str(owner.attributes["compare_type"])
    return Key(lhs, rhs, (direction == "GT") != is_swapped, is_total)


def _direction(owner: Any) -> str:
    return str(owner.attributes["comparison_direction"]).rstrip(">").split()[-1]


def _is_equality(value: Any, key: Key) -> bool:
    owner = value.owner
    if getattr(owner, "name", "") != "stablehlo.compare" or _direction(owner) != "EQ":
        return False
    return {*owner.operands} == {key.lhs, key.rhs}


def _counted(node: Node, values: list[SSAValue], axis: int) -> SSAValue:
    """Returns the places of the elements in order: before one stand those that the comparator says, and equal ones of lower index."""
    g = node.g
    sizes = list(sizes_of(values[0]))
    size = sizes[axis]
    if not isinstance(size, int) or size > MAX_COUNTED:
        raise Unsupported(
            f"the comparator is no order by keys; such a sort has at most {MAX_COUNTED} elements, got {size}"
        )
    square: list[Known] = [*sizes[:axis], size, size, *sizes[axis + 1 :]]
    # Entry [i, j] is about elements i and j.
    ones = [g.broadcast_to(g.expand_dims(x, axis=[axis + 1]), square) for x in values]
    others = [g.broadcast_to(g.expand_dims(x, axis=[axis]), square) for x in values]

    def before(first: list[SSAValue], second: list[SSAValue]) -> SSAValue:
        pairs = [x for pair in zip(first, second, strict=True) for x in pair]
        return applied(node, node.regions[0], pairs, square)[0]

    lower, upper = before(ones, others), before(others, ones)
    numbers = g.arange(start=0, end=size, dtype=i32)
    shape: list[Known] = [1] * len(square)
    rows, columns = [*shape], [*shape]
    rows[axis], columns[axis + 1] = size, size
    is_earlier = g.less(g.reshape(numbers, rows), g.reshape(numbers, columns))
    precedes = g.logical_or(lower, g.logical_and(g.logical_not(upper), is_earlier))
    rank = g.sum(g.astype(precedes, dtype=i64), axis=[axis])
    return g.argsort(rank, axis=axis, dtype=i64)
