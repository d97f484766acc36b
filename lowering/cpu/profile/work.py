"""How much a `linalg` op on memrefs computes and moves, as index arithmetic where its sizes are known at run time only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from ....records import record
from ...buffers.workspace_bytes import byte_width
from ...emit.emitter import Index
from ...emit.op_builder import OpBuilder
from ...sizes.op_sizes import VIEWS
from ..schedule.access import Access
from ..schedule.integer_winograd import recognize_integer_winograd
from ..schedule.nest import Nest, nest_of, size_source
from ..schedule.winograd import recognize_winograd

_OPERATIONS = {"math.fma": 2, "vector.fma": 2}
"""The operations of an op that counts more than once."""

_ARITHMETIC = frozenset(
    f"arith.{name}"
    for name in (
        *("addf", "subf", "mulf", "divf", "remf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf"),
        *("addi", "subi", "muli", "divsi", "divui", "floordivsi", "ceildivsi", "remsi", "remui"),
        *("maxsi", "maxui", "minsi", "minui"),
    )
)


@record(frozen=False)
class Work:
    """The work of several ops; memory that more than one of them reads or writes is counted once."""

    b: OpBuilder
    skips: SSAValue | None = None
    """Scratch memory that does not count."""
    counts_stack: bool = True
    """Whether memory on the stack counts."""
    flops: Index = 0
    _bytes: dict[SSAValue, Index] = field(default_factory=dict[SSAValue, Index])
    _gathered: list[Index] = field(default_factory=list[Index])

    @property
    def bytes(self) -> Index:
        """What the ops read and write."""
        total: Index = 0
        for size in (*self._bytes.values(), *self._gathered):
            total = self.b.add(total, size)
        return total

    def add(self, op: Operation) -> None:
        """Counts an op: for each point of its loops the arithmetic of its body, and the elements of each operand."""
        nest = nest_of(op)
        sizes = [self._size(size_source(nest, loop)) for loop in range(nest.rank())]
        points = self.b.product(sizes)
        self.flops = self.b.add(self.flops, self._operations(nest, sizes))
        # Loops without points read nothing, also of operands that have elements.
        runs = self.b.minimum(points, 1)
        for access in nest.accesses:
            if access.is_memref and self._counts(access.value):
                size = self.b.mul(self._elements(access, sizes), byte_width(access.type.element_type))
                size = self.b.mul(size, runs)
                self._bytes[access.value] = self._larger(self._bytes.get(access.value, 0), size)
        self._add_gathers(nest, points)

    def _operations(self, nest: Nest, sizes: Sequence[Index]) -> Index:
        """Returns the arithmetic of an op: what a convolution by Winograd takes, else that of its body for each point."""
        winograd = recognize_winograd(nest) or recognize_integer_winograd(nest)
        if winograd is not None:
            return self.b.mul(sizes[0], winograd.operations)
        return self.b.mul(self.b.product(sizes), operations(nest.payload))

    def _add_gathers(self, nest: Nest, points: Index) -> None:
        """Counts elements that the body reads at computed places, at most all that there are."""
        for op in nest.payload:
            if not isinstance(op, memref.LoadOp) or not self._counts(op.memref):
                continue
            type_ = op.memref.type
            assert isinstance(type_, MemRefType)
            whole = self.b.product([self._dim(op.memref, axis) for axis in range(type_.get_num_dims())])
            read = self.b.minimum(points, whole)
            self._gathered.append(self.b.mul(read, byte_width(type_.element_type)))

    def _larger(self, first: Index, second: Index) -> Index:
        return max(first, second) if isinstance(first, int) and isinstance(second, int) else second

    def _counts(self, value: SSAValue) -> bool:
        root = root_of(value)
        return (self.skips is None or root is not self.skips) and (
            self.counts_stack or not isinstance(root.owner, memref.AllocaOp)
        )

    def _elements(self, access: Access, sizes: Sequence[Index]) -> Index:
        """Returns how many elements of an operand there are to read or write; a window reads all of its image."""
        total: Index = 1
        for axis, expr in enumerate(access.exprs):
            if isinstance(expr, AffineDimExpr):
                total = self.b.mul(total, sizes[expr.position])
            elif not isinstance(expr, AffineConstantExpr):
                total = self.b.mul(total, self._dim(access.value, axis))
        return total

    def _size(self, source: int | tuple[SSAValue, int]) -> Index:
        return source if isinstance(source, int) else self._dim(*source)

    def _dim(self, value: SSAValue, axis: int) -> Index:
        assert isinstance(value.type, MemRefType)
        size = value.type.get_shape()[axis]
        return size if size >= 0 else self.b.insert(memref.DimOp(value, self.b.index(axis)))


def operations(payload: Iterable[Operation]) -> int:
    """Returns the arithmetic on elements that a body does; a function such as `exp` is one operation."""
    return sum(
        _OPERATIONS.get(op.name, 1)
        for op in payload
        if (op.name in _ARITHMETIC or op.name.startswith("math.")) and not isinstance(op.results[0].type, IndexType)
    )


def root_of(value: SSAValue) -> SSAValue:
    """Returns the memory that a view shows."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value
