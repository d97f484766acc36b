"""Reads and changes what a function takes and returns: arguments and results with their attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute, Block, BlockArgument, Operation

from ...kinds import kind_test
from ..walks import ops_inside
from .attrs import tensor_type, vdevice_of
from .vocabulary.attributes import DIMS, DONATE, NAMES, PARAMS_FROM, TRANSFORM

Attributes = dict[str, Attribute]
"""The attributes of one argument or result."""


_NO_ATTRIBUTES = DictionaryAttr({})

_is_call = kind_test(func.CallOp)


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the functions of a module that have a body, in order."""
    return [op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.body.blocks]


def is_private(function: func.FuncOp) -> bool:
    """Returns whether only the module itself can call a function."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def calls(module: ModuleOp) -> dict[str, list[func.CallOp]]:
    """Returns the calls of each function by its name, in program order."""
    calls_by_name: dict[str, list[func.CallOp]] = {}
    for op in ops_inside(module):
        if _is_call(op):
            calls_by_name.setdefault(op.callee.string_value(), []).append(op)
    return calls_by_name


def transforms(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the transforms of parameters in a module: functions that say so, and those that others take their parameters from."""
    sources = {PARAMS_FROM.of(function) for function in functions(module)}
    return [
        function for function in functions(module) if TRANSFORM.is_on(function) or function.sym_name.data in sources
    ]


def argument_attributes(function: func.FuncOp) -> list[Attributes]:
    """Returns a copy of the attributes of each argument."""
    return _entries(function.arg_attrs, len(function.function_type.inputs))


def declared_type(given: Attribute, entry: Mapping[str, Attribute]) -> Attribute:
    """Returns the type of an argument, with the dims that its attributes declare of a tensor, whose type may have lost them."""
    dims = DIMS.of(entry)
    if not isinstance(given, TensorType) or dims is None or len(dims) != given.get_num_dims():
        return given
    return tensor_type(dims, given.element_type, vdevice_of(given))


def argument_names(function: func.FuncOp) -> list[str]:
    """Returns the names of the arguments in the text."""
    return [argument.name_hint or f"arg{index}" for index, argument in enumerate(function.body.block.args)]


def result_attributes(function: func.FuncOp) -> list[Attributes]:
    """Returns a copy of the attributes of each result."""
    return _entries(function.res_attrs, len(function.function_type.outputs))


def _entries(attributes: ArrayAttr[DictionaryAttr] | None, count: int) -> list[Attributes]:
    return [{} for _ in range(count)] if attributes is None else [dict(entry.data) for entry in attributes.data]


def is_result_bundled(function: func.FuncOp) -> bool:
    """Returns whether the one result of a function is a tuple that stands for several."""
    return function.res_attrs is not None and [NAMES.is_on(entry) for entry in result_attributes(function)] == [True]


def return_op(function: func.FuncOp) -> Operation:
    """Returns the op that ends a function."""
    last = function.body.block.last_op
    assert last is not None
    return last


def update_signature(
    function: func.FuncOp, arguments: Sequence[Attributes] | None = None, results: Sequence[Attributes] | None = None
) -> None:
    """Makes the declared type agree with the body, and sets the attributes of arguments and results where they are given."""
    inputs = [arg.type for arg in function.body.block.args]
    function.function_type = FunctionType.from_lists(inputs, [value.type for value in return_op(function).operands])
    if arguments is not None:
        function.arg_attrs = attribute_array(arguments)
    if results is not None:
        function.res_attrs = attribute_array(results)


def attribute_array(entries: Sequence[Attributes]) -> ArrayAttr[DictionaryAttr] | None:
    """Returns the attributes of all arguments, or of all results, as a function holds them: None where there are none."""
    return ArrayAttr(DictionaryAttr(entry) if entry else _NO_ATTRIBUTES for entry in entries) if any(entries) else None


def flat_types(value_types: Iterable[Attribute]) -> list[Attribute]:
    """Returns types with the fields of tuples in the place of tuples."""
    return [
        leaf
        for value_type in value_types
        for leaf in (flat_types(value_type.types) if isinstance(value_type, TupleType) else (value_type,))
    ]


def donating_to(function: func.FuncOp, value_types: Sequence[Attribute], kept: Iterable[int]) -> list[Attributes]:
    """Returns the attributes of arguments as they are when of these results, or fields of the one result, only some are kept."""
    ends = [*accumulate((len(flat_types([value_type])) for value_type in value_types), initial=0)]
    left = [leaf for position in kept for leaf in range(ends[position], ends[position + 1])]
    entries = argument_attributes(function)
    for entry in entries:
        results = DONATE.of(entry)
        if results is not None:
            # Nobody takes the memory for a result that is gone.
            entry.pop(DONATE.name)
            moved = tuple(left.index(result) if result in left else None for result in results)
            entry |= DONATE.entry(moved) if any(result is not None for result in moved) else {}
    return entries


def insert_argument(block: Block, index: int, value_type: Attribute, hint: str | None) -> BlockArgument:
    """Inserts a block argument."""
    argument = block.insert_arg(value_type, index)
    argument.name_hint = hint
    return argument


def identifier(name: str) -> str:
    """Returns a name as one that values in the text can have: of ASCII letters, digits and `_`."""
    text = "".join(char if char.isascii() and char.isalnum() else "_" for char in name)
    name = f"_{text}" if not text or text[0].isdigit() else text
    # xDSL cuts off such an end, and nothing would be left.
    return f"{name}_" if re.fullmatch(r"(_\d+)+", name) else name


def distinct(names: Iterable[str]) -> list[str]:
    """Returns names of which those that come again have numbers."""
    taken: dict[str, None] = {}
    for name in names:
        taken[fresh(name, taken)] = None
    return [*taken]


def fresh(stem: str, taken: Iterable[str]) -> str:
    """Returns a name that is not taken: the stem, or the stem and a number."""
    used = taken if isinstance(taken, set | frozenset | dict) else set(taken)
    name, count = stem, 0
    while name in used:
        count += 1
        name = f"{stem}_{count}"
    return name
