"""A `linalg` op on memrefs as an iteration space: loops, operands and the payload.

    linalg.generic {indexing_maps = [(d0, d1, d2) -> (d0, d2), (d0, d1, d2) -> (d1, d0)], ["parallel", "parallel", "reduction"]}

has the loops `[[0], [1], [2]]` of the sizes that its operands have. Arranged, its outputs' dims come first and in their order:
`[[1], [0], [2]]`. `merge_loops` makes one loop of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ....dialects.new_op import new_op
from ....dialects.upstream.op_error import OpError
from ....records import record
from .access import ZERO, Access

Size: TypeAlias = int | None
"""The iterations of a loop; None where they are known at run time only."""


@record(frozen=False)
class Nest:
    """An iteration space in loop order: per loop its size and whether it is parallel, operands, and the payload.

    `loops[i]` are the dims of the op that loop i runs over. `index_dims[i]` is the loop that `linalg.index i` reads, None where it
    is always 0.
    """

    op: Operation
    loops: list[tuple[int, ...]]
    sizes: list[Size]
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

    @property
    def moves(self) -> bool:
        """Whether the payload yields the only input as it is."""
        return not self.payload and len(self.inputs) == len(self.outputs) == 1 and self.yielded[0] is self.body.args[0]

    @property
    def reduced(self) -> list[int]:
        """The loops that are reductions."""
        return [d for d in range(self.rank()) if not self.parallel[d]]

    def output_arg(self, position: int) -> SSAValue:
        """Returns the body's argument that holds the present content of an output."""
        return self.body.args[len(self.inputs) + position]

    def reads_output(self, position: int) -> bool:
        """Returns whether the payload reads the present content of an output."""
        return bool(self.output_arg(position).uses)

    def rank(self) -> int:
        """Returns the number of loops."""
        return len(self.sizes)


def nest_of(op: Operation) -> Nest:
    """Returns the iteration space of a `linalg` op on memrefs, one loop for each dim."""
    if isinstance(op, linalg.GenericOp):
        return _nest_of_generic(op)
    if isinstance(op, linalg.FillOp | linalg.CopyOp):
        return _nest_of_copy(op)
    raise OpError(op, f"linalg-to-loops: {op.name} is not linalg.generic, linalg.fill or linalg.copy")


def _nest_of_copy(op: linalg.FillOp | linalg.CopyOp) -> Nest:
    """Returns the nest of `output[...] = input`, or `= input[...]`."""
    source, target = op.inputs[0], op.outputs[0]
    if not isinstance(target.type, MemRefType):
        raise OpError(op, f"linalg-to-loops: {op.name} on {target.type}, want a memref")
    rank = len(target.type.get_shape())
    identity = tuple(AffineDimExpr(d) for d in range(rank))
    element = source.type.element_type if isinstance(source.type, MemRefType) else source.type
    if element != target.type.element_type:
        raise OpError(op, f"linalg-to-loops: {op.name} from {element} to {target.type.element_type}")
    body = Block(arg_types=(element, element))
    body.add_op(new_op(linalg.YieldOp, body.args[:1]))
    read = Access(source, identity if isinstance(source.type, MemRefType) else ())
    written = Access(target, identity)
    sizes: list[Size] = [size if size >= 0 else None for size in target.type.get_shape()]
    return Nest(op, _each(rank), sizes, [True] * rank, [read], [written], body, list(range(rank)))


def _nest_of_generic(op: linalg.GenericOp) -> Nest:
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
    nest = Nest(op, _each(rank), [None] * rank, parallel, inputs, outputs, op.body.block, list(range(rank)))
    sources = [size_source(nest, d) for d in range(rank)]
    nest.sizes = [source if isinstance(source, int) else None for source in sources]
    return nest


def _each(rank: int) -> list[tuple[int, ...]]:
    return [(d,) for d in range(rank)]


def size_source(nest: Nest, dim: int) -> int | tuple[SSAValue, int]:
    """Returns the size of a loop of a nest as it comes from `nest_of`: a number, or the memref and the axis that have it."""
    source: tuple[SSAValue, int] | None = None
    for access in nest.accesses:
        for axis, expr in enumerate(access.exprs):
            if not isinstance(expr, AffineDimExpr) or expr.position != dim:
                continue
            size = access.type.get_shape()[axis]
            if size >= 0:
                return size
            source = source or (access.value, axis)
    if source is None:
        raise OpError(nest.op, f"linalg-to-loops: no operand has the size of loop {dim}")
    return source


def arrange(nest: Nest) -> Nest:
    """Returns the same computation with the outputs' dims first and in their order, and the reduced dims last."""
    order: list[int] = []
    for output in nest.outputs:
        for expr in output.exprs:
            if isinstance(expr, AffineDimExpr) and expr.position not in order:
                order.append(expr.position)
    order += [d for d in range(nest.rank()) if d not in order]
    return reorder(nest, [d for d in order if nest.parallel[d]] + [d for d in order if not nest.parallel[d]])


def reorder(nest: Nest, order: Sequence[int]) -> Nest:
    """Returns the same computation with loop `order[k]` as loop `k`; loops that are left out have one iteration."""
    new_index = {d: k for k, d in enumerate(order)}
    dims = [AffineDimExpr(new_index[d]) if d in new_index else ZERO for d in range(nest.rank())]

    def renamed(access: Access) -> Access:
        return replace(access, exprs=tuple(e.replace_dims_and_symbols(dims, ()) for e in access.exprs))

    return replace(
        nest,
        loops=[nest.loops[d] for d in order],
        sizes=[nest.sizes[d] for d in order],
        parallel=[nest.parallel[d] for d in order],
        inputs=[renamed(a) for a in nest.inputs],
        outputs=[renamed(a) for a in nest.outputs],
        index_dims=[None if d is None else new_index.get(d) for d in nest.index_dims],
    )


def is_vectorizable(nest: Nest) -> bool:
    """Returns whether the payload is element by element: `arith`, `math`, `linalg.index` and loads, without regions."""
    if any(isinstance(arg.type, IndexType) for arg in nest.body.args):
        return False
    for op in nest.payload:
        if op.regions or not (op.dialect_name() in ("arith", "math") or isinstance(op, linalg.IndexOp | memref.LoadOp)):
            return False
    return True
