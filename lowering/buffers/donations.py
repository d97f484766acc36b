"""Which results of a function are computed in the memory of an argument: those that the program says, and those of kernels that update one.

    func.func @step(%cache: tensor<?x8xf32> {relax.donate = 0 : i64}, %row: tensor<1x8xf32>, %p: index) -> tensor<?x8xf32> {
      %r = func.call @slice_scatter(%cache, %row, %p)   // @slice_scatter returns its first argument, changed: it updates it
      func.return %r
    }

A caller of a function that updates an argument passes the buffer itself where nobody reads it later, a copy of it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from ...dialects.relax.function_signature import is_private, return_op
from ...dialects.relax.vocabulary.attributes import DONATE
from .destinations import destination_of

Donations: TypeAlias = Mapping[int, int]
"""For each result that is computed in the memory of an argument: the argument."""


def declared_donations(function: func.FuncOp) -> Donations:
    """Returns the donations that the program declares."""
    positions = range(len(function.function_type.inputs))
    given = [(DONATE.of_argument(function, position), position) for position in positions]
    return {result: position for results, position in given for result in results or () if result is not None}


def possible_donations(function: func.FuncOp, wanted: Donations) -> Donations:
    """Returns the donations that a private function may have beside the declared ones: of arguments that it changes, and those wanted."""
    donations: dict[int, int] = {}
    if not is_private(function):
        return donations
    for result, value in enumerate(return_op(function).operands):
        step: SSAValue | None = value
        while step is not None and not isinstance(step, BlockArgument):
            step = destination_of(step)
        if isinstance(step, BlockArgument) and step is not value and step.block is function.body.block:
            _add(donations, result, step.index, function)
    for result, argument in wanted.items():
        _add(donations, result, argument, function)
    return donations


def _add(donations: dict[int, int], result: int, argument: int, function: func.FuncOp) -> None:
    same = function.function_type.inputs.data[argument] == function.function_type.outputs.data[result]
    if same and result not in donations and argument not in donations.values():
        donations[result] = argument


def wanted_donations(functions: Iterable[func.FuncOp]) -> dict[str, dict[int, int]]:
    """Returns by callee the donations without which a declared one is a copy: those of the calls from the argument to the result."""
    wanted: dict[str, dict[int, int]] = {}
    for function in functions:
        for result, argument in declared_donations(function).items():
            source = function.body.block.args[argument]
            reached: dict[SSAValue, tuple[func.CallOp, int] | None] = {source: None}
            for call in function.body.block.ops:
                if isinstance(call, func.CallOp):
                    operand = next((i for i, value in enumerate(call.operands) if value in reached), None)
                    if operand is not None:
                        reached |= {made: (call, operand) for made in call.results if made.type == source.type}
            value = return_op(function).operands[result]
            while (step := reached.get(value)) is not None:
                call, operand = step
                position = call.results.index(value)
                wanted.setdefault(call.callee.string_value(), {}).setdefault(position, operand)
                value = call.operands[operand]
    return wanted
