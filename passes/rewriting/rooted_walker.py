"""Rewriting by patterns that say which ops they are for: all other ops cost a look at their type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from ...dialects.walks import ops_inside
from ...kinds import kind_test

Candidates = Callable[[Operation], bool]
"""Whether patterns may match an op."""


@cache
def of_types(*roots: type[Operation]) -> Candidates:
    """Returns which ops are of some types, or of subclasses of them."""
    return kind_test(*roots)


def contains(op: Operation, *roots: type[Operation]) -> bool:
    """Returns whether an op of some types is inside of another one."""
    return any(map(of_types(*roots), ops_inside(op)))


class RootedWalker(PatternRewriteWalker):
    """Does what xDSL's walker does with patterns that match no other ops than candidates, which are asked for in program order.

    What nothing reads is erased on the way where the patterns do so (`erases_dead`).
    """

    def __init__(
        self,
        patterns: Sequence[RewritePattern],
        candidates: Candidates,
        *,
        erases_dead: bool = True,
        apply_recursively: bool = True,
    ):
        applier = GreedyRewritePatternApplier([*patterns], dce_enabled=erases_dead)
        super().__init__(applier, apply_recursively=apply_recursively)
        self._candidates = candidates
        self._erases_dead = erases_dead

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        assert isinstance(op, Region)
        inside = [inner for block in op.blocks for outer in block.ops for inner in ops_inside(outer)]
        # The list is a stack.
        for candidate in reversed([inner for inner in inside if self._is_worth_a_look(inner)]):
            self._worklist.push(candidate)

    def _is_worth_a_look(self, op: Operation) -> bool:
        return self._candidates(op) or (self._erases_dead and all(result.first_use is None for result in op.results))
