"""Patterns are offered the ops that they are for, and what a rewrite leaves without a use is erased."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl_relax.dialects.relax.ops.manipulate import PermuteDimsOp
from xdsl_relax.dialects.relax.ops.nn.activation import ReluOp
from xdsl_relax.passes.rewriting.rooted_walker import RootedWalker, contains, of_types
from xdsl_relax.runtime.compiler import load

TEXT = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %unused = relax.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = relax.permute_dims %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %b = relax.permute_dims %a : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %c = relax.nn.relu %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}
"""


class JoinTwo(RewritePattern):
    """Replaces a transpose of a transpose, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.met: list[str] = []

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.met.append(op.name)
        if isinstance(op, PermuteDimsOp) and isinstance(op.x.owner, PermuteDimsOp):
            rewriter.replace(op, [], [op.x.owner.x])


def test_only_candidates_are_met_and_what_is_left_unread_is_erased():
    module = load(TEXT)
    pattern = JoinTwo()
    assert RootedWalker([pattern], of_types(PermuteDimsOp)).rewrite_module(module)
    assert [op.name for op in module.walk()][2:] == ["relax.nn.relu", "func.return"]
    # The op that reads the result of a rewrite is met again, as with xDSL's walker; ops without results might be dead.
    assert set(pattern.met) - {"func.func", "func.return"} == {"relax.permute_dims", "relax.nn.relu"}


def test_a_walk_without_candidates_changes_nothing():
    module = load(TEXT)
    pattern = JoinTwo()
    assert not RootedWalker([pattern], of_types(ReluOp), erases_dead=False).rewrite_module(module)
    assert pattern.met == ["relax.nn.relu"]
    assert str(module) == str(load(TEXT))


def test_what_is_inside():
    module = load(TEXT)
    assert contains(module, ReluOp)
    assert not contains(next(iter(module.body.block.ops)).body.block.first_op, ReluOp)  # pyright: ignore
