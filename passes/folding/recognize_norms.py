"""The pass `relax-recognize-norms`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.base import dims, element
from ...dialects.relax.dtypes import is_float
from ...dialects.relax.ops.binary import AddOp, DivideOp, MultiplyOp, PowerOp
from ...dialects.relax.ops.nn.norm import LayerNormOp, RMSNormOp
from ...dialects.relax.ops.reduction import MeanOp, VarianceOp
from ...dialects.symbolic.expressions import shapes_equal
from ...records import record
from ..fusion.dataflow_pattern import Match, NamedPattern, match_root
from ..fusion.dataflow_pattern_parser import parse_patterns
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from ..rewriting.rooted_walker import RootedWalker, of_types
from .scale_message import splat

PATTERNS = """
square = relax.multiply(%x, %x) | relax.power(%x, %two)
shifted = relax.add(relax.mean(square), %epsilon) | relax.add(%epsilon, relax.mean(square))
inverse = relax.rsqrt(shifted) | relax.divide(%ones, relax.sqrt(shifted)) | relax.power(shifted, %minus_half)
normal = relax.divide(%x, relax.sqrt(shifted)) | relax.multiply(%x, inverse) | relax.multiply(inverse, %x)
norm.rms = relax.multiply(normal, %gamma) | relax.multiply(%gamma, normal)

centered = relax.subtract(%x, relax.mean(%x))
distance = relax.multiply(centered, centered) | relax.power(centered, %two)
spread = relax.mean(distance) | relax.variance(%x)
shifted_spread = relax.add(spread, %epsilon) | relax.add(%epsilon, spread)
inverse_root = relax.rsqrt(shifted_spread) | relax.divide(%ones, relax.sqrt(shifted_spread)) | relax.power(shifted_spread, %minus_half)
standard = relax.divide(centered, relax.sqrt(shifted_spread))
    | relax.multiply(centered, inverse_root) | relax.multiply(inverse_root, centered)
scaled = relax.multiply(standard, %gamma) | relax.multiply(%gamma, standard)
norm.layer = relax.add(scaled, %beta) | relax.add(%beta, scaled)
"""
"""What exporters write for a norm. A product of the right shape ends an RMS norm, a sum a layer norm."""

NORM_ROOTS = {"norm.layer": AddOp, "norm.rms": MultiplyOp}
"""What the pattern of a norm ends with: layer norms come before the RMS norms of centered data inside of them."""

NUMBERS = {"two": 2.0, "ones": 1.0, "minus_half": -0.5}
"""The values that constants of the patterns must have."""


@functools.cache
def _patterns() -> dict[str, NamedPattern]:
    return {pattern.name: pattern for pattern in parse_patterns(PATTERNS, __file__)}


def _reduced_axes(ops: Sequence[Operation], rank: int) -> list[int] | None:
    """Returns the axes that all means and variances of a group reduce and keep with size 1; `None` where they differ."""
    reduced: set[tuple[int, ...]] = set()
    for op in ops:
        if isinstance(op, MeanOp | VarianceOp):
            if not op.prop("keepdims", False):
                return None
            reduced.add(op.axes(rank))
    return list(reduced.pop()) if len(reduced) == 1 else None


@record
class RecognizeNorm(RewritePattern):
    """Replaces the last op of a norm's arithmetic by the norm.

    Declines for integers, for parameters that have other dims than the axes of the means, and where something else reads a
    value on the way.
    """

    name: str

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, NORM_ROOTS[self.name]):
            return
        match = match_root(_patterns()[self.name].pattern, op)
        if match is None or not is_float(element(op.result)):
            return
        parts = self._parts(match)
        if parts is None:
            return
        axes, epsilon = parts
        operands = [match.values[key] for key in ("x", "gamma", "beta") if key in match.values]
        emit = Emitter(op, rewriter)
        norm = RMSNormOp if self.name == "norm.rms" else LayerNormOp
        emit.replace(op, [emit.op(norm, *operands, axes=axes, epsilon=epsilon)])

    def _parts(self, match: Match) -> tuple[list[int], float] | None:
        """Returns the axes and the epsilon of a norm; `None` where the values of a group do not make it one."""
        values = match.values
        shape, epsilon = dims(values["x"]), splat(values["epsilon"])
        if shape is None or epsilon is None:
            return None
        if any(splat(values[key]) != number for key, number in NUMBERS.items() if key in values):
            return None
        axes = _reduced_axes(match.in_order(), len(shape))
        if not axes:
            return None
        expected = [shape[axis] for axis in axes]
        # Trailing, or the parameters would broadcast along other axes than the op's.
        if axes != list(range(len(shape) - len(axes), len(shape))):
            return None
        for key in ("gamma", "beta"):
            actual = dims(values[key]) if key in values else expected
            if actual is None or not shapes_equal(actual, expected):
                return None
        same = element(values["x"])
        return (axes, epsilon) if all(element(values[k]) == same for k in ("gamma", "beta") if k in values) else None


class ExpandSmallPower(RewritePattern):
    """Replaces `x ** 2` and `x ** 3` by products, and `x ** -1` by a quotient, of floating-point tensors."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PowerOp, rewriter: PatternRewriter) -> None:
        x, exponent = op.operands
        if not is_float(element(op.result)) or x.type != op.result.type:
            return
        number = splat(exponent)
        emit = Emitter(op, rewriter)
        if number == 2.0:
            emit.replace(op, [emit.op(MultiplyOp, x, x)])
        elif number == 3.0 and element(x) in (f32, f64):
            emit.replace(op, [emit.op(MultiplyOp, emit.op(MultiplyOp, x, x), x)])
        elif number == -1.0:
            emit.replace(op, [emit.op(DivideOp, emit.constant(1.0, element(x)), x)])


class RecognizeNormsPass(ModulePass):
    """Replaces the arithmetic that exporters write for RMS norms and layer norms by the op, which is one kernel.

    ```mlir
    %squares = relax.power %x, %two : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %mean = relax.mean %squares {axis = array<i64: 1>, keepdims = true} : (tensor<8x16xf32>) -> tensor<8x1xf32>
    %shifted = relax.add %mean, %epsilon : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %factor = relax.rsqrt %shifted : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %normal = relax.multiply %x, %factor : (tensor<8x16xf32>, tensor<8x1xf32>) -> tensor<8x16xf32>
    %y = relax.multiply %normal, %w : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    ```
    becomes
    ```mlir
    %y = relax.nn.rms_norm %x, %w {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    ```

    Powers of floats with the constant exponents 2, 3 and -1 become products and quotients, as `pow` takes many times as long; a cube
    of f16 or bf16 stays, as it would be rounded twice.

    *Requires* folded constants. *Leaves* means over axes in front, means without `keepdims`, and norms of which something else
    reads a value on the way. Results differ by rounding.
    """

    name = "relax-recognize-norms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Norms before powers, which their patterns know.
        norms = [(RecognizeNorm(name), root) for name, root in NORM_ROOTS.items()]
        for function in graph_functions(op):
            for pattern, root in (*norms, (ExpandSmallPower(), PowerOp)):
                RootedWalker([pattern], of_types(root)).rewrite_region(function.body)
