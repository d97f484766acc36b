"""A `linalg.generic` on memrefs as an iteration space: sizes, iterators, operands and the payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...diagnostics import OpError
from .access import Access
from .builder import Index, LoopBuilder


@dataclass
class Nest:
    """An iteration space in loop order: `sizes` and `parallel` per dim, operands, and the payload.

    `index_dims[i]` is the dim that `linalg.index i` reads, None where it is always 0.
    """

    op: Operation
    sizes: list[Index]
    parallel: list[bool]
    inputs: list[Access]
    outputs: list[Access]
    body: Block
    index_dims: list[int | None]

    @property
    def accesses(self) -> list[Access]:
        return [*self.inputs, *self.outputs]

    @property
    def payload(self) -> list[Operation]:
        """The operations of the body without the yield."""
        return list(self.body.ops)[:-1]

    @property
    def yielded(self) -> Sequence[SSAValue]:
        return cast(Operation, self.body.last_op).operands

    def output_arg(self, position: int) -> SSAValue:
        """The body's argument that holds the present content of an output."""
        return self.body.args[len(self.inputs) + position]

    def reads_output(self, position: int) -> bool:
        """Whether the payload reads the present content of an output."""
        return bool(self.output_arg(position).uses)

    def rank(self) -> int:
        return len(self.sizes)


def nest_of(op: Operation, builder: LoopBuilder) -> Nest:
    """The iteration space of a `linalg` op on memrefs; sizes that are not static are emitted before it."""
    if isinstance(op, linalg.GenericOp):
        return _generic(op, builder)
    if isinstance(op, linalg.FillOp | linalg.CopyOp):
        source, target = op.inputs[0], op.outputs[0]
        if not isinstance(target.type, MemRefType):
            raise OpError(op, f"linalg-to-loops: {op.name} on {target.type}, want a memref")
        rank = len(target.type.get_shape())
        identity = tuple(AffineDimExpr(d) for d in range(rank))
        element = source.type.element_type if isinstance(source.type, MemRefType) else source.type
        if element != target.type.element_type:
            raise OpError(op, f"linalg-to-loops: {op.name} from {element} to {target.type.element_type}")
        body = Block(arg_types=(element, element))
        body.add_op(linalg.YieldOp(body.args[0]))
        exprs = identity if isinstance(source.type, MemRefType) else ()
        sizes = [builder.dim(target, d) for d in range(rank)]
        return Nest(
            op, sizes, [True] * rank, [Access(source, exprs)], [Access(target, identity)], body, list(range(rank))
        )
    raise OpError(op, f"linalg-to-loops: {op.name} is not linalg.generic, linalg.fill or linalg.copy")


def _generic(op: linalg.GenericOp, builder: LoopBuilder) -> Nest:
    parallel: list[bool] = []
    for iterator in op.iterator_types.data:
        if iterator.data not in (IteratorType.PARALLEL, IteratorType.REDUCTION):
            raise OpError(op, f"linalg-to-loops: iterator type {iterator.data} is neither parallel nor reduction")
        parallel.append(iterator.data is IteratorType.PARALLEL)
    accesses: list[Access] = []
    for value, attr in zip(op.operands, op.indexing_maps.data, strict=True):
        if not isinstance(value.type, MemRefType):
            accesses.append(Access(value))
            continue
        if attr.data.num_symbols or len(attr.data.results) != len(value.type.get_shape()):
            raise OpError(op, f"linalg-to-loops: map {attr.data} does not index {value.type}")
        accesses.append(Access(value, tuple(attr.data.results)))
    inputs, outputs = accesses[: len(op.inputs)], accesses[len(op.inputs) :]
    if not all(o.is_memref for o in outputs):
        raise OpError(op, "linalg-to-loops: linalg.generic writes to something that is not a memref")
    rank = len(parallel)
    sizes = [_size(op, d, accesses, builder) for d in range(rank)]
    return Nest(op, sizes, parallel, inputs, outputs, op.body.block, list(range(rank)))


def _size(op: Operation, dim: int, accesses: Sequence[Access], builder: LoopBuilder) -> Index:
    found: tuple[SSAValue, int] | None = None
    for access in accesses:
        for position, expr in enumerate(access.exprs):
            if not isinstance(expr, AffineDimExpr) or expr.position != dim:
                continue
            size = access.type.get_shape()[position]
            if size >= 0:
                return size
            found = found or (access.value, position)
    if found is None:
        raise OpError(op, f"linalg-to-loops: no operand has the size of loop {dim}")
    return builder.dim(*found)


def arrange(nest: Nest) -> Nest:
    """The same computation with the outputs' dims first and in their order, and the reduced dims last."""
    order: list[int] = []
    for output in nest.outputs:
        for expr in output.exprs:
            if isinstance(expr, AffineDimExpr) and expr.position not in order:
                order.append(expr.position)
    order += [d for d in range(nest.rank()) if d not in order]
    return reorder(nest, [d for d in order if nest.parallel[d]] + [d for d in order if not nest.parallel[d]])


def reorder(nest: Nest, order: Sequence[int]) -> Nest:
    """The same computation with dim `order[k]` as dim `k`."""
    place = {d: k for k, d in enumerate(order)}
    dims = [AffineDimExpr(place[d]) for d in range(nest.rank())]

    def renamed(access: Access) -> Access:
        return Access(access.value, tuple(e.replace_dims_and_symbols(dims, ()) for e in access.exprs))

    return replace(
        nest,
        sizes=[nest.sizes[d] for d in order],
        parallel=[nest.parallel[d] for d in order],
        inputs=[renamed(a) for a in nest.inputs],
        outputs=[renamed(a) for a in nest.outputs],
        index_dims=[None if d is None else place[d] for d in nest.index_dims],
    )


def with_dim(point: Sequence[Index], dim: int, index: Index) -> list[Index]:
    """The point with another value of a dim."""
    changed = list(point)
    changed[dim] = index
    return changed
