"""`cf.assert`: a function that fails returns which assertion it was, and reports the values that its message shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import IndexType, i1, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import SHOWN
from ...dialects.relax.vocabulary.call_words import VALUES
from .function import FunctionLowering, Handler


def _assert(low: FunctionLowering, op: Operation) -> None:
    check = cast(cf.AssertOp, op)
    if low.constant_int(check.arg) in (1, -1):
        return
    builder = low.builder
    shown = list(dict(_shown(check.arg)).items())[:VALUES]
    values = [low.value(value) for _, value in shown]
    failed = builder.emit(llvm.XOrOp, (low.value(check.arg), builder.bit(True)), i1)
    status = low.module.assertion(check.msg.data, tuple(name for name, _ in shown))
    low.fail_if(failed, builder.int_constant(status), values)


def _shown(condition: SSAValue) -> Iterator[tuple[str, SSAValue]]:
    """Yields the names and the values that a condition, or what it is computed of, says to show."""
    pending, known = [condition], {condition}
    while pending:
        owner = pending.pop().owner
        if not isinstance(owner, Operation) or not owner.name.startswith("arith."):
            continue
        for name, value in zip(SHOWN.of(owner) or (), owner.operands, strict=False):
            if name and (isinstance(value.type, IndexType) or value.type == i64):
                yield name, value
        further = [value for value in owner.operands if value not in known]
        known.update(further)
        pending += reversed(further)


HANDLERS: dict[str, Handler] = {"cf.assert": _assert}
