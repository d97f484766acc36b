"""The one place where the order of passes lives, with the reason for each position.

A stage's passes take a module from the stage before it; `PIPELINES[stage]` is everything from the start up to its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

STAGES: Mapping[str, tuple[str, ...]] = {
    "graph": (
        # Types first: every later pass asks for symbolic shapes.
        "relax-infer-shapes",
        # Quantized ops have no kernels of their own; what they stand for is simplified and fused like everything else.
        "relax-qnn-legalize",
        # Before fusion, which then sees the element-wise ops that batch_norm and dropout stand for.
        "relax-simplify-inference",
        # What simplification leaves unused or says twice must not become kernels.
        "cse",
        "dce",
        "relax-fuse-ops",
    ),
    "linalg": (
        "relax-to-linalg",
        # For modules from other front ends; our own lowering emits neither named ops nor pads.
        "generalize-linalg",
        "decompose-tensor",
        # Symbol names are gone, so kernels of functions that name their symbols differently are found to be equal.
        "deduplicate-functions",
        "check-legality{stage=linalg}",
    ),
    "fuse": ("fuse-linalg", "check-legality{stage=fuse}"),
    "buffers": (
        "bufferize",
        "plan-arena",
        # Last, as the workspace size is one of its results.
        "shape-functions",
        "check-legality{stage=buffers}",
    ),
    "loops": (
        "linalg-to-loops",
        # After vectorisation, so that polynomials are expanded once per vector.
        "expand-math",
        "outline-parallel",
        "check-legality{stage=loops}",
    ),
    "llvm": ("convert-to-llvm", "check-legality{stage=llvm}"),
}

PIPELINES: Mapping[str, tuple[str, ...]] = dict(
    zip(STAGES, accumulate(STAGES.values(), lambda done, more: done + more), strict=True)
)


@dataclass(frozen=True)
class Settings:
    """What a caller may choose about compilation."""

    opt_level: int = 2
    """0: every op is a kernel of its own. 1: ops are fused into kernels. 2: and inside of kernels. 3: LLVM's own pipeline runs."""
    threads: int = 1
    """The number of threads of one call; 0 leaves it to the OpenMP runtime at run time."""
    vector_bits: int = 512
    """The width of the vectors that loops are written in; LLVM splits what the processor does not have."""

    @property
    def llvm_level(self) -> int:
        """The level of LLVM's mid-level pipeline: loops are vectorised already, so that only scalar fallbacks gain from it."""
        return 2 if self.opt_level > 2 else 0

    def options(self, pass_name: str) -> str:
        """Returns the options of a pass, in the syntax of `-p`."""
        match pass_name:
            case "relax-fuse-ops" if self.opt_level == 0:
                return "{opt_level=0}"
            case "linalg-to-loops":
                return f"{{vector_bits={self.vector_bits}}}"
            case "outline-parallel":
                return f"{{threads={self.threads}}}"
            case _:
                return ""

    def passes_of(self, stage: str) -> tuple[str, ...]:
        """Returns the passes of a stage, with options."""
        if stage == "fuse" and self.opt_level < 2:
            return ()
        return tuple(name + self.options(name) for name in STAGES[stage])
