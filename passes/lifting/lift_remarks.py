"""Reports what the lifting did and did not do: a remark per binding that depends on weights, and a summary table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, Operation

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.ops.core import DataflowOp, StopLiftParamsOp
from ...dialects.symbolic.expressions import Dim, add, product
from ...dialects.upstream.positions import named, position_of
from ...dialects.walks import ops_inside
from ..analysis.remarks import Topic, remark
from .lift_analysis import Binding, Id, View, describe
from .lift_plan import Plan, moves


class Report:
    """Collects remarks and the rows of the table; `str` gives the text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: list[tuple[str, ...]] = []

    def add(self, plan: Plan, place: str, names: Mapping[Id, str]) -> None:
        """Reports on one transform, whose ops move to a place, before anything is rewritten."""
        for view in plan.views:
            for op in ops_inside(view.function):
                text = self._remark(plan, view, op, place, names)
                if text is not None:
                    remark(Topic.LIFTING, view.name, op.location, f"{value_names(op)} {text}")
                    said = named(op.location, f"{value_names(op)} {text}")
                    self.lines.append(f"{position(op)}remark: {Topic.LIFTING.value}: {said}")
        # Nothing has moved yet: the ops that are left are those that are there without those that will move.
        types = plan.analysis.types
        needed = plan.needed()
        self.rows.append(
            (
                place,
                size_text(weight.type for weight in plan.analysis.weights),
                size_text(types[value_id] for value_id in plan.outputs),
                str(len(needed)),
                "",
            )
        )
        for view in plan.views:
            moved = sum(1 for op in view.bindings if moves(view, op, plan.moved))
            left = sum(1 for op in ops_inside(view.function) if _computes(op)) - moved
            taken = size_text(types[value_id] for value_id in plan.takes[view.name])
            self.rows.append(
                (f"  @{view.name}", size_text(arg.type for arg in view.parameters), taken, str(moved), str(left))
            )

    def _remark(self, plan: Plan, view: View, op: Operation, place: str, names: Mapping[Id, str]) -> str | None:
        binding = view.bindings.get(op)
        if binding is None:
            reason = view.refused.get(op)
            return None if reason is None else f"stays in @{view.name}: {reason}"
        if not binding.weights:
            return None
        if binding in plan.moved:
            outputs = [names[value_id] for value_id in binding.results if value_id in names]
            role = f"as {', '.join(map(repr, outputs))}" if outputs else "as a step toward other outputs"
            return f"lifted from @{view.name} into {place} {role}"
        return f"stays in @{view.name}: {_why_not_shared(plan, binding)}"

    def __str__(self) -> str:
        header = ("function", "bytes in", "bytes out", "ops moved", "ops left")
        widths = [max(len(row[column]) for row in (header, *self.rows)) for column in range(len(header))]
        table = [
            "  ".join(
                cell.ljust(width) if index == 0 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in (header, *self.rows)
        ]
        return "\n".join([*self.lines, *(line.rstrip() for line in table)])


def _computes(op: Operation) -> bool:
    return bool(op.results) and not isinstance(op, DataflowOp | StopLiftParamsOp)


def _why_not_shared(plan: Plan, binding: Binding) -> str:
    others = [f"@{view.name}" for view in plan.views if view.name not in binding.ops]
    return f"not computed by {', '.join(others)}"


def position(op: Operation) -> str:
    """Returns `file:line:col: `, or nothing where it is not known."""
    known = position_of(op.location)
    return "" if known is None else f"{known[0]}:{known[1]}:{known[2]}: "


def value_names(op: Operation) -> str:
    """Returns how a person finds the results of an op in the text."""
    named = [describe(result) for result in op.results if result.name_hint is not None]
    return ", ".join(named) if named else op.name


def size_text(value_types: Iterable[Attribute]) -> str:
    """Returns the number of bytes of values of these types, an expression where dims are symbolic."""
    total: Dim = 0
    unknown = False
    for value_type in value_types:
        size = byte_size(value_type)
        if size is None:
            unknown = True
        else:
            total = add(total, size)
    text = "?" if total is None else str(total)
    return f"{text} + ?" if unknown else text


def byte_size(value_type: Attribute) -> Dim:
    """Returns the number of bytes of a value; `None` if a dim is unknown."""
    match value_type:
        case TensorType():
            width = getattr(value_type.element_type, "bitwidth", 8)
            return product([*(dims_of(value_type) or ()), max(width // 8, 1)])
        case TupleType():
            return add(*(byte_size(field) for field in value_type.types.data))
        case _:
            return 0
