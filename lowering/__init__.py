"""Lowering steps: the registry, one line a pass. Their order is in pipeline.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..passes import lazy

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lazy(__name__, module, name)


LOWERINGS: dict[str, Callable[[], type[ModulePass]]] = {
    "check-bounds": _pass("linalg.check_bounds", "CheckBoundsPass"),
    "relax-to-linalg": _pass("relax_to_linalg.relax_to_linalg", "RelaxToLinalgPass"),
    "generalize-linalg": _pass("linalg.generalize_linalg", "GeneralizeLinalgPass"),
    "decompose-tensor": _pass("linalg.decompose_tensor", "DecomposeTensorPass"),
    "compose-tensor": _pass("linalg.compose_tensor", "ComposeTensorPass"),
    "deduplicate-functions": _pass("linalg.deduplicate_functions", "DeduplicateFunctionsPass"),
    "fold-views": _pass("buffers.fold_views", "FoldViewsPass"),
    "fuse-by-expansion": _pass("linalg.fuse_by_expansion", "FuseByExpansionPass"),
    "fuse-linalg": _pass("linalg.fuse_linalg", "FuseLinalgPass"),
    "tile-attention": _pass("linalg.tile_attention", "TileAttentionPass"),
    "widen-bytes": _pass("linalg.widen_bytes", "WidenBytesPass"),
    "split-at-sizes": _pass("buffers.split_at_sizes", "SplitAtSizesPass"),
    "bufferize": _pass("buffers.bufferize", "BufferizePass"),
    "elide-copies": _pass("buffers.elide_copies", "ElideCopiesPass"),
    "fill-borders": _pass("buffers.fill_borders", "FillBordersPass"),
    "share-loops": _pass("cpu.schedule.share_loops", "ShareLoopsPass"),
    "plan-arena": _pass("buffers.plan_arena", "PlanArenaPass"),
    "shape-functions": _pass("buffers.shape_functions", "ShapeFunctionsPass"),
    "schedule-linalg": _pass("cpu.schedule.schedule_linalg", "ScheduleLinalgPass"),
    "profile-kernels": _pass("cpu.profile.profile_kernels", "ProfileKernelsPass"),
    "linalg-to-loops": _pass("cpu.loops.linalg_to_loops", "LinalgToLoopsPass"),
    "expand-math": _pass("cpu.math.expand_math", "ExpandMathPass"),
    "outline-parallel": _pass("cpu.loops.outline_parallel", "OutlineParallelPass"),
    "check-legality": _pass("check_legality", "CheckLegalityPass"),
    "convert-to-llvm": _pass("llvm.convert_to_llvm", "ConvertToLLVMPass"),
    "export-functions": _pass("llvm.export_functions", "ExportFunctionsPass"),
}
