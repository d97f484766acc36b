"""The pass `relax-qnn-legalize`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.base import RelaxOp, element
from ...dialects.relax.ops.unary import AsTypeOp
from ...records import record
from ..options import PassWithOptions
from ..rewriting.rooted_walker import RootedWalker, of_types
from . import qnn_canonicalize, qnn_contraction
from .qnn_arithmetic import LegalizationError, QuantizedEmitter, Rules
from .qnn_targets import PLAIN, TARGETS, rules

STAGES = ("all", "legalize", "canonicalize")


@dataclass(frozen=True)
class QnnLegalizePass(PassWithOptions):
    """Replaces quantized ops by core ops on integers.

    ```mlir
    %y = relax.qnn.dense %x, %w, %zx, %zw, %sx, %sw : (tensor<4x8xi8>, tensor<16x8xi8>, ...) -> tensor<4x16xi32>
    ```
    becomes, for zero points that are not 0,
    ```mlir
    %wt = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<16x8xi8>) -> tensor<8x16xi8>
    %t1 = relax.matmul %x, %wt {out_dtype = i32} : (tensor<4x8xi8>, tensor<8x16xi8>) -> tensor<4x16xi32>
    %t2 = ... sums of the rows of %x, times %zw
    %t3 = ... sums of the rows of %w, times %zx: of weights alone, to be lifted
    %y = (%t1 - %t2) + (%zx * %zw * 8 - %t3)
    ```

    Two stages. The first, for a `target`, gives the factors of products the types of its instructions, and makes tables of functions of
    8-bit elements. The second writes out what zero points, scales and fixed-point multipliers mean. `relax.quantize` and
    `relax.dequantize` stay, they are one kernel each.

    *Requires* known ranks, and constant scales where a requantization computes in i64. *Leaves* no op of `relax.qnn` after the second
    stage; results are the same, bit by bit (but functions of elements of more than 8 bits, which round as the functions of f64 do).
    """

    name = "relax-qnn-legalize"

    target: str = field(default=PLAIN)
    """plain: products of the types as they are. int16: of differences in i16, where there are no 8-bit products. x86-vnni: ui8 times i8.
    cuda-dp4a: i8 times i8. arm-dotprod: data of the weight's type. A compilation for a processor with VNNI takes x86-vnni."""
    stage: str = field(default="all")
    """all, or only the first stage, legalize, or only the second, canonicalize."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.target not in TARGETS:
            raise PassFailedException(f"{self.name}: target must be one of {', '.join(TARGETS)}, got {self.target}")
        if self.stage not in STAGES:
            raise PassFailedException(f"{self.name}: stage must be one of {', '.join(STAGES)}, got {self.stage}")
        if self.stage != "canonicalize":
            _rewrite(op, rules(self.target))
        if self.stage != "legalize":
            _rewrite(op, {**qnn_canonicalize.RULES, **qnn_contraction.RULES})


@record
class ReplaceQuantized(RewritePattern):
    """Replaces an op by what the rule for its class returns; declines where there is no rule, or the rule declines."""

    rules: Rules

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        rule = self.rules.get(type(op)) if isinstance(op, RelaxOp) else None
        if rule is None:
            return
        emit = QuantizedEmitter(op, rewriter)
        try:
            value = rule(op, emit)
        except LegalizationError as error:
            raise PassFailedException(f"{op.name} cannot be legalized: {error}") from None
        if value is not None:
            if value.type != op.results[0].type and value in op.operands:
                value = emit.op(AsTypeOp, value, dtype=element(value))
            emit.replace(op, [value])


def _rewrite(module: ModuleOp, rules: Rules) -> None:
    walker = RootedWalker([ReplaceQuantized(rules)], of_types(*rules), erases_dead=False, apply_recursively=False)
    walker.rewrite_module(module)
