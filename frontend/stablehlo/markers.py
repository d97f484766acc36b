"""What stands in a module for constants whose data are left in its file: found, and told from everything that passes insert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .bindings import ir, stablehlo
from .stored_data import Marked, StoredConstant, code_of
from .types import has_counterpart, kept_as, splat_item

MARK = "xdsl_relax.stored_data"
"""The call that has a marker as its operand, and the constant as its result."""

FIRST_MARKER = 0x786473_6C72656C << 8
"""Numbers that no program and no pass has a constant of."""


def marked(module: Any, constants: Sequence[StoredConstant]) -> dict[Any, StoredConstant] | None:
    """Returns the constants of a module that has just been read by the attributes that stand for them; `None` if one is not found.

    A pass may insert a constant of the same type and elements as one that is marked, as long as its elements are few bits: each becomes a
    constant of 64 bits, and a call that has the type of the data.
    """
    by_mark = {constant.marked: index for index, constant in enumerate(constants)}
    kinds = {(constant.marked.shape, constant.marked.element) for constant in constants}
    marks: list[tuple[Any, int]] = []

    def collect(op: Any) -> Any:
        mark = _mark(op, kinds) if op.name == "stablehlo.constant" else None
        if mark is not None and mark in by_mark:
            marks.append((op, by_mark[mark]))
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    if {index for _, index in marks} != {*range(len(constants))}:
        return None
    stored: dict[Any, StoredConstant] = {}
    with module.context:
        for op, index in marks:
            stored[_replace(op, FIRST_MARKER + index)] = constants[index]
    return stored


def _mark(op: Any, kinds: set[tuple[tuple[int, ...], str]]) -> Marked | None:
    tensor = ir.RankedTensorType(op.results[0].type)
    name = str(tensor.element_type)
    kind = tuple(tensor.shape), name
    value = op.attributes["value"]
    if kind not in kinds or not has_counterpart(name) or not isinstance(value, ir.DenseElementsAttr):
        return None
    dense = ir.DenseElementsAttr(value)
    return Marked(*kind, code_of(splat_item(dense), kept_as(name))) if dense.is_splat else None


def _replace(op: Any, number: int) -> Any:
    """Writes a marker that no other constant is in place of a constant; returns its attribute."""
    constant = op.results[0]
    users = {use.owner for use in constant.uses}
    with ir.InsertionPoint(op), op.location:
        element = ir.IntegerType.get_unsigned(64)
        tensor = ir.RankedTensorType.get(ir.RankedTensorType(constant.type).shape, element)
        marker = ir.DenseElementsAttr.get_splat(tensor, ir.IntegerAttr.get(element, number))
        replacement = stablehlo.constant(marker)
    # Passes move constants, but not those behind which there are others alone: so the calls are where the constant is used.
    for user in users:
        with ir.InsertionPoint(user), op.location:
            call = stablehlo.CustomCallOp([constant.type], [replacement], MARK)
        for index, operand in enumerate(user.operands):
            if operand == constant:
                user.operands[index] = call.results[0]
    op.erase()
    return marker


def is_mark(op: Any) -> bool:
    """Returns whether an op has a constant whose data are left in the file as its operand and result."""
    return op.name == "stablehlo.custom_call" and op.attributes["call_target_name"].value == MARK
