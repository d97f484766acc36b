"""Remarks on fusion: which op was joined to which, and what kept others apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.ir import Operation

from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.manipulate import StackOp
from ...records import record
from ..analysis.remarks import Topic, function_of, named_op, remark
from .dominator_tree import Node

_NOUNS: Mapping[FusionPattern, str] = {
    FusionPattern.ELEM_WISE: "an element-wise op",
    FusionPattern.BROADCAST: "a broadcast",
    FusionPattern.INJECTIVE: "an op that moves elements",
    FusionPattern.COMM_REDUCE: "a reduction",
    FusionPattern.OUT_ELEM_WISE_FUSABLE: "an op that sums over loops of its own",
    FusionPattern.TUPLE: "a tuple",
    FusionPattern.OPAQUE: "an op that stays alone",
}
"""What remarks call ops of a pattern."""


@record
class Refusal:
    """Why a node is not joined to its post-dominator."""

    node: Node
    sink: Node
    reason: str = ""
    edge: tuple[FusionPattern, FusionPattern] | None = None
    """How the node is read, and the pattern that its kernel has by then, whose rule does not allow that."""
    beyond: tuple[Node, FusionPattern] | None = None
    """A node on the path whose group has a pattern that the rule does not allow."""

    @property
    def says_why(self) -> bool:
        """Whether it is more than that the rule is for another round."""
        return bool(self.reason or self.beyond or self.edge)


def remark_on_fusion(
    nodes: Sequence[Node],
    refusals: Mapping[Node, Refusal | None],
    are_joined: Callable[[Node, Node], bool],
    off: str,
) -> None:
    """Records for each node whether it was joined to the one behind it, and why not; `off` is why nothing was fused in this block."""
    for node in nodes:
        others = [consumer.op for consumer, _ in node.consumers] if node.parent is None else [node.parent.op]
        remark(
            Topic.FUSION,
            function_of(node.op),
            node.op.location,
            _text(node, None if node.parent and are_joined(node, node.parent) else refusals.get(node), off),
            others=[op.location for op in others],
        )


def remark_on_structure(ops: Iterable[Operation]) -> None:
    """Records the ops that are in no kernel."""
    for op in ops:
        text = f"{named_op(op)} is in no kernel: such ops stay where they are"
        remark(Topic.KERNEL, function_of(op), op.location, text)


def _text(node: Node, refusal: Refusal | None, off: str) -> str:
    op = named_op(node.op)
    if off:
        return f"{op} is not fused: {off}"
    if node.parent is None:
        return f"{op} is not fused with what follows: {_no_parent(node)}"
    sink = named_op(node.parent.op)
    if refusal is None and isinstance(node.parent.op, StackOp):
        place = "which copies its result" if node.pattern == FusionPattern.INJECTIVE else "and writes its result there"
        return f"{op} is fused with {sink}, {place}"
    if refusal is None:
        return f"{op} is fused with {sink}"
    return f"{op}, {_NOUNS[node.pattern]}, is not fused with {sink}: {_why(refusal)}"


def _no_parent(node: Node) -> str:
    if node.leaves_block:
        return "its result is read outside of the block, or by an op that is in no kernel"
    if not node.consumers:
        return "nothing reads its result"
    readers = ", ".join(dict.fromkeys(named_op(consumer.op) for consumer, _ in node.consumers))
    return f"its readers do not come together in one op: {readers}"


def _why(refusal: Refusal) -> str:
    if refusal.beyond is not None:
        node, pattern = refusal.beyond
        if node.pattern == pattern:
            return f"{named_op(node.op)} is {_NOUNS[pattern]}"
        return f"{named_op(node.op)} is in a kernel with {_NOUNS[pattern]}"
    if refusal.edge is not None:
        edge, pattern = refusal.edge
        among = f"it is in a kernel with {_NOUNS[pattern]} and " if pattern != refusal.node.pattern else "it is "
        return f"{among}read by {_NOUNS[edge]}, {_allowed(pattern)}"
    return refusal.reason or f"{_allowed(refusal.node.pattern)}"


def _allowed(pattern: FusionPattern) -> str:
    if pattern == FusionPattern.OUT_ELEM_WISE_FUSABLE:
        return "and only element-wise ops of the same shape follow such an op in a kernel"
    return "and only element-wise ops, broadcasts, ops that move elements and reductions follow such an op in a kernel"
