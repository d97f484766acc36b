"""Interpreter rules of collective operations, on one rank."""

from __future__ import annotations

from ...dialects.relax.ops import collective
from ..rule import Rules

RULES: Rules = {
    op: lambda op, args, bindings: list(args)
    for op in (collective.AllreduceOp, collective.AllgatherOp, collective.BroadcastFromWorker0Op)
}
