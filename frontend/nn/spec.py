"""What the arguments of a model's methods are: tensors of a shape and dtype, integers, objects, tuples of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ...builder.errors import shown
from ...builder.types import Size
from ...dialects.nearest_name import suggestion
from ...runtime.initial_state import INITIALIZE_EFFECT
from .errors import ModelError, listed
from .tree import Node

MODES = ("plain", "packed", "none")
"""How parameters and effects are passed: an argument each, one tuple, or not at all."""

RESERVED = {"__init__": "makes a module", INITIALIZE_EFFECT: "is the function that makes the first state"}
"""Methods that are not exported, and why."""


@dataclass(frozen=True)
class Int:
    """An integer; the method sees a symbolic size."""

    def __repr__(self) -> str:
        return "int"


class Tensor:
    """A tensor of a rank and dtype; a dim is a number, the name of a symbol or an expression of names, or a symbolic variable."""

    def __init__(self, shape: Sequence[int | str | Size], dtype: str):
        if isinstance(shape, str) or not isinstance(shape, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected a list of sizes as the shape of a tensor, got {shown(shape)}")
        self.shape = list(shape)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"Tensor([{', '.join(map(str, self.shape))}], {self.dtype!r})"


@dataclass(frozen=True)
class Object:
    """A value that is no tensor; the method sees an instance of the class, made from the value."""

    object_type: type

    def __post_init__(self) -> None:
        if not isinstance(self.object_type, type):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"spec.Object takes a class derived from nn.Object, got {shown(self.object_type)}")

    def __repr__(self) -> str:
        return "object"


@dataclass(frozen=True)
class Tuple:
    """A tuple or list of arguments; the method sees the same container."""

    name: str
    elements: list[Any] | tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.elements, list | tuple):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"spec.Tuple takes a list or tuple of specifications, got {shown(self.elements)}")

    def __repr__(self) -> str:
        return repr(self.elements)


ArgSpec: TypeAlias = Int | Tensor | Object | Tuple


class MethodSpec:
    """What one method takes, and how parameters and effects reach it."""

    def __init__(
        self,
        method: Callable[..., Any],
        arg_names: Sequence[str],
        arg_specs: Sequence[ArgSpec],
        param_mode: str = "plain",
        effect_mode: str = "plain",
        donate: Mapping[str, Any] | None = None,
    ):
        # Nothing is kept before it is known to be right.
        for key, mode in (("param_mode", param_mode), ("effect_mode", effect_mode)):
            if mode not in MODES:
                raise ModelError(f"expected {key} to be {', '.join(MODES[:-1])} or {MODES[-1]}, got {mode!r}")
        if donate is not None and not isinstance(donate, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected donate to be a dict from arguments to numbers of results, got {shown(donate)}")
        self.donate: dict[str, list[int | None]] = {}
        """For arguments whose memory a result takes: which one, for each field of a tuple; fields of results counted one by one."""
        for name, results in (donate or {}).items():
            if name not in arg_names:
                raise ModelError(f"expected donate to name arguments, {listed(arg_names) or 'none'}, got {name!r}")
            if results is None:
                raise ModelError(f"expected donate to say which result takes {name!r}, got None")
            self.donate[name] = list(_numbers(name, results))
        self.method = method
        self.arg_names = list(arg_names)
        self.arg_specs = list(arg_specs)
        self.param_mode = param_mode
        self.effect_mode = effect_mode

    @staticmethod
    def from_raw(spec: MethodSpec | Mapping[str, Any], method: Callable[..., Any]) -> MethodSpec:
        """Returns the specification of a method from a dict of its arguments; `"$"` holds `param_mode`, `effect_mode`, `donate`.

        An argument without a specification keeps its default. Raises `ModelError` where it has none, and for names that the method
        does not have.
        """
        # Every argument of the method ends up with a specification or its default, and no name is left over.
        if isinstance(spec, MethodSpec):
            return spec
        if not callable(method):  # pyright: ignore[reportUnnecessaryComparison]
            raise ModelError(f"expected a method of a module, got {shown(method)}")
        label = getattr(method, "__name__", "the method")
        if not isinstance(spec, Mapping) or not all(isinstance(name, str) for name in spec):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected a dict from the arguments of {label} to what they are, got {shown(spec)}")
        parameters = inspect.signature(method).parameters
        modes = spec.get("$", {})
        if not isinstance(modes, Mapping):
            raise ModelError(f"expected a dict in '$' of {label}, got {shown(modes)}")
        kinds = {name: parameter.kind for name, parameter in parameters.items()}
        takes_any = inspect.Parameter.VAR_KEYWORD in kinds.values()
        for name in spec:
            if kinds.get(name) == inspect.Parameter.VAR_POSITIONAL:
                raise ModelError(f"expected arguments of {label} that have names, got *{name}: take them as one list")
            if name != "$" and name not in parameters and not takes_any:
                has = listed(parameters) or "none"
                raise ModelError(f"{label} has no argument {name!r}{suggestion(name, parameters)}; it has {has}")
        for key in modes:
            if key not in ("param_mode", "effect_mode", "donate"):
                raise ModelError(f"expected param_mode, effect_mode or donate in '$' of {label}, got {key!r}")
        required = [
            name
            for name, parameter in parameters.items()
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY, parameter.POSITIONAL_ONLY)
        ]
        missing = [name for name in required if name not in spec]
        if missing:
            raise ModelError(f"{label} needs a specification of {listed(map(repr, missing))}")
        names = [name for name in parameters if name in spec and kinds[name] != inspect.Parameter.VAR_KEYWORD]
        # Under the name of `**further` itself there is an argument like any other.
        names += [name for name in spec if name not in names and name != "$"]
        return MethodSpec(method, names, [_arg_spec(spec[name], name) for name in names], **modes)

    def shown(self, name: str) -> str:
        """Returns the specification as a signature."""
        arguments = zip(self.arg_names, self.arg_specs, strict=True)
        return f"{name}({', '.join(f'{name}: {spec}' for name, spec in arguments)})"

    def __repr__(self) -> str:
        return self.shown("MethodSpec")


def _arg_spec(raw: Any, name: str) -> ArgSpec:
    spec = _spec_of(raw, name)
    if spec is None:
        items = cast(Sequence[Any], raw) if isinstance(raw, list | tuple) else ()
        is_shape = bool(items) and all(isinstance(item, int | str | Size) for item in items)
        hint = f"; a shape needs a dtype: spec.Tensor({shown(list(items))}, 'float32')" if is_shape else ""
        expected = "spec.Tensor, int, spec.Int, spec.Object, or a tuple or list of them"
        raise ModelError(f"expected {expected} as the specification of {name!r}, got {shown(raw)}{hint}")
    return spec


def _spec_of(raw: Any, name: str) -> ArgSpec | None:
    """Returns what stands for a specification as one; `None` for anything else."""
    match raw:
        case Int() | Tensor() | Object():
            return raw
        case Tuple(elements=items) | (list() | tuple() as items):
            elements = [_spec_of(item, f"{name}_{i}") for i, item in enumerate(cast(Sequence[Any], items))]
            if None in elements:
                return None
            return Tuple(name, elements if isinstance(items, list) else tuple(elements))
        case type() if raw in (int, Int):
            return Int()
        case str() if raw == "int":
            return Int()
        case _:
            return None


class ModuleSpec:
    """What the methods of a module take; each becomes a function."""

    def __init__(self, module: Node, method_names: Sequence[str], method_specs: Sequence[MethodSpec]):
        self.module = module
        self.method_names = list(method_names)
        self.method_specs = list(method_specs)

    @staticmethod
    def from_raw(spec: ModuleSpec | Mapping[str, Any], module: Node) -> ModuleSpec:
        """Returns the specification of a module from a dict of its methods.

        Raises `ModelError` for a method that the module does not have.
        """
        if isinstance(spec, ModuleSpec):
            return spec
        if not isinstance(spec, Mapping) or not spec:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected a dict with a specification for each method, got {shown(spec)}")
        methods: dict[str, MethodSpec] = {}
        for name, raw in spec.items():
            if isinstance(name, str) and name in RESERVED:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ModelError(f"expected a method to export, got {name!r}, which {RESERVED[name]}")
            method = getattr(module, name, None) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
            if isinstance(method, Node):
                # A module inside computes its `forward`.
                method = getattr(method, "forward", None)
            if not callable(method):
                known = [other for other in dir(module) if callable(getattr(module, other, None))]
                raise ModelError(f"{type(module).__name__} has no method {name!r}{suggestion(str(name), known)}")
            methods[name] = MethodSpec.from_raw(raw, method)
        return ModuleSpec(module, list(methods), list(methods.values()))

    def __repr__(self) -> str:
        specs = zip(self.method_names, self.method_specs, strict=True)
        return "ModuleSpec:\n" + "\n".join(f"  {spec.shown(name)}" for name, spec in specs)


def _numbers(name: str, results: Any) -> Iterator[int | None]:
    """Yields the results to which an argument is donated, those of the fields of a tuple one by one."""
    if isinstance(results, list | tuple):
        for result in cast(Sequence[Any], results):
            yield from _numbers(name, result)
    elif results is None or (type(results) is int and results >= 0):
        yield results
    else:
        raise ModelError(f"expected donate to say which result takes {name!r}, got {shown(results)}")
