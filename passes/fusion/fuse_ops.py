"""The pass `relax-fuse-ops`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.utils.disjoint_set import DisjointSet

from ...dialects.relax.dialect import ops_of
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
from ...dialects.relax.ops.manipulate import ReshapeOp, StackOp
from ...dialects.relax.ops.shape import ShapeOfOp, TensorToShapeOp
from ..analysis.call_graph import named_functions
from ..analysis.remarks import is_recording
from ..options import PassWithOptions, within
from ..rewriting.kernel_calls import erase_unused, inline_kernel_calls, is_kernel_call
from ..rewriting.kernel_functions import KernelFunctions, graph_functions, is_kernel
from ..rewriting.tuple_fields import read_fields
from .dominator_tree import Node, between, build_graph
from .fusion_remarks import Refusal, remark_on_fusion, remark_on_structure
from .stacked_sums import SHORTEST_RUN, stacks_rows

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

NEVER_FUSED = STRUCTURAL | {op.name for op in ops_of(memory)}
"""Ops that stay where they are, also those that say where tensors are."""


class Fusion:
    """Partitions the nodes of a block into groups by the post-dominator rules.

    Invariant: `patterns` holds the pattern of a group under its representative, the node that the others were joined to. Under any other
    node stays the pattern of the group that it represented until then: a node that took in a contraction counts as one.
    """

    def __init__(self, nodes: Sequence[Node], max_depth: int, joins_stacks: bool):
        self.nodes = nodes
        self.max_depth = max_depth
        self.joins_stacks = joins_stacks
        self.groups = DisjointSet(nodes)
        self.patterns = {node: node.pattern for node in nodes}
        self.sizes = dict.fromkeys(nodes, 1)
        self.refusals: dict[Node, Refusal | None] = {}
        """Why a node was not joined to the one behind it, `None` where it was."""

    def run(self) -> list[list[Node]]:
        """Returns the groups, each in program order, ordered by their last node."""
        for takes_injective in (False, True):
            for node in self.nodes:
                self._try_fuse(node, takes_injective)
        if self.joins_stacks:
            self._join_to_stacks()
        return sorted(self._members().values(), key=lambda group: group[-1].index)

    def _members(self) -> dict[Node, list[Node]]:
        """Returns the nodes of each group, in program order, by its representative."""
        members: dict[Node, list[Node]] = {}
        for node in self.nodes:
            members.setdefault(self.groups.find(node), []).append(node)
        return members

    def _try_fuse(self, node: Node, takes_injective: bool) -> None:
        """Joins a node, and all between, to the node that every path from it passes first, if the patterns allow it."""
        sink = node.parent
        if sink is None or self.groups.connected(node, sink):
            return
        path = between(node, sink)
        refusal = self._refusal(node, sink, path, takes_injective)
        if refusal is None:
            for member in (node, *path):
                self._join(member, sink)
        if refusal is None or refusal.says_why:
            self.refusals[node] = refusal

    def _join_to_stacks(self) -> None:
        """Joins products and the like, with what was joined to them, to a stack that has each of their rows among those of others.

        Their rows are written there. What is behind the stack must be no more than another shape of it.
        """
        members = self._members()
        for node in self.nodes:
            stack = node.parent
            if stack is None or self.patterns[self.groups.find(node)] != FusionPattern.OUT_ELEM_WISE_FUSABLE:
                continue
            if not isinstance(stack.op, StackOp) or [reader for reader, _ in node.consumers] != [stack]:
                continue
            kernel = self.groups.find(stack)
            size = self.sizes[self.groups.find(node)] + self.sizes[kernel]
            behind = [member for member in members[kernel] if member.index > stack.index]
            if not stacks_rows(stack.op):
                reason = f"a stack takes in rows of {SHORTEST_RUN} elements or more, of known sizes, that lie among those of others"
            elif not all(isinstance(member.op, ReshapeOp) for member in behind):
                reason = "the kernel of the stack computes with it, want nothing but reshapes behind it"
            elif size > self.max_depth:
                reason = f"their kernel would have more than {self.max_depth} ops"
            else:
                self._join(node, stack)
                self.refusals[node] = None
                continue
            self.refusals[node] = Refusal(node, stack, reason)

    def _refusal(self, node: Node, sink: Node, path: Sequence[Node], takes_injective: bool) -> Refusal | None:
        """Returns what keeps the node, the edges and the groups on the path from being joined; `None` where nothing does."""
        # The node's pattern chooses the rule; each rule says how far the patterns of the groups on the path may go.
        if sum(self.sizes[group] for group in {self.groups.find(member) for member in (node, *path)}) > self.max_depth:
            return Refusal(node, sink, f"their kernel would have more than {self.max_depth} ops")
        edge = Refusal(node, sink, edge=(node.parent_edge, self.patterns[node]))
        match self.patterns[node]:
            case FusionPattern.OUT_ELEM_WISE_FUSABLE:
                if node.parent_edge != FusionPattern.ELEM_WISE:
                    return edge
                beyond = self._beyond(FusionPattern.BROADCAST, path)
                return Refusal(node, sink, beyond=beyond) if beyond or takes_injective else None
            case FusionPattern.ELEM_WISE | FusionPattern.BROADCAST:
                if node.parent_edge > FusionPattern.INJECTIVE and node.parent_edge != FusionPattern.COMM_REDUCE:
                    return edge
                inner = [member for member in path if member is not sink]
                beyond = self._beyond(FusionPattern.INJECTIVE, inner)
                beyond = beyond or self._beyond(FusionPattern.OUT_ELEM_WISE_FUSABLE, [sink])
                return Refusal(node, sink, beyond=beyond) if beyond else None
            case FusionPattern.INJECTIVE | FusionPattern.TUPLE:
                beyond = self._beyond(FusionPattern.INJECTIVE, path)
                return Refusal(node, sink, beyond=beyond) if beyond or not takes_injective else None
            case _:
                return Refusal(node, sink, "nothing is fused behind such an op")

    def _beyond(self, pattern: FusionPattern, nodes: Sequence[Node]) -> tuple[Node, FusionPattern] | None:
        """Returns the first node whose group goes beyond a pattern, with the pattern of the group."""
        for node in nodes:
            if (actual := self.patterns[self.groups.find(node)]) > pattern:
                return node, actual
        return None

    def _join(self, node: Node, sink: Node) -> None:
        child, parent = self.groups.find(node), self.groups.find(sink)
        if self.groups.union_left(parent, child):
            self.sizes[parent] += self.sizes[child]
            if self.patterns[child] == FusionPattern.OUT_ELEM_WISE_FUSABLE:
                self.patterns[parent] = max(self.patterns[parent], self.patterns[child])


@dataclass(frozen=True)
class FuseOpsPass(PassWithOptions):
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
    so with `singles` (the default) an op that stays alone becomes a kernel of its own too, in every block, and products and convolutions
    are joined to a stack that has each row of their result among those of others, where they write it; several values that leave a
    group are several results, and results that nothing reads are not returned. Fields of tuples that are made here are read directly. A
    call with an attribute `op_pattern`, of a kernel that came with the program, is a node like an op; its body takes the place of the call
    in the kernel that it becomes part of. With `inline_kernels=false` the calls stay, as TVM has them: a program in this form is for
    export, and the pass run again without the option makes it one that can be compiled.

    *Requires* `relax-infer-shapes`. *Leaves* no computation outside of kernels (with `singles`).
    """

    name = "relax-fuse-ops"

    max_depth: int = within(256, 1)
    """The largest number of ops in a kernel."""
    opt_level: int = within(1, 0, 3)
    """0: no fusion, every op is a kernel of its own."""
    singles: bool = field(default=True)
    """Whether an op that is not fused becomes a kernel as well."""
    inline_kernels: bool = field(default=True)
    """Whether the bodies of kernels that came with the program take the places of their calls."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = KernelFunctions(op)
        for function in graph_functions(op):
            read_fields(function)
            for block in list(function.walk_blocks()):
                self._fuse_block(block, kernels)
        if not self.inline_kernels:
            return
        functions = named_functions(op, declarations=False)
        inlined = [
            inline_kernel_calls(functions[name], functions) for name in sorted(functions) if is_kernel(functions[name])
        ]
        erase_unused(op, set[str]().union(*inlined))

    def _groups(self, block: Block) -> list[list[Node]]:
        """Returns the ops of a block that become kernels, together or each for itself."""
        nodes = build_graph(block, NEVER_FUSED)
        fusion = Fusion(nodes, self.max_depth, joins_stacks=self.singles)
        fuse = self.opt_level > 0 and isinstance(block.parent_op(), DataflowOp)
        groups = fusion.run() if fuse else [[node] for node in nodes]
        if is_recording():
            why = "fusion is off at -O 0" if self.opt_level == 0 else "" if fuse else "it is outside of dataflow blocks"
            remark_on_fusion(nodes, fusion.refusals, fusion.groups.connected, why)
            remark_on_structure(op for op in block.ops if op.name in NEVER_FUSED)
        return groups

    def _fuse_block(self, block: Block, kernels: KernelFunctions) -> None:
        """Fuses the ops of a block."""
        for group in self._groups(block):
            is_call = is_kernel_call(group[0].op)
            if len(group) > 1 or (is_call and _is_projected(group[0].op)):
                kernels.outline([node.op for node in group])
            elif not is_call and (self.singles or _is_projected(group[0].op)):
                kernels.outline([group[0].op])


def _is_projected(op: Operation) -> bool:
    """Returns whether only one of several results is read: a kernel may compute that result alone."""
    return len(op.results) > 1 and sum(result.first_use is not None for result in op.results) == 1
