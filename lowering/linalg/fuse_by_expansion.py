"""The pass `fuse-by-expansion`: element-wise ops have the loops of a contraction whose result was reshaped for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.walks import ops_inside
from ..emit.tensor_builder import Size, TensorBuilder, element, ranked, tensor_shape


class FuseByExpansionPass(ModulePass):
    """Makes element-wise ops that read joined dims of the result of a contraction ops on the dims themselves.

    ```mlir
    %c = linalg.generic {...} -> tensor<1x4x32x28x28xf32>                                a convolution in 4 groups
    %j = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : ... into tensor<1x128x28x28xf32>
    %y = linalg.generic {...} ins(%j, %bias : ..., tensor<128xf32>) -> tensor<1x128x28x28xf32>
    ```
    becomes
    ```mlir
    %b = tensor.expand_shape %bias [[0, 1]] output_shape [4, 32]
    %e = linalg.generic {...} ins(%c, %b : ..., tensor<4x32xf32>) -> tensor<1x4x32x28x28xf32>
    %y = tensor.collapse_shape %e [[0], [1, 2], [3], [4]]
    ```

    so that it runs on the tiles of the contraction. Before: `linalg.generic`. After: the same; what follows an op that was rewritten is
    rewritten as well. The joined dims have known sizes, and operands and results know the same sizes as the contraction.
    """

    name = "fuse-by-expansion"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                leading: set[Operation] = set()
                for generic in [each for each in ops_inside(function) if isinstance(each, linalg.GenericOp)]:
                    if not all(_is_parallel(each) for each in generic.iterator_types.data):
                        leading.add(generic)
                        continue
                    source = next((v for v in generic.inputs if _joined(v, leading)), None)
                    if source is not None and _may_expand(generic, source):
                        leading.add(_expand(generic, cast(tensor.CollapseShapeOp, source.owner)))


def _is_parallel(iterator: IteratorTypeAttr) -> bool:
    return iterator.data is IteratorType.PARALLEL


def _joined(value: SSAValue, leading: set[Operation]) -> bool:
    """Returns whether a value has joined dims, of known sizes, of the result of one of some ops."""
    owner = value.owner
    if not isinstance(owner, tensor.CollapseShapeOp) or owner.src.owner not in leading:
        return False
    shape = tensor_shape(owner.src)
    return not any(shape[axis] == DYNAMIC_INDEX for group in _groups(owner) if len(group) > 1 for axis in group)


def _groups(op: tensor.CollapseShapeOp) -> list[list[int]]:
    return [[axis.value.data for axis in group] for group in op.reassociation]


def _may_expand(op: linalg.GenericOp, source: SSAValue) -> bool:
    """Returns whether an op reads a value, and writes its result, at each point of its loops, and other operands at some of them."""
    maps = [attr.data for attr in op.indexing_maps.data]
    identity = AffineMap.identity(len(op.iterator_types.data))
    if len(op.results) != 1 or maps[-1] != identity or maps[list(op.inputs).index(source)] != identity:
        return False
    if op.body.block.args[-1].first_use is not None or any(
        isinstance(inner, linalg.IndexOp | tensor.ExtractOp) or inner.regions for inner in op.body.block.ops
    ):
        return False
    operands = zip((*op.inputs, op.results[0]), maps, strict=True)
    return all(_may_split(value, read, tensor_shape(source)) for value, read in operands)


def _may_split(value: SSAValue, read: AffineMap, sizes: Sequence[int]) -> bool:
    """Returns whether an operand or a result has an item at each step of loops of these sizes, and knows the same of the sizes.

    `tensor.expand_shape` and `tensor.collapse_shape` make no size known or unknown.
    """
    for position, expr in enumerate(read.results):
        if isinstance(expr, AffineDimExpr):
            if (tensor_shape(value)[position] == DYNAMIC_INDEX) != (sizes[expr.position] == DYNAMIC_INDEX):
                return False
        elif not isinstance(expr, AffineConstantExpr):
            return False
    return True


def _expand(op: linalg.GenericOp, joined: tensor.CollapseShapeOp) -> linalg.GenericOp:
    """Replaces an op by one with the dims that were joined; returns it."""
    b = TensorBuilder(InsertPoint.before(op))
    groups, source = _groups(joined), joined.src
    sizes = b.shape(source)
    rank = len(sizes)

    def expanded(value: SSAValue, read: AffineMap) -> tuple[SSAValue, AffineMap]:
        """Returns an operand with the dims that it has of the joined ones, and where it is read."""
        if value is joined.result:
            return source, AffineMap.identity(rank)
        parts = [groups[expr.position] if isinstance(expr, AffineDimExpr) else [expr] for expr in read.results]
        exprs = [AffineExpr.dimension(axis) if isinstance(axis, int) else axis for part in parts for axis in part]
        return _split(b, value, sizes, parts), AffineMap(rank, 0, tuple(exprs))

    maps = [attr.data for attr in op.indexing_maps.data]
    inputs = [expanded(value, read) for value, read in zip(op.inputs, maps, strict=False)]
    kind = element(op.results[0])
    new = linalg.GenericOp(
        [value for value, _ in inputs],
        [b.empty(sizes, kind)],
        op.detach_region(op.body),
        [*(AffineMapAttr(read) for _, read in inputs), AffineMapAttr(AffineMap.identity(rank))],
        ArrayAttr([IteratorTypeAttr.parallel()] * rank),
        [ranked(sizes, kind)],
    )
    new.attributes.update(op.attributes)
    new.location = op.location
    b.insert_op(new)
    result = tensor.CollapseShapeOp.build(
        operands=[new.results[0]], properties={"reassociation": joined.reassociation}, result_types=[op.results[0].type]
    )
    result.location = op.location
    Rewriter.replace_op(op, result)
    return new


def _split(
    b: TensorBuilder, value: SSAValue, whole: Sequence[Size], parts: Sequence[Sequence[int | AffineExpr]]
) -> SSAValue:
    """Returns a value whose axes, each of which stands for some of those of another one of these sizes, are split as that one's."""
    if all(len(part) == 1 for part in parts):
        return value
    sizes = [
        whole[axis] if isinstance(axis, int) else b.dim(value, position)
        for position, part in enumerate(parts)
        for axis in part
    ]
    numbers = iter(range(len(sizes)))
    groups = ArrayAttr(ArrayAttr(IntegerAttr(next(numbers), i64) for _ in part) for part in parts)
    static = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    dynamic = [size for size in sizes if not isinstance(size, int)]
    return b.insert(tensor.ExpandShapeOp(value, dynamic, groups, static, ranked(sizes, element(value))))
