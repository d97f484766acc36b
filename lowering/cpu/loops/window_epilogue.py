"""Element-wise ops that follow windows in common loops, and change their results in place, before these are stored.

linalg.generic %y[c, i, j] += %x[c, i + k, j + l] * %w[c, k, l]    with <vectors, loops = [0, 1, 2, 3, 4], along = 2, joins = 1, rows = 8>
linalg.generic %y[c, i, j] = f(%y[c, i, j], %b[c])                 with <vectors, loops = [0, [1, 2]], along = 1, joins = 1>
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from ....dialects.relax.schedule import Scalars, Vectors
from ....records import record
from ...emit.emitter import Index
from .builder import LoopBuilder
from .loop_nest import LoopNest
from .vector_access import Mask, VectorAccess

MOST_OPS = 8
"""The most ops of a payload that runs on results of windows."""


@record
class WindowEpilogue:
    """The nests that run on results of windows before they are stored, in order."""

    window: LoopNest
    accesses: Sequence[VectorAccess]
    """Those of each nest."""
    fixed: int
    """The loops that are around all of them."""

    @property
    def reads_planes(self) -> bool:
        """Whether an operand beside the results has other elements for other results of a plane."""
        around = set(range(self.fixed))
        return any(
            operand.is_memref and not operand.dims() <= around and not _is_result(self.window, access.nest, number)
            for access in self.accesses
            for number, operand in enumerate(access.nest.inputs)
        )

    def loaded(self, point: Sequence[Index]) -> list[dict[SSAValue, SSAValue]]:
        """Emits for each nest the loads of what all results of a plane share."""
        return [access.invariants(set(range(self.fixed)), point[: self.fixed]) for access in self.accesses]

    def emit(
        self,
        loaded: Sequence[dict[SSAValue, SSAValue]],
        point: Sequence[Index],
        value: SSAValue,
        lanes: int,
        mask: Mask,
    ) -> SSAValue:
        """Emits what becomes of a vector of results at a point of the windows."""
        for access, invariants in zip(self.accesses, loaded, strict=True):
            nest = access.nest
            results = [arg for k, arg in enumerate(nest.body.args) if _is_result(self.window, nest, k)]
            arguments = {**invariants, **dict.fromkeys(results, value)}
            (value,) = access.payload(self._point(access, point), arguments, lanes, mask)
            value = access.b.splat(value, lanes)
        return value

    def _point(self, access: VectorAccess, point: Sequence[Index]) -> list[Index]:
        """Emits the indices of a nest where the windows are at a point; loops of the nest may be several of those as one."""
        b, nest = access.b, access.nest
        places: list[Index] = []
        for loop in nest.loops:
            place: Index = 0
            for dim in loop:
                of_window = _loop_of(self.window, dim)
                if of_window is not None:
                    place = b.add(b.mul(place, self.window.uppers[of_window]), point[of_window])
            places.append(place)
        return places


def epilogue_of(
    b: LoopBuilder, nests: Sequence[LoopNest], schedules: Sequence[Scalars | Vectors], fixed: int
) -> WindowEpilogue | None:
    """Returns the nests behind windows, the first of the nests, that change their results in place, point by point; None for none."""
    window = nests[0]
    taken: list[VectorAccess] = []
    for nest, schedule in zip(nests[1:], schedules[1:], strict=False):
        if not isinstance(schedule, Vectors) or schedule.rows or not _is_pointwise(window, nest, fixed):
            break
        taken.append(VectorAccess(b, nest, nest.rank() - 1))
    return WindowEpilogue(window, taken, fixed) if taken else None


def _is_pointwise(window: LoopNest, nest: LoopNest, fixed: int) -> bool:
    """Returns whether a nest makes each result of windows of that result, in its place, with the vectors of the windows."""
    op, output = nest.op, window.op.operands[-1]
    if not isinstance(op, linalg.GenericOp) or not all(nest.parallel) or len(nest.outputs) != 1:
        return False
    if op.operands[-1] is not output or not _is_short(nest):
        return False
    rank = len(_map(op, -1).results)
    own = [_map(op, k) for k, value in enumerate(op.operands) if value is output]
    if any(each != AffineMap.identity(rank) for each in own):
        return False
    loops = [_loop_of(window, dim) for dim in range(rank)]
    known = [loop for loop in loops if loop is not None]
    # The loops of the nest are those of the windows in their order, the common ones alike.
    return (
        known == [loop for loop in range(window.rank()) if window.parallel[loop]]
        and all(len(window.loops[loop]) == 1 for loop in known)
        and [nest.loops[k] for k in range(fixed)] == [(loops.index(k),) for k in range(fixed)]
        and nest.rank() > fixed
    )


def _is_short(nest: LoopNest) -> bool:
    """Returns whether a payload is little code, as there are copies of it for each row of a block: no functions, no loads."""
    return len(nest.payload) <= MOST_OPS and all(op.dialect_name() == "arith" for op in nest.payload)


def _loop_of(window: LoopNest, axis: int) -> int | None:
    """Returns the loop of windows along an axis of their results; None where the axis has one element."""
    expr = _map(window.op, -1).results[axis]
    if not isinstance(expr, AffineDimExpr):
        return None
    return next((k for k, dims in enumerate(window.loops) if expr.position in dims), None)


def _is_result(window: LoopNest, nest: LoopNest, number: int) -> bool:
    """Returns whether an operand of a nest is what the windows result in."""
    return nest.op.operands[number] is window.op.operands[-1]


def _map(op: object, number: int) -> AffineMap:
    """Returns the indexing map of an operand."""
    assert isinstance(op, linalg.GenericOp)
    attribute = op.indexing_maps.data[number]
    assert isinstance(attribute, AffineMapAttr)
    return attribute.data
