"""Collective operations: what the ranks of a machine do together. A program runs on one rank, where each is the identity."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from ...symbolic.conditions import SizeContext
from ..base import BOOL, I64, STRING, TENSOR, TensorOp, fail
from ..fusion_pattern import FusionPattern

REDUCTIONS = ("sum", "prod", "min", "max", "avg")


class CollectiveOp(TensorOp, ABC):
    """An operation of all ranks, the identity on one."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    x = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [self.x.type]


@irdl_op_definition
class AllreduceOp(CollectiveOp):
    """Reduces the tensors of all ranks to one, of those in the group of this rank by default (`in_group`); the operand on one rank.

    allreduce_c1: `op_type` is `sum` (the default), `prod`, `min`, `max` or `avg`.
    """

    name = "relax.ccl.allreduce"
    op_type = opt_prop_def(STRING)
    in_group = opt_prop_def(BOOL)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        reduction = self.prop("op_type", "sum")
        if reduction not in REDUCTIONS:
            fail("allreduce_c1", f"op_type must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
        return super().infer(context)


@irdl_op_definition
class AllgatherOp(CollectiveOp):
    """Joins the tensors of all ranks along dim 0, of those in the group of this rank by default (`in_group`); the operand on one rank.

    allgather_c1: `num_workers` is 1, as a program runs on one rank.
    """

    name = "relax.ccl.allgather"
    num_workers = prop_def(I64)
    in_group = opt_prop_def(BOOL)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        workers = self.prop("num_workers")
        if workers != 1:
            fail("allgather_c1", f"num_workers must be 1, as a program runs on one rank, got {workers}")
        return super().infer(context)


@irdl_op_definition
class BroadcastFromWorker0Op(CollectiveOp):
    """Gives every rank the tensor of the first one: the operand on one rank."""

    name = "relax.ccl.broadcast_from_worker0"
