"""The pass `relax-fold-constant`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator, is_side_effect_free

from ...dialects.relax.attrs import ShapeType, on_device
from ...dialects.relax.base import RelaxOp, dims
from ...dialects.relax.dense import dense_from_numpy, dense_to_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.ops.core import (
    ConstantOp,
    MatchCastOp,
    PythonCallOp,
    ShapeOp,
    StopLiftParamsOp,
    TupleGetItemOp,
    TupleOp,
)
from ...dialects.relax.ops.shape import ShapeOfOp
from ...dialects.relax.ops.vdevice import HintOnDeviceOp
from ...interpreter.evaluating_context import evaluator_of
from ...interpreter.rule import InterpreterError
from ...kinds import kind_test
from ...records import record
from ..analysis.call_graph import named_functions
from ..analysis.remarks import Topic, function_of, named_op, remark
from ..cleanup.dead_code_elimination import erase_dead_code
from ..cleanup.infer_shapes import infer_again
from ..options import PassWithOptions, within
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions, is_kernel
from ..rewriting.rooted_walker import Candidates, RootedWalker

NOT_FOLDED = (
    ConstantOp,
    ShapeOp,
    ShapeOfOp,
    TupleOp,
    TupleGetItemOp,
    PythonCallOp,
    StopLiftParamsOp,
    HintOnDeviceOp,
)


def constant_value(value: SSAValue) -> Any:
    """Returns what is known of a value when the program is compiled: an array, a tuple of ints for a shape; `None` if nothing."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return dense_to_numpy(owner.value)
    if isinstance(owner, ShapeOp) and isinstance(value.type, ShapeType):
        return _sizes(value.type)
    return None


def _sizes(value_type: ShapeType) -> tuple[int, ...] | None:
    sizes = tuple(dim for dim in value_type.data if isinstance(dim, int))
    return sizes if len(sizes) == len(value_type.data) else None


def _ends_block(op: Operation) -> bool:
    return op.has_trait(IsTerminator)


def _size(value_type: Attribute) -> int | None:
    """Returns the number of elements of a tensor type, of a shape value that of its entries; `None` if it is not known."""
    if isinstance(value_type, ShapeType):
        return len(value_type.data)
    if not isinstance(value_type, TensorType) or not value_type.has_static_shape():
        return None
    return prod(value_type.get_shape())


def _bytes(value_type: Attribute) -> int:
    """Returns the memory of a tensor of known size."""
    if not isinstance(value_type, TensorType):
        return 0
    return prod(value_type.get_shape()) * numpy_dtype(value_type.element_type).itemsize


def _stored_bytes(value: SSAValue) -> int:
    """Returns the memory of a constant, of which a splat may take less than its type says."""
    literal = value.owner.value if isinstance(value.owner, ConstantOp) else None
    return len(literal.data.data) if isinstance(literal, DenseIntOrFPElementsAttr) else _bytes(value.type)


@record(frozen=False)
class Budget:
    """The bytes by which constants may still grow in a module."""

    left: int

    def allows(self, op: Operation) -> bool:
        """Takes the cost of an op if enough is left: its operands written out, and its results in place of what nothing else reads."""
        operands = set(op.operands)
        written_out = sum(_bytes(value.type) - _stored_bytes(value) for value in operands)
        results = sum(_bytes(result.type) for result in op.results)
        freed = sum(_stored_bytes(value) for value in operands if all(use.operation is op for use in value.uses))
        if results + written_out - freed > self.left:
            return False
        self.left -= results - freed
        return True


