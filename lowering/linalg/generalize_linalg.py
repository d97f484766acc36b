"""The pass `generalize-linalg`: named linalg ops become `linalg.generic`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.upstream.linalg_ops import CONTRACTIONS, CONVOLUTIONS, ELEMENTWISE, POOLINGS, QUANTIZED
from ..diagnostics import OpError

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()
_SPECS = {**CONVOLUTIONS, **QUANTIZED, **POOLINGS, **CONTRACTIONS}
_KEPT = {"linalg.generic", "linalg.fill", "linalg.yield", "linalg.index", "linalg.pack", "linalg.unpack"}


@dataclass(frozen=True)
class GeneralizeLinalgPass(ModulePass):
    """Turns every named linalg op, and element-wise `arith` and `math` on tensors, into `linalg.generic`.

    Before: `linalg.batch_matmul`, `linalg.conv_2d_nhwc_hwcf`, `linalg.transpose`, `linalg.softmax`, `arith.addf` on
    tensors, ... After: `linalg.generic` with the scalar region of the named op, and `linalg.fill`.
    """

    name = "generalize-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        generalize(op)
        for inner in list(op.walk()):
            if inner.name.startswith(("arith.", "math.")) and _is_elementwise(inner):
                _generalize_scalar_op(inner)


def is_named(op: Operation) -> bool:
    """Whether an op is a linalg op known by its name alone."""
    return op.name.startswith("linalg.") and op.name not in _KEPT


def generalize(module: ModuleOp) -> None:
    """Turns every named linalg op into `linalg.generic`."""
    for op in list(module.walk()):
        if is_named(op):
            _generalize(op)


def _is_elementwise(op: Operation) -> bool:
    if len(op.results) != 1 or not isinstance(op.results[0].type, TensorType) or not op.operands:
        return False
    return not (isinstance(op, arith.SelectOp) and not isinstance(op.cond.type, TensorType))


def _generalize(op: Operation) -> None:
    name = op.name.removeprefix("linalg.")
    if name == "softmax":
        _softmax(op)
        return
    inputs, outputs = _split(op, name)
    maps = op.properties.get("indexing_maps")
    if isinstance(maps, ArrayAttr):
        found = [m.data for m in maps.data if isinstance(m, AffineMapAttr)]
    elif name in _SPECS:
        found = _spec_maps(op, _SPECS[name], len(inputs))
    elif name in ELEMENTWISE or name == "map":
        rank = _rank(outputs[0])
        found = [_identity_or_scalar(v, rank) for v in (*inputs, *outputs)]
    elif name == "transpose":
        permutation = _integers(op, "permutation")
        found = [_map(len(permutation), _inverse(permutation)), AffineMap.identity(len(permutation))]
    elif name == "broadcast":
        rank = _rank(outputs[0])
        added = _integers(op, "dimensions")
        found = [_map(rank, [d for d in range(rank) if d not in added]), AffineMap.identity(rank)]
    elif name == "reduce":
        rank = _rank(inputs[0])
        removed = _integers(op, "dimensions")
        kept = _map(rank, [d for d in range(rank) if d not in removed])
        found = [AffineMap.identity(rank)] * len(inputs) + [kept] * len(outputs)
    else:
        raise OpError(op, f"generalize-linalg: {op.name} is not supported")
    if not op.regions or not op.regions[0].blocks:
        raise OpError(op, f"generalize-linalg: {op.name} has no region that tells what it computes")
    region = op.detach_region(op.regions[0])
    block = region.block
    for value in (*inputs, *outputs)[len(block.args) :]:
        block.insert_arg(_element(value), len(block.args))
    written = {d for m in found[len(inputs) :] for r in m.results for d in r.used_dims()}
    iterators = [PARALLEL if d in written else REDUCTION for d in range(found[0].num_dims)]
    new = linalg.GenericOp(
        inputs, outputs, region, [AffineMapAttr(m) for m in found], iterators, [r.type for r in op.results]
    )
    _replace(op, new)


def _replace(op: Operation, new: Operation) -> None:
    new.location = op.location
    Rewriter.replace_op(op, new)


def _split(op: Operation, name: str) -> tuple[list[SSAValue], list[SSAValue]]:
    operands = list(op.operands)
    segments = op.properties.get("operandSegmentSizes")
    if isinstance(segments, DenseArrayBase):
        inputs = int(segments.get_values()[0])
    elif name == "reduce":
        inputs = len(operands) // 2
    else:
        inputs = len(operands) - 1
    return operands[:inputs], operands[inputs:]


def _rank(value: SSAValue) -> int:
    assert isinstance(value.type, TensorType | MemRefType)
    return value.type.get_num_dims()


def _element(value: SSAValue) -> Attribute:
    return value.type.element_type if isinstance(value.type, TensorType | MemRefType) else value.type


def _map(dims: int, results: Sequence[int]) -> AffineMap:
    return AffineMap(dims, 0, tuple(AffineExpr.dimension(r) for r in results))


def _identity_or_scalar(value: SSAValue, rank: int) -> AffineMap:
    if isinstance(value.type, TensorType | MemRefType) and value.type.get_num_dims() == rank:
        return AffineMap.identity(rank)
    return _map(rank, [])


def _inverse(permutation: Sequence[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for position, source in enumerate(permutation):
        inverse[source] = position
    return inverse


def _integers(op: Operation, name: str) -> list[int]:
    value = op.properties.get(name, op.attributes.get(name))
    if isinstance(value, DenseArrayBase):
        return [int(v) for v in value.get_values()]
    if isinstance(value, DenseIntOrFPElementsAttr):
        return [int(v) for v in value.get_values()]
    raise OpError(op, f"generalize-linalg: {op.name} needs the attribute {name}")


def _spec_maps(op: Operation, spec: str, inputs: int) -> list[AffineMap]:
    """Reads `n x+p c, p c f, n x f`; the loops are the output's dims, then the others in order."""
    operands = [part.split() for part in spec.split(",")]
    order = list(dict.fromkeys([*operands[2], *operands[1], *(d for t in operands[0] for d in t.split("+"))]))
    windows = [t for t in operands[0] if "+" in t]

    def factors(name: str) -> list[int]:
        given = op.properties.get(name, op.attributes.get(name))
        return [1] * len(windows) if given is None else _integers(op, name)

    strides, dilations = factors("strides"), factors("dilations")
    if len(strides) != len(windows) or len(dilations) != len(windows):
        raise OpError(op, f"generalize-linalg: {op.name} needs {len(windows)} strides and dilations")

    def index(token: str) -> AffineExpr:
        if "+" not in token:
            return AffineExpr.dimension(order.index(token))
        at = windows.index(token)
        outer, inner = (AffineExpr.dimension(order.index(d)) for d in token.split("+"))
        outer = outer * strides[at] if strides[at] != 1 else outer
        return outer + (inner * dilations[at] if dilations[at] != 1 else inner)

    maps = [AffineMap(len(order), 0, tuple(index(t) for t in part)) for part in operands]
    scalars = [AffineMap(len(order), 0, ())] * (inputs - 2)
    return [maps[0], maps[1], *scalars, maps[2]]


