"""The pass `relax-fuse-ops`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops import memory
from ...dialects.relax.ops.core import (
    CallDPSPackedOp,
    CallPackedOp,
    ConstantOp,
    DataflowOp,
    MatchCastOp,
    ShapeOp,
    StopLiftParamsOp,
    TupleGetItemOp,
    TupleOp,
)
from ...dialects.relax.ops.shape import ShapeOfOp, TensorToShapeOp
from ..analysis.call_graph import named_functions
from ..rewriting.kernel_calls import erase_unused, inline_kernel_calls, is_kernel_call
from ..rewriting.kernel_functions import KernelFunctions
from .dominator_tree import Node, between, build_graph

STRUCTURAL = frozenset(
    op.name
    for op in (
        ConstantOp,
        ShapeOp,
        TupleOp,
        TupleGetItemOp,
        MatchCastOp,
        CallPackedOp,
        CallDPSPackedOp,
        StopLiftParamsOp,
        ShapeOfOp,
        TensorToShapeOp,
    )
)
"""Ops that compute no tensor: they stay where they are, outside of every kernel."""

NEVER_FUSED = STRUCTURAL | {op.name for op in memory.OPS}
"""Ops that stay where they are, also those that say where tensors are."""


@dataclass(eq=False)
class Group:
    """A set of nodes that become one kernel (a class of a union-find)."""

    pattern: FusionPattern
    anchor: Node | None
    nodes: int = 1
    parent: Group | None = None

    def root(self) -> Group:
        """Returns the representative."""
        group = self
        while group.parent is not None:
            group = group.parent
        return group


class Fusion:
    """Partitions the nodes of a block into groups by the post-dominator rules."""

    def __init__(self, nodes: Sequence[Node], max_depth: int):
        self.nodes = nodes
        self.max_depth = max_depth
        self.groups = {
            node: Group(node.pattern, node if node.pattern == FusionPattern.OUT_ELEM_WISE_FUSABLE else None)
            for node in nodes
        }

    def run(self) -> list[list[Node]]:
        """Returns the groups, each in program order, ordered by their last node."""
        for phase in range(3):
            for node in self.nodes:
                self._try_fuse(node, phase)
        members: dict[Group, list[Node]] = {}
        for node in self.nodes:
            members.setdefault(self.groups[node].root(), []).append(node)
        return sorted(members.values(), key=lambda group: group[-1].index)

    def _pattern(self, node: Node) -> FusionPattern:
        return self.groups[node].root().pattern

    def _try_fuse(self, node: Node, phase: int) -> None:
        sink = node.parent
        if sink is None or self.groups[node].pattern == FusionPattern.OPAQUE or phase == 2:
            # Phase 2 joins injective ops to tuples; here tuples are no nodes of the graph.
            return
        group = self.groups[node].root()
        if group is self.groups[sink].root():
            return
        path = between(node, sink)
        if (
            sum({self.groups[one].root(): self.groups[one].root().nodes for one in [node, *path]}.values())
            > self.max_depth
        ):
            return
        if self._may_fuse(node, sink, path, phase):
            for one in (node, *path):
                self._merge(one, sink)

    def _may_fuse(self, node: Node, sink: Node, path: Sequence[Node], phase: int) -> bool:
        # The pattern of the node's own group object: a sink that took in an anchor counts as one.
        kind = self.groups[node].pattern
        if kind == FusionPattern.OUT_ELEM_WISE_FUSABLE:
            return (
                phase == 0
                and node.parent_edge == FusionPattern.ELEM_WISE
                and all(self._pattern(one) <= FusionPattern.BROADCAST for one in path)
            )
        if kind <= FusionPattern.BROADCAST:
            if node.parent_edge > FusionPattern.INJECTIVE and node.parent_edge != FusionPattern.COMM_REDUCE:
                return False
            inner = [one for one in path if one is not sink]
            return (
                all(self._pattern(one) <= FusionPattern.INJECTIVE for one in inner)
                and self._pattern(sink) <= FusionPattern.OUT_ELEM_WISE_FUSABLE
            )
        if kind in (FusionPattern.INJECTIVE, FusionPattern.TUPLE):
            return phase == 1 and all(self._pattern(one) <= FusionPattern.INJECTIVE for one in path)
        return False

    def _merge(self, node: Node, sink: Node) -> None:
        child, parent = self.groups[node].root(), self.groups[sink].root()
        if child is parent:
            return
        child.parent = parent
        parent.nodes += child.nodes
        if child.anchor is not None:
            parent.anchor = child.anchor
            parent.pattern = max(parent.pattern, child.pattern)


@dataclass(frozen=True)
class FuseOpsPass(ModulePass):
    """Groups the ops of each dataflow block into kernels: private functions with `relax.primitive`, one for equal groups.

    ```mlir
    %r = relax.dataflow {
      %y = relax.matmul %x, %w : ...
      %z = relax.add %y, %b : ...
    ```
    becomes
    ```mlir
    func.func private @fused_matmul_add(%x: ..., %w: ..., %b: ...) attributes {relax.primitive}
    %r = relax.dataflow {
      %z = func.call @fused_matmul_add(%x, %w, %b) : ...
    ```

    The rules are those of Relax's FuseOps: an op is joined to its immediate post-dominator, together with everything on the paths
    between, when the patterns of the ops and edges allow it. Where we differ: our graph is made of ops rather than of calls to kernels,
    so with `singles` (the default) an op that stays alone becomes a kernel of its own too, in every block; several values that leave a
    group are several results, and results that nothing reads are not returned. A call with an attribute `op_pattern`, of a kernel that
    came with the program, is a node like an op; its body takes the place of the call in the kernel that it becomes part of.

    *Requires* `relax-infer-shapes`. *Leaves* no computation outside of kernels (with `singles`).
    """

    name = "relax-fuse-ops"

    max_depth: int = field(default=256)
    """The largest number of ops in a kernel."""
    opt_level: int = field(default=1)
    """0: no fusion, every op is a kernel of its own."""
    singles: bool = field(default=True)
    """Whether an op that is not fused becomes a kernel as well."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = KernelFunctions(op)
        fused: set[str] = set()
        for function in kernels.functions():
            for block in _blocks(function.body.block):
                fused |= self._fuse_block(block, kernels)
        known = named_functions(op)
        inlined = [inline_kernel_calls(known[name], known) for name in sorted(fused)]
        erase_unused(op, set[str]().union(*inlined))

    def _fuse_block(self, block: Block, kernels: KernelFunctions) -> set[str]:
        """Fuses the ops of a block; returns the names of the kernels of several ops."""
        nodes = build_graph(block, NEVER_FUSED)
        fuse = self.opt_level > 0 and isinstance(block.parent_op(), DataflowOp)
        groups = Fusion(nodes, self.max_depth).run() if fuse else [[node] for node in nodes]
        fused: set[str] = set()
        for group in groups:
            if len(group) > 1:
                fused.add(kernels.outline([node.op for node in group]).callee.string_value())
            elif (self.singles or _is_projected(group[0].op)) and not is_kernel_call(group[0].op):
                kernels.outline([group[0].op])
        return fused


def _is_projected(op: Operation) -> bool:
    """Returns whether one result of several is read: a kernel may compute that one alone."""
    return len(op.results) > 1 and sum(result.first_use is not None for result in op.results) == 1


def _blocks(block: Block) -> list[Block]:
    """Returns a block and all blocks inside of it."""
    blocks = [block]
    for op in block.ops:
        for region in op.regions:
            for inner in region.blocks:
                blocks.extend(_blocks(inner))
    return blocks
