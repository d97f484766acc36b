"""Questions about whole functions and modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ..walks import ops_inside
from .attrs import ObjectType, ShapeType, has_encoding
from .base import RelaxOp
from .dtypes import is_unsigned
from .function_signature import flat_types
from .scope import verify_symbol_scopes
from .symbol_ranges import drop_stale_ranges, verify_ranges
from .unknown_elements import is_unknown
from .vocabulary.attributes import DONATE, NUM_INPUT
from .vocabulary.verify_attributes import verify_vocabulary

MOST_DIMS: int = getattr(np, "MAXDIMS", 64)
"""A tensor has at most so many dims, as arrays of numpy have."""


def is_relax_type(value_type: Attribute) -> bool:
    """Returns whether a type is, or contains, one that only relax programs have.

    These are tensors with symbolic dims, a device, unsigned elements or such of unknown type, unsigned scalars, shapes, tuples, objects.
    """
    if is_unknown(value_type):
        return True
    if isinstance(value_type, TensorType):
        return has_encoding(value_type) or is_unsigned(value_type.element_type)  # pyright: ignore[reportUnknownArgumentType]
    return isinstance(value_type, ShapeType | TupleType | ObjectType) or (value_type != i1 and is_unsigned(value_type))


def uses_relax(function: func.FuncOp) -> bool:
    """Returns whether a function has relax types, or ops of ours or of a package that builds on them."""
    types = (*function.function_type.inputs.data, *function.function_type.outputs.data)
    return any(map(is_relax_type, types)) or any(
        isinstance(op, RelaxOp) or op.name.startswith("relax.") for op in ops_inside(function)
    )


def verify_program(module: ModuleOp) -> None:
    """Verifies a module: ops by their own verifiers, attributes of the vocabulary, ranks, the scoping rule of symbols in every function."""
    module.verify()
    # By their types: a program has few of them.
    types: dict[int, Attribute] = {}
    for op in ops_inside(module):
        verify_vocabulary(op)
        for value in _values(op):
            types.setdefault(id(value.type), value.type)
    for value_type in types.values():
        _verify_ranks(value_type)
    for function in module.body.block.ops:
        if isinstance(function, func.FuncOp):
            _verify_function(function)


def first_fault(module: ModuleOp) -> tuple[Operation, str] | None:
    """Returns an op that makes `verify_program` refuse a module, and the reason; `None` where no op alone does."""
    for op in (*ops_inside(module), module):
        try:
            op.verify(verify_nested_ops=False)
            verify_vocabulary(op)
            for value in _values(op):
                _verify_ranks(value.type)
            if isinstance(op, func.FuncOp):
                _verify_function(op)
        except VerifyException as error:
            return op, str(error)
    return None


def _values(op: Operation) -> Iterator[SSAValue]:
    """Yields the results of an op and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _verify_function(function: func.FuncOp) -> None:
    _verify_name(function)
    _verify_num_input(function)
    _verify_donations(function)
    verify_ranges(function)
    verify_symbol_scopes(function)


def _verify_ranks(value_type: Attribute) -> None:
    for leaf in flat_types([value_type]):
        if isinstance(leaf, TensorType) and leaf.get_num_dims() > MOST_DIMS:
            dims = leaf.get_num_dims()
            raise VerifyException(f"expected a tensor of at most {MOST_DIMS} dims, got {dims}")


def drop_stale_attributes(module: ModuleOp) -> None:
    """Removes from functions what passes left of symbols that are gone: their ranges."""
    for function in module.body.block.ops:
        if isinstance(function, func.FuncOp):
            drop_stale_ranges(function)


def _verify_name(op: func.FuncOp) -> None:
    name = op.sym_name.data
    if not name or "\0" in name:
        raise VerifyException(f"the name of a function must not be empty nor have a NUL, got {name!r}")


def _verify_num_input(op: func.FuncOp) -> None:
    num_input = NUM_INPUT.of(op)
    if num_input is None:
        return
    count = len(op.function_type.inputs)
    if not 0 <= num_input <= count:
        raise VerifyException(f"{NUM_INPUT} must be in [0, {count}], the number of arguments, got {num_input}")


def _verify_donations(op: func.FuncOp) -> None:
    # Invariant: `taken` has the argument that each result met so far takes the memory of.
    inputs, outputs = op.function_type.inputs.data, flat_types(op.function_type.outputs)
    num_input = NUM_INPUT.of(op)
    taken: dict[int, str] = {}
    for position, value_type in enumerate(inputs):
        results = DONATE.of_argument(op, position)
        if results is None:
            continue
        hint = op.body.block.args[position].name_hint if op.body.blocks else None
        argument = f"argument '{hint or f'arg{position}'}'"
        where = f"@{op.sym_name.data}: {DONATE} of {argument}"
        if not op.body.blocks:
            raise VerifyException(f"{where}: expected a function with a body, got a declaration")
        if num_input is not None and position >= num_input:
            raise VerifyException(f"{where}: expected one of the {num_input} inputs, got a model parameter")
        leaves = flat_types([value_type])
        if len(leaves) != len(results):
            raise VerifyException(
                f"{where}: expected {len(leaves)} numbers, one for each field and -1 for one that stays, got {len(results)}"
            )
        for field, (leaf, result) in enumerate(zip(leaves, results, strict=True)):
            if result is not None:
                label = f"field {field} of {argument}" if isinstance(value_type, TupleType) else argument
                _verify_donation(f"@{op.sym_name.data}: {DONATE} of {label}", leaf, result, outputs, taken)
                taken[result] = label


def _verify_donation(
    where: str, value_type: Attribute, result: int, outputs: Sequence[Attribute], taken: Mapping[int, str]
) -> None:
    if not 0 <= result < len(outputs):
        raise VerifyException(f"{where} must be in [0, {len(outputs)}), the number of results, got {result}")
    if not isinstance(value_type, TensorType):
        raise VerifyException(f"{where}: expected a tensor, got {value_type}")
    if outputs[result] != value_type:
        raise VerifyException(f"{where}: expected result {result} of type {value_type}, got {outputs[result]}")
    if result in taken:
        raise VerifyException(f"{where}: result {result} takes the memory of {taken[result]} already")
