"""The one place where the order of passes lives, with the reason for each position.

A stage's passes take a module from the stage before it; `pipelines(settings)[stage]` is everything from the start up to its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..extensions import AddedPipeline, ExtensionError, installed_extensions
from ..records import record
from ..targets.cpu import DEFAULT, MOST_THREADS, cpu_target
from .target_options import Options, has_byte_tiles, target_options

if TYPE_CHECKING:
    # It loads the dialect, which a driver of other programs does not need.
    from ..passes.analysis.weight_values import Weights

STAGES: Mapping[str, tuple[str, ...]] = {
    "optimize": (
        # Before all others, which look at values; buffers are planned at the end, with the scratch of kernels.
        "relax-convert-to-value-semantics",
        # First of these, as every later pass looks at one function at a time.
        "relax-inline",
        # Right after, so that nothing is spent on functions that nobody calls any more.
        "relax-remove-unused-functions",
        # Types before all that looks at ops: every later pass asks for symbolic shapes.
        "relax-infer-shapes",
        # Places every value, and copies it to where it is read; later passes keep new values where their operands are.
        "relax-plan-devices",
        # Before all that asks what a weight is, and in which functions there are any.
        "relax-infer-num-input",
        # Once it is known what a weight is: what loops and branches make of weights is a weight to all that follows.
        "relax-hoist-weights",
        # Before all that looks into dataflow blocks alone: kernels are fused, and what depends on parameters is lifted, inside of them.
        "relax-convert-to-dataflow",
        # Before quantized ops are written out, as it makes some of them.
        "relax-recognize-quantized",
        # Before zero points are written out as sums over windows, which have layouts as well.
        "relax-convert-layout",
        # Quantized ops have no kernels of their own; what they stand for is simplified and fused like everything else.
        "relax-qnn-legalize",
        # Makes products and sums of batch_norm and dropout, which the scales are folded from and fusion sees.
        "relax-simplify-inference",
        # Before scales, as a scale that is a constant may pass a relu, and one that is computed may not.
        "relax-fold-constant",
        # Exponents and epsilons are constants by now; before a scale is taken for one that can be folded.
        "relax-recognize-norms",
        # Needs the products of simplification; before products are combined, as it makes the branches of a block alike.
        "relax-fold-scale-axis",
        # A sum with a product is expanded so that there are products whose order can be chosen.
        "relax-expand-matmul-of-sum",
        "relax-adjust-matmul-order",
        # What is computed twice would be combined with itself.
        "relax-eliminate-common-subexpr",
        # All that is element-wise is in core ops, its constants are known, and a value that is read twice is one value. Before the last
        # folding of constants, which computes the tables.
        "relax-tabulate-bytes",
        "relax-combine-parallel-matmul",
        "relax-combine-parallel-batch-matmul",
        "relax-combine-parallel-conv2d",
        # The combined weights are concatenations of transposes: one transpose is left of them.
        "relax-reorder-permute-dims-after-concat",
        # After all that asks what a convolution is, and folds scales into its kernel; before the kernels of the others are packed.
        "relax-use-winograd",
        # After all that asks what a product is: a product with a packed weight is another op.
        "relax-pack-weights",
        # The weights that were packed where a loop or a branch reads them.
        "relax-hoist-weights",
        # After the weights are packed, which lie transposed once and for all.
        "relax-read-transposed-operands",
        # The arithmetic on constant weights that scales and combining made.
        "relax-fold-constant",
        # What nothing reads must not be lifted, nor become kernels; what nothing calls any more has no weights of its own, and shares none.
        "relax-dead-code-elimination",
        # Last, as everything before makes arithmetic on weights.
        "relax-lift-transform-params",
    ),
    "graph": (
        # Places constants and the like made since; a kernel belongs to one device.
        "relax-plan-devices",
        # Once it is known which ops read windows; what it pads becomes part of the kernel that computes it.
        "relax-hoist-padding",
        # Once all ops are final; before what looks at neighbors, which it takes apart.
        "relax-split-batches",
        # Before splits are slices, as the parts of a shuffle are stacks of slices.
        "relax-stack-shuffles",
        # What splits the results of combined products, too; before kernels are made, of which slices become part.
        "relax-slice-splits",
        # Before other kernels are made, as the ops between the two products would become part of those.
        "relax-fuse-attention",
        # All ops are final: from here on a computation is a kernel.
        "relax-fuse-ops",
        "check-legality{stage=graph}",
    ),
    "linalg": (
        # Before our own lowering, whose accesses are inside by construction: what is here now is of others.
        "check-bounds",
        "relax-to-linalg",
        # For modules from other front ends; our own lowering emits neither named ops nor pads.
        "generalize-linalg",
        "decompose-tensor",
        # Symbol names are gone, so kernels of functions that name their symbols differently are found to be equal.
        "deduplicate-functions",
        "check-legality{stage=linalg}",
    ),
    "fuse": (
        # Kernels are few by now; before loops are fused inside of them.
        "fold-views",
        # Before element-wise ops become one, whose loops are those of the first.
        "fuse-by-expansion",
        "fuse-linalg",
        # Once element-wise ops between products are few.
        "tile-attention",
        # Last: an element-wise op before a product would become part of it.
        "widen-bytes",
        "check-legality{stage=fuse}",
    ),
    "buffers": (
        # Before memory is planned, as a plan knows all sizes, or bounds of them, before a function is called.
        "split-at-sizes",
        "bufferize",
        # Before what asks which op writes a buffer.
        "elide-copies",
        # While a buffer is a value of its own, not a view of memory that others have.
        "fill-borders",
        # Between what says where scratch is needed and what plans it, as each share of a loop has its own.
        "share-loops",
        "plan-arena",
        # Last, as the workspace size is one of its results.
        "shape-functions",
        "check-legality{stage=buffers}",
    ),
    "loops": (
        # What depends on the target is decided here, and can be read, tested and written by hand.
        "schedule-linalg",
        # Between what is decided and what is emitted: ops that share loops are measured together, and stay together.
        "profile-kernels",
        # Emits what the schedules say, for any target.
        "linalg-to-loops",
        # After vectorization, so that polynomials are expanded once per vector.
        "expand-math",
        "outline-parallel",
        "check-legality{stage=loops}",
    ),
    "llvm": ("convert-to-llvm", "check-legality{stage=llvm}"),
}

LEVELS: Mapping[str, int] = {
    # What every program gains from.
    "relax-inline": 1,
    "relax-remove-unused-functions": 1,
    "relax-simplify-inference": 1,
    "relax-fold-constant": 1,
    "relax-stack-shuffles": 1,
    "relax-slice-splits": 1,
    "fold-views": 1,
    "relax-eliminate-common-subexpr": 1,
    "relax-dead-code-elimination": 1,
    # What changes products and functions, and thus the rounding of their results.
    "relax-recognize-norms": 2,
    "relax-recognize-quantized": 2,
    "relax-convert-layout": 2,
    "relax-tabulate-bytes": 2,
    "relax-fold-scale-axis": 2,
    "relax-combine-parallel-matmul": 2,
    "relax-combine-parallel-batch-matmul": 2,
    "relax-combine-parallel-conv2d": 2,
    "relax-reorder-permute-dims-after-concat": 2,
    "relax-hoist-weights": 2,
    "relax-hoist-padding": 2,
    "relax-use-winograd": 2,
    "relax-pack-weights": 2,
    "relax-read-transposed-operands": 2,
    "relax-split-batches": 2,
    "relax-fuse-attention": 2,
    "fuse-by-expansion": 2,
    "fuse-linalg": 2,
    "tile-attention": 2,
    "widen-bytes": 2,
    # What changes the number of operations, for which magnitudes of intermediate results may change as well.
    "relax-expand-matmul-of-sum": 3,
    "relax-adjust-matmul-order": 3,
}
"""The lowest level that runs a pass; every level runs the others, which take a program to the next stage."""

LIFTING = frozenset(
    (
        *("relax-infer-num-input", "relax-hoist-weights", "relax-use-winograd", "relax-pack-weights"),
        "relax-lift-transform-params",
    )
)
"""Passes that run if parameters are lifted: to transform and pack weights costs more than it saves where it is done in each call."""

Lift: TypeAlias = bool | Literal["shared"]
"""Whether computation on parameters is lifted: into a transform for each function, or into one for all of them."""


@record
class Settings:
    """What a caller may choose about compilation."""

    opt_level: int = 2
    """0: every op is a kernel of its own. 1: ops are simplified, and fused into kernels. 2: products take in scales and are combined,
    and kernels are fused inside. 3: products are reordered."""
    lift: Lift = False
    """Whether computation on parameters is lifted, so that functions take transformed parameters. Without it, it is done in each call,
    and only constants count as weights."""
    threads: int = 1
    """The number of threads of one call; 0 leaves it to the OpenMP runtime at run time."""
    bounds_checks: bool = True
    """Whether `tensor` ops of other front ends are checked to stay inside of their operands."""
    profile: bool = False
    """Whether code measures how long each kernel takes."""
    target: str = DEFAULT
    """The CPU that code is for, a name of `targets.cpu`; results depend on it only in the order of sums and in rounding."""

    def __post_init__(self) -> None:
        """Raises `ValueError` for a value that no level, form of lifting, number of threads or switch has."""
        if type(self.opt_level) is not int or not 0 <= self.opt_level <= 3:
            raise ValueError(f"opt_level: expected 0, 1, 2 or 3, got {self.opt_level!r}")
        if type(self.lift) is not bool and self.lift != "shared":
            raise ValueError(f'lift: expected False, True or "shared", got {self.lift!r}')
        if type(self.threads) is not int or not 0 <= self.threads <= MOST_THREADS:
            raise ValueError(f"threads: expected 0 to {MOST_THREADS}, got {self.threads!r}")
        for name in ("bounds_checks", "profile"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise ValueError(f"{name}: expected True or False, got {value!r}")

    @property
    def weights(self) -> Weights:
        """What passes that make arithmetic on weights count as such."""
        return "parameters" if self.lift else "constants"

    def options(self, pass_name: str) -> str:
        """Returns the options of a pass, in the syntax of `-p`; those of which nothing is said it has as it does alone."""
        values = {**target_options(pass_name, cpu_target(self.target)), **self._own_options(pass_name)}
        shown = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in values.items()]
        return f"{{{' '.join(shown)}}}" if shown else ""

    def _own_options(self, pass_name: str) -> Options:
        """Returns the options of a pass that do not follow from the target."""
        match pass_name:
            case "relax-remove-unused-functions":
                return {"public": True}
            case "relax-fold-scale-axis" | "relax-adjust-matmul-order" | "relax-tabulate-bytes":
                return {"weights": self.weights}
            case "relax-combine-parallel-matmul":
                return {"weights": self.weights, "integers": False}
            case "relax-convert-to-dataflow" if self.lift:
                # An op that stands alone is fused with nothing, and may depend on parameters.
                return {"min_size": 1}
            case "relax-expand-matmul-of-sum":
                return {"products": True, "weights": self.weights}
            case "relax-combine-parallel-batch-matmul" | "relax-combine-parallel-conv2d":
                return {"only_weights": True, "weights": self.weights}
            case "relax-lift-transform-params" if self.lift == "shared":
                return {"shared": True, "private": True, "called": "keep"}
            case "relax-lift-transform-params":
                return {"called": "keep"}
            case "relax-fuse-ops" if self.opt_level == 0:
                return {"opt_level": 0}
            case "schedule-linalg" | "share-loops" | "outline-parallel":
                return {"threads": self.threads}
            case _:
                return {}

    def passes_of(self, stage: str) -> tuple[str, ...]:
        """Returns the passes of a stage, with options; those of installed packages come first."""
        own = tuple(name + self.options(name) for name in STAGES[stage] if self._runs(name))
        return (*added_passes(stage), *own)

    def _runs(self, name: str) -> bool:
        if name == "check-bounds":
            return self.bounds_checks
        if name == "profile-kernels":
            return self.profile
        if name == "relax-hoist-padding" and not has_byte_tiles(cpu_target(self.target)):
            return False
        if name == "widen-bytes" and cpu_target(self.target).dot_product("i16", "i16") is None:
            return False
        return self.opt_level >= LEVELS.get(name, 0) and (bool(self.lift) or name not in LIFTING)


def added_passes(stage: str) -> tuple[str, ...]:
    """Returns the passes that installed packages run at the start of a stage.

    Raises `ExtensionError` for a package that names a stage that does not exist.
    """
    for package, extension in installed_extensions():
        for name in extension.stages:
            if name not in STAGES:
                raise ExtensionError(
                    f"{package} has passes for the stage {name!r}, expected one of {', '.join(STAGES)}"
                )
    return tuple(
        AddedPipeline(entry, package)
        for package, extension in installed_extensions()
        for entry in extension.stages.get(stage, ())
    )


def pipelines(settings: Settings) -> Mapping[str, tuple[str, ...]]:
    """Returns for each stage the passes from the start up to its end."""
    passes = [settings.passes_of(stage) for stage in STAGES]
    return dict(zip(STAGES, accumulate(passes, lambda done, more: done + more), strict=True))
