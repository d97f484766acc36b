"""Modules that become functions of their own: `define_subroutine = True`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from xdsl.ir import Attribute, SSAValue

from ...builder.types import Size
from ...dialects.relax.function_signature import distinct, fresh, update_signature
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.symbolic.expressions import Symbol
from ...dialects.upstream.block_arguments import erase_arguments
from .effects import Effect
from .results import definition, result_of_value, value_of_result
from .scope import Scope, entered, is_expression, op_location
from .sharing import shared
from .symbols import Expression, name_apart
from .tensor import Tensor, Value
from .tree import Node, walk

Forward = Callable[..., Any]


class SubroutineMixin:
    """What modules have of subroutines: with `define_subroutine = True`, `forward` is a private function that callers share."""

    define_subroutine: bool = False


def call_subroutine(
    scope: Scope, module: Node, forward: Forward, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Calls the private function of a module's `forward`, which is made if there is no equal one; returns what `forward` returns.

    The function takes the arguments of `forward`, the state of the effects that it uses, and the weights of the module. Arguments that are
    no values, such as flags, are part of its body.
    """
    bound = inspect.signature(forward).bind(module, *arguments, **named)
    subroutine = _Subroutine(scope, module, forward, bound)
    callee = shared(scope.program, subroutine.function)
    if callee is not subroutine.function:
        scope.program.builder.remove(subroutine.builder)
    output = scope.builder.call(
        callee, *subroutine.operands, name=f"{callee.sym_name.data}_output", location=op_location()
    )
    for state in subroutine.states:
        state.effect.set_state(state.outside)
    if not subroutine.changed:
        return result_of_value(scope, output, subroutine.result)
    _take_states(scope, subroutine.changed, scope.builder.tuple_get_item(output, index=1))
    return result_of_value(scope, scope.builder.tuple_get_item(output, index=0), subroutine.result)


def _take_states(scope: Scope, states: Sequence[_State], values: SSAValue) -> None:
    """Gives effects the state that a call has returned, a tuple of all of their variables."""
    count = 0
    for state in states:
        hints = [variable.value.name_hint for variable in state.final]
        fields = [scope.builder.tuple_get_item(values, index=count + i, name=hint) for i, hint in enumerate(hints)]
        count += len(fields)
        # What it was before the call is forgotten.
        state.effect.finalize()
        state.effect.set_state([type(variable)(value) for variable, value in zip(state.final, fields, strict=True)])


class _Subroutine:
    """The private function of a `forward`, and what its caller gives it."""

    def __init__(self, scope: Scope, module: Node, forward: Forward, bound: inspect.BoundArguments):
        self.operands: list[SSAValue] = []
        """What the function is called with, in the order of its arguments."""
        self.changed: list[_State] = []
        """The states that the function uses, which it returns behind the result."""
        self._hints: list[str] = []
        name = _snake_case(type(module).__name__)
        given = _Arguments(bound.arguments, scope)
        self.states = [_State(effect, effect.finalize()) for effect in _effects_of(scope, module)]
        # Weights that are expressions of parameters are computed by the caller.
        # What a call has stored on the module is a tensor of a function, and no weight.
        weights = [(path, tensor.value) for path, tensor in walk(module, Tensor) if is_expression(tensor.value)]
        self._take(scope, given, weights)
        self.builder = scope.program.builder.function(fresh(name, scope.program.taken_names), private=True)
        self.function = self.builder.function
        inside = [
            self.builder.input(hint, operand.type)
            for hint, operand in zip(distinct(self._hints), self.operands, strict=True)
        ]
        remaining = iter(inside[len(given.operands) :])
        with self.builder.dataflow() as block:
            blocks = frozenset({self.function.body.block, block.block})
            with entered(Scope(scope.program, block, blocks)) as inner:
                for state in self.states:
                    state.enter(remaining)
                inner.values.update((value, next(remaining)) for _, value in weights)
                bound.arguments.update(given.inside(inside))
                self.result = forward(*bound.args, **bound.kwargs)
                """What `forward` has returned, of values of the function."""
                self.builder.returns(block.output(self._returned(inner, name, definition(forward)), name="gv"))
        self._drop_unused_states()
        update_signature(self.function)
        # Only what the program is called with has parameters.
        NUM_INPUT.clear(self.function)
        name_apart(self.function)

    def _take(self, scope: Scope, given: _Arguments, weights: Sequence[tuple[str, SSAValue]]) -> None:
        """Collects the operands of the call: arguments, states, weights, and the sizes that these use and do not define."""
        variables = [variable.value for state in self.states for variable in state.outside]
        self.operands += [*given.operands, *map(scope.value_of, variables)]
        self.operands += [scope.value_of(value) for _, value in weights]
        self._hints += [*given.hints, *(variable.name_hint or "state" for variable in variables)]
        self._hints += [path for path, _ in weights]
        sizes = _undefined_symbols(operand.type for operand in self.operands)
        if sizes:
            self.operands.append(scope.builder.shape(*sizes))
            self._hints.append("sizes")

    def _returned(self, inner: Scope, name: str, where: Attribute | None) -> SSAValue:
        for state in self.states:
            state.leave(inner)
        value = value_of_result(inner, self.result, name, where)
        self.changed = [state for state in self.states if state.is_used]
        if not self.changed:
            return value
        states = inner.builder.tuple(*(result for state in self.changed for result in state.results))
        return inner.builder.tuple(value, states)

    def _drop_unused_states(self) -> None:
        """Drops the arguments and operands of states that the function neither reads nor changes."""
        block = self.function.body.block
        unused = {argument for state in self.states if state not in self.changed for argument in state.arguments}
        self.operands = [
            operand for operand, argument in zip(self.operands, block.args, strict=True) if argument not in unused
        ]
        erase_arguments(block, [argument for argument in block.args if argument in unused])


