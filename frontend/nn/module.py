"""Modules: the layers of a model, nested by attributes, with parameters under dotted names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, Literal, overload

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ...interpreter.host.arrays import copied, is_torch, same_data, to_numpy
from ...runtime.compiler import Passes
from ...runtime.params.params import load_params
from ...runtime.params.safetensors_file import write_safetensors
from .annotations import bound, checked, label
from .conversions import require_fitting, unchanged_on_error
from .effects import Effect
from .errors import ModelError, listed
from .exporter import Exported, Exporter
from .jit import CompiledModule, OutFormat, compile_module
from .scope import current_scope, inside_module, is_expression
from .spec import ModuleSpec
from .subroutine import SubroutineMixin, call_subroutine
from .tensor import Parameter, Tensor
from .tree import Node, walk


class Module(SubroutineMixin, Node):
    """A part of a model: derive a class, make parameters and further modules in `__init__`, compute in `forward`.

    ```python
    class Mlp(nn.Module):
        def __init__(self, size: int):
            self.up = nn.Linear(size, 4 * size)
            self.down = nn.Linear(4 * size, size)

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.down(nn.op.silu(self.up(x)))

    program, parameters = Mlp(64).export({"forward": {"x": nn.spec.Tensor(["n", 64], "float32")}})
    ```
    """

    @checked
    def __init__(self) -> None:
        super().__init__()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if isinstance(vars(cls).get("forward"), FunctionType):
            cls.forward = _located(vars(cls)["forward"])

    forward: Callable[..., Any]

    IGNORED_STATE: ClassVar[tuple[str, ...]] = ()
    """What the module's counterpart in torch has in its state dict, and the module has no use for."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Computes `forward`."""
        if not hasattr(self, "forward"):
            raise ModelError(f"{type(self).__name__} has no method 'forward'")
        forward, scope = self.forward, current_scope()
        if scope is None or hasattr(forward, _LOCATED):
            return forward(*arguments, **named)
        # A property, a static method, or any other function that is no method of the module.
        with inside_module(scope.program.path_of(self)):
            if self.define_subroutine:
                kind = type(self).__name__
                raise ModelError(
                    f"{kind} with define_subroutine needs a method 'forward', which gets the module as its first argument"
                )
            return forward(*arguments, **named)

    @checked
    def named_parameters(self, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters with their dotted paths, in the order in which they were set.

        A tied one comes under its first path alone, or under each where `remove_duplicate` is false.
        """
        seen: set[int] = set()
        for name, parameter in walk(self, Parameter, prefix):
            if not (remove_duplicate and id(parameter) in seen):
                seen.add(id(parameter))
                yield name, parameter

    def parameters(self) -> Iterator[Parameter]:
        """Yields the parameters."""
        for _, parameter in self.named_parameters():
            yield parameter

    @checked
    def state_dict(self, *, prefix: str = "", destination: dict[str, Parameter] | None = None) -> dict[str, Parameter]:
        """Returns the parameters by their dotted paths, a tied one under each, in `destination` if that is given."""
        state = {} if destination is None else destination
        state.update(self.named_parameters(prefix, remove_duplicate=False))
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, copy: bool = False
    ) -> tuple[list[str], list[str]]:
        """Binds parameters to data: those of another model's `state_dict()`, numpy arrays, or torch tensors.

        The data is not copied, and must not change as long as the model, or what `jit` made of it, is used; with `copy` it is, and may. A
        tied parameter needs data under one of its paths. Returns the names of parameters that stay as they were, and those of entries
        that no parameter has. Raises `KeyError` where there are some, unless `strict` is false, and `ValueError` for data of another
        shape or dtype, and different data under the paths of a tied parameter; then nothing is bound.
        """
        if not isinstance(state_dict, Mapping) or not all(isinstance(name, str) for name in state_dict):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"expected a dict of arrays by name, got {type(state_dict).__name__}")
        own = self.state_dict()
        bound = {id(parameter) for name, parameter in own.items() if name in state_dict}
        missing = [name for name, parameter in own.items() if id(parameter) not in bound]
        ignored = {
            f"{path}{name}"
            for path, module in [("", self), *((f"{path}.", module) for path, module in walk(self, Module))]
            for name in module.IGNORED_STATE
        }
        unexpected = [name for name in state_dict if name not in own and name not in ignored]
        if strict and (missing or unexpected):
            sides = [("missing", missing), ("unexpected", unexpected)]
            raise KeyError("; ".join(f"{side}: {listed(names)}" for side, names in sides if names))
        data = {
            name: given.data if isinstance(given := state_dict[name], Parameter) and given.data is not None else given
            for name in own
            if name in state_dict
        }
        _require_fits(own, data)
        for name, given in data.items():
            own[name].data = copied(given) if copy else given
        return missing, unexpected

    @checked
    def load_safetensors(self, *paths: str | Path, strict: bool = True) -> tuple[list[str], list[str]]:
        """Binds parameters to the tensors of files, which are read when they are needed; see `load_state_dict`.

        A path is a file, an index of shards (`model.safetensors.index.json`), or a directory that holds either.
        """
        return self.load_state_dict(load_params(*paths), strict)

    @checked
    def save_safetensors(self, path: str | Path) -> None:
        """Writes the data of all parameters to a file, that of a tied one once, under its first path; `load_safetensors` reads it.

        Raises `ValueError` that lists the parameters without data.
        """
        named = dict(self.named_parameters())
        missing = [name for name, parameter in named.items() if parameter.data is None]
        if missing:
            raise ValueError(f"parameters without data: {listed(missing)}")
        write_safetensors(path, {name: to_numpy(parameter.data) for name, parameter in named.items()})

    @checked
    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of all parameters below, of constants beside them in expressions, and `self.dtype` where that is a string.

        Constants are converted from the dtype that they had at first. Raises `ValueError` where data of another dtype is bound to a
        parameter, and `ModelError` where an expression has no type any more; then nothing is changed.
        """
        with unchanged_on_error(self._changed_by_to) as is_outermost:
            try:
                for name, child in self.children():
                    if callable(getattr(child, "to", None)) and not is_torch(child):
                        with _inside_path(name, isinstance(child, Node)):
                            child.to(dtype=dtype)
            except _PathError as error:
                raise (ValueError(str(error)) if is_outermost else error) from None
            if dtype is not None and isinstance(getattr(self, "dtype", None), str):
                self.dtype = dtype
            if is_outermost:
                expressions = [tensor.value for _, tensor in walk(self, Tensor)]
                require_fitting(filter(is_expression, expressions), [p.value for p in self.parameters()])

    def _changed_by_to(self) -> tuple[list[object], list[SSAValue]]:
        """Returns the parts of the module, and the values of its parameters."""
        parts = [part for _, part in walk(self, object) if isinstance(part, Node | Effect | Parameter)]
        return [self, *parts], [parameter.value for parameter in self.parameters()]

    @overload
    def export(
        self, spec: ModuleSpec | Mapping[str, Any], debug: bool = False, allow_extern: Literal[False] = False
    ) -> Exported: ...

    @overload
    def export(
        self, spec: ModuleSpec | Mapping[str, Any], debug: bool = False, *, allow_extern: Literal[True]
    ) -> tuple[ModuleOp, list[tuple[str, Parameter]], list[Any]]: ...

    def export(self, spec: ModuleSpec | Mapping[str, Any], debug: bool = False, allow_extern: bool = False) -> Any:
        """Returns the program with a function for each method of the specification, and the parameters in the order of its arguments.

        With `debug`, methods take and return an effect that `op.print_` and `op.debug_func` need. With `allow_extern` it returns, as a
        third, the `ExternModule`s whose functions are called: `load` registers these. Raises `ModelError` with the path of the module
        and the line of the caller for what no program follows from.
        """
        exporter = self._exporter(debug)
        program = exporter.export(ModuleSpec.from_raw(spec, self))
        externs = exporter.program.externs
        if allow_extern:
            return program, exporter.parameters, externs
        if externs:
            names = listed(name for extern in externs for name in extern.symbols)
            raise ModelError(
                f"functions of extern modules are called ({names}): export with allow_extern=True, and load them"
            )
        return program, exporter.parameters

    export_tvm = export
    """`export`, under the name that the method has in TVM."""

    def jit(
        self,
        spec: ModuleSpec | Mapping[str, Any],
        device: str = "cpu",
        pipeline: str | None = "default_build",
        out_format: OutFormat | None = None,
        debug: bool = False,
        *,
        opt_level: int = 2,
        threads: int = 1,
        target: str | None = None,
        passes: Passes | Mapping[str, Passes] = (),
    ) -> CompiledModule:
        """Compiles the methods of a specification, with the data of the parameters, to functions on arrays.

        What depends on parameters alone is computed now, once for all methods. Results are arrays of `out_format`, by default those of the
        library that the arguments are of. `pipeline` has one value, as TVM's pipelines are no passes of the dialect: those that come
        before the compiler's own are `passes`. The other options are those of `xdsl_relax.compile`. Raises `ModelError` that
        lists the parameters without data.
        """
        if device != "cpu":
            raise ModelError(f"expected cpu as the device, got {device!r}")
        if pipeline not in (None, "default_build"):
            raise ModelError(
                f"expected default_build as the pipeline, got {pipeline!r:.60}: passes are given by `passes`"
            )
        if out_format not in (None, "numpy", "torch", "jax"):
            raise ModelError(f"expected numpy, torch or jax as out_format, got {out_format!r}")
        return compile_module(
            self._exporter(debug),
            ModuleSpec.from_raw(spec, self),
            out_format,
            opt_level=opt_level,
            threads=threads,
            target=target,
            passes=passes,
        )

    def _exporter(self, debug: bool) -> Exporter:
        if current_scope() is not None:
            raise ModelError("a module is exported inside of another export")
        return Exporter(self, debug)


class _PathError(ValueError):
    """What is wrong with a part of a module, by its path."""

    def __str__(self) -> str:
        return ": ".join(map(str, self.args))


@contextmanager
def _inside_path(name: str, is_node: bool) -> Generator[None, None, None]:
    """Puts the name of a part in front of its errors, and in front of their paths if it has parts itself."""
    try:
        yield
    except _PathError as error:
        path, reason = error.args
        raise _PathError(f"{name}.{path}", reason) from None
    except ValueError as error:
        if is_node:
            raise
        raise _PathError(name, str(error)) from None


def _require_fits(own: Mapping[str, Parameter], data: Mapping[str, Any]) -> None:
    """Raises `ValueError` for data of another shape or dtype, and for different data under the paths of one parameter."""
    firsts: dict[int, str] = {}
    for name, given in data.items():
        try:
            own[name].check(given)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        first = firsts.setdefault(id(own[name]), name)
        if first != name and not same_data(data[first], given):
            raise ValueError(f"{name}: expected the data of {first}, which is the same parameter, got other values")


_LOCATED = "_tells_its_path"
"""An attribute of functions that `_located` has made, and of methods of these."""


def _located(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a `forward` that tells the path of its module to locations and errors."""

    signature = functools.cache(lambda: inspect.signature(forward))

    @functools.wraps(forward)
    def located(self: Module, *arguments: Any, **named: Any) -> Any:
        scope = current_scope()
        path = None if scope is None else scope.program.path_of(self)
        with inside_module(path):
            bound(signature(), label(forward, self), (self, *arguments), named)
            if scope is not None and self.define_subroutine:
                return call_subroutine(scope, self, forward, arguments, named)
            return forward(self, *arguments, **named)

    setattr(located, _LOCATED, True)
    return located
