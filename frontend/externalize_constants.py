"""Turns large constants of a program into model parameters, so that they travel in a safetensors file."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    TensorType,
)
from xdsl.rewriter import Rewriter

from ..dialects.relax.dense import dense_to_numpy
from ..dialects.relax.function_signature import argument_attributes, attribute_array, is_private
from ..dialects.relax.ops.core import ConstantOp
from ..dialects.relax.vocabulary.attributes import NAME, NUM_INPUT

MIN_ELEMENTS = 64
"""Constants with fewer elements stay in the program."""


def externalize_constants(module: ModuleOp) -> dict[str, np.ndarray[Any, Any]]:
    """Replaces the large constants of each public function by further arguments at its end; returns their data by name.

    Equal constants share a name, `constant_<number>`, whatever the function; a function that did not tell its inputs from its
    parameters does so from then on. Functions that are called inside of the module keep their constants.
    """
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
    names: dict[tuple[str, tuple[int, ...], bytes], str] = {}
    data: dict[str, np.ndarray[Any, Any]] = {}
    for function in module.body.block.ops:
        if not isinstance(function, func.FuncOp) or not function.body.blocks:
            continue
        if is_private(function) or function.sym_name.data in called:
            continue
        constants = [op for op in function.walk() if isinstance(op, ConstantOp) and _is_large(op)]
        if constants:
            _externalize(function, constants, names, data)
    return data


def _is_large(op: ConstantOp) -> bool:
    return isinstance(op.result.type, TensorType) and prod(op.result.type.get_shape()) >= MIN_ELEMENTS


def _externalize(
    function: func.FuncOp,
    constants: list[ConstantOp],
    names: dict[tuple[str, tuple[int, ...], bytes], str],
    data: dict[str, np.ndarray[Any, Any]],
) -> None:
    block = function.body.block
    count = len(block.args)
    attributes = argument_attributes(function)
    made: dict[str, Any] = {}
    for op in constants:
        array = np.ascontiguousarray(dense_to_numpy(op.value))
        name = names.setdefault((str(array.dtype), array.shape, array.tobytes()), f"constant_{len(names)}")
        data[name] = array
        if name not in made:
            made[name] = block.insert_arg(op.result.type, len(block.args))
            made[name].name_hint = op.result.name_hint or name
            attributes.append(NAME.entry(name))
        op.result.replace_all_uses_with(made[name])
        Rewriter.erase_op(op)
    inputs = [arg.type for arg in block.args]
    function.function_type = FunctionType.from_lists(inputs, function.function_type.outputs.data)
    function.arg_attrs = attribute_array(attributes)
    if not NUM_INPUT.is_on(function):
        NUM_INPUT.set(function, count)
