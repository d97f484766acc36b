"""The evaluator of ops on constants: the interpreter, and native code for large tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ..dialects.relax.attrs import ShapeType, vdevice_of
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.ops.core import ShapeOp
from ..interpreter.evaluate import InterpreterEvaluator

NATIVE_ELEMENTS = 1 << 20
"""The number of elements, of operands and results, from which an op is compiled: that takes about 0.1 s, in which numpy computes a gelu of
300,000 elements or an integer product of 256 x 256 matrices."""


class ConstantEvaluator(InterpreterEvaluator):
    """Evaluates ops by their interpreter rules, and those on many elements by native code, which is as exact and much faster."""

    def __init__(self, native_elements: int = NATIVE_ELEMENTS):
        self.native_elements = native_elements

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the values of the results. Raises `EvaluationError` if the op refuses the values."""
        if self.is_large(op):
            try:
                return run_natively(op, operands)
            except PassFailedException:
                # No lowering for these types: the interpreter has a rule, or says what is wrong.
                pass
        return super().evaluate(op, operands)

    def is_large(self, op: Operation) -> bool:
        """Returns whether an op computes tensors of known sizes from tensors, with enough elements to be worth a compilation."""
        if not isinstance(op, RelaxOp):
            return False
        tensors = [value.type for value in (*op.operands, *op.results) if not isinstance(value.type, ShapeType)]
        if not all(isinstance(one, TensorType) and one.has_static_shape() for one in tensors):
            return False
        if any(vdevice_of(one) is not None for one in tensors):
            # Constants are on the host here, wherever the program has them.
            return False
        return sum(one.element_count() for one in tensors if isinstance(one, TensorType)) >= self.native_elements


def run_natively(op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Returns the results of one op, by native code made for it alone; shape operands are known when it is compiled."""
    from .compiler import compile

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
    executable = compile(ModuleOp([func.FuncOp("main", types, Region(block))]))
    return executable["main"].call(*(operands[index] for index in tensors))
