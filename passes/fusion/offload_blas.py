"""The pass `relax-offload-blas`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import dims
from ...dialects.relax.ops.core import CallDPSPackedOp
from ...dialects.relax.vocabulary.attributes import CODEGEN, PRIMITIVE
from ..analysis.call_graph import called_functions, named_functions
from ..options import PassWithOptions
from .dataflow_pattern import NamedPattern, match_root
from .dataflow_pattern_parser import parse_patterns
from .fuse_ops_by_pattern import fuse_ops_by_pattern
from .merge_composite_functions import MergeCompositeFunctionsPass, composite_name

BACKEND = "blas"
PATTERNS = """
    product = relax.matmul(%x: f32 | f64, %w) {out_dtype = none}
    biased = relax.add(product, %b) | relax.add(%b, product)
    product_t = relax.matmul(%x: f32 | f64, relax.permute_dims(%w) {axes = [1, 0] | none}) {out_dtype = none}
                | relax.linear(%x: f32 | f64, %w) {out_dtype = none}
    biased_t = relax.add(product_t, %b) | relax.add(%b, product_t) | relax.linear(%x: f32 | f64, %w, %b) {out_dtype = none}
    blas.matmul_transposed_bias_relu = relax.nn.relu(biased_t)
    blas.matmul_bias_relu = relax.nn.relu(biased)
    blas.matmul_transposed_bias = biased_t
    blas.matmul_bias = biased
    blas.matmul_transposed_relu = relax.nn.relu(product_t)
    blas.matmul_relu = relax.nn.relu(product)
    blas.matmul_transposed = product_t
    blas.matmul = product
"""
"""What a BLAS is asked to compute, the largest groups first; `interpreter/host/blas.py` has a function for each name with a dot."""


def call_library(function: func.FuncOp, pattern: NamedPattern) -> bool:
    """Makes the body of a composite function one call of the function that is named as the pattern; `False` if that cannot be.

    The arguments are the values of the pattern in alphabetical order, `%b`, `%w`, `%x`.
    """
    block = function.body.block
    terminator = block.last_op
    assert terminator is not None
    result = terminator.operands[0]
    root = result.owner
    if not isinstance(root, Operation) or (group := match_root(pattern.pattern, root)) is None:
        return False
    arguments = [value for _, value in sorted(group.values.items())]
    shape = dims(result)
    if shape is None or None in shape or not all(isinstance(value, BlockArgument) for value in arguments):
        return False
    call = CallDPSPackedOp.build_from(*arguments, callee=pattern.name, result_types=[result.type])
    call.location = root.location
    block.insert_op_before(call, terminator)
    call.results[0].name_hint = result.name_hint
    terminator.operands = [call.results[0]]
    for op in reversed(group.in_order()):
        Rewriter.erase_op(op)
    return True


class OffloadBlasPass(PassWithOptions):
    """Hands matrix products, with a bias and relu that follow, to the BLAS of numpy.

    ```mlir
    %y = relax.matmul %x, %w : ...
    %z = relax.add %y, %b : ...
    ```
    becomes
    ```mlir
    func.func private @fused_matmul_add(%x: ..., %w: ..., %b: ...) attributes {relax.composite = "blas.matmul_bias"} {
      %z = relax.call_dps_packed %b, %w, %x {callee = "blas.matmul_bias"} : ...
    func.func private @fused_matmul_add_blas(%x: ..., %w: ..., %b: ...)
        attributes {relax.codegen = "blas", relax.global_symbol = "fused_matmul_add_blas"} {
      %z = func.call @fused_matmul_add(%x, %w, %b) : ...
    %z = func.call @fused_matmul_add_blas(%x, %w, %b) : ...
    ```

    Runs `relax-fuse-ops-by-pattern` with `PATTERNS` and `relax-merge-composite-functions` first; regions with `relax.codegen = "blas"` that
    are there already are handed over too, as far as their composite functions have names and bodies of `PATTERNS`. Not a part of any
    pipeline: ask for it by `-p` or `passes=`. *Requires* dataflow blocks, and known dims of results (`relax-infer-shapes`).
    *Leaves* calls of Python functions, of which results differ from those of kernels by the order of summation.
    """

    name = "relax-offload-blas"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = parse_patterns(PATTERNS, self.name)
        fuse_ops_by_pattern(op, patterns, bind_constants=False)
        MergeCompositeFunctionsPass().apply(ctx, op)
        by_name = {pattern.name: pattern for pattern in patterns}
        functions = named_functions(op)
        regions = [region for region in functions.values() if CODEGEN.of(region) == BACKEND]
        composites = set[str]().union(*map(called_functions, regions))
        for name in sorted(composites & functions.keys()):
            function = functions[name]
            pattern = by_name.get(composite_name(function) or "")
            if pattern is not None and call_library(function, pattern):
                PRIMITIVE.clear(function)
