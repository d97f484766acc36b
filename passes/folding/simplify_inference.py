"""The pass `relax-simplify-inference`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.ops.nn.softmax import DropoutOp
from ..analysis.call_graph import named_functions, required_function
from ..options import PassWithOptions
from ..rewriting.rooted_walker import RootedWalker, of_types
from .decompose_norms import NORM_RULES, DecomposeNorm


class RemoveDropout(RewritePattern):
    """Replaces dropout by its operand; declines while its mask is read."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DropoutOp, rewriter: PatternRewriter) -> None:
        if op.mask.first_use is None and op.x.type == op.output.type:
            rewriter.replace(op, [], [op.x, None])


@dataclass(frozen=True)
class SimplifyInferencePass(PassWithOptions):
    """Replaces ops that mean less at inference: batch_norm becomes arithmetic, dropout disappears.

    ```mlir
    %y, %m, %v = relax.nn.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64, training = false} : ...
    ```
    becomes
    ```mlir
    %s = ... gamma / sqrt(var + epsilon), of the weights' size
    %t = ... beta - mean * s
    %0 = relax.multiply %x, %s_expanded : ...
    %y = relax.add %0, %t_expanded : ...
    ```

    `s` and `t` depend on parameters alone, so that they can be lifted. With `norms`, layer_norm, group_norm, instance_norm and l2_normalize
    become arithmetic too, as in Relay; by default they stay, as one kernel for them is faster than what fusion makes of their parts. With
    `training`, batch_norm in training becomes the arithmetic of its statistics, and the running ones are updated.

    *Requires* known ranks; group_norm needs known dims. *Leaves* batch_norm in training as it is without the option, and the running
    statistics of the others unchanged.
    """

    name = "relax-simplify-inference"

    norms: bool = field(default=False)
    """Whether layer_norm, group_norm, instance_norm and l2_normalize are decomposed."""
    training: bool = field(default=False)
    """Whether batch_norm in training is decomposed."""
    functions: tuple[str, ...] = field(default=())
    """The functions to change, by name; all by default."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = {None, *(option for option in ("norms", "training") if getattr(self, option))}
        rules = [rule for rule in NORM_RULES if rule.option in options]
        patterns: list[RewritePattern] = [RemoveDropout(), *map(DecomposeNorm, rules)]
        roots = of_types(DropoutOp, *(rule.op_type for rule in rules))
        walker = RootedWalker(patterns, roots, erases_dead=False, apply_recursively=False)
        if not self.functions:
            walker.rewrite_module(op)
            return
        functions = named_functions(op)
        for name in self.functions:
            walker.rewrite_region(required_function(functions, name).body)
