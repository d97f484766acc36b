"""The pass `linalg-to-loops`: every `linalg` op on memrefs becomes loops with explicit vector code."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from ....targets.cpu import DEFAULT, CpuTarget, cpu_target
from .builder import LoopBuilder
from .contraction_nest import emit_contraction
from .dependence import Buffers
from .fuse_rows import emit_rows
from .grouping import ContractionGroup, Group, Grouping, RowGroup, Single
from .iteration import Nest
from .micro_kernel import KernelLibrary
from .scalar_nest import emit_scalar
from .schedule import ContractionSchedule, FewRows, Scalars, Tiled, Turned, Vectors
from .skinny_gemm import emit_few_rows
from .transposed_nest import emit_turned
from .vector_nest import emit_vector


@dataclass(frozen=True)
class LinalgToLoopsPass(ModulePass):
    """Turns `linalg.generic`, `linalg.fill` and `linalg.copy` on memrefs into `scf`, `memref` and 1-D `vector` code.

    Before: a module at the buffers stage. After: the loops stage, no `linalg` left. Vectors have the lanes
    of the `target` (docs/targets.md), whatever their elements; contractions of 8-bit elements in i32 call its dot product, if it has
    one, with the same results. Loops with enough work are `scf.parallel`, never inside one another.
    """

    name = "linalg-to-loops"

    target: str = DEFAULT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = cpu_target(self.target)
        # New operations make no garbage in cycles, and the collector would visit each many times.
        enabled = gc.isenabled()
        gc.disable()
        try:
            _Converter(op, target).convert()
        finally:
            if enabled:
                gc.enable()


class _Converter:
    """Walks the functions of a module."""

    def __init__(self, module: ModuleOp, target: CpuTarget):
        self.module = module
        self.target = target
        self.library = KernelLibrary(module, target)

    def convert(self) -> None:
        for function in list(self.module.body.block.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                self.builder = LoopBuilder(function.body.blocks[0], self.target)
                self._region(function.body, in_parallel=False)
                self.builder.sweep()

    def _region(self, region: Region, in_parallel: bool) -> None:
        for block in region.blocks:
            self._block(block, in_parallel)

    def _block(self, block: Block, in_parallel: bool) -> None:
        """Takes the runs of `linalg` ops that only address computations separate."""
        run: list[Operation] = []
        runs = [run]
        for op in block.ops:
            if op.name.startswith("linalg."):
                run.append(op)
            elif op.regions or not _is_free(op):
                run = []
                runs.append(run)
        for op in list(block.ops):
            for region in op.regions:
                if not op.name.startswith("linalg."):
                    self._region(region, in_parallel or isinstance(op, scf.ParallelOp))
        buffers = Buffers(block)
        for run in runs:
            if run:
                for group in Grouping(self.builder, run, buffers, in_parallel).groups():
                    self._emit(group)
                    for op in group.ops:
                        op.detach()
                        op.erase()

    def _emit(self, group: Group) -> None:
        match group:
            case ContractionGroup():
                self._emit_contraction(group.schedule, group.starts_at_zero, group.epilogue)
            case RowGroup():
                emit_rows(self.builder, group.nests, group.plans, group.shared)
            case Single(_, nest, schedule):
                match schedule:
                    case Scalars():
                        emit_scalar(self.builder, nest)
                    case Vectors(plan):
                        emit_vector(self.builder, nest, plan)
                    case Turned(plan, other):
                        emit_turned(self.builder, nest, plan, other)
                    case FewRows() | Tiled():
                        self._emit_contraction(schedule, False, ())

    def _emit_contraction(self, schedule: ContractionSchedule, starts_at_zero: bool, epilogue: Sequence[Nest]) -> None:
        b, k, t = self.builder, schedule.contraction, schedule.tiling

        def few(most: int) -> None:
            emit_few_rows(b, self.library, k, t, most, starts_at_zero, epilogue)

        def tiled() -> None:
            emit_contraction(b, self.library, k, t, starts_at_zero, epilogue)

        if isinstance(schedule, FewRows):
            few(schedule.most)
        elif schedule.few:
            b.either(b.less(k.nest.sizes[k.row], schedule.few + 1), lambda: few(schedule.few), tiled)
        else:
            tiled()


def _is_free(op: Operation) -> bool:
    """Whether an operation neither reads nor writes a buffer."""
    return op.dialect_name() in ("arith", "math") or isinstance(op, _VIEWS)


_VIEWS = (
    memref.DimOp,
    memref.ViewOp,
    memref.SubviewOp,
    memref.CastOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.GetGlobalOp,
    memref.AllocaOp,
)
