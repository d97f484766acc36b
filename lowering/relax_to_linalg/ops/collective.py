"""Rules of collective operations, on one rank."""

from __future__ import annotations

from ....dialects.relax.ops import collective
from ..rule import Rules

RULES: Rules = {
    op: lambda op, operands, b: operands
    for op in (collective.AllreduceOp, collective.AllgatherOp, collective.BroadcastFromWorker0Op)
}
