"""`compile_library`: a program, or the model in a file, to a folder that programs of C and of Python use without this compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ...dialects.nearest_name import with_known_options
from ...dialects.relax.program import verify_program
from ...interpreter.host.errors import ArgumentError
from ...lowering.llvm.names import c_name
from ...lowering.pipeline import Lift, Settings
from ...passes.analysis.call_graph import named_functions
from ...passes.cleanup.bind_symbolic_vars import bind_symbolic_vars
from ...runtime.compiler import Passes, compile_code, load, optimized
from ...runtime.compiler import compile as compile_program
from ...runtime.executable.arguments import Signature, require_public, symbol_names
from ...runtime.executable.executable import Executable
from ...runtime.interface.record import Interface
from ...runtime.library.folder import Written, write_library
from ...runtime.library.functions import entries, require_callable
from ...runtime.library.stored_params import StoredParams
from ...runtime.link import link
from ...runtime.params.parameter_set import open_source
from ...runtime.params.params import match_params, some_parameters, surplus_names
from ...runtime.signatures import signatures
from ...targets.cpu import NATIVE, cpu_target, default_target, lacking
from .files import format_of, import_as

Weights = Mapping[str, Any]


@with_known_options
def compile_library(
    program: ModuleOp | str | Path,
    folder: str | Path,
    *,
    name: str | None = None,
    params: Any = None,
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, Any] | None = None,
    linker: str | None = None,
    opt_level: int = 2,
    threads: int = 1,
    lift: Lift | None = None,
    target: str | None = None,
    bounds_checks: bool = True,
    passes: Passes = (),
) -> Written:
    """Compiles a program, its file, or the model in a file, and writes what C and Python need to call it to a folder (docs/aot.md).

    `params` are weights, as `transform_params` takes them; a model comes with its own. They are transformed, packed, and written
    beside the code, so that functions read one set of them. Without them parameters are arguments like others. `name` begins all
    names of C, by default it is that of the file. `dims` fixes sizes, `values` inputs of a model. `linker` makes the shared
    library: a name or `none`, by default what the machine has. The others are options of `compile`; `lift` is on where there are
    weights, into one transform where all functions have the same parameters. Raises `ArgumentError` for a program that C cannot call.
    """
    module, own = _read(program, dims, values)
    functions = signatures(module)
    require_public(functions)
    weights = own if params is None else open_source(params)
    prefix = _prefix(program, name)
    if lift is None:
        lift = bool(weights) and _lifting(functions)
    cpu = cpu_target(default_target() if target is None else target)
    if cpu.is_wasm and threads != 1:
        raise ArgumentError(f"threads: expected 1, as {cpu.name} has no others, got {threads}")
    settings = Settings(opt_level=opt_level, threads=threads, lift=lift, bounds_checks=bounds_checks, target=cpu.name)
    interface, code = compile_code(module, settings, passes=passes, exports=prefix)
    require_callable(interface)
    stored = None
    if weights:
        stored = _stored(interface, _transforming(module, settings, passes, interface, code), weights)
    return write_library(Path(folder), prefix, interface, code, stored, linker)


def _read(
    program: ModuleOp | str | Path, dims: Mapping[str, int] | None, values: Mapping[str, Any] | None
) -> tuple[ModuleOp, Weights]:
    """Returns a program and the weights that come with it."""
    if isinstance(program, str | Path) and (model_format := format_of(program)) is not None:
        model = import_as(model_format, program, dims, values)
        return model.module, model.params
    if values:
        raise ArgumentError("values of inputs are fixed in models alone")
    module = program if isinstance(program, ModuleOp) else load(program)
    return (_bound(module, dims) if dims else module), {}


def _bound(module: ModuleOp, dims: Mapping[str, int]) -> ModuleOp:
    """Returns a program in which symbols of all public functions have sizes; raises `ArgumentError` for one that none has."""
    module = module.clone()
    symbols = {name: set(symbol_names(function)) for name, function in signatures(module).items()}
    unknown = {*dims} - set[str]().union(*symbols.values())
    if unknown:
        known = ", ".join(sorted(set[str]().union(*symbols.values()))) or "none"
        raise ArgumentError(f"no function has a symbolic dim '{min(unknown)}'; there are {known}")
    for name, function in named_functions(module, declarations=False).items():
        if own := symbols.get(name, set()) & dims.keys():
            bind_symbolic_vars(function, {symbol: dims[symbol] for symbol in sorted(own)})
    verify_program(module)
    return module


_TAKEN = frozenset(
    "relax c m assert ctype errno float limits math stdbool stddef stdint stdio stdlib string time".split()
)
"""Names that would be those of headers or libraries of C, or of what every library defines."""


def _prefix(program: ModuleOp | str | Path, name: str | None) -> str:
    is_file = isinstance(program, Path) or (isinstance(program, str) and "\n" not in program)
    stem = Path(str(program)).stem if is_file else "program"
    given = stem if name is None else name
    is_latin = any(map(str.isascii, filter(str.isalnum, given)))
    prefix = c_name(given if is_latin else "program", set(_TAKEN), is_prefix=True)
    if name is not None and prefix != name:
        raise ArgumentError(
            f"name: expected an identifier that C and its headers leave free, got '{name}', did you mean '{prefix}'?"
        )
    return prefix


def _lifting(functions: Mapping[str, Signature]) -> Lift:
    """Returns whether functions have one set of parameters, or each has its own."""
    sets = [
        [(param.label, str(param.type)) for param in function.params]
        for function in functions.values()
        if function.params and function.params_from is None and not function.is_transform
    ]
    return "shared" if len(sets) > 1 and all(params == sets[0] for params in sets) else True


def _transforming(
    module: ModuleOp, settings: Settings, passes: Passes, interface: Interface, code: bytes
) -> Executable:
    """Returns what transforms weights: the code itself, or where it is for another machine, the same transforms for this one."""
    if not lacking(cpu_target(settings.target)):
        return link(interface, code)
    return compile_program(optimized(module, settings, passes), opt_level=settings.opt_level, target=NATIVE)


def _stored(interface: Interface, executable: Executable, weights: Weights) -> StoredParams:
    """Returns the parameters of all functions, transformed where functions take them so; raises `ArgumentError` for misfits."""
    functions = {function.signature.name: function.signature for function in entries(interface)}
    stored = StoredParams()
    used: set[str] = set()
    for plan in interface.transforms:
        readers = [function for function in functions.values() if function.params_from == plan.name]
        own = Selected(weights, _keys(replace(functions[plan.name], num_input=0)))
        used |= {*own}
        made = executable.transform_params(own, transform=plan.name)
        if made.fingerprint != plan.fingerprint:
            raise ArgumentError(f"{plan.name} is another transform for {interface.target} than for this machine")
        stored.add_transformed(made, readers)
    for function in functions.values():
        if function.params and function.params_from is None and not function.is_transform:
            own = Selected(weights, _keys(function))
            used |= {*own}
            stored.add_weights(function, match_params(function, own))
    surplus = surplus_names(weights, used)
    if surplus:
        verb = "is" if len(surplus) == 1 else "are"
        raise ArgumentError(f"surplus {some_parameters(surplus)} {verb} not used by any function")
    return stored


def _keys(function: Signature) -> set[str]:
    """Returns the names under which the parameters of a function may be given."""
    return {
        key
        for position, param in enumerate(function.params)
        for key in ((param.external_name,) if param.external_name else (param.name, str(position)))
    }


class Selected(Mapping[str, Any]):
    """Some of the entries of a mapping, which are read when they are asked for."""

    def __init__(self, source: Weights, names: set[str]):
        self._source = source
        self._names = [name for name in source if name in names]

    def __getitem__(self, name: str) -> Any:
        return self._source[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
