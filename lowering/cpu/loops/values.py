"""Builds straight-line code at the end of a block: memory accesses and vectors, beside the arithmetic of every emitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    UnknownLoc,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from ....dialects.new_op import append_op, new_op
from ....kinds import kind_test
from ...emit.constructors import INDEX, constant, vector_type
from ...emit.emitter import Emitter, Index
from .row_memory import RowMemory


class ValueBuilder(Emitter):
    """Appends operations to a block; constants are made once per function, at the start of its body."""

    def __init__(self, entry: Block):
        self.entry = entry
        self.block = entry
        self.location: LocationAttr = UnknownLoc()
        """The location of what loops are emitted for."""
        self.before: Operation | None = None
        self.constants: dict[object, SSAValue] = {}
        self.in_parallel = False
        self.removable: list[Operation] = []
        self.row: RowMemory | None = None
        """What is known of memory, where one row after the other is computed."""

    # ---- operations ----

    def at(self, op: Operation, in_parallel: bool) -> None:
        """Goes on right before an operation."""
        block = op.parent
        assert block is not None
        self.block, self.before, self.in_parallel = block, op, in_parallel

    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an operation and returns its results."""
        self.append(op)
        return op.results

    def append(self, op: Operation) -> None:
        """Inserts an operation."""
        op.location = self.location
        if _is_removable(op):
            self.removable.append(op)
        if self.before is None:
            append_op(self.block, op)
        else:
            self.block.insert_op_before(op, self.before)

    # ---- constants and index arithmetic ----

    def constant(self, value: float | bool, element_type: Attribute) -> SSAValue:
        """Returns a scalar constant, or a vector with that value in every lane."""
        # repr tells -0.0 from 0.0 and finds NaN equal to itself.
        key = (repr(value), element_type)
        if key in self.constants:
            return self.constants[key]
        return self.head(key, constant(value, element_type))

    def dense(self, values: Sequence[int], type_: VectorType) -> SSAValue:
        """Returns a constant vector of integers."""
        key = (tuple(values), type_)
        existing = self.constants.get(key)
        if existing is None:
            existing = self.head(key, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, values), type_))  # pyright: ignore
        return existing

    def head(self, key: object, op: Operation) -> SSAValue:
        """Puts a constant at the start of the function; it is found again by its key."""
        first = self.entry.first_op
        if first is None:
            self.entry.add_op(op)
        else:
            self.entry.insert_op_before(op, first)
        self.constants[key] = op.results[0]
        self.removable.insert(0, op)
        return op.results[0]

    def sweep(self) -> None:
        """Erases sizes, views and constants that no schedule has used in the end."""
        for op in reversed(self.removable):
            if not op.results[0].uses:
                op.detach()
                op.erase()
        self.removable = []

    def affine(self, expr: AffineExpr, dims: Sequence[Index]) -> Index:
        """Returns the value of an affine expression at a point."""
        match expr:
            case AffineDimExpr():
                return dims[expr.position]
            case AffineConstantExpr():
                return expr.value
            case AffineBinaryOpExpr():
                return _AFFINE[expr.kind](self, self.affine(expr.lhs, dims), self.affine(expr.rhs, dims))
            case _:
                raise ValueError(f"linalg-to-loops: expression {expr} has symbols")

    # ---- memory ----

    def dim(self, source: SSAValue, position: int) -> Index:
        """Returns the size of a dim of a memref."""
        size = cast(MemRefType, source.type).get_shape()[position]
        return size if size >= 0 else self.insert(new_op(memref.DimOp, [source, self.as_index(position)], [INDEX]))

    def load(self, source: SSAValue, indices: Sequence[Index]) -> SSAValue:
        """Reads one element."""
        known = self.row and self.row.load(self.block, source, indices, 0, None)
        if known:
            return known
        type_ = cast(MemRefType, source.type)
        return self.insert(
            new_op(
                memref.LoadOp,
                operands=[source, *map(self.as_index, indices)],
                result_types=[type_.element_type],
                properties=dict(_TEMPORAL),
            )
        )

    def store(self, value: SSAValue, target: SSAValue, indices: Sequence[Index]) -> None:
        """Writes one element."""
        where = map(self.as_index, indices)
        op = new_op(memref.StoreOp, operands=[value, target, *where], properties=dict(_TEMPORAL))
        self._append_store(op, value, target, indices, None)

    def _append_store(
        self, op: Operation, value: SSAValue, target: SSAValue, indices: Sequence[Index], mask: SSAValue | None
    ) -> None:
        self.append(op)
        if self.row is not None:
            self.row.store(self.block, op, value, target, indices, mask)

    def vector_load(
        self, source: SSAValue, indices: Sequence[Index], lanes: int, mask: SSAValue | None = None
    ) -> SSAValue:
        """Reads neighboring elements; lanes outside the mask are zero and not touched."""
        known = self.row and self.row.load(self.block, source, indices, lanes, mask)
        if known:
            return known
        type_ = vector_type(cast(MemRefType, source.type).element_type, lanes)
        where = [self.as_index(i) for i in indices]
        if mask is None:
            return self.insert(
                new_op(vector.LoadOp, operands=[source, *where], result_types=[type_], properties=dict(_TEMPORAL))
            )
        passed = self.constant(0, type_)
        return self.insert(new_op(vector.MaskedLoadOp, operands=[source, *where, mask, passed], result_types=[type_]))

    def vector_store(
        self, value: SSAValue, target: SSAValue, indices: Sequence[Index], mask: SSAValue | None = None
    ) -> None:
        """Writes neighboring elements; lanes outside the mask are not touched."""
        where = [self.as_index(i) for i in indices]
        if mask is None:
            op = new_op(vector.StoreOp, operands=[value, target, *where], properties=dict(_TEMPORAL))
        else:
            op = new_op(vector.MaskedStoreOp, operands=[target, *where, mask, value])
        self._append_store(op, value, target, indices, mask)

    # ---- vectors ----

    def mask(self, count: Index, lanes: int) -> SSAValue:
        """Returns the first `count` lanes."""
        return self.insert(
            new_op(vector.CreateMaskOp, operands=[self.as_index(count)], result_types=[vector_type(i1, lanes)])
        )

    def splat(self, value: SSAValue, lanes: int) -> SSAValue:
        """Returns a scalar in every lane; a vector as it is."""
        if isinstance(value.type, VectorType):
            return value
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr | IntegerAttr):
            return self.constant(owner.value.value.data, vector_type(value.type, lanes))
        return self.insert(new_op(vector.BroadcastOp, operands=[value], result_types=[vector_type(value.type, lanes)]))

    def extract(self, value: SSAValue, lane: int) -> SSAValue:
        """Returns one lane."""
        type_ = cast(VectorType, value.type)
        return self.insert(
            new_op(
                vector.ExtractOp,
                operands=[value],
                properties={"static_position": _positions(lane)},
                result_types=[type_.element_type],
            )
        )

    def shuffle(self, lhs: SSAValue, rhs: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """Picks lanes of two vectors put one after the other."""
        return self.insert(
            new_op(
                vector.ShuffleOp,
                operands=[lhs, rhs],
                properties={"mask": _positions(*lanes)},
                result_types=[vector_type(cast(VectorType, lhs.type).element_type, len(lanes))],
            )
        )

    def sum_of_lanes(self, value: SSAValue) -> SSAValue:
        """Returns the sum of all lanes of a vector of integers."""
        return self._over_lanes(value, vector.CombiningKindFlag.ADD)

    def any_lane(self, condition: SSAValue) -> SSAValue:
        """Returns whether a condition holds in some lane."""
        return self._over_lanes(condition, vector.CombiningKindFlag.OR)

    def _over_lanes(self, value: SSAValue, kind: vector.CombiningKindFlag) -> SSAValue:
        op = vector.ReductionOp.create(
            operands=[value],
            properties={
                "kind": vector.CombiningKindAttr(kind),
                "fastmath": arith.FastMathFlagsAttr("none"),
            },
            result_types=[cast(VectorType, value.type).element_type],
        )
        return self.insert(op)

    def gather(self, scalars: Sequence[SSAValue]) -> SSAValue:
        """Returns a vector of scalars."""
        type_ = vector_type(scalars[0].type, len(scalars))
        total = self.splat(scalars[0], len(scalars))
        for lane, value in enumerate(scalars[1:], 1):
            total = self.insert(
                new_op(
                    vector.InsertOp,
                    operands=[value, total],
                    properties={"static_position": _positions(lane)},
                    result_types=[type_],
                )
            )
        return total


@cache
def _positions(*lanes: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(lanes))


_is_removable = kind_test(arith.MuliOp, memref.DimOp, memref.CollapseShapeOp)
_TEMPORAL = {"nontemporal": IntegerAttr.from_bool(False)}


_AFFINE: Mapping[AffineBinaryOpKind, Callable[[ValueBuilder, Index, Index], Index]] = {
    AffineBinaryOpKind.Add: ValueBuilder.add,
    AffineBinaryOpKind.Mul: ValueBuilder.mul,
    AffineBinaryOpKind.FloorDiv: ValueBuilder.floordiv,
    AffineBinaryOpKind.CeilDiv: ValueBuilder.ceildiv,
    AffineBinaryOpKind.Mod: lambda b, lhs, rhs: b.sub(lhs, b.mul(b.floordiv(lhs, rhs), rhs)),
}
