"""Reads the interface record from a module while it is lowered: each stage is asked for what the next one forgets."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, TensorType
from xdsl.ir import Attribute

from ...dialects.relax.device_label import HOST_LABEL
from ...dialects.relax.function_signature import argument_attributes, argument_names
from ...dialects.relax.vocabulary.attribute_name import Tree
from ...dialects.relax.vocabulary.attributes import (
    ACTUAL_DIMS,
    ARGUMENTS,
    ASSERTED_VALUES,
    ASSERTIONS,
    CHECKS,
    DATA,
    DESTINATION_PASSING,
    ELEMENT_TYPES,
    ENTRY_OF,
    OPAQUE,
    PACKED,
    PROFILE_REGIONS,
    RESULT,
    RESULT_SIZES,
    RUNTIME_FUNCTION,
    SHAPE_FUNCTION_OF,
    SIZE_LIMITS,
    STEP_ARGUMENTS,
    STEP_OF,
    STEP_RESULTS,
    VDEVICE,
    WORKSPACE,
)
from ...dialects.symbolic.limits import Check, SizeLimit
from ...dialects.upstream.op_error import OpError
from ...dialects.upstream.positions import located
from ...interpreter.host.declared_types import value_type_of
from ...interpreter.host.value_types import ValueType
from ...targets.cpu import cpu_target
from ...version import package_version
from ..executable.arguments import Argument, Signature
from ..params.transform_parts import split_transforms
from ..signatures import signatures
from .json_form import plain_type, type_from_plain
from .record import (
    FORMAT,
    PASSED_SIZE,
    AssertionInterface,
    Constant,
    FunctionInterface,
    Interface,
    PackedInterface,
    PackedValue,
    PassedArgument,
    ProfiledRegion,
    ProfileInterface,
    Step,
    SteppedFunction,
    TransformPlan,
)
from .stack_bytes import Stacks


class InterfaceReader:
    """Collects the record of a module that is being lowered."""

    def __init__(self) -> None:
        self._signatures: dict[str, Signature] = {}
        self._transforms: tuple[TransformPlan, ...] = ()
        self._packed: tuple[PackedInterface, ...] = ()
        self._checks: dict[str, tuple[Check, ...]] = {}
        self._limits: dict[str, tuple[SizeLimit, ...]] = {}
        self._workspaces: dict[str, tuple[str, ...]] = {}
        self._stepped: dict[str, SteppedFunction] = {}
        self._profile: ProfileInterface | None = None

    def read_relax(self, module: ModuleOp) -> None:
        """Reads signatures at the stage at which functions take what their callers pass, and splits transforms into parts.

        Raises `OpError` for a function with a type that crosses no boundary, or with declared sizes that no array has.
        """
        self._transforms = tuple(split_transforms(module).values())
        functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
        for name, signature in signatures(module).items():
            try:
                self._signatures[name] = _canonical(signature)
            except ValueError as error:
                raise OpError(functions[name], f"{name}: {error}") from None

    def read_loops(self, module: ModuleOp) -> None:
        """Reads what the llvm dialect has no place for: checks, workspaces and types of packed functions."""
        functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
        self._packed = tuple(
            _packed(function)
            for function in functions
            if function.is_declaration and (PACKED.is_on(function) or RUNTIME_FUNCTION.is_on(function))
        )
        shape_functions = SHAPE_FUNCTION_OF.owners(functions)
        self._checks = {name: CHECKS.of(function) or () for name, function in shape_functions.items()}
        self._limits = {name: SIZE_LIMITS.of(function) or () for name, function in shape_functions.items()}
        self._workspaces = {function.sym_name.data: _workspaces(function) for function in functions}
        self._profile = _profile(module)
        for function in functions:
            self._read_step(function)

    def _read_step(self, function: func.FuncOp) -> None:
        whole = STEP_OF.of(function)
        if whole is None:
            return
        name = function.sym_name.data
        signature = self._signatures.pop(whole) if whole in self._signatures else self._stepped[whole].signature
        before = self._stepped.get(whole, SteppedFunction(signature, (), ()))
        step = Step(name, STEP_ARGUMENTS.of(function) or ())
        self._stepped[whole] = replace(
            before, steps=(*before.steps, step), results=STEP_RESULTS.of(function) or before.results
        )
        self._signatures[name] = _step_signature(function)

    def finish(self, module: ModuleOp, target: str, threads: int) -> Interface:
        """Returns the record of a module at the llvm stage."""
        cpu = cpu_target(target)
        functions = [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp)]
        stacks = Stacks(functions)
        entries, shapes = ENTRY_OF.owners(functions), SHAPE_FUNCTION_OF.owners(functions)
        return Interface(
            FORMAT,
            package_version(),
            target,
            cpu.architecture,
            tuple(sorted(cpu.features)),
            "",
            "",
            threads,
            tuple(
                FunctionInterface(
                    signature,
                    entries[name].sym_name.data,
                    shapes[name].sym_name.data,
                    self._checks.get(name, ()),
                    self._limits.get(name, ()),
                    self._workspaces.get(name) or (HOST_LABEL,),
                    stacks.of(entries[name].sym_name.data),
                )
                for name, signature in self._signatures.items()
            ),
            tuple(self._stepped.values()),
            self._packed,
            tuple(
                AssertionInterface(message, names)
                for message, names in zip(ASSERTIONS.of(module) or (), ASSERTED_VALUES.of(module) or (), strict=True)
            ),
            tuple(
                Constant(op.sym_name.data, elements.data.data)
                for op in module.body.block.ops
                if isinstance(op, llvm.GlobalOp) and (elements := DATA.of(op)) is not None
            ),
            self._transforms,
            self._profile,
        )


def _step_signature(function: func.FuncOp) -> Signature:
    """Returns what a step takes and returns, of a function whose tensors are memrefs by now: results that are tensors come first."""
    entries = argument_attributes(function)
    named = zip(argument_names(function), function.function_type.inputs.data, entries, strict=True)
    taken = [(name, kind) for name, kind, entry in named if not RESULT.is_on(entry) and not WORKSPACE.is_on(entry)]
    written = [
        kind for kind, entry in zip(function.function_type.inputs.data, entries, strict=True) if RESULT.is_on(entry)
    ]
    outputs = function.function_type.outputs.data
    scalars = outputs[: len(outputs) - len(ACTUAL_DIMS.of(function) or ())]
    return Signature(
        function.sym_name.data,
        tuple(Argument(index, name, None, _of_buffer(kind)) for index, (name, kind) in enumerate(taken)),
        tuple(map(_of_buffer, (*written, *scalars))),
        len(taken),
        None,
    )


def _of_buffer(value_type: Attribute) -> ValueType:
    """Returns the type of the tensor that a buffer holds."""
    is_buffer = isinstance(value_type, MemRefType)
    return value_type_of(TensorType(value_type.element_type, value_type.shape) if is_buffer else value_type)


def _canonical(signature: Signature) -> Signature:
    """Returns a signature whose types have one spelling, that of the record."""
    return replace(
        signature,
        arguments=tuple(replace(argument, type=_same(argument.type)) for argument in signature.arguments),
        results=tuple(map(_same, signature.results)),
    )


@lru_cache(maxsize=4096)
def _same(value_type: ValueType) -> ValueType:
    return type_from_plain(plain_type(value_type))


def _workspaces(function: func.FuncOp) -> tuple[str, ...]:
    entries = argument_attributes(function)
    return tuple(VDEVICE.of(entry) or HOST_LABEL for entry in entries if WORKSPACE.is_on(entry))


def _packed(declaration: func.FuncOp) -> PackedInterface:
    hidden = RESULT_SIZES.of(declaration) or 0
    inputs, results = declaration.function_type.inputs.data, declaration.function_type.outputs.data
    written = sum(RESULT.is_on_argument(declaration, index) for index in range(len(inputs)))
    kinds = [*inputs[: len(inputs) - hidden - written], *inputs[len(inputs) - written :], *results]
    values = [
        PackedValue(element, _shape(kind))
        for element, kind in zip(ELEMENT_TYPES.of(declaration) or (), kinds, strict=True)
    ]
    arguments = len(values) - written - len(results)
    return PackedInterface(
        declaration.sym_name.data,
        PACKED.of(declaration) or "",
        RUNTIME_FUNCTION.of(declaration),
        OPAQUE.of(declaration) or "",
        tuple(values[:arguments]),
        tuple(map(_passed, ARGUMENTS.of(declaration) or range(arguments))),
        hidden,
        tuple(values[arguments : arguments + written]),
        values[-1] if results else None,
        DESTINATION_PASSING.is_on(declaration),
        located(declaration.location, ""),
    )


def _profile(module: ModuleOp) -> ProfileInterface | None:
    entries = PROFILE_REGIONS.of(module)
    if entries is None:
        return None
    symbol, *regions = cast("tuple[Any, ...]", entries)
    return ProfileInterface(symbol, tuple(map(_region, regions)))


def _region(entry: tuple[Any, ...]) -> ProfiledRegion:
    kind, function, name, layer, places, is_counted = entry
    return ProfiledRegion(kind, function, name, layer, tuple(places), bool(is_counted))


def _passed(argument: Tree) -> PassedArgument:
    match argument:
        case int():
            return PassedArgument(argument, None, None)
        case str():
            return PassedArgument(None, argument, None)
        case _:
            return PassedArgument(None, None, tuple(map(_passed, argument)))


def _shape(value_type: Attribute) -> tuple[int, ...] | None:
    if not isinstance(value_type, MemRefType):
        return None
    return tuple(PASSED_SIZE if size == DYNAMIC_INDEX else size for size in value_type.get_shape())
