"""Modules that become functions of their own: `define_subroutine = True`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from xdsl.ir import Attribute, SSAValue

from ...builder.types import Size
from ...dialects.relax.function_signature import fresh
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.symbolic.expressions import Symbol
from .effects import Effect
from .results import definition, result_of_value, value_of_result
from .scope import Scope, entered
from .sharing import shared
from .symbols import Expression, name_apart
from .tensor import Tensor, Value
from .tree import Node, walk

Forward = Callable[..., Any]


class SubroutineMixin:
    """What modules have of subroutines: with `define_subroutine = True`, `forward` is a private function that callers share."""

    define_subroutine: bool = False


def call_subroutine(
    scope: Scope, path: str, module: Node, forward: Forward, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Calls the private function of a module's `forward`, which is made if there is no equal one; returns what `forward` returns.

    The function takes the arguments of `forward`, the state of effects, and the weights of the module. Arguments that are no values, such
    as flags, are part of its body.
    """
    name = _snake_case(type(module).__name__)
    bound = inspect.signature(forward).bind(module, *arguments, **named)
    given = _Arguments(bound.arguments, scope)
    # Weights that are expressions of parameters are computed by the caller.
    weights = [(weight_path, tensor.value) for weight_path, tensor in walk(module, Tensor)]
    effects = _effects_of(scope, module)
    states = [effect.finalize() for effect in effects]
    operands = [*given.operands, *(scope.value_of(v.value) for state in states for v in state)]
    operands += [scope.value_of(value) for _, value in weights]
    hints = [*given.hints, *(v.value.name_hint or "state" for state in states for v in state)]
    hints += [weight_path for weight_path, _ in weights]
    sizes = _undefined_symbols(operand.type for operand in operands)
    if sizes:
        operands.append(scope.builder.shape(*sizes))
        hints.append("sizes")

    function = scope.program.builder.function(fresh(name, scope.program.taken_names), private=True)
    inside = [function.input(hint, operand.type) for hint, operand in zip(hints, operands, strict=True)]
    remaining = iter(inside[len(given.operands) :])
    with function.dataflow() as block:
        blocks = frozenset({function.function.body.block, block.block})
        with entered(Scope(scope.program, block, blocks, [path])) as inner:
            for effect, state in zip(effects, states, strict=True):
                effect.set_state([type(variable)(next(remaining)) for variable in state])
            inner.values.update((value, next(remaining)) for _, value in weights)
            bound.arguments.update(given.inside(inside))
            result = forward(*bound.args, **bound.kwargs)
            finals = [effect.finalize() for effect in effects]
            value = value_of_result(inner, result, name, definition(forward))
            if finals:
                after = [inner.value_of(variable.value) for state in finals for variable in state]
                value = block.tuple(value, block.tuple(*after))
            function.returns(block.output(value, name="gv"))
    # Only what the program is called with has parameters.
    NUM_INPUT.clear(function.function)
    name_apart(function.function)
    callee = shared(scope.program, function.function)
    if callee is not function.function:
        scope.program.builder.remove(function)
    output = scope.builder.call(callee, *operands, name=f"{callee.sym_name.data}_output", location=path or None)
    if not finals:
        return result_of_value(scope, output, result)
    state_fields = scope.builder.tuple_get_item(output, index=1)
    count = 0
    for effect, state in zip(effects, finals, strict=True):
        fields = [
            type(variable)(scope.builder.tuple_get_item(state_fields, index=count + i, name=variable.value.name_hint))
            for i, variable in enumerate(state)
        ]
        count += len(state)
        effect.set_state(fields)
    return result_of_value(scope, scope.builder.tuple_get_item(output, index=0), result)


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
