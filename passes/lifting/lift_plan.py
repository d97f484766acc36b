"""Decides which bindings move into the transform, and what each function receives from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.attrs import ShapeType
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp, OutputOp, ShapeOp, StopLiftParamsOp
from ...dialects.relax.type_dims import defined_symbols
from ...dialects.symbolic.expressions import Dim, Symbol, symbols
from ...dialects.walks import ops_inside
from ...records import record
from ..analysis.symbol_map import ordered_definitions, symbols_in
from .lift_analysis import Analysis, Binding, Id, View


@record
class Sharing:
    """Which bindings of several functions may move."""

    shared: bool = True
    """All functions have one calling convention."""
    lift_unused: bool = False
    """A function that never touches the weights of a binding does not prevent it."""
    private: bool = False
    """One function is enough, and each receives what it uses."""


@record(frozen=False, eq=False)
class Plan:
    """The transform: its outputs in order, first the sizes that it passes on, and which of them each function takes."""

    analysis: Analysis
    views: Sequence[View]
    moved: set[Binding]
    """The bindings that leave the functions."""
    dims: list[Dim]
    """The sizes that no argument of a function defines any more; they are passed on in one shape value, the first output."""
    outputs: list[Id]
    takes: dict[str, list[Id]]
    """The outputs that each function receives, in order."""
    takes_dims: dict[str, bool]
    dropped: dict[str, list[Operation]]
    """The operators without parameters that nothing in a function needs any more, once the bindings have left."""

    @property
    def is_identity(self) -> bool:
        """Whether the transform returns its weights as they are."""
        weights = self.analysis.weights
        start = 1 if self.dims else 0
        same_dims = not self.dims or (bool(weights) and weights[0].type == ShapeType(tuple(self.dims)))
        return same_dims and self.outputs == list(range(start, len(weights)))

    def keeps(self, view: View) -> bool:
        """Returns whether a function receives what it has as parameters now."""
        return view.weights == [*([0] if self.takes_dims[view.name] else []), *self.takes[view.name]]

    def needed(self) -> list[Binding]:
        """Returns the bindings that the outputs need, in order, with the casts that define the symbols in them and in the sizes."""
        producers = self.analysis.producers
        definers = self._definers()
        needed: set[Binding] = set()
        pending = [producers[output] for output in self.outputs if output in producers]
        pending += [definers[name] for dim in self.dims for name in symbols(dim) if name in definers]
        while pending:
            binding = pending.pop()
            if binding in needed:
                continue
            needed.add(binding)
            pending += [producers[operand] for operand in binding.operands if operand in producers]
            used = set[str]().union(*map(symbols_in, binding.types))
            pending += [definers[name] for name in used & definers.keys()]
        return [binding for binding in self.analysis.bindings if binding in needed]

    def _definers(self) -> dict[str, Binding]:
        """Returns for each symbol that no weight defines the first cast that does."""
        told = set[str]().union(*(defined_symbols(weight.type) for weight in self.analysis.weights))
        definers: dict[str, Binding] = {}
        for binding in self.analysis.bindings:
            if isinstance(binding.op, MatchCastOp):
                for name in defined_symbols(binding.types[0]) - told:
                    definers.setdefault(name, binding)
        return definers


def make_plan(analysis: Analysis, views: Sequence[View], sharing: Sharing) -> Plan:
    """Decides what moves. The functions have been scanned."""
    moved = _moved(analysis, views, sharing)
    required = {view.name: _required(view, moved) for view in views}
    union = set().union(*required.values()) if required else set[Id]()
    # Ids follow the order of weights, then that of first sight.
    outputs = sorted(union)
    takes = {
        view.name: [value_id for value_id in outputs if not sharing.private or value_id in required[view.name]]
        for view in views
    }
    dropped = {view.name: _dropped(view, moved) for view in views}
    plan = Plan(analysis, views, moved, [], outputs, takes, {}, dropped)
    _pass_on_dims(plan, sharing)
    return plan


def _moved(analysis: Analysis, views: Sequence[View], sharing: Sharing) -> set[Binding]:
    candidates = [binding for binding in analysis.bindings if binding.weights]
    if sharing.private:
        return set(candidates)
    moved: set[Binding] = set()
    while True:
        touched = {view.name: _required(view, moved) for view in views}
        if not moved:
            touched = {view.name: _touched(view) for view in views}
        # With nothing in common there is nothing that all functions could do alike, and nothing to keep apart.
        disjoint = len(views) > 1 and sum(map(len, touched.values())) == len(set[Id]().union(*touched.values()))
        relaxed = sharing.lift_unused or disjoint
        inputs: dict[Binding, set[Id]] = {}
        before = len(moved)
        for binding in candidates:
            inputs[binding] = _inputs_of(analysis, binding, moved, inputs)
            if all(
                view.name in binding.ops or (relaxed and not touched[view.name] & inputs[binding]) for view in views
            ):
                moved.add(binding)
        if len(moved) == before:
            return moved


def _inputs_of(
    analysis: Analysis, binding: Binding, moved: set[Binding], inputs_of: Mapping[Binding, set[Id]]
) -> set[Id]:
    """Returns the values from which the functions would compute a binding: weights and what has moved already."""
    inputs: set[Id] = set()
    for operand in binding.operands:
        producer = analysis.producers.get(operand)
        if producer is None or producer in moved:
            inputs.add(operand)
        elif producer.weights:
            inputs |= inputs_of[producer]
    return inputs


def _touched(view: View) -> set[Id]:
    """Returns the weights that a function uses at all."""
    return {weight for arg, weight in zip(view.parameters, view.weights, strict=True) if arg.first_use is not None}


def readers(value: SSAValue) -> Iterator[Operation]:
    """Yields the ops that read a value, looking through the outputs of dataflow blocks, and `stop_lift_params`."""
    for use in value.uses:
        if isinstance(use.operation, StopLiftParamsOp):
            yield from readers(use.operation.result)
            continue
        if isinstance(use.operation, OutputOp):
            block = use.operation.parent_op()
            assert isinstance(block, DataflowOp)
            yield from readers(block.outputs[use.index])
        else:
            yield use.operation


def moves(view: View, op: Operation, moved: set[Binding]) -> bool:
    """Returns whether an op leaves the function."""
    return op in view.bindings and view.bindings[op] in moved


def _required(view: View, moved: set[Binding]) -> set[Id]:
    """Returns the weights and moved bindings that the rest of a function reads, its result included."""
    values: list[tuple[SSAValue, Id]] = list(zip(view.parameters, view.weights, strict=True))
    for op, binding in view.bindings.items():
        if binding in moved:
            values += zip(op.results, binding.results, strict=True)
    return {value_id for value, value_id in values if any(not moves(view, op, moved) for op in readers(value))}


def _dropped(view: View, moved: set[Binding]) -> list[Operation]:
    """Returns the operators without parameters that only moved bindings read, last first."""
    dropped: dict[Operation, None] = {}
    for op, binding in reversed(view.bindings.items()):
        if not binding.weights:
            users = [use.operation for result in op.results for use in result.uses]
            if users and all(moves(view, user, moved) or user in dropped for user in users):
                dropped[op] = None
    return list(dropped)


def parameter_types(plan: Plan, view: View) -> list[Attribute]:
    """Returns the types in which a function receives its outputs: those of its own values where it has them."""
    own: dict[Id, Attribute] = {}
    for arg, weight in zip(view.parameters, view.weights, strict=True):
        own.setdefault(weight, arg.type)
    for op, binding in view.bindings.items():
        if binding in plan.moved:
            for result, value_id in zip(op.results, binding.results, strict=True):
                own.setdefault(value_id, result.type)
    taken = set(view.symbols.names) | view.run_time_symbols
    return [
        own[value_id] if value_id in own else view.symbols.local_type(plan.analysis.types[value_id], taken)
        for value_id in plan.takes[view.name]
    ]


def _pass_on_dims(plan: Plan, sharing: Sharing) -> None:
    """Finds the sizes that functions still need and that only the weights, which they no longer get, define."""
    one_convention = sharing.shared and not sharing.private
    by_outputs = {
        Symbol(name) for name in ordered_definitions([plan.analysis.types[output] for output in plan.outputs])
    }
    wanted: dict[str, set[Dim]] = {}
    for view in plan.views:
        types = parameter_types(plan, view)
        defined = set[str]().union(*(defined_symbols(value_type) for value_type in types))
        told = set[str]().union(*(defined_symbols(arg.type) for arg in view.inputs))
        # Functions with one convention get the sizes that they compute with from the transform, as not all of their inputs tell them.
        defined |= told - _computed_with(plan, view) if one_convention else told
        needed = {name for name in _needed_symbols(plan, view, types) if name in view.symbols.names}
        dims = {view.symbols.names[name] for name in needed - defined}
        wanted[view.name] = dims - by_outputs if one_convention else dims
    union = set[Dim]().union(*wanted.values()) if wanted else set[Dim]()
    sources = [*(weight.type for weight in plan.analysis.weights)]
    sources += [value_type for binding in (*plan.needed(), *plan.analysis.bindings) for value_type in binding.types]
    order = {Symbol(name): index for index, name in enumerate(ordered_definitions(sources))}
    plan.dims = sorted(
        union, key=lambda dim: (order.get(dim, len(order)) if isinstance(dim, Symbol) else len(order), str(dim))
    )
    plan.takes_dims = {
        view.name: bool(plan.dims) and (not sharing.private or bool(wanted[view.name])) for view in plan.views
    }


def _needed_symbols(plan: Plan, view: View, types: Sequence[Attribute]) -> set[str]:
    """Returns the symbols in what is left of a function."""
    needed: set[str] = set()
    for value_type in (*types, *(arg.type for arg in view.inputs), *view.function.function_type.outputs.data):
        needed |= symbols_in(value_type)
    for op in _remaining(plan, view):
        for result in op.results:
            needed |= symbols_in(result.type)
    return needed


def _computed_with(plan: Plan, view: View) -> set[str]:
    """Returns the symbols in values, not only in types, of what is left of a function."""
    return set[str]().union(*(symbols_in(op.result.type) for op in _remaining(plan, view) if isinstance(op, ShapeOp)))


def _remaining(plan: Plan, view: View) -> Iterator[Operation]:
    """Yields what is left of a function."""
    dropped = set(plan.dropped[view.name])
    for op in ops_inside(view.function):
        if not (isinstance(op, DataflowOp | StopLiftParamsOp) or op in dropped or moves(view, op, plan.moved)):
            yield op