def _generalize_scalar_op(op: Operation) -> None:
    result = op.results[0]
    type_ = result.type
    assert isinstance(type_, TensorType)
    block_before = op.parent
    assert block_before is not None
    inputs = list(op.operands)
    sizes: list[SSAValue] = []
    shaped = next(v for v in inputs if isinstance(v.type, TensorType) and v.type.get_num_dims() == type_.get_num_dims())
    for d, size in enumerate(type_.get_shape()):
        if size == DYNAMIC_INDEX:
            position = arith.ConstantOp(IntegerAttr(d, IndexType()))
            dim = tensor.DimOp(shaped, position.result)
            block_before.insert_ops_before([position, dim], op)
            sizes.append(dim.result)
    empty = tensor.EmptyOp(sizes, type_)
    block_before.insert_op_before(empty, op)
    body = Block(arg_types=[*(_element(v) for v in inputs), type_.element_type])
    inner = type(op).create(
        operands=body.args[: len(inputs)],
        result_types=[type_.element_type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    body.add_ops([inner, linalg.YieldOp(inner.results[0])])
    rank = type_.get_num_dims()
    maps = [AffineMapAttr(_identity_or_scalar(v, rank)) for v in (*inputs, empty.tensor)]
    _replace(op, linalg.GenericOp(inputs, [empty.tensor], Region(body), maps, [PARALLEL] * rank, [type_]))


def _softmax(op: Operation) -> None:
    """Row maximum, exponential of the difference, row sum, quotient."""
    source, target = op.operands
    type_ = target.type
    if not isinstance(type_, TensorType) or not isinstance(type_.element_type, AnyFloat):
        raise OpError(op, f"generalize-linalg: linalg.softmax of {type_} is not supported")
    element = type_.element_type
    dimension = op.properties["dimension"]
    assert isinstance(dimension, IntegerAttr)
    axis = dimension.value.data
    rank = type_.get_num_dims()
    block = op.parent
    assert block is not None

    def add(new: Operation) -> SSAValue:
        new.location = op.location
        assert block is not None
        block.insert_op_before(new, op)
        return new.results[0]

    shape = [s for d, s in enumerate(type_.get_shape()) if d != axis]
    sizes = [
        add(tensor.DimOp(source, add(arith.ConstantOp(IntegerAttr(d, IndexType())))))
        for d, s in enumerate(type_.get_shape())
        if d != axis and s == DYNAMIC_INDEX
    ]
    identity = AffineMap.identity(rank)
    row = _map(rank, [d for d in range(rank) if d != axis])
    reduced = TensorType(element, shape)

    def reduction(operation: type[Operation], start: float, value: SSAValue) -> SSAValue:
        initial = add(arith.ConstantOp(FloatAttr(start, element)))
        empty = add(tensor.EmptyOp(sizes, reduced))
        filled = add(linalg.FillOp([initial], [empty]))
        body = Block(arg_types=[element, element])
        inner = operation.create(operands=body.args, result_types=[element], properties=_fastmath(operation))
        body.add_ops([inner, linalg.YieldOp(inner.results[0])])
        iterators = [REDUCTION if d == axis else PARALLEL for d in range(rank)]
        maps = [AffineMapAttr(identity), AffineMapAttr(row)]
        return add(linalg.GenericOp([value], [filled], Region(body), maps, iterators, [reduced]))

    def pointwise(value: SSAValue, by_row: SSAValue, exponential: bool) -> SSAValue:
        body = Block(arg_types=[element] * 3)
        first = (arith.SubfOp if exponential else arith.DivfOp)(body.args[0], body.args[1])
        body.add_op(first)
        last: Operation = first
        if exponential:
            last = math.ExpOp(first.result)
            body.add_op(last)
        body.add_op(linalg.YieldOp(last.results[0]))
        maps = [AffineMapAttr(identity), AffineMapAttr(row), AffineMapAttr(identity)]
        return add(linalg.GenericOp([value, by_row], [target], Region(body), maps, [PARALLEL] * rank, [type_]))

    powers = pointwise(source, reduction(arith.MaximumfOp, float("-inf"), source), True)
    quotient = pointwise(powers, reduction(arith.AddfOp, 0.0, powers), False)
    op.results[0].replace_all_uses_with(quotient)
    op.detach()
    op.erase()


def _fastmath(operation: type[Operation]) -> dict[str, Attribute]:
    del operation
    return {"fastmath": arith.FastMathFlagsAttr("none")}
