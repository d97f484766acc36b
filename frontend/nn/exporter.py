"""Exports a model: a function for each method, with arguments, effects and parameters, in this order."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, TensorType, UnknownLoc
from xdsl.ir import Attribute, SSAValue

from ...builder import FunctionBuilder, ModuleBuilder
from ...builder.errors import BuilderError, InvalidProgramError, shown
from ...builder.functions import checked_name
from ...builder.types import shape
from ...callers import caller_level
from ...dialects.relax.attrs import ObjectType, dims_of, element_type_of
from ...dialects.relax.function_signature import distinct
from ...dialects.relax.type_dims import tuple_type
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...runtime.initial_state import INITIALIZE_EFFECT
from . import spec as specs
from .effects import Effect, IOEffect
from .errors import ModelError, UnusedParameterWarning, listed
from .marks import ARGUMENT
from .results import definition, value_of_result
from .scope import Program, Scope, current_scope, entered
from .symbols import Expression, dims_from, name_apart
from .tensor import Object, Parameter, Tensor, Value, tensor_type
from .tree import Node, walk

Exported: TypeAlias = tuple[ModuleOp, list[tuple[str, Parameter]]]
"""The program, and the parameters by their dotted paths, in the order in which its functions take them."""


class Exporter:
    """Exports the methods of one module."""

    def __init__(self, root: Node, debug: bool = False):
        self.parameters = list(walk(root, Parameter))
        for name, _ in self.parameters:
            try:
                checked_name(name, "parameter", UnknownLoc())
            except BuilderError as error:
                raise ModelError(error.message) from None
        io = IOEffect() if debug else None
        effects = {id(effect): (path, effect) for path, effect in reversed(list(walk(root, Effect)))}
        self.effects: list[tuple[str, Effect]] = [*([] if io is None else [("", io)]), *reversed(effects.values())]
        paths = {id(root): ""}
        for path, node in walk(root, Node):
            paths.setdefault(id(node), path)
        self.program = Program(ModuleBuilder(), paths, io)
        self._states: list[list[Value]] = []
        """What the effects say that their states are, where the method stands."""
        self._passed = False
        self._used: set[int] = set()
        """The parameters that a method reads, by identity."""

    def export(self, spec: specs.ModuleSpec) -> ModuleOp:
        """Returns the program with the methods of a specification."""
        self.program.methods = frozenset(spec.method_names)
        if self.effects:
            self._initialize_effects()
        for name, method in zip(spec.method_names, spec.method_specs, strict=True):
            self._method(name, method)
        self._warn_of_unused()
        try:
            return self.program.builder.build()
        except InvalidProgramError as error:
            raise ModelError(error.message) from None

    def _initialize_effects(self) -> None:
        with self.program.builder.function(INITIALIZE_EFFECT) as function, function.dataflow() as block:
            with self.scope(function, block) as scope:
                state = [
                    scope.value_of(value.value)
                    for name, effect in self.effects
                    for value in _state(
                        effect, "emit_init", effect.emit_init(name), _state(effect, "create", effect.create(name))
                    )
                ]
                function.returns(block.output(block.tuple(*state), name="gv"))
        # It has no parameters: passes that look at them leave it alone.
        NUM_INPUT.clear(function.function)

    def scope(self, function: FunctionBuilder, block: Any) -> Any:
        """Enters a function: what is called inside goes into its dataflow block."""
        blocks = frozenset({function.function.body.block, block.block})
        return entered(Scope(self.program, block, blocks))

    def _method(self, name: str, spec: specs.MethodSpec) -> None:
        """Exports a method as a function."""
        with self.program.builder.function(name) as function, function.dataflow() as block:
            with self.scope(function, block) as scope:
                arguments = {
                    arg_name: (
                        arg_spec,
                        function.input(arg_name, _argument_type(arg_spec, arg_name), spec.donate.get(arg_name)),
                    )
                    for arg_name, arg_spec in zip(spec.arg_names, spec.arg_specs, strict=True)
                }
                scope.passes_effects = spec.effect_mode != "none"
                self._pass_effects(function, block, spec.effect_mode)
                self._pass_parameters(function, scope, spec.param_mode)
                given = {key: _received(*argument) for key, argument in arguments.items()}
                result = value_of_result(scope, _called(spec.method, given, name), name, definition(spec.method))
                finals = [
                    value.value
                    for (_, effect), state in zip(self.effects, self._states, strict=True)
                    for value in _state(effect, "finalize", effect.finalize(), state)
                ]
                if finals and scope.passes_effects:
                    result = block.tuple(result, block.tuple(*map(scope.value_of, finals)))
                function.returns(block.output(result, name="gv"))
                self._note_used(scope)
        name_apart(function.function)

    def _pass_effects(self, function: FunctionBuilder, block: Any, mode: str) -> None:
        """Gives effects their state: an argument each, fields of one tuple, or none."""
        states = [(effect, _state(effect, "create", effect.create(name))) for name, effect in self.effects]
        self._states = [state for _, state in states]
        variables = [variable for _, state in states for variable in state]
        hints = [variable.value.name_hint or "effect" for variable in variables]
        values: list[SSAValue] = [variable.value for variable in variables]
        if mode == "plain":
            values = [function.input(hint, value.type) for hint, value in zip(distinct(hints), values, strict=True)]
        elif mode == "packed" and values:
            packed = function.input("packed_effects", tuple_type(value.type for value in values))
            values = [block.tuple_get_item(packed, index=i, name=hint) for i, hint in enumerate(hints)]
        remaining = iter(values)
        for effect, state in states:
            effect.set_state([type(variable)(next(remaining)) for variable in state])

    def _note_used(self, scope: Scope) -> None:
        for _, parameter in self.parameters:
            inside = scope.values.get(parameter.value)
            self._passed |= inside is not None
            if inside is not None and inside.uses:
                self._used.add(id(parameter))

    def _warn_of_unused(self) -> None:
        """Warns of parameters that no exported method reads: they stay arguments, as callers count on them."""
        unused = [name for name, parameter in self.parameters if id(parameter) not in self._used]
        if self._passed and unused:
            message = f"{listed(unused)}: no exported method reads {'it' if len(unused) == 1 else 'them'}"
            warnings.warn(message, UnusedParameterWarning, stacklevel=caller_level())

    def _pass_parameters(self, function: FunctionBuilder, scope: Scope, mode: str) -> None:
        """Puts the arguments of a function in place of the parameters: one each, fields of one tuple, or none."""
        if mode == "none":
            return
        values = [parameter.value for _, parameter in self.parameters]
        if mode == "plain":
            inside = [function.param(name, parameter.value.type) for name, parameter in self.parameters]
        else:
            names = [name for name, _ in self.parameters]
            packed = function.param("packed_params", tuple_type(value.type for value in values), names)
            inside = [
                scope.builder.tuple_get_item(packed, index=i, name=name) for i, (name, _) in enumerate(self.parameters)
            ]
        scope.values.update(zip(values, inside, strict=True))


def _state(effect: Effect, method: str, values: Any, declared: Sequence[Value] | None = None) -> list[Value]:
    """Returns what a method of an effect returns. Raises `ModelError` for what is no state, or another one than `create` declares."""
    who = f"{type(effect).__name__}.{method}"
    where = definition(getattr(effect, method))
    if not isinstance(values, list | tuple) or not all(
        isinstance(value, Value) for value in cast(Sequence[Any], values)
    ):
        raise ModelError(f"expected a list of tensors and objects from {who}, got {shown(values)}", location=where)
    state = list(cast(Sequence[Value], values))
    if declared is not None and not (
        len(state) == len(declared)
        and all(_may_be(a.value.type, b.value.type) for a, b in zip(state, declared, strict=True))
    ):
        given, wanted = (
            " and ".join(str(value.value.type) for value in part) or "nothing" for part in (state, declared)
        )
        raise ModelError(f"expected {wanted} from {who}, as create declares, got {given}", location=where)
    return state


def _may_be(given: Attribute, declared: Attribute) -> bool:
    """Returns whether a value is of a type for some sizes."""
    if not isinstance(given, TensorType) or not isinstance(declared, TensorType):
        return given == declared
    sizes = list(zip(dims_of(given) or (), dims_of(declared) or (), strict=False))
    return (
        element_type_of(given) == element_type_of(declared)
        and given.get_num_dims() == declared.get_num_dims()
        and not any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in sizes)
    )


def _called(method: Callable[..., Any], arguments: dict[str, Any], name: str) -> Any:
    """Returns what the method of a name returns. Raises `ModelError` for modules that are nested deeper than Python calls."""
    signature = inspect.signature(method)
    further = dict(arguments)
    given: dict[str, Any] = {}
    for key, parameter in signature.parameters.items():
        if parameter.kind == parameter.VAR_KEYWORD:
            given[key] = further
        elif key in further:
            given[key] = further.pop(key)
    bound = inspect.BoundArguments(signature, OrderedDict(given))
    bound.apply_defaults()
    try:
        return method(*bound.args, **bound.kwargs)
    except RecursionError:
        limit = f"the recursion limit of Python is {sys.getrecursionlimit()}, sys.setrecursionlimit raises it"
        raise ModelError(
            f"{name} calls modules too deep inside of each other: {limit}", location=definition(method)
        ) from None


def _argument_type(spec: specs.ArgSpec, name: str) -> Attribute:
    match spec:
        case specs.Int():
            return shape(dims_from([name], ARGUMENT))
        case specs.Tensor():
            return tensor_type(spec.shape, spec.dtype, ARGUMENT, f"specification of {name!r}")
        case specs.Object():
            if not issubclass(spec.object_type, Object):
                who = f"specification of {name!r}"
                raise ModelError(f"{who}: expected a class derived from nn.Object, got {spec.object_type.__name__}")
            return ObjectType()
        case specs.Tuple():
            return tuple_type(_argument_type(element, f"{name}_{i}") for i, element in enumerate(spec.elements))


def _received(spec: specs.ArgSpec, value: SSAValue) -> Any:
    """Returns an argument as the method sees it."""
    match spec:
        case specs.Int():
            (size,) = cast(Any, value.type).data
            return Expression(size)
        case specs.Tensor():
            return Tensor(value)
        case specs.Object():
            return spec.object_type(value)
        case specs.Tuple():
            scope = current_scope()
            assert scope is not None
            fields = [
                _received(element, scope.builder.tuple_get_item(value, index=i, name=f"{value.name_hint}_{i}"))
                for i, element in enumerate(spec.elements)
            ]
            return fields if isinstance(spec.elements, list) else tuple(fields)