@record
class EvaluateOp(RewritePattern):
    """Replaces an op on constants by its results.

    Declines where a result's size is not known, or large although no operand has more than one element: `relax.zeros` of a million
    elements is smaller than its value. Declines where the budget of bytes is spent.
    """

    ctx: Context
    kernels: frozenset[str]
    max_elements: int
    budget: Budget

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        # First what tells most ops apart.
        if not all(type(operand.owner) in (ConstantOp, ShapeOp) for operand in op.operands):
            return
        if not self._is_candidate(op):
            return
        sizes = [_size(result.type) for result in op.results]
        operand_sizes = [_size(operand.type) or 0 for operand in op.operands if isinstance(operand.type, TensorType)]
        creates = all(size <= 1 for size in operand_sizes)
        if any(size is None or (creates and size > self.max_elements) for size in sizes):
            # The type of a shape value from a tensor does not tell the sizes, only how many there are.
            return
        values = [constant_value(operand) for operand in op.operands]
        if any(value is None for value in values):
            return
        # Made here: most programs have nothing to fold, and the rules are slow to import.
        evaluator = evaluator_of(self.ctx)
        if not evaluator.can_evaluate(op) or not self.budget.allows(op):
            return
        try:
            results = evaluator.evaluate(op, values)
        except InterpreterError:
            return
        remark(
            Topic.REWRITE,
            function_of(op),
            op.location,
            f"{named_op(op)} is computed at compile time, as its operands are constants",
        )
        emitter = Emitter(op, rewriter)
        constants = [self._constant(emitter, result, value) for result, value in zip(op.results, results, strict=True)]
        operands = list(op.operands)
        rewriter.replace(op, [], constants)
        erase_unused_constants(operands, rewriter)

    def _is_candidate(self, op: Operation) -> bool:
        if not op.results:
            return False
        if isinstance(op, func.CallOp):
            return op.callee.string_value() in self.kernels
        if not isinstance(op, RelaxOp) or isinstance(op, NOT_FOLDED) or not is_side_effect_free(op):
            return False
        # The sizes would make its type another one than that of the block's results.
        return not any(
            isinstance(result.type, ShapeType) and any(_ends_block(use.operation) for use in result.uses)
            for result in op.results
        )

    def _constant(self, emitter: Emitter, result: SSAValue, value: Any) -> SSAValue:
        if isinstance(result.type, ShapeType):
            return emitter.shape(*map(int, value))
        assert isinstance(result.type, TensorType)
        literal = dense_from_numpy(np.asarray(value), result.type.element_type)
        assert literal.type == on_device(result.type, None)
        return emitter.op(ConstantOp, value=literal, result_types=[result.type])


