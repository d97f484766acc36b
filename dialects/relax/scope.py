"""The scoping rule of symbols: where they are defined, and that every use is dominated by a definition."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from xdsl.dialects import func
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from .ops.core import MatchCastOp
from .type_dims import defined_symbols, used_symbols


def verify_symbol_scopes(function: func.FuncOp) -> None:
    """Checks that every symbol of a function is defined before it is used.

    A symbol is defined where it stands alone as a dim of an argument's type, in a `!relax.shape` argument, or in the result of a
    `relax.match_cast`; any other occurrence is a use. Raises `VerifyException` that names the symbol and the op.
    """
    if not function.body.blocks:
        return
    inputs = function.function_type.inputs.data
    defined: set[str] = set().union(*map(defined_symbols, inputs)) if inputs else set()
    for index, arg_type in enumerate(inputs):
        _require(used_symbols(arg_type), defined, f"argument {index} of @{function.sym_name.data}", function)
    for block in function.body.blocks:
        _verify_block(block, defined)
    for index, result_type in enumerate(function.function_type.outputs.data):
        _require(used_symbols(result_type), defined, f"result {index} of @{function.sym_name.data}", function)


def _verify_block(block: Block, defined: set[str]) -> None:
    for op in block.ops:
        for region in op.regions:
            for inner in region.blocks:
                # What a branch defines is not visible after it; a dataflow block is straight-line.
                _verify_block(inner, defined if op.name == "relax.dataflow" else set(defined))
        for result in op.results:
            if isinstance(op, MatchCastOp):
                defined |= defined_symbols(result.type)
            used = used_symbols(result.type)
            if used:
                _require(used, defined, f"the result of {op.name}", op)


def _require(used: AbstractSet[str], defined: AbstractSet[str], where: str, op: Operation) -> None:
    missing = sorted(used - defined)
    if missing:
        raise VerifyException(
            f"symbol {missing[0]} in {where} is not defined: it must stand alone as a dim of an argument, "
            "or of the result of a relax.match_cast before"
        )
