"""The schedule for anything: scalar loops over all dims, outputs carried through the reduction loops.

    linalg.generic %y[d0] = f(%y[d0], %x[d1])    with <scalars, loops = [0, 1]>

becomes

    scf.for %i { %0 = memref.load %y[%i]; %1 = scf.for %j iter_args(%acc = %0) { memref.load %x[%j], f }; memref.store %1, %y[%i] }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects.relax.schedule import Scalars
from ...emit.emitter import Index
from ..schedule.access import Access
from .builder import LoopBuilder
from .loop_nest import LoopNest, uppers_of, with_loop
from .payload import emit_payload


def emit_scalar(b: LoopBuilder, nest: LoopNest, schedule: Scalars, fixed: Sequence[Index] = ()) -> None:
    """Emits the loops, parallel ones outermost; the first loops of the nest are around it already, at the given indices."""
    outer = [d for d in range(len(fixed), nest.rank()) if nest.parallel[d]]
    emitter = _ScalarNest(b, nest)

    def at_point(indices: Sequence[Index]) -> None:
        point: list[Index] = [*fixed, *([0] * (nest.rank() - len(fixed)))]
        for d, index in zip(outer, indices, strict=True):
            point[d] = index
        emitter.emit(point)

    first, rest = uppers_of(nest, outer[: schedule.parallel]), uppers_of(nest, outer[schedule.parallel :])
    b.nest(first, lambda indices: b.nest(rest, lambda more: at_point([*indices, *more])), schedule.grain)


class _ScalarNest:
    """Emits the reductions of a nest at given indices of its parallel loops."""

    def __init__(self, b: LoopBuilder, nest: LoopNest):
        self.b = b
        self.nest = nest
        self.inner = nest.reduced

    def emit(self, point: list[Index]) -> None:
        """Emits the reductions; outputs that do not depend on them are loaded and stored once, around them."""
        nest = self.nest
        if not self.inner or any(set(self.inner) & output.dims() for output in nest.outputs):
            self._everywhere(0, point)
            return
        initial = [self._load(output, point) for output in nest.outputs]
        for output, value in zip(nest.outputs, self._reduce(0, point, initial), strict=True):
            self._store(value, output, point)

    def _reduce(self, level: int, point: list[Index], values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emits the reductions from a level on, which carry the outputs."""
        if level == len(self.inner):
            return self._payload(point, values)
        loop = self.inner[level]
        return self.b.loop(
            0,
            self.nest.uppers[loop],
            1,
            values,
            lambda index, carried: self._reduce(level + 1, with_loop(point, loop, index), carried),
        )

    def _everywhere(self, level: int, point: list[Index]) -> None:
        """Emits the reductions from a level on, with loads and stores of the outputs at each point."""
        nest = self.nest
        if level < len(self.inner):
            loop = self.inner[level]
            self.b.plain_loop(0, nest.uppers[loop], 1, lambda i: self._everywhere(level + 1, with_loop(point, loop, i)))
            return
        present = [self._load(output, point) if nest.reads_output(k) else None for k, output in enumerate(nest.outputs)]
        for output, value in zip(nest.outputs, self._payload(point, present), strict=True):
            self._store(value, output, point)

    def _payload(self, point: list[Index], present: Sequence[SSAValue | None]) -> list[SSAValue]:
        arguments: dict[SSAValue, SSAValue] = {}
        for arg, access in zip(self.nest.body.args, self.nest.inputs, strict=False):
            if arg.uses:
                arguments[arg] = self._load(access, point) if access.is_memref else access.value
        for k, value in enumerate(present):
            if value is not None:
                arguments[self.nest.output_arg(k)] = value
        return emit_payload(self.b, self.nest, arguments, point)

    def _load(self, access: Access, point: list[Index]) -> SSAValue:
        return self.b.load(access.value, [self.b.affine(e, point) for e in access.exprs])

    def _store(self, value: SSAValue, access: Access, point: list[Index]) -> None:
        self.b.store(value, access.value, [self.b.affine(e, point) for e in access.exprs])
