"""Finds the bindings of each function that depend on model parameters alone and can be lifted, each with a global identity."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from ...dialects.relax.attrs import type_dims
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.calls import verify_call
from ...dialects.relax.function_signature import argument_attributes, argument_names, fresh
from ...dialects.relax.ops.core import (
    CallDPSPackedOp,
    CallPackedOp,
    ConstantOp,
    DataflowOp,
    MatchCastOp,
    OutputOp,
    ShapeOp,
    StopLiftParamsOp,
)
from ...dialects.relax.type_dims import defined_symbols
from ...dialects.relax.vocabulary.attributes import NAME, NUM_INPUT, STOP_LIFT_PARAMS
from ...dialects.symbolic.expressions import Symbol
from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ...records import record
from ..analysis.remarks import Topic, remark
from ..analysis.structure import op_key
from ..analysis.symbol_map import SymbolMap, symbols_in

DECLARED = (ShapeOp, ConstantOp, MatchCastOp, CallPackedOp, CallDPSPackedOp)
"""Ops whose result types are what they say, not what follows from the operands."""

Id = int
"""A value of the transform: the weights come first, then the results of the bindings."""


_is_output = kind_test(OutputOp)
_is_cast = kind_test(MatchCastOp)
_is_stop = kind_test(StopLiftParamsOp)


@record(frozen=False, eq=False)
class Weight:
    """A parameter of the transform, or a result of the transform that there is already."""

    type: Attribute
    name: str | None
    """The external name."""
    hint: str | None


@record(frozen=False, eq=False)
class Binding:
    """A computation that at least one function does and that needs nothing but weights."""

    op: Operation
    """The op, as the function has it that was seen first."""
    owner: str
    operands: tuple[Id, ...]
    types: tuple[Attribute, ...]
    results: tuple[Id, ...]
    weights: frozenset[Id]
    """The weights that it depends on; none for an operator without parameters, such as `zeros`."""
    ops: dict[str, list[Operation]] = field(default_factory=dict[str, "list[Operation]"])
    """The ops that compute it, by function."""


@record(frozen=False, eq=False)
class View:
    """One function: which of its values are values of the transform, and what stays for which reason."""

    function: func.FuncOp
    weights: list[Id]
    """The weight of each parameter argument."""
    stopped: frozenset[int]
    """The parameter arguments from which nothing is to be lifted."""
    symbols: SymbolMap
    values: dict[SSAValue, Id] = field(default_factory=dict[SSAValue, Id])
    bindings: dict[Operation, Binding] = field(default_factory=dict[Operation, Binding])
    refused: dict[Operation, str] = field(default_factory=dict[Operation, str])
    run_time_symbols: set[str] = field(default_factory=set[str])

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.sym_name.data

    @property
    def parameters(self) -> Sequence[BlockArgument]:
        """The arguments that are model parameters."""
        args = self.function.body.block.args
        return args[len(args) - len(self.weights) :]

    @property
    def inputs(self) -> Sequence[BlockArgument]:
        """The arguments that change from call to call."""
        args = self.function.body.block.args
        return args[: len(args) - len(self.weights)]


class Analysis:
    """The weights of all functions, and the bindings that can be lifted, in the order in which they are first seen."""

    def __init__(self, weights: Sequence[Weight], unify: bool, define_symbols: bool) -> None:
        self.weights = list(weights)
        self.unify = unify
        """Whether equal bindings count as the same binding, rather than each for itself."""
        self.define_symbols = define_symbols
        """Whether a `match_cast` that defines a symbol can be lifted."""
        self.bindings: list[Binding] = []
        self.types: list[Attribute] = [weight.type for weight in weights]
        self.producers: dict[Id, Binding] = {}
        self._known: dict[Hashable, Binding] = {}
        self._taken = {name for weight in weights for name in symbols_in(weight.type)}

    def scan(self, view: View) -> None:
        """Finds the bindings of a function that can be lifted.

        A binding can be lifted when it sits in a dataflow block at the top of the function, is not `stop_lift_params`, takes only weights
        and what can be lifted, and uses only symbols that the weights define.
        """
        view.values |= {
            arg: weight
            for position, (arg, weight) in enumerate(zip(view.parameters, view.weights, strict=True))
            if position not in view.stopped
        }
        for arg in view.inputs:
            view.run_time_symbols |= defined_symbols(arg.type)
        for op in view.function.body.block.ops:
            if not isinstance(op, DataflowOp):
                self._leave_outside(view, op)
                continue
            for inner in op.body.block.ops:
                self._visit(view, inner)
            for result, value in zip(op.outputs, op.output.values, strict=True):
                if value in view.values:
                    view.values[result] = view.values[value]

    def _leave_outside(self, view: View, op: Operation) -> None:
        for inner in ops_inside(op):
            if isinstance(inner, MatchCastOp):
                view.run_time_symbols |= defined_symbols(inner.result.type)
        if op.results and self._reads_weights(view, op):
            view.refused[op] = "it is outside of dataflow blocks"
        for inner in ops_inside(op):
            if inner is not op and inner.results:
                self._leave(view, inner, "it is in the body of a loop or branch")

    def _visit(self, view: View, op: Operation) -> None:
        if _is_output(op):
            return
        reason = self._lift(view, op)
        if reason is None:
            return
        if _is_cast(op):
            view.run_time_symbols |= defined_symbols(op.result.type)
        self._leave(view, op, reason)

    def _leave(self, view: View, op: Operation, reason: str) -> None:
        """Says why an op stays: in the table where it reads weights."""
        if self._reads_weights(view, op):
            view.refused[op] = reason
        else:
            remark(Topic.LIFTING, view.name, op.location, f"{op.name} stays in @{view.name}: {reason}")

    def _reads_weights(self, view: View, op: Operation) -> bool:
        """Returns whether an operand is a weight, or computed from weights alone."""
        ids = [view.values[operand] for operand in op.operands if operand in view.values]
        return any(value_id not in self.producers or self.producers[value_id].weights for value_id in ids)

    def _lift(self, view: View, op: Operation) -> str | None:
        """Records a binding; returns the reason if it cannot be lifted."""
        # Ops come in program order: what has no value of the transform by now depends on run-time inputs.
        if _is_stop(op):
            return "lifting stops here"
        for operand in op.operands:
            if operand not in view.values:
                return f"it takes {describe(operand)}, which is not known before run time"
        if op.regions:
            return "it has regions"
        operands = tuple(view.values[operand] for operand in op.operands)
        types = self._result_types(view, op, operands)
        if isinstance(types, str):
            return types
        key: Hashable = op
        if self.unify:
            key = op_key(op, operands, self._canonical(op, types))
        binding = self._known.get(key)
        if binding is None:
            binding = self._record(view, op, operands, self._with_fresh_symbols(view, op, types))
            self._known[key] = binding
        elif isinstance(op, MatchCastOp):
            self._define(view, op, binding.types[0])
        binding.ops.setdefault(view.name, []).append(op)
        view.bindings[op] = binding
        view.values |= dict(zip(op.results, binding.results, strict=True))
        return None

    def _result_types(self, view: View, op: Operation, operands: Sequence[Id]) -> tuple[Attribute, ...] | str:
        """Returns the types of the results in the transform, or the reason why there are none."""
        # Types of the transform name global symbols alone; a type with another symbol has no counterpart.
        mapped = [view.symbols.type(result.type) for result in op.results]
        types = tuple(value_type for value_type in mapped if value_type is not None)
        if len(types) == len(mapped):
            callee = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
            if isinstance(callee, func.FuncOp):
                try:
                    verify_call(callee.function_type, [self.types[operand] for operand in operands], types)
                except VerifyException:
                    return f"@{callee.sym_name.data} does not take the types that its operands have in the transform"
            return types
        missing = [name for result in op.results for name in view.symbols.missing(result.type)]
        if isinstance(op, MatchCastOp) and not view.run_time_symbols & set(missing):
            new = defined_symbols(op.result.type)
            if set(missing) <= new:
                return (op.result.type,) if self.define_symbols else f"it defines the symbol {missing[0]}"
        inferred = None if isinstance(op, DECLARED) else self._inferred(op, operands)
        return inferred or f"no weight defines the symbol {missing[0]}"

    def _inferred(self, op: Operation, operands: Sequence[Id]) -> tuple[Attribute, ...] | None:
        """Returns the result types that follow from the global types of the operands, if they leave no dim open."""
        if not isinstance(op, RelaxOp):
            return None
        stand_ins = Block(arg_types=[self.types[operand] for operand in operands])
        copy = type(op).create(
            operands=stand_ins.args, properties=op.properties, result_types=[r.type for r in op.results]
        )
        try:
            types = tuple(copy.inferred_types())
        except (VerifyException, TypeError, ValueError):
            types = ()
        finally:
            copy.drop_all_references()
        if not types or any(None in type_dims(value_type) for value_type in types):
            return None
        return types

    def _canonical(self, op: Operation, types: tuple[Attribute, ...]) -> Hashable:
        """Returns the result types as they are compared: what a `match_cast` defines has no name yet."""
        if not (isinstance(op, MatchCastOp) and self.define_symbols):
            return types
        taken = self._taken
        return tuple(
            tuple(next_symbol(dim, taken) for dim in type_dims(value_type))
            if symbols_in(value_type) - taken
            else value_type
            for value_type in types
        )

    def _with_fresh_symbols(self, view: View, op: Operation, types: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
        """Gives the symbols that a lifted `match_cast` defines a name in the transform."""
        if not isinstance(op, MatchCastOp):
            return types
        for dim in type_dims(op.result.type):
            if isinstance(dim, Symbol) and dim.name not in view.symbols.names and dim not in view.symbols.dims:
                name = fresh(dim.name, self._taken)
                self._taken.add(name)
                view.symbols.define(dim.name, Symbol(name))
        mapped = view.symbols.type(op.result.type)
        return types if mapped is None else (mapped,)

    def _define(self, view: View, op: MatchCastOp, target: Attribute) -> None:
        for dim, target_dim in zip(type_dims(op.result.type), type_dims(target), strict=True):
            if isinstance(dim, Symbol) and dim.name not in view.symbols.names and dim not in view.symbols.dims:
                view.symbols.define(dim.name, target_dim)

    def _record(self, view: View, op: Operation, operands: tuple[Id, ...], types: tuple[Attribute, ...]) -> Binding:
        first = len(self.types)
        results = tuple(range(first, first + len(types)))
        binding = Binding(op, view.name, operands, types, results, self._weights_of(operands))
        self.bindings.append(binding)
        self.types.extend(types)
        self.producers |= dict.fromkeys(results, binding)
        return binding

    def _weights_of(self, operands: Sequence[Id]) -> frozenset[Id]:
        weights: frozenset[Id] = frozenset()
        for operand in operands:
            weights |= self.producers[operand].weights if operand in self.producers else {operand}
        return weights


def own_weights(function: func.FuncOp) -> list[Weight]:
    """Returns the parameters of a function as weights."""
    count = NUM_INPUT.of(function)
    args = function.body.block.args
    attributes = argument_attributes(function)
    start = len(args) if count is None else count
    return [
        Weight(arg.type, NAME.of(entry), label)
        for arg, entry, label in zip(args[start:], attributes[start:], argument_names(function)[start:], strict=True)
    ]


def make_view(function: func.FuncOp, weights: list[Id]) -> View:
    """Returns the view of a function whose parameters are these weights; its symbols are still to be mapped."""
    args = function.body.block.args
    start = len(args) - len(weights)
    attributes = argument_attributes(function)[start:]
    stopped = frozenset(position for position, entry in enumerate(attributes) if STOP_LIFT_PARAMS.is_on(entry))
    return View(function, weights, stopped, SymbolMap([arg.type for arg in args[start:]]))


def adopt_types(view: View, weights: Sequence[Weight]) -> None:
    """Gives the weights of a view the types that they have in a transform."""
    hints = [weight.hint or f"param_{index}" for index, weight in enumerate(weights)]
    types = view.symbols.adopt([weight.type for weight in weights], hints)
    for weight, adopted in zip(weights, types, strict=True):
        weight.type = adopted


def own_view(function: func.FuncOp) -> tuple[list[Weight], View]:
    """Returns the parameters of a function, and its view of them."""
    weights = own_weights(function)
    view = make_view(function, list(range(len(weights))))
    adopt_types(view, weights)
    return weights, view


def next_symbol(dim: object, known: set[str]) -> object:
    """Returns a dim, or `None` for a symbol that is not known yet."""
    return None if isinstance(dim, Symbol) and dim.name not in known else dim


def describe(value: SSAValue) -> str:
    """Returns how a person finds a value in the text."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, OpResult):
        return f"a result of {value.op.name}"
    return f"argument {value.index}" if isinstance(value, BlockArgument) else "a value"
