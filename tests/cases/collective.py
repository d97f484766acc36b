"""Cases of collective operations, which are the identity on one rank."""

from __future__ import annotations

from harness.op_cases import Arg, Case
from xdsl.dialects.builtin import f16, i32
from xdsl_relax.dialects.relax.ops import collective

CASES = (
    Case("allreduce", collective.AllreduceOp, [Arg(("n", 3))], lambda x: x, {"op_type": "max"}, {"n": 4}),
    Case("allreduce-i32", collective.AllreduceOp, [Arg((2, 3), i32)], lambda x: x, {"in_group": False}),
    Case("allgather", collective.AllgatherOp, [Arg(("n", 3), f16)], lambda x: x, {"num_workers": 1}, {"n": 4}),
    Case("broadcast_from_worker0", collective.BroadcastFromWorker0Op, [Arg(("n",))], lambda x: x, {}, {"n": 4}),
)