@dataclass(eq=False)
class _State:
    """The state of an effect: as the caller has it, as the function takes it, and as the function leaves it."""

    effect: Effect
    outside: list[Value]
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])
    final: list[Value] = field(default_factory=list[Value])
    results: list[SSAValue] = field(default_factory=list[SSAValue])

    def enter(self, arguments: Iterator[SSAValue]) -> None:
        """Gives the effect the first of the arguments."""
        self.arguments = list(islice(arguments, len(self.outside)))
        inside = zip(self.outside, self.arguments, strict=True)
        self.effect.set_state([type(variable)(argument) for variable, argument in inside])

    def leave(self, scope: Scope) -> None:
        """Takes the state from the effect."""
        self.final = self.effect.finalize()
        self.results = [scope.value_of(variable.value) for variable in self.final]

    @property
    def is_used(self) -> bool:
        """Whether the function reads or changes the state."""
        return self.results != self.arguments or any(argument.first_use is not None for argument in self.arguments)


class _Arguments:
    """The arguments of a `forward`: values are operands of the call, all else stays as it is."""

    def __init__(self, named: Mapping[str, Any], scope: Scope):
        self._named = named
        self.operands: list[SSAValue] = []
        self.hints: list[str] = []
        for name, argument in named.items():
            self._collect(scope, name, argument)

    def _collect(self, scope: Scope, name: str, argument: Any) -> None:
        match argument:
            case Value():
                self.operands.append(scope.value_of(argument.value))
                self.hints.append(name)
            case Size():
                self.operands.append(scope.builder.shape(argument))
                self.hints.append(name)
            case list() | tuple():
                for index, item in enumerate(cast(Sequence[Any], argument)):
                    self._collect(scope, f"{name}_{index}", item)
            case dict():
                for key, item in cast(dict[Any, Any], argument).items():
                    self._collect(scope, f"{name}_{key}", item)
            case _:
                pass

    def inside(self, values: Iterable[SSAValue]) -> dict[str, Any]:
        """Returns the arguments as `forward` sees them in its function."""
        remaining = iter(values)
        return {name: self._inside(argument, remaining) for name, argument in self._named.items()}

    def _inside(self, argument: Any, remaining: Any) -> Any:
        match argument:
            case Value():
                return type(argument)(next(remaining))
            case Size():
                (size,) = next(remaining).type.data
                return Expression(size)
            case list() | tuple():
                items = [self._inside(item, remaining) for item in cast(Sequence[Any], argument)]
                return items if isinstance(argument, list) else tuple(items)
            case dict():
                return {key: self._inside(item, remaining) for key, item in cast(dict[Any, Any], argument).items()}
            case _:
                return argument


def _effects_of(scope: Scope, module: Node) -> list[Effect]:
    """Returns the effects that a function of a module passes on: those of the module, and what orders printing."""
    io = scope.program.io
    if not scope.passes_effects:
        return []
    below = {id(effect): effect for _, effect in walk(module, Effect)}
    return [*([] if io is None else [io]), *below.values()]


def _undefined_symbols(types: Iterable[Attribute]) -> list[Expression]:
    """Returns the sizes that types use and none of them defines."""
    known = list(types)
    defined = set[str]().union(*map(defined_symbols, known))
    return [Expression(Symbol(name)) for name in sorted(set[str]().union(*map(used_symbols, known)) - defined)]


def _snake_case(name: str) -> str:
    """Returns `LlamaMLP` as `llama_mlp`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name))
    return words.lower()
