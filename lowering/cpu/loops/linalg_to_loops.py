"""The pass `linalg-to-loops`: every `linalg` op on memrefs becomes the loops that its schedule asks for.

    linalg.generic ... attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 16>}

becomes

    scf.for %i = %c0 to %c1024 step %c16 {
      %0 = vector.load %x[%i]
      ...
    }
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ....dialects.relax.schedule import Convolution, Interleaved, Scalars, Transposed, Vectors, Winograd
from ....passes.options import PassWithOptions
from ..schedule.dependence import Buffers
from ..schedule.groups import ContractionGroup, Group, RowGroup, Single, read_groups
from ..schedule.runs import Run, runs_of
from .builder import LoopBuilder
from .contraction.contraction_nest import emit_contraction
from .convolution.convolution_nest import emit_convolution
from .interleaved_nest import emit_interleaved
from .kernels import KernelLibrary
from .loop_nest import LoopNest, loop_nests
from .padded_window import PaddedWindow, windows_of
from .row_nests import emit_rows
from .scalar_nest import emit_scalar
from .transposed_nest import emit_transposed
from .vector_nest import emit_vector
from .winograd.integer_nest import emit_integer_winograd
from .winograd.winograd_nest import emit_winograd


class LinalgToLoopsPass(PassWithOptions):
    """Turns `linalg.generic`, `linalg.fill` and `linalg.copy` on memrefs into `scf`, `memref` and 1-D `vector` code.

    ```mlir
    linalg.generic {...} ins(%x : memref<16xf32>) outs(%0 : memref<16xf32>)
        attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 16>} { ... arith.negf ... }
    ```
    becomes
    ```mlir
    %2 = vector.load %x[%1] : memref<16xf32>, vector<16xf32>
    %3 = arith.negf %2 : vector<16xf32>
    vector.store %3, %0[%1] : memref<16xf32>, vector<16xf32>
    ```

    Before: a module at the buffers stage, each op with the attribute `relax.schedule`, which says all there is to say about its
    loops. After: the loops stage, no `linalg` left.
    """

    name = "linalg-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # New operations make no garbage in cycles, and the collector would visit each many times.
        enabled = gc.isenabled()
        gc.disable()
        try:
            library = KernelLibrary(op)
            for function in list(op.body.block.ops):
                if isinstance(function, func.FuncOp) and function.body.blocks:
                    _convert(function, library)
        finally:
            if enabled:
                gc.enable()


def _convert(function: func.FuncOp, library: KernelLibrary) -> None:
    """Replaces the `linalg` ops of a function, those of inner blocks first."""
    b = LoopBuilder(function.body.blocks[0])
    for runs in runs_of(function):
        _convert_block(b, runs, library)
    b.sweep()


def _convert_block(b: LoopBuilder, runs: Sequence[Run], library: KernelLibrary) -> None:
    """Replaces the `linalg` ops of a block; all of them are still there when what they say about buffers is collected."""
    if not runs:
        return
    buffers = Buffers(runs[0].block)
    for run in runs:
        for group in read_groups(run.ops, buffers, run.in_parallel):
            b.location = group.members[0].op.location
            _emit(b, library, group, loop_nests(b, group, run.in_parallel))
            for op in group.replaced:
                op.detach()
                op.erase()


def _emit(b: LoopBuilder, library: KernelLibrary, group: Group, nests: Sequence[LoopNest]) -> None:
    match group:
        case ContractionGroup(schedule, padding=padding):
            starts_at_zero = group.init is not None
            if isinstance(schedule, Convolution):
                emit_convolution(b, library, schedule, nests, padding, starts_at_zero=starts_at_zero)
            elif isinstance(schedule, Winograd) and schedule.instruction is not None:
                emit_integer_winograd(b, library, schedule, nests, starts_at_zero=starts_at_zero)
            elif isinstance(schedule, Winograd):
                emit_winograd(b, library, schedule, nests, padding, starts_at_zero=starts_at_zero)
            else:
                emit_contraction(b, library, schedule, nests, starts_at_zero=starts_at_zero)
        case RowGroup(schedules, _, shared, on_stack, padding):
            emit_rows(b, nests, schedules, shared, on_stack, padding)
        case Single(schedule, padding=padding):
            _emit_alone(b, library, nests[0], schedule, windows_of(b, padding).get(0))


def _emit_alone(
    b: LoopBuilder,
    library: KernelLibrary,
    nest: LoopNest,
    schedule: Scalars | Vectors | Transposed | Interleaved,
    image: PaddedWindow | None = None,
) -> None:
    match schedule:
        case Scalars():
            emit_scalar(b, nest, schedule)
        case Vectors():
            emit_vector(b, nest, schedule, image=image)
        case Transposed():
            emit_transposed(b, library, nest, schedule)
        case Interleaved():
            emit_interleaved(b, nest, schedule)