def erase_unused_constants(values: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Erases the constants among the owners of values that nothing reads any more."""
    for owner in dict.fromkeys(value.owner for value in values):
        if isinstance(owner, ConstantOp | ShapeOp | arith.ConstantOp) and owner.result.first_use is None:
            rewriter.erase(owner)


class FoldShapeOf(RewritePattern):
    """Replaces the shape of a tensor by a shape value that names its dims; declines while one of them is unknown."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ShapeOfOp, rewriter: PatternRewriter) -> None:
        shape = dims(op.x)
        if shape is None or None in shape:
            return
        result_type = ShapeType(shape)
        if op.result.type != result_type and any(_ends_block(use.operation) for use in op.result.uses):
            return
        rewriter.replace(op, ShapeOp.build_from(result_types=[result_type]))


class FoldTupleItem(RewritePattern):
    """Replaces a field read from a tuple that is built in the same function by the value of the field."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TupleGetItemOp, rewriter: PatternRewriter) -> None:
        bundle = op.tuple_value.owner
        if not isinstance(bundle, TupleOp):
            return
        field_value = bundle.fields[op.index.value.data]
        if field_value.type != op.result.type:
            return
        rewriter.replace(op, [], [field_value])
        if bundle.result.first_use is None:
            rewriter.erase(bundle)


class FoldBranch(RewritePattern):
    """Replaces `scf.if` on a constant by the branch that is taken.

    Declines where that branch asserts something by `relax.match_cast`: the names that it gives would be those of the whole block.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        taken = _condition(op.cond)
        if taken is None:
            return
        region = op.true_region if taken else op.false_region
        condition = op.cond.owner
        if not region.blocks:
            rewriter.erase(op)
            _erase_condition(condition, rewriter)
            return
        block: Block = region.block
        last = block.last_op
        assert last is not None
        if any(isinstance(inner, MatchCastOp) for inner in block.walk()):
            return
        if any(value.type != result.type for value, result in zip(last.operands, op.results, strict=True)):
            return
        values = list(last.operands)
        rewriter.erase(last)
        rewriter.inline_block(block, InsertPoint.before(op))
        rewriter.replace(op, [], values)
        _erase_condition(condition, rewriter)


def _erase_condition(op: Operation | Block, rewriter: PatternRewriter) -> None:
    """Erases the constant, or the element of a constant, that a branch was chosen by, unless something else reads it."""
    if isinstance(op, arith.ConstantOp | tensor.ExtractOp) and op.results[0].first_use is None:
        read = list(op.operands)
        rewriter.erase(op)
        erase_unused_constants(read, rewriter)


def _condition(value: SSAValue) -> bool | None:
    """Returns a condition that is known: a constant, or the element of a constant tensor."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return bool(owner.value.value.data)
    if isinstance(owner, tensor.ExtractOp) and isinstance(owner.tensor.owner, ConstantOp):
        indices = [index.owner for index in owner.indices]
        if all(isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr) for index in indices):
            element = tuple(index.value.value.data for index in indices)  # pyright: ignore
            return bool(dense_to_numpy(owner.tensor.owner.value)[element])
    return None


_may_know_more = kind_test(ShapeOfOp, TupleGetItemOp, scf.IfOp)
"""Ops that may be constant where an operand is not."""


def _may_fold() -> Candidates:
    """Returns which ops, asked for in order, have operands that are constants, or may be when their turn comes."""
    candidates: set[Operation] = set()

    def is_candidate(op: Operation) -> bool:
        for operand in op.operands:
            owner = operand.owner
            if type(owner) not in (ConstantOp, ShapeOp) and owner not in candidates:
                break
        else:
            candidates.add(op)
            return True
        if not _may_know_more(op):
            return False
        candidates.add(op)
        return True

    return is_candidate


@dataclass(frozen=True)
class FoldConstantPass(PassWithOptions):
    """Computes what depends on constants alone.

    ```mlir
    %w = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %s = relax.multiply %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = relax.add %x, %s : ...
    ```
    becomes
    ```mlir
    %s = relax.constant {value = dense<[1.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = relax.add %x, %s : ...
    ```

    Ops are computed by the evaluator of the context (the interpreter; native code for large tensors in `compile` and our tools), so that
    a folded program has the results of one that is not folded. `relax.shape_of` becomes the shape that the type tells, fields of tuples
    that are built here become the fields, `scf.if` on a constant becomes a branch. Calls of kernels are folded too, the bodies of
    kernels are left alone. `relax.builtin.stop_lift_params` stops folding too.

    *Requires* static result types, as `relax-infer-shapes` derives them. *Leaves* only what something reads, as
    `relax-dead-code-elimination` does.
    """

    name = "relax-fold-constant"

    max_elements: int = within(1024, 0)
    """The largest result of an op that makes a tensor of nothing (`zeros`, `full`, `arange`) that is written out."""
    max_growth: int = within(1 << 28, 0)
    """The most bytes by which the constants of a module may grow, as by `tile` and `broadcast_to`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = named_functions(op)
        kernels = frozenset(
            name for name, function in functions.items() if is_kernel(function) and function.body.blocks
        )
        patterns = [
            FoldShapeOf(),
            FoldTupleItem(),
            FoldBranch(),
            EvaluateOp(ctx, kernels, self.max_elements, Budget(self.max_growth)),
        ]
        # Operands come before their users, so one walk in order meets every op after its operands are folded.
        walker = RootedWalker(patterns, _may_fold(), erases_dead=False, apply_recursively=False)
        folded = [function for function in graph_functions(op) if walker.rewrite_region(function.body)]
        erase_dead_code(op, graph_functions(op))
        infer_again(op, folded)
