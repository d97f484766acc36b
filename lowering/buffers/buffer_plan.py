"""What the analysis of a function decided, as the emission reads it."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from ...dialects.upstream.op_error import OpError
from ...records import record
from .buffers import Buffer, Decision, Placed
from .donations import Donations
from .order import ExecutionOrder


@record
class BufferPlan:
    """The buffer of each tensor value of a function, and how each op writes its results.

    `decisions` has an entry for each (op, result) that writes a tensor and for each (loop, operand) that carries one.
    """

    order: ExecutionOrder
    placed: Mapping[SSAValue, Placed]
    decisions: Mapping[tuple[Operation, int], Decision]
    copied: frozenset[tuple[Operation, int]]
    """(terminator, operand) pairs whose value is copied into the buffer of the loop or branch."""
    elided: frozenset[Operation]
    """Slice insertions whose source is already in place."""
    bound: frozenset[int]
    """The operands of the return that already lie in their result argument, or in the donated one."""
    donations: Donations
    callees: Mapping[str, Donations]
    """The donations of each function that is called."""
    refused: Mapping[int, OpError]
    """For a result that cannot be computed in the argument that lends its memory: why."""

    def buffer_of(self, value: SSAValue) -> Buffer:
        """Returns the buffer that holds a value."""
        return self.placed[value].buffer.representative()
