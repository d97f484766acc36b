"""Finds the values of a function that are weights: parameters, constants, and what is computed from them alone."""

from __future__ import annotations

from typing import Literal, TypeAlias

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, ShapeOp, StopLiftParamsOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.walks import ops_inside
from ...kinds import kind_test

Weights: TypeAlias = Literal["arguments", "parameters", "constants"]
"""What counts as a weight, with what is computed from it. `parameters`: the arguments after `relax.num_input`, and constants.
`arguments`: all arguments too where a function has no `relax.num_input`, which does not tell parameters from inputs. `constants`: for
a program whose parameters are not lifted, so that what is computed from them is computed in each call."""


_is_dataflow = kind_test(DataflowOp)
_is_known = kind_test(ConstantOp, ShapeOp)
_is_relax = kind_test(RelaxOp)
_is_stop = kind_test(StopLiftParamsOp)


def weight_values(function: func.FuncOp, weights: Weights = "parameters") -> set[SSAValue]:
    """Returns the values that are known before the inputs are."""
    count = NUM_INPUT.of(function)
    arguments = function.body.block.args
    if weights == "constants":
        count = len(arguments)
    elif count is None:
        count = 0 if weights == "arguments" else len(arguments)
    known_values: set[SSAValue] = set(arguments[count:])
    for op in ops_inside(function):
        if known_values.issuperset(op.operands) and _keeps(op):
            known_values.update(op.results)
        elif _is_dataflow(op):
            # Its body is walked before what reads its results, but after the block itself.
            continue
        elif op.name == "relax.output":
            parent = op.parent_op()
            assert isinstance(parent, DataflowOp)
            known_values.update(
                result for result, value in zip(parent.outputs, op.operands, strict=True) if value in known_values
            )
    return known_values


def _keeps(op: Operation) -> bool:
    if _is_known(op):
        return True
    return _is_relax(op) and not _is_stop(op) and is_side_effect_free(op)
