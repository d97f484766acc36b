"""The generic form of named linalg ops: `linalg.generic` with the same maps and the same scalar region.

xDSL has no `GenericOp` for a named op of upstream, nor its indexing maps; both are derived here from the rows of `linalg_names`.

For upstream: "`linalg` named ops implement an interface that gives their indexing maps and iterator types, as in MLIR."
"""

from __future__ import annotations

from collections.abc import Sequence

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
from xdsl.rewriter import Rewriter

from ..walks import ops_inside
from .linalg_bodies import fill_op
from .linalg_names import CONTRACTIONS, CONVOLUTIONS, ELEMENTWISE, POOLINGS, QUANTIZED
from .op_error import OpError

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()
_SPECS = {**CONVOLUTIONS, **QUANTIZED, **POOLINGS, **CONTRACTIONS}
_KEPT = {"linalg.generic", "linalg.fill", "linalg.yield", "linalg.index", "linalg.pack", "linalg.unpack"}


def is_named(op: Operation) -> bool:
    """Returns whether an op is a linalg op known by its name alone."""
    return op.name.startswith("linalg.") and op.name not in _KEPT


def is_elementwise(op: Operation) -> bool:
    """Returns whether an op of `arith` or `math` computes a tensor, element by element."""
    if not op.name.startswith(("arith.", "math.")) or len(op.results) != 1 or not op.operands:
        return False
    return isinstance(op.results[0].type, TensorType)


def operand_maps(op: Operation) -> list[tuple[SSAValue, AffineMap]]:
    """Returns the operands of a linalg op, or of an element-wise one on tensors, with how it reads and writes each."""
    name = op.name.removeprefix("linalg.")
    if not op.name.startswith("linalg.") or name == "softmax":
        rank = _rank(op.results[0] if op.results else op.operands[-1])
        return [(value, identity_or_scalar(value, rank)) for value in op.operands]
    inputs, outputs = _split(op, name)
    return list(zip([*inputs, *outputs], _indexing_maps(op, name, inputs, outputs), strict=True))


def to_generic_form(module: ModuleOp) -> None:
    """Turns every named linalg op into `linalg.generic`."""
    for op in ops_inside(module):
        if is_named(op):
            _generalize(op)


def _generalize(op: Operation) -> None:
    """Replaces a named op. A loop that no output depends on is a reduction; the region gets an argument for each operand."""
    name = op.name.removeprefix("linalg.")
    if name == "softmax":
        _softmax(op)
        return
    inputs, outputs = _split(op, name)
    maps = _indexing_maps(op, name, inputs, outputs)
    if not op.regions or not op.regions[0].blocks:
        raise OpError(op, f"generalize-linalg: {op.name} has no region that tells what it computes")
    region = op.detach_region(op.regions[0])
    block = region.block
    for value in (*inputs, *outputs)[len(block.args) :]:
        block.insert_arg(element_type(value), len(block.args))
    written = {d for m in maps[len(inputs) :] for r in m.results for d in r.used_dims()}
    iterators = [PARALLEL if d in written else REDUCTION for d in range(maps[0].num_dims)]
    new = linalg.GenericOp(
        inputs, outputs, region, [AffineMapAttr(m) for m in maps], iterators, [r.type for r in op.results]
    )
    replace_op(op, new)


def _indexing_maps(
    op: Operation, name: str, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
) -> list[AffineMap]:
    """Returns how an op reads and writes its operands: as it says, by its row of `linalg_names`, or by its dimensions."""
    declared = op.properties.get("indexing_maps")
    if isinstance(declared, ArrayAttr):
        return [entry.data for entry in declared.data if isinstance(entry, AffineMapAttr)]
    if name in _SPECS:
        return _spec_maps(op, _SPECS[name], len(inputs))
    if name in ELEMENTWISE or name == "map":
        return [identity_or_scalar(value, _rank(outputs[0])) for value in (*inputs, *outputs)]
    if name == "transpose":
        permutation = _integers(op, "permutation")
        return [_map(len(permutation), _inverse(permutation)), AffineMap.identity(len(permutation))]
    if name == "broadcast":
        rank, added = _rank(outputs[0]), _integers(op, "dimensions")
        return [_map(rank, [d for d in range(rank) if d not in added]), AffineMap.identity(rank)]
    if name == "reduce":
        rank, removed = _rank(inputs[0]), _integers(op, "dimensions")
        kept = _map(rank, [d for d in range(rank) if d not in removed])
        return [AffineMap.identity(rank)] * len(inputs) + [kept] * len(outputs)
    raise OpError(op, f"generalize-linalg: {op.name} is not supported")


def replace_op(op: Operation, new: Operation) -> None:
    """Replaces an op by another one, which gets its location."""
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


def element_type(value: SSAValue) -> Attribute:
    """Returns the element type of a shaped value, or the type of a scalar."""
    return value.type.element_type if isinstance(value.type, TensorType | MemRefType) else value.type


def _map(dims: int, results: Sequence[int]) -> AffineMap:
    return AffineMap(dims, 0, tuple(AffineExpr.dimension(r) for r in results))


def identity_or_scalar(value: SSAValue, rank: int) -> AffineMap:
    """Returns the map that reads a value at the point of the loops, or a scalar everywhere."""
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


def _softmax(op: Operation) -> None:
    """Replaces softmax by the row maximum, the exponential of the difference, the row sum and the quotient."""
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
        filled = add(fill_op(initial, empty))
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
