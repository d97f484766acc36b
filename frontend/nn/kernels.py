"""Private functions with a body of linalg, made while a model is exported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IndexType, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...builder.errors import BuilderError
from ...dialects.relax.attrs import ShapeType, dims_of
from ...dialects.relax.function_signature import fresh, identifier
from ...dialects.relax.type_dims import defined_symbols, used_symbols
from ...dialects.relax.vocabulary.attributes import PRIMITIVE
from ...dialects.symbolic.expressions import Symbol
from ...lowering.relax_to_linalg.builder import LinalgBuilder, LoweringError, signless
from .errors import ModelError
from .scope import Scope, current_scope, op_location
from .sharing import shared
from .symbols import Expression, name_apart

KernelBody: TypeAlias = Callable[[LinalgBuilder, Sequence[SSAValue]], Sequence[SSAValue]]
"""Inserts the computation of a kernel; takes its tensors and returns those that it computes, without symbols in their types."""


def call_kernel(
    name: str, operands: Sequence[SSAValue], results: Sequence[Attribute], symbols: Iterable[str], body: KernelBody
) -> Any:
    """Calls a kernel that a function builds, and returns its value, or a tuple of several.

    `symbols` are those that the body uses beside those of the types. Kernels with equal bodies are one function.
    """
    scope = current_scope()
    if scope is None:
        raise ModelError(f"{name} is called outside of an export: a kernel is no expression of parameters")
    values = [scope.value_of(operand) for operand in operands]
    types = [value.type for value in values]
    defined = set[str]().union(*map(defined_symbols, types))
    free = sorted(set(symbols).union(*map(used_symbols, [*types, *results])) - defined)
    if free:
        values.append(scope.builder.shape(*(Expression(Symbol(symbol)) for symbol in free)))
    try:
        callee = _kernel(scope, identifier(name), [value.type for value in values], results, body)
        return scope.builder.call(callee, *values, name=name, location=op_location())
    except (LoweringError, BuilderError, TypeError) as error:
        raise ModelError(f"{name}: {error}") from None


def _kernel(
    scope: Scope, name: str, inputs: Sequence[Attribute], results: Sequence[Attribute], body: KernelBody
) -> func.FuncOp:
    block = Block(arg_types=inputs)
    b = LinalgBuilder(InsertPoint.at_end(block), {})
    tensors = [_plain(b, argument) for argument in block.args if not isinstance(argument.type, ShapeType)]
    _define_symbols(b, block, tensors)
    outputs = [_of_type(b, value, wanted) for value, wanted in zip(body(b, tensors), results, strict=True)]
    b.insert_op(func.ReturnOp(*outputs))
    program = scope.program
    kernel = func.FuncOp(
        fresh(name, program.taken_names), FunctionType.from_lists(inputs, results), Region(block), visibility="private"
    )
    PRIMITIVE.set(kernel)
    name_apart(kernel)
    callee = shared(program, kernel)
    if callee is kernel:
        program.builder.module.body.block.add_op(kernel)
    return callee


def _define_symbols(b: LinalgBuilder, block: Block, tensors: Sequence[SSAValue]) -> None:
    remaining = iter(tensors)
    for argument in block.args:
        if isinstance(argument.type, ShapeType):
            dims = argument.type.data
            sizes = b.insert_op(UnrealizedConversionCastOp.get([argument], [IndexType()] * len(dims)))
        else:
            value = next(remaining)
            dims = dims_of(argument.type) or ()
            sizes = [
                b.as_index(b.dim(value, axis)) if isinstance(dim, Symbol) else None for axis, dim in enumerate(dims)
            ]
        for dim, size in zip(dims, sizes, strict=True):
            if isinstance(dim, Symbol) and size is not None:
                b.symbols.setdefault(dim.name, size)


def _plain(b: LinalgBuilder, value: SSAValue) -> SSAValue:
    """Returns a tensor of the dialect as linalg has it: without symbols, integers without a sign."""
    if not isinstance(value.type, TensorType):
        raise TypeError(f"expected tensors as arguments of a kernel, got {value.type}")
    plain = TensorType(signless(value.type.element_type), value.type.get_shape())  # pyright: ignore[reportUnknownArgumentType]
    return value if plain == value.type else b.insert(UnrealizedConversionCastOp.get([value], [plain]))


def _of_type(b: LinalgBuilder, value: SSAValue, wanted: Attribute) -> SSAValue:
    assert isinstance(wanted, TensorType)
    plain = TensorType(signless(wanted.element_type), wanted.get_shape())  # pyright: ignore[reportUnknownArgumentType]
    given = value.type
    if (
        not isinstance(given, TensorType)
        or given.element_type != plain.element_type
        or len(given.get_shape()) != len(plain.get_shape())
    ):  # pyright: ignore[reportUnknownMemberType]
        raise TypeError(f"a kernel computes {given}, expected {plain}")
    value = b.refined(value, plain)
    return value if plain == wanted else b.insert(UnrealizedConversionCastOp.get([value], [wanted]))
