"""A program to a module: the signatures of its public functions, then their regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax  # pyright: ignore[reportMissingImports]
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ...builder import ModuleBuilder
from ...builder.functions import FunctionBuilder
from ...collector import collector_paused
from ...dialects.relax.attrs import tensor_type
from ...dialects.relax.function_signature import fresh, identifier
from ...dialects.symbolic.expressions import Dim, Symbol
from ..model.build import built_module
from ..model.inlining import check_inlined
from ..model.problems import ModelImportError, Problem, Unsupported, UnsupportedModelError
from ..model.weights import ImportedModel, Weights
from .bindings import ir
from .load import Program, normalize, read_program
from .locations import name_of
from .node import CustomCall
from .regions import RegionImporter
from .types import tensor_shape
from .values import Failed, Tensor, Token, Value

Dims = Mapping[str, int | str]
CustomCalls = Mapping[str, CustomCall]

MAIN = "main"

PLATFORM = "cpu"
"""What jax writes programs for: `jax.lax.platform_dependent` has the branch that runs here."""


def from_stablehlo(
    program: str | bytes | Path | Any, *, dims: Dims | None = None, custom_calls: CustomCalls | None = None
) -> ModuleOp:
    """Returns a program as a module; see `import_stablehlo`, which returns the weights too."""
    return import_stablehlo(program, dims=dims, custom_calls=custom_calls).module


def import_stablehlo(
    program: str | bytes | Path | Any, *, dims: Dims | None = None, custom_calls: CustomCalls | None = None
) -> ImportedModel:
    """Returns a program as a module with its public functions, and its large constants as weights.

    A program is the path of a file, text, bytecode, a portable artifact, or a module of jax's bindings. `dims` gives numbers, or other
    names, to the dynamic dims of the arguments, which are called `<argument>_<axis>`. `custom_calls` has a function for each target that
    inserts what a call of it becomes. Raises `ModelImportError` for what is no program, and `UnsupportedModelError` with everything in it
    that has no counterpart.
    """
    read = read_program(program)
    with collector_paused():
        return _import(read, dict(dims or {}), custom_calls or {}, {})


def from_jax(function: Any, *arguments: Any, **options: Any) -> ModuleOp:
    """Returns a function of jax as a module; see `import_jax`, which returns the weights too."""
    return import_jax(function, *arguments, **options).module


def import_jax(
    function: Any,
    *arguments: Any,
    weights: int | Sequence[int] = (),
    custom_calls: CustomCalls | None = None,
    **named: Any,
) -> ImportedModel:
    """Returns what a function computes for arguments of these shapes: `jax.jit(f)`, or `f` itself.

    The arguments are arrays, `jax.ShapeDtypeStruct`s, or trees of them, whose leaves are the inputs; those at the positions `weights`
    become parameters, named by their places in the trees. Sizes may be symbolic (`jax.export.symbolic_shape`). What is no array, such as a
    static argument, is bound before (`functools.partial`).
    """
    # Arguments that nothing reads would be dropped: the function has those that it is called with.
    jitted = jax.jit(function, keep_unused=True)
    positions = (weights,) if isinstance(weights, int) else tuple(weights)
    leaves = jax.tree_util.tree_flatten_with_path((arguments, named))[0]
    symbolic = any(not isinstance(size, int) for _, leaf in leaves for size in getattr(leaf, "shape", ()))
    if symbolic:
        _refuse_callbacks(jitted.trace(*arguments, **named).jaxpr)
        artifact = jax.export.export(jitted, platforms=(PLATFORM,))(*arguments, **named).mlir_module_serialized
        program = read_program(artifact)
    else:
        program = read_program(
            jitted.trace(*arguments, **named).lower(lowering_platforms=(PLATFORM,)).compiler_ir("stablehlo")
        )
    names: dict[int, tuple[str, Any]] = {}
    for index, (path, leaf) in enumerate(leaves):
        if getattr(path[0], "idx", None) == 0 and getattr(path[1], "idx", None) in positions:
            names[index] = (jax.tree_util.keystr(path[2:], simple=True, separator=".") or f"arg{path[1].idx}", leaf)
    with collector_paused():
        return _import(program, {}, custom_calls or {}, names)


def _refuse_callbacks(jaxpr: Any) -> None:
    """Raises `UnsupportedModelError` for calls of Python, which jax cannot write with symbolic sizes."""
    problems: list[Problem] = []

    def collect(body: Any, where: str) -> None:
        for eqn in body.eqns:
            name = str(eqn.primitive.name)
            if name.endswith("_callback") or name == "debug_print":
                problems.append(Problem(name, "calls of Python have no counterpart", where))
            for value in eqn.params.values():
                for item in value if isinstance(value, list | tuple) else (value,):
                    inner = getattr(item, "jaxpr", item)
                    if hasattr(inner, "eqns"):
                        collect(inner, f"{where}/{eqn.params.get('name', name)}")

    collect(jaxpr.jaxpr, "jit")
    if problems:
        raise UnsupportedModelError(problems)


def _import(
    program: Program, dims: dict[str, Any], custom_calls: CustomCalls, weights: Mapping[int, tuple[str, Any]]
) -> ImportedModel:
    module = program.module
    normalize(module)
    functions = {str(op.attributes["sym_name"].value): op.operation for op in module.body.operations if _is_func(op)}
    public = {name: op for name, op in functions.items() if _is_public(op)}
    calls = {name: _calls(op) for name, op in functions.items()}
    check_inlined((callee for name in public for callee in calls[name][1]), calls.__getitem__)
    modules = ModuleBuilder()
    problems: list[Problem] = []
    params = Weights()
    signatures: dict[str, Signature] = {}
    for name, op in public.items():
        builder = modules.function(name)
        importer = RegionImporter(program, functions, builder, params, custom_calls)
        signatures[name] = Signature(importer, op, dims, weights if name == MAIN else {})
        signatures[name].write()
        problems += importer.problems
    if problems:
        raise UnsupportedModelError(problems)
    if not public:
        raise ModelImportError("the program has no public function")
    unknown = sorted(set(dims) - {name for item in signatures.values() for name in item.used})
    if unknown:
        known = ", ".join(sorted({name for item in signatures.values() for name in item.sizes})) or "none"
        raise ModelImportError(f"no size of the program is named '{unknown[0]}', it has {known}")
    built = built_module(modules, MAIN)
    main = signatures.get(MAIN) or next(iter(signatures.values()))
    return ImportedModel(built, params, tuple(main.outputs), tuple(main.inputs))


def _calls(function: Any) -> tuple[int, list[str]]:
    """Returns how many ops a function has, and the functions that they call."""
    callees: list[str] = []
    count = 0

    def note(op: Any) -> Any:
        nonlocal count
        count += 1
        if op.name == "func.call":
            callees.append(str(op.attributes["callee"].value))
        return ir.WalkResult.ADVANCE

    function.walk(note)
    return count, callees


def _is_func(op: Any) -> bool:
    return op.operation.name == "func.func"


def _is_public(op: Any) -> bool:
    attributes = op.attributes
    return "sym_visibility" not in attributes or str(attributes["sym_visibility"].value) == "public"


def main_arguments(module: Any) -> list[Any]:
    """Returns the arguments of `@main` of a module of MLIR."""
    main = next(
        (op for op in module.body.operations if _is_func(op) and str(op.attributes["sym_name"].value) == MAIN), None
    )
    if main is None:
        raise ModelImportError("the program has no function @main")
    return list(main.regions[0].blocks[0].arguments)


def input_names(module: Any) -> list[str]:
    """Returns the names of the arguments of `@main` of a module of MLIR."""
    names: list[str] = []
    for index, argument in enumerate(main_arguments(module)):
        names.append(fresh(name_of(argument.location) or f"arg{index}", set(names)))
    return names


class Signature:
    """A public function: its arguments, its region, and its results."""

    def __init__(self, importer: RegionImporter, op: Any, dims: dict[str, Any], weights: Mapping[int, tuple[str, Any]]):
        self.inputs: list[str] = []
        """The names of the arguments that are no weights."""
        self.outputs: list[str] = []
        """The names of the results."""
        self.sizes: list[str] = []
        """The names of the dynamic dims."""
        self.used: set[str] = set()
        self._importer = importer
        self._function: FunctionBuilder = importer.function
        self._op = op
        self._dims = dims
        self._weights = weights
        self._names: set[str] = set()

    def write(self) -> None:
        """Writes the function; what it has no counterpart for is in the problems of the importer."""
        block = self._op.regions[0].blocks[0]
        values: dict[int, Value] = {}
        # The inputs come before the parameters.
        for index in sorted(range(len(block.arguments)), key=lambda index: (index in self._weights, index)):
            argument = block.arguments[index]
            try:
                values[index] = self._argument(index, argument)
            except Unsupported as error:
                self._importer.problems.append(Problem("argument", str(error), f"{self._function.name} {index}"))
                values[index] = Failed()
        outputs = self._importer.run(block, [values[index] for index in range(len(values))])
        self._name_results(len(outputs))
        results: list[SSAValue] = []
        for output in outputs:
            if isinstance(output, Tensor):
                results.append(self._importer.materialized(output))
            elif isinstance(output, tuple):
                self._importer.problems.append(Problem("result", "tuples have no counterpart", self._function.name))
        if not self._importer.problems:
            self._function.returns(*results)

    def _argument(self, index: int, argument: Any) -> Value:
        if str(argument.type) == "!stablehlo.token":
            return Token()
        shape = tensor_shape(argument.type)
        label = name_of(argument.location) or f"arg{index}"
        name = fresh(label, self._names)
        self._names.add(name)
        sizes: list[Dim] = []
        for axis, size in enumerate(shape.sizes):
            bound = shape.bounds[axis] if shape.bounds else None
            sizes.append(self._size(f"{identifier(name)}_{axis}", bound) if size is None else size)
        value_type = tensor_type(sizes, shape.element)
        if index in self._weights:
            key, leaf = self._weights[index]
            self._importer.weights.add(key, lambda: leaf)
            return Tensor(value=self._function.param(key, value_type))
        self.inputs.append(name)
        return Tensor(value=self._function.input(name, value_type))

    def _size(self, label: str, bound: int | None) -> Dim:
        self.sizes.append(label)
        given = self._dims.get(label)
        if given is not None:
            self.used.add(label)
        if isinstance(given, int):
            return given
        symbol = str(given) if given is not None else label
        self._importer.symbols.add(symbol)
        if bound is not None:
            self._function.symbol_range(symbol, 0, bound)
        return Symbol(symbol)

    def _name_results(self, count: int) -> None:
        listed = self._op.attributes["res_attrs"] if "res_attrs" in self._op.attributes else [{}] * count
        for index in range(count):
            attributes = listed[index]
            info = str(attributes["jax.result_info"].value) if "jax.result_info" in attributes else ""
            label = info.removeprefix("result").strip("[]'\"") or f"result_{index}"
            self.outputs.append(fresh(label, set(self.outputs)))
