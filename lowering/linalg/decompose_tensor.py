"""The pass `decompose-tensor`: tensor and linalg ops that bufferization does not take, in terms of those that it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint

from ...dialects.upstream.linalg_bodies import fill_op
from ...dialects.upstream.op_error import OpError
from ...dialects.upstream.tensor_ops import GenerateOp, RankOp
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from ...records import record
from ..emit.tensor_builder import PARALLEL, Size, TensorBuilder, element, projection, ranked
from ..sizes.op_sizes import mixed


class DecomposeTensorPass(PassWithOptions):
    """Decomposes `tensor.pad`, `concat`, `generate`, `rank`, `linalg.pack` and `linalg.unpack`.

    ```mlir
    %p = tensor.pad %a low[0, 1] high[0, 1] { ... tensor.yield %z : f32 } : tensor<2x3xf32> to tensor<2x5xf32>
    ```
    becomes
    ```mlir
    %0 = tensor.empty() : tensor<2x5xf32>
    %1 = linalg.fill ins(%z : f32) outs(%0 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %p = tensor.insert_slice %a into %1[0, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x5xf32>
    ```

    Before: any of these. After: `linalg.fill` and `tensor.insert_slice` (pad, concat), `linalg.generic` (generate, a pad
    whose value depends on the position, the transposition of a pack), `tensor.expand_shape`, `tensor.collapse_shape`.
    """

    name = "decompose-tensor"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in ops_inside(op):
            handler = _HANDLERS.get(inner.name)
            if handler is not None:
                decomposer = _Decomposer(inner)
                result = handler(decomposer, inner)
                result.name_hint = inner.results[0].name_hint
                inner.results[0].replace_all_uses_with(result)
                inner.detach()
                inner.erase()


class _Decomposer(TensorBuilder):
    """Inserts ops before the one that is decomposed, at its location in the source."""

    def __init__(self, op: Operation):
        super().__init__(InsertPoint.before(op))
        self._location = op.location

    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an op and returns its results."""
        op.location = self._location
        return super().insert_op(op)

    def sum(self, *parts: Size) -> Size:
        """Returns the sum of sizes; what is known comes first."""
        total: Size = sum(part for part in parts if isinstance(part, int))
        for part in parts:
            if not isinstance(part, int):
                total = self.add(total, part)
        return total

    def computed(self, type_: TensorType, target: SSAValue, block: Block) -> SSAValue:
        """Moves a block of index arguments that yields an element into a `linalg.generic`."""
        rank = type_.get_num_dims()
        terminator = block.last_op
        assert terminator is not None
        first = block.first_op
        assert first is not None
        for d, arg in enumerate(list(block.args)):
            index = linalg.IndexOp(d)
            block.insert_op_before(index, first)
            arg.replace_all_uses_with(index.result)
        for arg in list(block.args):
            block.erase_arg(arg)
        block.insert_arg(type_.element_type, 0)
        block.insert_op_before(linalg.YieldOp(*terminator.operands), terminator)
        terminator.detach()
        terminator.erase()
        region = block.parent
        assert region is not None and region.parent is not None
        region = region.parent.detach_region(region)
        identity = AffineMapAttr(AffineMap.identity(rank))
        return self.insert(linalg.GenericOp([], [target], region, [identity], [PARALLEL] * rank, [type_]))

    # ---- tensor ops ----

    def pad(self, op: Operation) -> SSAValue:
        assert isinstance(op, tensor.PadOp)
        type_ = op.result.type
        low = mixed(op.static_low.get_values(), op.low)
        high = mixed(op.static_high.get_values(), op.high)
        sizes = self.shape(op.source)
        padded = [
            self.as_index(self.sum(a, s, b)) if t == DYNAMIC_INDEX else t
            for a, s, b, t in zip(low, sizes, high, type_.get_shape(), strict=True)
        ]
        target = self.empty(padded, type_.element_type)
        block = op.region.block
        terminator = block.last_op
        assert terminator is not None
        value = terminator.operands[0]
        used = any(arg.first_use is not None for arg in block.args)
        if not used and (value.owner is not block):
            owner = value.owner
            inside = isinstance(owner, Operation) and owner.parent is block
            if inside:
                assert isinstance(owner, Operation)
                for inner in list(block.ops):
                    if inner is not terminator:
                        inner.detach()
                        self.insert_op(inner)
            target = self.insert(fill_op(value, target))
        else:
            target = self.computed(type_, target, block)
        return self.insert_slice(op.source, target, low, sizes=sizes)

    def concat(self, op: Operation) -> SSAValue:
        assert isinstance(op, tensor.ConcatOp)
        type_ = op.result.type
        assert isinstance(type_, TensorType)
        axis = op.dim.value.data
        parts = [self.shape(v) for v in op.inputs]
        total = [
            t if t != DYNAMIC_INDEX else self.as_index(self.sum(*(p[d] for p in parts)) if d == axis else parts[0][d])
            for d, t in enumerate(type_.get_shape())
        ]
        result = self.empty(total, type_.element_type)
        offset: Size = 0
        for value, sizes in zip(op.inputs, parts, strict=True):
            offsets: list[Size] = [offset if d == axis else 0 for d in range(len(sizes))]
            result = self.insert_slice(value, result, offsets, sizes=sizes)
            offset = self.sum(offset, sizes[axis])
        return result

    def generate(self, op: Operation) -> SSAValue:
        assert isinstance(op, GenerateOp)
        type_ = op.result.type
        assert isinstance(type_, TensorType)
        target = self.insert(tensor.EmptyOp(list(op.dynamic_extents), type_))
        return self.computed(type_, target, op.body.block)

    def rank(self, op: Operation) -> SSAValue:
        assert isinstance(op, RankOp)
        if not isinstance(op.tensor.type, TensorType):
            raise OpError(op, "decompose-tensor: tensor.rank of an unranked tensor is not supported")
        return self.index(op.tensor.type.get_num_dims())

    # ---- packing ----

    def _transposed(self, source: SSAValue, target: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Emits a transposition: result dim i is source dim `permutation[i]`."""
        rank = len(permutation)
        maps = [projection(rank, [permutation.index(dim) for dim in range(rank)]), AffineMap.identity(rank)]
        return self.generic([source], [target], maps, [PARALLEL] * rank, lambda _, scalars: scalars[0])[0]

    def pack(self, op: Operation) -> SSAValue:
        packing = _packing(op)
        source, target = op.operands[0], op.operands[1]
        if packing.padded != packing.shape:
            if len(op.operands) < 3:
                raise OpError(op, "decompose-tensor: linalg.pack of sizes that are no multiples needs a padding value")
            filled = self.fill(op.operands[2], packing.padded)
            source = self.insert_slice(source, filled, [0] * len(packing.shape))
        if packing.expanded != packing.padded:
            source = self.insert(_expand(source, packing.groups, ranked(packing.expanded, element(target))))
        return self._transposed(source, target, packing.order)

    def unpack(self, op: Operation) -> SSAValue:
        packing = _packing(op)
        source, element_type = op.operands[0], element(op.operands[1])
        inverse = [packing.order.index(d) for d in range(len(packing.order))]
        result = self._transposed(source, self.empty(packing.expanded, element_type), inverse)
        if packing.expanded != packing.padded:
            collapsed = tensor.CollapseShapeOp.create(
                operands=[result],
                result_types=[ranked(packing.padded, element_type)],
                properties={"reassociation": _groups(packing.groups)},
            )
            result = self.insert(collapsed)
        if packing.padded != packing.shape:
            rank = len(packing.shape)
            result = self.extract_slice(result, [0] * rank, packing.shape, [1] * rank)
        return result


@record
class _Packing:
    """How a plain tensor is packed: padded to whole tiles, each tiled dim split in two, and all dims put in order."""

    shape: list[int]
    padded: list[int]
    groups: list[list[int]]
    """The dims of `expanded` that each dim of `padded` is split into."""
    expanded: list[int]
    order: list[int]
    """Which dim of `expanded` each dim of the packed tensor is."""


def _packing(op: Operation) -> _Packing:
    source, result = op.operands[0].type, op.results[0].type
    assert isinstance(source, TensorType) and isinstance(result, TensorType)
    shape = list((source if op.name == "linalg.pack" else result).get_shape())
    tiles = _integers(op, "static_inner_tiles")
    if DYNAMIC_INDEX in (*tiles, *shape, *source.get_shape()):
        raise OpError(op, f"decompose-tensor: {op.name} with dynamic sizes or tiles is not supported")
    positions = _integers(op, "inner_dims_pos")
    tile = dict(zip(positions, tiles, strict=True))
    groups: list[list[int]] = []
    expanded: list[int] = []
    for d, size in enumerate(shape):
        parts = [-(-size // tile[d]), tile[d]] if d in tile else [size]
        groups.append([len(expanded) + part for part in range(len(parts))])
        expanded.extend(parts)
    outer = _integers(op, "outer_dims_perm") or range(len(shape))
    order = [*(groups[d][0] for d in outer), *(groups[d][1] for d in positions)]
    padded = [prod(expanded[part] for part in group) for group in groups]
    return _Packing(shape, padded, groups, expanded, order)


def _groups(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(d, i64) for d in group) for group in groups)


def _expand(source: SSAValue, groups: Sequence[Sequence[int]], type_: TensorType) -> Operation:
    return tensor.ExpandShapeOp.create(
        operands=[source],
        result_types=[type_],
        properties={
            "reassociation": _groups(groups),
            "static_output_shape": DenseArrayBase.from_list(i64, type_.get_shape()),
        },
    )


def _integers(op: Operation, name: str) -> list[int]:
    value: Attribute | None = op.properties.get(name)
    return [int(v) for v in value.get_values()] if isinstance(value, DenseArrayBase) else []


_HANDLERS: dict[str, Callable[[_Decomposer, Operation], SSAValue]] = {
    "tensor.pad": _Decomposer.pad,
    "tensor.concat": _Decomposer.concat,
    "tensor.generate": _Decomposer.generate,
    "tensor.rank": _Decomposer.rank,
    "linalg.pack": _Decomposer.pack,
    "linalg.unpack": _Decomposer.unpack,
}
