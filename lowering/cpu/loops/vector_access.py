"""What happens at one vector of a nest: loads, the payload, stores.

An operand is one load of neighbors where it is contiguous along the vector loop, a scalar where it does not depend on it, a few loads of
neighbors where its elements are a few apart or in a few phases, and one load for each lane where it is scattered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ....dialects.relax.schedule import LookupInstruction
from ....records import record
from ...emit.emitter import Index
from ..schedule.access import Access
from ..schedule.payload_loads import lookups
from .builder import LoopBuilder
from .look_up import load_table
from .loop_nest import LoopNest, with_loop
from .payload import emit_payload


@record
class FirstLanes:
    """The lanes of a vector that exist."""

    mask: SSAValue
    count: Index
    """How many; more than a vector has are all."""


Mask: TypeAlias = FirstLanes | None
"""Which lanes exist; None where all do."""


def first_lanes(b: LoopBuilder, count: Index, lanes: int) -> FirstLanes:
    """Emits the mask of the first lanes."""
    return FirstLanes(b.mask(count, lanes), count)


def lanes_of(mask: Mask) -> SSAValue | None:
    """Returns a mask as a vector of booleans."""
    return None if mask is None else mask.mask


def load_apart(
    b: LoopBuilder, load: Callable[[int], SSAValue], spread: int, lanes: int, phase: int | None = None
) -> SSAValue:
    """Emits loads of whole vectors from an offset on, and picks the elements that are `spread` apart; none behind the last is read.

    Of lanes 2 apart, the first half is in elements 0 to 15, the second in 15 to 30. With a phase, the first lane is that element, and
    loads follow one another: elements 0 to 31 are read for either phase.
    """
    last = spread * (lanes - 1) if phase is None else spread * lanes - 1
    offsets = [min(k * lanes, last - (lanes - 1)) for k in range(spread)]
    total = load(offsets[0])
    for k, offset in enumerate(offsets[1:], 1):
        elements = [spread * lane + (phase or 0) for lane in range(lanes)]
        # The lanes picked before stay where they are, after the first shuffle.
        before = elements if k == 1 else range(lanes)
        picks = [
            here if element < k * lanes else lanes + min(element - offset, lanes - 1)
            for here, element in zip(before, elements, strict=True)
        ]
        total = b.shuffle(total, load(offset), picks)
    return total


class SharedElements:
    """Vectors of elements that are `spread` apart, of the same few loads for all first elements from 0 to `reach`.

    Lanes 2 apart from 0, 1 and 2 on are picked from elements 0 to 15, 16 to 31 and 17 to 32: the last of them is read, and none behind it.
    """

    def __init__(self, b: LoopBuilder, load: Callable[[int], SSAValue], spread: int, lanes: int, reach: int):
        self.b = b
        self.load = load
        self.spread = spread
        self.lanes = lanes
        self.last = reach + (spread - 1) * (lanes - 1)
        """The first element of the last load, which ends with the last element."""
        self.loaded: dict[int, SSAValue] = {}
        self.phases: dict[int, SSAValue] = {}

    @staticmethod
    def are_few(spread: int, lanes: int, reach: int) -> bool:
        """Returns whether one load more than those from 0 on has what the others need."""
        return spread - 1 <= reach < lanes + spread

    def at(self, first: int) -> SSAValue:
        """Emits the vector from an element on."""
        b, lanes, spread = self.b, self.lanes, self.spread
        phase, moved = first % spread, first // spread
        if phase not in self.phases:
            self.phases[phase] = load_apart(b, self._elements, spread, lanes, phase)
        if not moved:
            return self.phases[phase]
        behind = [phase + spread * lane - self.last for lane in range(lanes, lanes + moved)]
        picks = [*range(moved, lanes), *(lanes + place for place in behind)]
        return b.shuffle(self.phases[phase], self._elements(self.last), picks)

    def _elements(self, offset: int) -> SSAValue:
        if offset not in self.loaded:
            self.loaded[offset] = self.load(offset)
        return self.loaded[offset]


def mask_apart(b: LoopBuilder, count: Index, spread: int, offset: int, lanes: int, reach: int = 0) -> SSAValue:
    """Returns the mask of a load from an offset on where so many elements that are `spread` apart exist, and `reach` more."""
    elements = b.add(b.mul(b.sub(count, 1), spread), 1 + reach)
    return b.mask(b.sub(elements, offset), lanes)


class VectorAccess:
    """Accesses of a nest at the vector that starts at a point; `along` is the vector loop, `lookup` an instruction for tables."""

    def __init__(self, b: LoopBuilder, nest: LoopNest, along: int, lookup: LookupInstruction | None = None):
        self.b = b
        self.nest = nest
        self.along = along
        self.lookup: LookupInstruction | None = lookup

    def address(self, access: Access, point: Sequence[Index]) -> list[Index]:
        """Emits the indices of an operand at a point."""
        return [self.b.affine(e, point) for e in access.exprs]

    def invariants(self, known: set[int], point: Sequence[Index]) -> dict[SSAValue, SSAValue]:
        """Emits the loads of the inputs that depend on the known loops alone; returns them by the payload's argument.

        Tables that an instruction takes bytes from are among them, by their memory.
        """
        values: dict[SSAValue, SSAValue] = {}
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if not arg.uses:
                continue
            if not access.is_memref:
                values[arg] = access.value
            elif access.dims() <= known:
                values[arg] = self.b.load(access.value, self.address(access, point))
        if self.lookup is not None:
            for table in dict.fromkeys(load.memref for load in lookups(self.nest)):
                values[table] = load_table(self.b, table)
        return values

    def scalars(self) -> dict[SSAValue, SSAValue]:
        """Returns the operands that are scalars already."""
        pairs = zip(self.nest.body.args, self.nest.inputs, strict=False)
        return {arg: access.value for arg, access in pairs if not access.is_memref}

    def payload(
        self,
        point: list[Index],
        arguments: dict[SSAValue, SSAValue],
        lanes: int,
        mask: Mask,
        wanted: Sequence[SSAValue] | None = None,
    ) -> list[SSAValue]:
        """Emits the payload at one vector (or scalar), with the inputs that are not loaded yet.

        Returns what it yields, or the `wanted` ones of its values.
        """
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if arg not in arguments and arg.uses:
                arguments[arg] = self.load(access, point, lanes, mask)
        return emit_payload(
            self.b,
            self.nest,
            arguments,
            point,
            self.along if lanes > 1 else None,
            lanes,
            lanes_of(mask),
            self.lookup,
            wanted,
        )

    def with_outputs(
        self, arguments: Mapping[SSAValue, SSAValue], present: Sequence[SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """Returns the arguments and, for each output that the payload reads, its present content."""
        read = [k for k in range(len(self.nest.outputs)) if self.nest.reads_output(k)]
        return {**arguments, **{self.nest.output_arg(k): value for k, value in zip(read, present, strict=True)}}

    def load(self, access: Access, point: list[Index], lanes: int, mask: Mask) -> SSAValue:
        """Emits the load of an operand; one element with a single lane."""
        if lanes == 1 or access.step(self.along) is not None or access.spread(self.along) is not None:
            return self.load_at(access, self.address(access, point), lanes, mask)
        count = access.phases(self.along, self.nest.sizes[self.along])
        if count is not None:
            return self._load_phases(access, count, point, lanes, mask)
        return self.b.gather(
            [self.b.load(access.value, self._lane_address(access, point, lane)) for lane in range(lanes)]
        )

    def load_at(self, access: Access, address: list[Index], lanes: int, mask: Mask) -> SSAValue:
        """Emits the load of an operand whose first lane is at an address; it is not scattered, or there is a single lane."""
        step = access.step(self.along)
        if lanes == 1 or step == 0:
            return self.b.load(access.value, address)
        if step == 1:
            return self.b.vector_load(access.value, address, lanes, lanes_of(mask))
        spread = access.spread(self.along)
        assert spread is not None
        return self._load_apart(access, address, spread, lanes, mask)

    def _load_apart(self, access: Access, address: list[Index], spread: int, lanes: int, mask: Mask) -> SSAValue:
        """Emits the load of an operand whose elements are `spread` apart; nothing behind the last of them is read."""
        b = self.b

        def load(offset: int) -> SSAValue:
            at = [*address[:-1], b.add(address[-1], offset)]
            exist = None if mask is None else mask_apart(b, mask.count, spread, offset, lanes)
            return b.vector_load(access.value, at, lanes, exist)

        return load_apart(b, load, spread, lanes)

    def _load_phases(self, access: Access, count: int, point: list[Index], lanes: int, mask: Mask) -> SSAValue:
        """Emits a load of the neighbors of each phase, and interleaves them: lane l is number l // count of phase l % count.

        Vectors start at multiples of their lanes, which are a multiple of the phases.
        """
        b, each = self.b, lanes // count
        phases = [access.phase(self.along, count, number) for number in range(count)]
        if all(phase.exprs == phases[0].exprs for phase in phases):
            phases = phases[:1]
        at = with_loop(point, self.along, b.floordiv(point[self.along], count))
        parts: list[SSAValue] = []
        for number, phase in enumerate(phases):
            exist = None if mask is None else b.mask(b.ceildiv(b.sub(mask.count, number), count), each)
            parts.append(b.vector_load(phase.value, self.address(phase, at), each, exist))
        picks = [lane // count + (lane % count * each if len(parts) > 1 else 0) for lane in range(lanes)]
        while len(parts) > 2:
            width = 2 * (lanes // len(parts))
            parts = [b.shuffle(x, y, range(width)) for x, y in zip(parts[::2], parts[1::2], strict=True)]
        return b.shuffle(parts[0], parts[-1], picks)

    def store(self, value: SSAValue, access: Access, point: list[Index], lanes: int, mask: Mask) -> None:
        """Emits the store of an output; one element with a single lane."""
        b = self.b
        if lanes == 1:
            b.store(value, access.value, self.address(access, point))
        elif access.step(self.along) == 1:
            b.vector_store(b.splat(value, lanes), access.value, self.address(access, point), lanes_of(mask))
        else:
            value = b.splat(value, lanes)
            for lane in range(lanes):
                indices = self._lane_address(access, point, lane)
                b.store(b.extract(value, lane), access.value, indices)

    def _lane_address(self, access: Access, point: list[Index], lane: int) -> list[Index]:
        return self.address(access, with_loop(point, self.along, self.b.add(point[self.along], lane)))
