"""What happens at one vector of a nest: loads, the payload, stores.

An operand is one load of neighbors where it is contiguous along the vector loop, a scalar where it does not depend on it, and one load
for each lane where it is scattered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ...emit.emitter import Index
from ..schedule.access import Access
from .builder import LoopBuilder
from .loop_nest import LoopNest, with_loop
from .payload import emit_payload

Mask: TypeAlias = SSAValue | None
"""Which lanes exist; None where all do."""


class VectorAccess:
    """Accesses of a nest at the vector that starts at a point; `along` is the vector loop."""

    def __init__(self, b: LoopBuilder, nest: LoopNest, along: int):
        self.b = b
        self.nest = nest
        self.along = along

    def address(self, access: Access, point: Sequence[Index]) -> list[Index]:
        """Emits the indices of an operand at a point."""
        return [self.b.affine(e, point) for e in access.exprs]

    def invariants(self, known: set[int], point: Sequence[Index]) -> dict[SSAValue, SSAValue]:
        """Emits the loads of the inputs that depend on the known loops alone; returns them by the payload's argument."""
        values: dict[SSAValue, SSAValue] = {}
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if not arg.uses:
                continue
            if not access.is_memref:
                values[arg] = access.value
            elif access.dims() <= known:
                values[arg] = self.b.load(access.value, self.address(access, point))
        return values

    def scalars(self) -> dict[SSAValue, SSAValue]:
        """Returns the operands that are scalars already."""
        pairs = zip(self.nest.body.args, self.nest.inputs, strict=False)
        return {arg: access.value for arg, access in pairs if not access.is_memref}

    def payload(
        self, point: list[Index], arguments: dict[SSAValue, SSAValue], lanes: int, mask: Mask
    ) -> list[SSAValue]:
        """Emits the payload at one vector (or scalar), with the inputs that are not loaded yet."""
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if arg not in arguments and arg.uses:
                arguments[arg] = self.load(access, point, lanes, mask)
        return emit_payload(self.b, self.nest, arguments, point, self.along if lanes > 1 else None, lanes)

    def with_outputs(
        self, arguments: Mapping[SSAValue, SSAValue], present: Sequence[SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """Returns the arguments and, for each output that the payload reads, its present content."""
        read = [k for k in range(len(self.nest.outputs)) if self.nest.reads_output(k)]
        return {**arguments, **{self.nest.output_arg(k): value for k, value in zip(read, present, strict=True)}}

    def load(self, access: Access, point: list[Index], lanes: int, mask: Mask) -> SSAValue:
        """Emits the load of an operand; one element with a single lane."""
        step = access.step(self.along)
        if lanes == 1 or step == 0:
            return self.b.load(access.value, self.address(access, point))
        if step == 1:
            return self.b.vector_load(access.value, self.address(access, point), lanes, mask)
        return self.b.gather(
            [self.b.load(access.value, self._lane_address(access, point, lane)) for lane in range(lanes)]
        )

    def store(self, value: SSAValue, access: Access, point: list[Index], lanes: int, mask: Mask) -> None:
        """Emits the store of an output; one element with a single lane."""
        b = self.b
        if lanes == 1:
            b.store(value, access.value, self.address(access, point))
        elif access.step(self.along) == 1:
            b.vector_store(b.splat(value, lanes), access.value, self.address(access, point), mask)
        else:
            value = b.splat(value, lanes)
            for lane in range(lanes):
                indices = self._lane_address(access, point, lane)
                b.store(b.extract(value, lane), access.value, indices)

    def _lane_address(self, access: Access, point: list[Index], lane: int) -> list[Index]:
        return self.address(access, with_loop(point, self.along, self.b.add(point[self.along], lane)))
