"""Inlines calls of kernels that came with a program, on which an attribute `op_pattern` says how fusion may treat them."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import is_private
from ...dialects.relax.vocabulary.attributes import CALL_OP_PATTERN
from ...dialects.walks import ops_inside
from ..analysis.call_graph import references
from .inline_call import Caller, inline_call


def is_kernel_call(op: Operation) -> bool:
    """Returns whether an op is a call of a kernel that says how it may be fused."""
    return isinstance(op, func.CallOp) and CALL_OP_PATTERN.is_on(op)


def inline_kernel_calls(function: func.FuncOp, functions: Mapping[str, func.FuncOp]) -> set[str]:
    """Replaces the calls of kernels in a function by their bodies; returns the names of the kernels."""
    calls = [op for op in ops_inside(function) if isinstance(op, func.CallOp) and is_kernel_call(op)]
    caller = Caller(function)
    for call in calls:
        inline_call(call, functions[call.callee.string_value()], caller)
    return {call.callee.string_value() for call in calls}


def erase_unused(module: ModuleOp, names: set[str]) -> None:
    """Erases the private functions of these names that nothing mentions any more."""
    used = set[str]().union(*map(references, module.body.block.ops))
    for function in list(module.body.block.ops):
        if isinstance(function, func.FuncOp) and is_private(function) and function.sym_name.data in names - used:
            Rewriter.erase_op(function, safe_erase=False)
