"""The pass `relax-fuse-ops-by-pattern`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.vocabulary.attributes import COMPOSITE, PRIMITIVE
from ...dialects.walks import ops_inside
from ..options import PassWithOptions
from ..rewriting.kernel_functions import KernelFunctions, Outline, graph_functions
from ..rewriting.tuple_fields import read_fields
from .dataflow_pattern import Match, NamedPattern, match_root
from .dataflow_pattern_parser import parse_patterns
from .merge_composite_functions import is_region, outline_region


def fuse_ops_by_pattern(
    module: ModuleOp, patterns: Sequence[NamedPattern], bind_constants: bool = True, annotate_codegen: bool = False
) -> None:
    """Makes each group of ops that a pattern matches a composite function; earlier patterns come first."""
    functions = KernelFunctions(module)
    for pattern in patterns:
        outline = Outline({**PRIMITIVE.entry(), **COMPOSITE.entry(pattern.name)}, "all" if bind_constants else "none")
        for function in graph_functions(module):
            if is_region(function):
                continue
            read_fields(function)
            for inner in ops_inside(function):
                if not isinstance(inner, DataflowOp):
                    continue
                for group in groups_of(pattern, inner.body.block):
                    call = functions.outline(group, outline)
                    if annotate_codegen:
                        outline_region([call], pattern.backend, functions)


def groups_of(pattern: NamedPattern, block: Block) -> list[list[Operation]]:
    """Returns the groups of ops in a block that a pattern matches, from the first to the last; no op is in two of them.

    Of two matches that overlap the larger one counts if it holds the other one, else that which ends first.
    """
    taken: dict[Operation, Match] = {}
    for op in block.ops:
        group = match_root(pattern.pattern, op)
        if group is not None and all(taken[member].ops <= group.ops for member in group.ops & taken.keys()):
            taken |= dict.fromkeys(group.ops, group)
    return [group.in_order() for group in dict.fromkeys(taken.values())]


@dataclass(frozen=True)
class FuseOpsByPatternPass(PassWithOptions):
    """Groups the ops of dataflow blocks that a pattern matches into composite functions.

    With `patterns="blas.matmul_relu = relax.nn.relu(relax.matmul(*, *))"`
    ```mlir
    %y = relax.matmul %x, %w : ...
    %z = relax.nn.relu %y : ...
    ```
    becomes
    ```mlir
    func.func private @fused_matmul_relu(%x: ..., %w: ...) attributes {relax.primitive, relax.composite = "blas.matmul_relu"}
    %z = func.call @fused_matmul_relu(%x, %w) : ...
    ```

    `dataflow_pattern_parser.py` has the language of patterns. Earlier patterns have priority; of the matches of one pattern, a larger one
    that holds the other ones, then the one that ends first; an op belongs to one match. A match is declined if anything but its last
    op's results is read from outside: Relax leaves that to a check that each pattern may bring. *Requires* dataflow blocks. *Leaves*
    kernels: what no code generator takes is compiled like any other kernel.
    """

    name = "relax-fuse-ops-by-pattern"

    patterns: str = field(default="")
    """The patterns."""
    file: str = field(default="")
    """A file with patterns, which come after those of `patterns`."""
    bind_constants: bool = field(default=True)
    """Whether constants that a group reads are copied into its function rather than passed."""
    annotate_codegen: bool = field(default=False)
    """Whether each composite function gets a function with `relax.codegen` of its own around it."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = parse_patterns(self.patterns)
        if self.file:
            try:
                patterns += parse_patterns(Path(self.file).read_text(), self.file)
            except (OSError, UnicodeDecodeError) as error:
                raise PassFailedException(f"{self.file}: cannot be read ({error})") from None
        if not patterns:
            raise PassFailedException(f"{self.name}: expected patterns, got none; its options: patterns, file")
        fuse_ops_by_pattern(op, patterns, self.bind_constants, self.annotate_codegen)
