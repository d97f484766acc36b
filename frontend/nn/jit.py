"""Compiled models: methods that take and return arrays, with parameters and state inside."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from threading import RLock
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...dialects.relax.ops.core import CallDPSPackedOp, CallPackedOp
from ...interpreter.host.arrays import Convert, Library, converter_like, converter_to, is_torch, to_numpy
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.keywords import bind_names
from ...interpreter.host.packed_functions import is_registered
from ...interpreter.host.sizes import size_argument, sizes_of
from ...runtime.cache.compile import compile
from ...runtime.compiler import Passes
from ...runtime.executable.executable import Executable
from ...runtime.initial_state import INITIALIZE_EFFECT
from ...runtime.params.parameter_set import ParameterSet
from . import spec as specs
from .errors import ModelError, listed
from .exporter import Exporter
from .spec import MethodSpec, ModuleSpec
from .tensor import Parameter

OutFormat: TypeAlias = Library


class CompiledModule(Mapping[str, "CompiledMethod"]):
    """The compiled methods of a model: `model.decode(x, 5)`, `model["decode"]`; `model(x)` calls `forward`, or the only method.

    Methods take arrays of numpy, of torch or of any library that speaks DLPack, integers for `spec.Int`, and tuples. They share the
    parameters as they were when the model was compiled, and the state: what a call leaves is what the next call finds.
    """

    def __init__(
        self, executable: Executable, spec: ModuleSpec, params: ParameterSet | None, out_format: OutFormat | None
    ):
        self.executable = executable
        self.params = params
        """What the compiled methods take of the parameters; `None` if the model has none."""
        self._has_state = INITIALIZE_EFFECT in executable
        self._lock = RLock()
        self._state: tuple[Any, ...] = ()
        self._running: str | None = None
        """The method that is being called with the state; another thread waits for the lock."""
        taken = {*dir(type(self)), "executable", "params"} - {"__call__"}
        hidden = [name for name in spec.method_names if name in taken]
        if hidden:
            raise ModelError(
                f"a compiled model has members with the names of these methods, give them others: {listed(hidden)}"
            )
        self._methods = {
            name: CompiledMethod(self, name, method, out_format)
            for name, method in zip(spec.method_names, spec.method_specs, strict=True)
        }
        self.reset()

    def __repr__(self) -> str:
        """Returns the methods with their arguments."""
        return (
            "\n  ".join(
                (
                    f"<compiled model of {len(self)} method{'' if len(self) == 1 else 's'}",
                    *map(repr, self._methods.values()),
                )
            )
            + ">"
        )

    def reset(self) -> None:
        """Makes the state what it is at first."""
        if self._has_state:
            with self._lock:
                self._state = self.executable[INITIALIZE_EFFECT]()

    def run(self, name: str, arguments: Sequence[Any], passes_state: bool) -> Any:
        """Calls a function with the state and the parameters, and keeps the state that it leaves; after an error it is what it was."""
        params = () if self.params is None else (self.params,)
        with self._lock if passes_state else nullcontext():
            if not passes_state:
                return self.executable[name](*arguments, *params, results="numpy")
            if self._running is not None:
                reason = f"a function that {self._running} calls: the state that it leaves would be lost"
                raise ArgumentError(f"{name}: the model is called by {reason}")
            self._running = name
            try:
                result, self._state = self.executable[name](*arguments, *self._state, *params, results="numpy")
            finally:
                self._running = None
            return result

    def __reduce__(self) -> Any:
        raise TypeError(
            "a compiled model cannot be pickled, its methods are functions of a process: pickle its `executable` and its `params`"
        )

    @property
    def has_state(self) -> bool:
        """Whether the model has effects."""
        return self._has_state

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls `forward`, or the only method."""
        if "forward" not in self and len(self) != 1:
            raise ModelError(f"the model has no method 'forward', call one of {listed(self)}")
        return self["forward" if "forward" in self else next(iter(self))](*arguments, **named)

    def __getitem__(self, name: str) -> CompiledMethod:
        return self._methods[name]

    def __getattr__(self, name: str) -> CompiledMethod:
        try:
            return self.__dict__["_methods"][name]
        except KeyError:
            raise AttributeError(f"the model has no method {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)


class CompiledMethod:
    """A compiled method of a model."""

    def __init__(self, module: CompiledModule, name: str, spec: MethodSpec, out_format: OutFormat | None):
        self._module = module
        self._name = name
        self._spec = spec
        self._out_format: Library | None = out_format

    def __repr__(self) -> str:
        return f"<compiled {self._spec.shown(self._name)}>"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls the method. Raises `ArgumentError` for arrays that do not fit its specification."""
        given = bind_names(self._name, self._spec.arg_names, arguments, named)
        for name, value in zip(self._spec.arg_names, given, strict=True):
            if name in self._spec.donate:
                _require_no_gradient(name, value)
        convert = converter_like(given) if self._out_format is None else converter_to(self._out_format)
        values = [_converted(spec, value, name) for (name, spec), value in zip(self._arguments(), given, strict=True)]
        passes_state = self._module.has_state and self._spec.effect_mode != "none"
        result = self._module.run(self._name, values, passes_state)
        return result if convert is None else _mapped(result, convert)

    def _arguments(self) -> Iterable[tuple[str, specs.ArgSpec]]:
        return zip(self._spec.arg_names, self._spec.arg_specs, strict=True)


def _converted(spec: specs.ArgSpec, value: Any, name: str) -> Any:
    """Returns an argument as the compiled function takes it."""
    match spec:
        case specs.Int():
            try:
                (size,) = sizes_of(value, 1)
            except (TypeError, ValueError):
                raise ArgumentError(f"expected an integer as {name!r}, got {value!r:.80}") from None
            return (size_argument(name, size),)
        case specs.Tensor() | specs.Object():
            return value
        case specs.Tuple():
            if not isinstance(value, tuple | list) or len(cast(Sequence[Any], value)) != len(spec.elements):
                raise ArgumentError(f"expected a tuple of {len(spec.elements)} as {name!r}, got {type(value).__name__}")
            items = zip(spec.elements, cast(Sequence[Any], value), strict=True)
            return tuple(_converted(element, item, f"{name}[{i}]") for i, (element, item) in enumerate(items))


def _require_no_gradient(name: str, value: Any) -> None:
    """Raises `ArgumentError` for tensors of torch that autograd follows: they are donated, and it would not see the change."""
    if any(is_torch(leaf) and leaf.requires_grad for leaf in _leaves((value,))):
        raise ArgumentError(f"expected a donated tensor that does not require a gradient as {name!r}; detach() it")


def _leaves(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple | list):
            yield from _leaves(cast(Sequence[Any], value))
        else:
            yield value


def _mapped(value: Any, convert: Convert) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped(item, convert) for item in cast(Sequence[Any], value))
    return convert(value) if isinstance(value, np.ndarray) else value


def compile_module(
    exporter: Exporter,
    spec: ModuleSpec,
    out_format: OutFormat | None,
    *,
    opt_level: int,
    threads: int,
    target: str | None,
    passes: Passes | Mapping[str, Passes],
) -> CompiledModule:
    """Exports and compiles a model, and transforms its parameters; see `Module.jit`."""
    data = _bound_data(exporter.parameters)
    # The compiled model passes parameters and state itself.
    methods = [
        MethodSpec(
            m.method, m.arg_names, m.arg_specs, "plain", "none" if m.effect_mode == "none" else "plain", m.donate
        )
        for m in spec.method_specs
    ]
    spec = ModuleSpec(spec.module, spec.method_names, methods)
    lift = bool(data) and ("shared" if len(methods) > 1 else True)
    module = exporter.export(spec)
    packed = [extern.bound_functions() for extern in exporter.program.externs]
    _require_registered(module, {name for functions in packed for name in functions})
    executable = compile(module, opt_level=opt_level, threads=threads, lift=lift, target=target, passes=passes)
    for functions in packed:
        executable.bind_packed(functions)
    return CompiledModule(executable, spec, executable.transform_params(data) if data else None, out_format)


def _require_registered(module: ModuleOp, bound: Container[str]) -> None:
    """Raises one `ModelError`, where the first stands, that lists the functions which the methods call and nobody registered or bound."""
    calls = [
        (op, name) for op in module.walk() if isinstance(op, CallPackedOp | CallDPSPackedOp) for name in _callees(op)
    ]
    missing = [(call, name) for call, name in calls if name not in bound and not is_registered(name)]
    if missing:
        names = listed(repr(name) for name in dict.fromkeys(name for _, name in missing))
        raise ModelError(f"no packed function is registered as {names}", location=missing[0][0].location)


def _callees(call: CallPackedOp | CallDPSPackedOp) -> Iterator[str]:
    """Yields the names of the functions that a call calls: of a debug function, the one that looks for it by its name, too."""
    yield call.callee.data
    if call.callee.data == "vm.builtin.invoke_debug_func":
        yield call.prop("literals").data["1"].data


def _bound_data(parameters: Iterable[tuple[str, Parameter]]) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the data of parameters by their paths; raises one `ModelError` that lists those without."""
    named = list(parameters)
    unbound = [name for name, parameter in named if parameter.data is None]
    if unbound:
        noun = "parameter has" if len(unbound) == 1 else "parameters have"
        raise ModelError(f"{len(unbound)} {noun} no data, load them before jit: {listed(unbound, limit=20)}")
    arrays = {id(parameter): to_numpy(parameter.data) for _, parameter in named}
    return {name: arrays[id(parameter)] for name, parameter in named}
