"""Lowering steps: the registry, one line a pass. Their order is in pipeline.py."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from ..passes import lazy


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lazy(__name__, module, name)


LOWERINGS: dict[str, Callable[[], type[ModulePass]]] = {
    "relax-to-linalg": _pass("relax_to_linalg", "RelaxToLinalgPass"),
    "generalize-linalg": _pass("generalize_linalg", "GeneralizeLinalgPass"),
    "decompose-tensor": _pass("decompose_tensor", "DecomposeTensorPass"),
    "deduplicate-functions": _pass("deduplicate_functions", "DeduplicateFunctionsPass"),
    "fuse-linalg": _pass("fuse_linalg", "FuseLinalgPass"),
    "bufferize": _pass("bufferize", "BufferizePass"),
    "plan-arena": _pass("plan_arena", "PlanArenaPass"),
    "shape-functions": _pass("shape_functions", "ShapeFunctionsPass"),
    "linalg-to-loops": _pass("linalg_to_loops", "LinalgToLoopsPass"),
    "expand-math": _pass("expand_math", "ExpandMathPass"),
    "outline-parallel": _pass("outline_parallel", "OutlineParallelPass"),
    "check-legality": _pass("check_legality", "CheckLegalityPass"),
    "convert-to-llvm": _pass("convert_to_llvm", "ConvertToLLVMPass"),
}


def _graph_json() -> type[Target]:
    from .graph_json import GraphJsonTarget

    return GraphJsonTarget


TARGETS: dict[str, Callable[[], type[Target]]] = {"graph-json": _graph_json}
"""What a program can be printed as, other than MLIR."""
