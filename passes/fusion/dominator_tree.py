"""The dataflow graph of a block for fusion, and its post-dominator tree."""

from __future__ import annotations

from dataclasses import field

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Block, Operation, OpResult

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.symbolic.expressions import shapes_equal
from ...records import record
from ..analysis.op_pattern import op_pattern
from ..rewriting.kernel_calls import is_kernel_call


@record(frozen=False, eq=False)
class Node:
    """An op of the block; `consumers` are the nodes that read it, with the pattern of the reading edge."""

    op: Operation
    index: int
    pattern: FusionPattern
    consumers: list[tuple[Node, FusionPattern]] = field(default_factory=list["tuple[Node, FusionPattern]"])
    leaves_block: bool = False
    """Whether a value of the node is read by something that is no node: the block's terminator, another block, a call."""

    parent: Node | None = None
    """The immediate post-dominator: the first node through which every path from here passes."""
    parent_edge: FusionPattern = FusionPattern.OPAQUE
    """The worst pattern of the edges on the paths to the parent."""
    depth: int = 1


def build_graph(block: Block, skip: frozenset[str] = frozenset()) -> list[Node]:
    """Returns the nodes of a block in program order, with their edges and post-dominators; ops named in `skip` are no nodes."""
    # Parents are set from the last node to the first: each needs those of its consumers.
    nodes: dict[Operation, Node] = {}
    for op in block.ops:
        if (isinstance(op, RelaxOp) and op.name not in skip) or is_kernel_call(op):
            nodes[op] = Node(op, len(nodes), op_pattern(op))
    for node in nodes.values():
        for result in node.op.results:
            for use in result.uses:
                consumer = nodes.get(use.operation)
                if consumer is None:
                    node.leaves_block = True
                else:
                    node.consumers.append((consumer, _edge_pattern(consumer, result)))
    ordered = list(nodes.values())
    for node in reversed(ordered):
        _set_parent(node)
    return ordered


def _edge_pattern(consumer: Node, value: OpResult) -> FusionPattern:
    """Returns the consumer's pattern, with broadcast lowered to element-wise for an operand that has the result's shape."""
    if consumer.pattern != FusionPattern.BROADCAST or not isinstance(value.type, TensorType | UnrankedTensorType):
        return consumer.pattern
    shape, result = dims_of(value.type), dims_of(consumer.op.results[0].type)
    if shape is not None and result is not None and shapes_equal(shape, result):
        return FusionPattern.ELEM_WISE
    return consumer.pattern


def _set_parent(node: Node) -> None:
    """Sets the parent to the lowest common ancestor of all consumers; none for a node that leaves the block."""
    if node.leaves_block or not node.consumers:
        return
    ancestor, worst = node.consumers[0]
    for consumer, edge in node.consumers[1:]:
        common, worst = _common_ancestor(ancestor, consumer, max(worst, edge))
        if common is None:
            return
        ancestor = common
    node.parent = ancestor
    node.parent_edge = worst
    node.depth = ancestor.depth + 1


def _common_ancestor(lhs: Node | None, rhs: Node | None, worst: FusionPattern) -> tuple[Node | None, FusionPattern]:
    while lhs is not rhs:
        if lhs is None or rhs is None:
            return None, worst
        if lhs.depth < rhs.depth:
            worst, rhs = max(worst, rhs.parent_edge), rhs.parent
        elif rhs.depth < lhs.depth:
            worst, lhs = max(worst, lhs.parent_edge), lhs.parent
        else:
            worst = max(worst, lhs.parent_edge, rhs.parent_edge)
            lhs, rhs = lhs.parent, rhs.parent
    return lhs, worst


def between(node: Node, sink: Node) -> list[Node]:
    """Returns the nodes on the paths from a node (excluded) to its dominator parent (included)."""
    seen: dict[Node, None] = {}
    stack = [consumer for consumer, _ in node.consumers]
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen[current] = None
        if current is not sink:
            stack.extend(consumer for consumer, _ in current.consumers)
    return list(seen)
