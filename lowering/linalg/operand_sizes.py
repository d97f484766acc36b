"""Sizes of tensors in programs of others: where one comes from, and checks that sizes agree, that cost nothing where that proves it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f64, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint

from ...dialects.upstream.op_error import OpError
from ..emit.constructors import shown
from ..emit.tensor_builder import Size, TensorBuilder
from ..sizes.op_sizes import constant_index, dim_source

Origin: TypeAlias = "int | SSAValue | tuple[SSAValue, int]"
"""A number, an index, or a dim of a tensor that says no more of its size."""

LARGEST_FACTOR = 2**14
"""What an index is multiplied by at most: of sizes of tensors, which are below 2^48, 64 bits hold the products."""


def dim_of(source: SSAValue, axis: int) -> Size:
    """Returns the size of a dim, computed where the tensor is defined: bodies of `linalg` ops hold scalar ops alone."""
    assert isinstance(source.type, TensorType)
    static = source.type.get_shape()[axis]
    if static != DYNAMIC_INDEX:
        return static
    owner = source.owner
    point = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
    return TensorBuilder(point).dim(source, axis)


def origin(value: SSAValue, axis: int) -> Origin:
    """Returns where the size of a dim comes from."""
    while True:
        assert isinstance(value.type, TensorType)
        static = value.type.get_shape()[axis]
        if static != DYNAMIC_INDEX:
            return static
        source = _source(value, axis)
        if source is None:
            return value, axis
        if isinstance(source, SSAValue):
            source = origin_of_index(source)
        if not isinstance(source, tuple):
            return source
        value, axis = source


def origin_of_index(value: SSAValue) -> Origin:
    """Returns where an index comes from that may be a size."""
    owner = value.owner
    if isinstance(owner, tensor.DimOp):
        axis = constant_index(owner.index)
        if axis is not None and isinstance(owner.source.type, TensorType):
            return origin(owner.source, axis)
    known = constant_index(value)
    return value if known is None else known


def _source(value: SSAValue, axis: int) -> int | SSAValue | tuple[SSAValue, int] | None:
    owner = value.owner
    if isinstance(owner, Block):
        return None
    if owner.name.startswith(("arith.", "math.")):
        shaped = [o for o in owner.operands if isinstance(o.type, TensorType)]
        return (shaped[0], axis) if shaped else None
    # The sizes of what a loop carries may change.
    return None if isinstance(owner, scf.ForOp) else dim_source(owner, value, axis)


def _parts(sizes: Sequence[Origin]) -> tuple[int, list[Origin]]:
    """Returns the product of the sizes that are numbers, and the others."""
    return prod(size for size in sizes if isinstance(size, int)), [size for size in sizes if not isinstance(size, int)]


class SizeChecker(TensorBuilder):
    """Inserts assertions in front of an op; what is proved or was asserted in its block before is not asserted again."""

    def __init__(self, op: Operation, proved: set[tuple[Block | None, Origin, Origin]]):
        super().__init__(InsertPoint.before(op))
        self.op = op
        self._proved = proved

    def require(self, holds: SSAValue, text: str) -> None:
        """Asserts a condition."""
        self.insert_op(cf.AssertOp(holds, str(OpError(self.op, f"{self.op.name}: {text}"))))

    def refuse(self, text: str) -> OpError:
        """Returns the error of an op that is wrong whatever its operands are."""
        return OpError(self.op, f"{self.op.name}: {text}")

    def equal(self, lhs: Origin, rhs: Origin, text: str) -> None:
        """Asserts that two sizes are equal; `text` says of what they are."""
        if lhs == rhs:
            return
        if isinstance(lhs, int) and isinstance(rhs, int):
            raise self.refuse(f"{text}, got {lhs} and {rhs}")
        known = (self.op.parent, lhs, rhs)
        if known not in self._proved:
            self._proved.add(known)
            self._proved.add((self.op.parent, rhs, lhs))
            sizes = self.as_index(self.value(lhs)), self.as_index(self.value(rhs))
            self.require(shown(self.compare("eq", *sizes), "its size", "the other size"), text)

    def not_negative(self, size: Origin, text: str) -> None:
        """Asserts that an index may be a size; `text` says of what it is."""
        if isinstance(size, int):
            if size < 0:
                raise self.refuse(f"{text}, got {size}")
        elif isinstance(size, SSAValue):
            self.require(shown(self.compare("sge", size, self.index(0)), "its value"), text)

    def value(self, size: Origin) -> Size:
        """Returns a size as an int or an index."""
        return dim_of(*size) if isinstance(size, tuple) else size

    def same_product(self, lhs: Sequence[Origin], rhs: Sequence[Origin], text: str) -> None:
        """Asserts that two products of sizes are equal."""
        # Invariant: a product of a single factor is compared as it is, any other one in f64 as well, where it cannot wrap around.
        (first, left), (second, right) = _parts(lhs), _parts(rhs)
        if left == right and first == second:
            return
        if not left and not right:
            self.equal(first, second, text)
        elif (first, second) == (1, 1) and len(left) == len(right) == 1:
            self.equal(left[0], right[0], text)
        elif (first, len(left), len(right)) == (1, 1, 0) or (second, len(left), len(right)) == (1, 0, 1):
            self.equal((left or right)[0], second if left else first, text)
        else:
            (narrow, wide), (narrow_rhs, wide_rhs) = self._product(first, left), self._product(second, right)
            near = self.insert(arith.CmpfOp(wide, wide_rhs, "oeq"))
            self.require(self.both(self.compare("eq", narrow, narrow_rhs), near), text)

    def _product(self, factor: int, sizes: Sequence[Origin]) -> tuple[SSAValue, SSAValue]:
        """Returns a product as an index and in f64, where one that wraps around is large."""
        narrow, wide = self.index(factor), self._float(factor)
        for size in sizes:
            value = self.as_index(self.value(size))
            wide = self.insert(arith.MulfOp(wide, self._float(value)))
            narrow = self.as_index(self.mul(narrow, value))
        return narrow, wide

    def _float(self, size: Size) -> SSAValue:
        if isinstance(size, int):
            return self.constant(float(size), f64)
        return self.insert(arith.SIToFPOp(self.insert(arith.IndexCastOp(size, i64)), f64))

    def extremes(self, expr: AffineExpr, bounds: list[Size]) -> tuple[Size, Size]:
        """Returns the least and the greatest value of an index over loops of these lengths, none of which is 0."""
        match expr:
            case AffineDimExpr():
                return 0, self.sub(bounds[expr.position], 1)
            case AffineConstantExpr():
                return expr.value, expr.value
            case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
                (low, high), (least, most) = self.extremes(expr.lhs, bounds), self.extremes(expr.rhs, bounds)
                return self.add(low, least), self.add(high, most)
            case AffineBinaryOpExpr(rhs=AffineConstantExpr(value=factor)):
                return self._scaled(expr, factor, *self.extremes(expr.lhs, bounds))
            case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=AffineConstantExpr(value=factor)):
                return self._scaled(expr, factor, *self.extremes(expr.rhs, bounds))
            case _:
                raise self.refuse(f"the index {expr} cannot be checked")

    def _scaled(self, expr: AffineBinaryOpExpr, factor: int, low: Size, high: Size) -> tuple[Size, Size]:
        if abs(factor) > LARGEST_FACTOR and not (isinstance(low, int) and isinstance(high, int)):
            raise self.refuse(f"the index {expr} cannot be checked: expected factors up to {LARGEST_FACTOR}")
        match expr.kind:
            case AffineBinaryOpKind.Mul:
                ends = self.mul(low, factor), self.mul(high, factor)
                return ends if factor >= 0 else (ends[1], ends[0])
            case AffineBinaryOpKind.FloorDiv if factor > 0:
                return self.floordiv(low, factor), self.floordiv(high, factor)
            case AffineBinaryOpKind.CeilDiv if factor > 0:
                return self.floordiv(self.add(low, factor - 1), factor), self.floordiv(
                    self.add(high, factor - 1), factor
                )
            case AffineBinaryOpKind.Mod if factor > 0:
                return 0, factor - 1
            case _:
                raise self.refuse(f"the index {expr} cannot be checked: expected a positive divisor, got {factor}")
