"""The evaluator of ops on constants: the interpreter, and native code for large tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ..dialects.relax.attrs import ShapeType, vdevice_of
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.ops.core import ShapeOp
from ..interpreter.evaluate import InterpreterEvaluator
from ..interpreter.host.errors import ArgumentError
from ..interpreter.rule import InterpreterError
from .executable.native_function import ExecutionError

NATIVE_ELEMENTS = 1 << 20
"""The number of elements, of operands and results, from which an op is compiled: that takes about 0.1 s, in which numpy computes a gelu of
300,000 elements or an integer product of 256 x 256 matrices."""


class CompiledFunction(Protocol):
    """A function of an executable."""

    def call(self, *args: Any) -> tuple[Any, ...]:
        """Returns the results of a call."""
        ...


Compile = Callable[[ModuleOp], Mapping[str, CompiledFunction]]
"""Compiles a module; the functions of the result by name."""


class ConstantEvaluator(InterpreterEvaluator):
    """Evaluates ops by their interpreter rules, and those on many elements by native code, which is as exact and much faster."""

    def __init__(self, compile_module: Compile, native_elements: int = NATIVE_ELEMENTS):
        self.compile_module = compile_module
        self.native_elements = native_elements

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `InterpreterError` if the op refuses the values."""
        if self.is_large(op):
            try:
                return run_natively(op, operands, self.compile_module)
            except PassFailedException:
                # No lowering for these types: the interpreter has a rule, or says what is wrong.
                pass
        return super().evaluate(op, operands)

    def is_large(self, op: Operation) -> bool:
        """Returns whether an op computes tensors of known sizes from tensors, with enough elements to be worth a compilation."""
        if not isinstance(op, RelaxOp):
            return False
        tensors = [value.type for value in (*op.operands, *op.results) if not isinstance(value.type, ShapeType)]
        if not all(isinstance(tensor, TensorType) and tensor.has_static_shape() for tensor in tensors):
            return False
        if any(vdevice_of(tensor) is not None for tensor in tensors):
            # Constants are on the host here, wherever the program has them.
            return False
        return (
            sum(tensor.element_count() for tensor in tensors if isinstance(tensor, TensorType)) >= self.native_elements
        )


def run_natively(op: Operation, operands: Sequence[Any], compile_module: Compile) -> Sequence[Any]:
    """Returns the results of one op, by native code made for it alone; shape operands are known when it is compiled."""
    tensors = [index for index, operand in enumerate(op.operands) if not isinstance(operand.type, ShapeType)]
    block = Block(arg_types=[op.operands[index].type for index in tensors])
    values: dict[SSAValue, SSAValue] = {op.operands[index]: arg for index, arg in zip(tensors, block.args, strict=True)}
    for operand, value in zip(op.operands, operands, strict=True):
        if isinstance(operand.type, ShapeType) and operand not in values:
            shape = ShapeOp.build_from(result_types=[ShapeType(tuple(value))])
            block.add_op(shape)
            values[operand] = shape.result
    computation = op.clone(values)
    block.add_ops([computation, func.ReturnOp(*computation.results)])
    types = FunctionType.from_lists([arg.type for arg in block.args], [result.type for result in op.results])
    executable = compile_module(ModuleOp([func.FuncOp("main", types, Region(block))]))
    try:
        return executable["main"].call(*(operands[index] for index in tensors))
    except (ArgumentError, ExecutionError) as error:
        raise InterpreterError(str(error)) from error
