"""Derives the sizes of tensors and memrefs from the shape inputs of their function, exactly or as an upper bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import BORROWED, DIMS
from .index_expr import BINARY, Atom, Expr, argument_dim, argument_value, binary, compare, const, maximum, select


@dataclass
class ResultDim:
    """A dim of a function result: its size, or the upper bound of one that depends on data."""

    expr: Expr
    exact: bool


ResultDims = list[list[ResultDim]]
"""One list per result of a function; empty for a result that is no tensor."""


def constant_index(value: SSAValue) -> int | None:
    """Returns the value of an integer constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Merges a static list with `DYNAMIC_INDEX` holes and the values of the holes."""
    values = iter(dynamic)
    return [next(values) if s == DYNAMIC_INDEX else s for s in static]


def dropped_dims(sizes: Sequence[int], result_shape: Sequence[int]) -> set[int]:
    """Returns the dims of a slice that a rank-reduced result leaves out; sizes are static ones or `DYNAMIC_INDEX`."""
    dropped: set[int] = set()
    position = 0
    for dim, size in enumerate(sizes):
        if position < len(result_shape) and size == result_shape[position]:
            position += 1
        else:
            dropped.add(dim)
    return dropped


class SizeAnalysis:
    """The sizes inside one function, on tensors or memrefs; `callees` holds the result dims of the functions called."""

    def __init__(
        self,
        function: func.FuncOp,
        callees: Mapping[str, ResultDims],
        known: Mapping[tuple[int, int], Expr] | None = None,
    ):
        self.function = function
        self.known = known or {}
        """The dims of arguments that are no shape inputs."""
        self.callees = callees
        self.stand_ins: dict[SSAValue, int] = {}
        """Block arguments that stand for the argument of another position while a function is rewritten."""
        self._entry = function.body.blocks.first
        self._memo: dict[tuple[SSAValue, int, bool], Expr | None] = {}
        for block in function.body.blocks:
            self._resolve(block)

    def _resolve(self, block: Block) -> None:
        """Finds the sizes that a block makes, in program order: no query goes further back than the operands of one op."""
        for op in block.ops:
            if op.regions and not isinstance(op, linalg.GenericOp):
                for region in op.regions:
                    for inner in region.blocks:
                        self._resolve(inner)
            for result in op.results:
                if isinstance(result.type, IndexType | IntegerType):
                    self.value(result, exact=False)
                elif isinstance(result.type, TensorType | MemRefType):
                    for dim, size in enumerate(result.type.get_shape()):
                        if size == DYNAMIC_INDEX:
                            self.dim(result, dim, exact=False)

    def value(self, value: SSAValue, exact: bool = True) -> Expr | None:
        """Returns an `index` value as a polynomial; the upper bound of one that depends on data, if asked for."""
        return self._cached(value, -1, exact)

    def dim(self, value: SSAValue, dim: int, exact: bool = True) -> Expr | None:
        """Returns the size of a dim of a tensor or memref."""
        assert isinstance(value.type, TensorType | MemRefType)
        size = value.type.get_shape()[dim]
        return const(size) if size != DYNAMIC_INDEX else self._cached(value, dim, exact)

    def _cached(self, value: SSAValue, dim: int, exact: bool) -> Expr | None:
        key = (value, dim, exact)
        if key not in self._memo:
            self._memo[key] = None
            result = self._cached(value, dim, True) if not exact else None
            if result is None:
                result = self._value(value, exact) if dim < 0 else self._dim(value, dim, exact)
            self._memo[key] = result
        return self._memo[key]

    # ---- index values ----

    def _value(self, value: SSAValue, exact: bool) -> Expr | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._block_argument(value, owner, exact)
        if isinstance(owner, arith.ConstantOp):
            known = constant_index(value)
            return None if known is None else const(known)
        name = owner.name
        if isinstance(owner, tensor.DimOp | memref.DimOp):
            dim = constant_index(owner.index)
            return None if dim is None else self.dim(owner.source, dim, exact)
        if name == "arith.index_cast" or (not exact and name in ("arith.index_castui", "arith.extsi", "arith.extui")):
            source = owner.operands[0]
            wide = isinstance(source.type, IndexType) or (
                isinstance(source.type, IntegerType) and source.type.width.data == 64
            )
            return self.value(source, exact) if wide or not exact else None
        if name in ("arith.addi", "arith.muli", "arith.subi") or name in BINARY:
            return self._binary(owner, exact)
        if isinstance(owner, arith.CmpiOp) and exact:
            lhs, rhs = self.value(owner.lhs), self.value(owner.rhs)
            return None if lhs is None or rhs is None else compare(owner.predicate.value.data, lhs, rhs)
        if isinstance(owner, arith.SelectOp):
            on_true, on_false = self.value(owner.lhs, exact), self.value(owner.rhs, exact)
            if on_true is None or on_false is None:
                return None
            if on_true == on_false:
                return on_true
            condition = self.value(owner.cond)
            if condition is not None:
                return select(condition, on_true, on_false)
            return None if exact else maximum(on_true, on_false)
        if isinstance(owner, tensor.ExtractOp) and len(owner.indices) == 1:
            return self._element(owner.tensor, constant_index(owner.indices[0]), exact)
        if isinstance(owner, scf.IfOp | scf.IndexSwitchOp):
            yielded = yields_of(owner, owner.results.index(value))
            return self._join([self.value(y, exact) for y in yielded], exact)
        return None

    def _element(self, source: SSAValue, position: int | None, exact: bool) -> Expr | None:
        owner = source.owner
        if position is not None and isinstance(owner, tensor.FromElementsOp):
            return self.value(owner.elements[position], exact)
        if position is not None and isinstance(owner, arith.ConstantOp):
            data = owner.value
            if isinstance(data, DenseIntOrFPElementsAttr):
                element = data.get_values()[position]
                return const(element) if isinstance(element, int) else None
        return None

    def _block_argument(self, value: SSAValue, block: Block, exact: bool) -> Expr | None:
        assert isinstance(value, BlockArgument)
        if block is self._entry:
            if not isinstance(value.type, IndexType):
                return None
            return argument_value(value.index, DIMS.is_on_argument(self.function, value.index))
        parent = block.parent_op()
        if not exact and isinstance(parent, scf.ForOp) and value.index == 0:
            return self.value(parent.ub, exact)
        return None

    def _binary(self, op: Operation, exact: bool) -> Expr | None:
        name = op.name
        lhs, rhs = (self.value(o, exact) for o in op.operands)
        if not exact and name in ("arith.minsi", "arith.minui"):
            if lhs is None or rhs is None:
                return rhs if rhs is not None else lhs
            return rhs
        if lhs is None or rhs is None:
            return None
        if name == "arith.addi":
            return lhs + rhs
        if name == "arith.muli":
            return lhs * rhs if exact or (lhs.nonnegative and rhs.nonnegative) else None
        if not exact and name != "arith.maxsi":
            rhs = self.value(op.operands[1])
            if rhs is None:
                return lhs if name == "arith.subi" and _counts(op.operands[1]) else None
        if name == "arith.subi":
            return lhs - rhs
        if not exact and "div" not in name and name != "arith.maxsi":
            return None
        return binary(name, lhs, rhs)

    def _join(self, parts: Sequence[Expr | None], exact: bool) -> Expr | None:
        joined: Expr | None = None
        for part in parts:
            if part is None:
                return None
            if joined is None or joined == part:
                joined = part
            elif exact:
                return None
            else:
                joined = maximum(joined, part)
        return joined

    # ---- dims ----

    def _dim(self, value: SSAValue, dim: int, exact: bool) -> Expr | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._dim_of_argument(value, owner, dim, exact)
        source = dim_source(owner, value, dim)
        if isinstance(source, int):
            return const(source)
        if isinstance(source, SSAValue):
            return self.value(source, exact)
        if isinstance(source, tuple):
            return self.dim(source[0], source[1], exact)
        if isinstance(owner, tensor.CollapseShapeOp | memref.CollapseShapeOp):
            product = const(1)
            for d in reassociation(owner)[dim]:
                factor = self.dim(owner.src, d, exact)
                if factor is None:
                    return None
                product = product * factor
            return product
        if isinstance(owner, tensor.ExpandShapeOp) and not owner.dynamic_output_shape:
            return self._dim_of_group(owner, dim, exact)
        if isinstance(owner, tensor.ReshapeOp):
            return self._element(owner.shape, dim, exact)
        if isinstance(owner, func.CallOp):
            callee = self.callees.get(owner.callee.string_value())
            if callee is None:
                return None
            summary = callee[owner.results.index(value)][dim]
            if exact and not summary.exact:
                return None
            return summary.expr.substitute(lambda atom: self._atom_in_call(owner, atom, exact))
        if isinstance(owner, scf.IfOp | scf.IndexSwitchOp):
            yielded = yields_of(owner, owner.results.index(value))
            parts = [self.dim(y, dim, exact) for y in yielded]
            if exact and len(parts) == 2 and isinstance(owner, scf.IfOp):
                condition = self.value(owner.cond)
                if condition is not None and parts[0] is not None and parts[1] is not None:
                    return select(condition, parts[0], parts[1])
            return self._join(parts, exact)
        if isinstance(owner, scf.WhileOp):
            condition = owner.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            return self.dim(condition.operands[1:][owner.results.index(value)], dim, exact)
        return None

    def _dim_of_group(self, op: tensor.ExpandShapeOp, dim: int, exact: bool) -> Expr | None:
        """Returns the one unknown size of a group: that of the source over the known ones."""
        shape = op.result.type.get_shape()
        for source, group in enumerate(reassociation(op)):
            if dim in group:
                whole = self.dim(op.src, source, exact)
                known = 1
                for d in group:
                    known *= shape[d] if d != dim else 1
                return None if whole is None or known <= 0 else binary("arith.divui", whole, const(known))
        return None

    def _atom_in_call(self, call: func.CallOp, atom: Atom, exact: bool) -> Expr | None:
        operand = call.operands[atom.argument]
        if atom.kind == "arg":
            return self.value(operand, exact)
        return self.dim(operand, atom.dim, exact)

    def _dim_of_argument(self, value: SSAValue, block: Block, dim: int, exact: bool) -> Expr | None:
        assert isinstance(value, BlockArgument)
        if block is self._entry:
            position = self.stand_ins.get(value, value.index)
            return self.known.get((position, dim)) or argument_dim(position, dim)
        parent = block.parent_op()
        if isinstance(parent, scf.ForOp):
            return self.dim(parent.iter_args[value.index - 1], dim, exact)
        if isinstance(parent, scf.WhileOp):
            if block is parent.before_region.block:
                return self.dim(parent.arguments[value.index], dim, exact)
            return self.dim(parent.results[value.index], dim, exact)
        return None


def _counts(value: SSAValue) -> bool:
    """Returns whether a value is known not to be negative although it depends on data."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        known = constant_index(value)
        return known is not None and known >= 0
    return isinstance(owner, arith.MaxSIOp) and any(_counts(o) for o in owner.operands)


def reassociation(op: Operation) -> list[list[int]]:
    """Returns the groups of a collapse or an expand."""
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    return [[int(i.value.data) for i in group.data] for group in cast("ArrayAttr[ArrayAttr[IntegerAttr]]", groups).data]


def yields_of(op: Operation, result: int) -> list[SSAValue]:
    """Returns what each region of an op yields for a result."""
    return [
        region.block.last_op.operands[result]
        for region in op.regions
        if region.blocks and region.block.last_op is not None
    ]


def dim_source(owner: Operation, value: SSAValue, dim: int) -> int | SSAValue | tuple[SSAValue, int] | None:
    """Returns where the size of a dynamic dim of an op's result stands: a value, or the same dim of another tensor."""
    match owner:
        case tensor.EmptyOp() | memref.AllocOp():
            assert isinstance(value.type, TensorType | MemRefType)
            sizes = owner.dynamic_sizes
            return mixed(value.type.get_shape(), sizes)[dim]
        case tensor.SplatOp():
            return mixed(owner.result.type.get_shape(), owner.dynamicSizes)[dim]
        case func.CallOp() if BORROWED.is_on(owner) and isinstance(value.type, MemRefType):
            # The sizes that the callee is to keep are its last operands.
            shape = value.type.get_shape()
            return mixed(shape, owner.operands[len(owner.operands) - shape.count(DYNAMIC_INDEX) :])[dim]
        case memref.ViewOp():
            assert isinstance(owner.result.type, MemRefType)
            return mixed(owner.result.type.get_shape(), owner.sizes)[dim]
        case tensor.CastOp() | memref.CastOp():
            source = owner.source.type
            if isinstance(source, TensorType | MemRefType):
                return (owner.source, dim)
            return None
        case tensor.ExtractSliceOp():
            static = owner.static_sizes.get_values()
            dropped = dropped_dims(static, owner.result.type.get_shape())
            kept = [d for d in range(len(static)) if d not in dropped]
            return mixed(static, owner.sizes)[kept[dim]]
        case memref.ReinterpretCastOp():
            return mixed(owner.static_sizes.get_values(), owner.sizes)[dim]
        case memref.SubviewOp():
            static = owner.static_sizes.get_values()
            assert isinstance(owner.result.type, MemRefType)
            dropped = dropped_dims(static, owner.result.type.get_shape())
            kept = [d for d in range(len(static)) if d not in dropped]
            return mixed(static, owner.sizes)[kept[dim]]
        case memref.ExpandShapeOp():
            return mixed(owner.static_output_shape.get_values(), owner.output_shape)[dim]
        case tensor.ExpandShapeOp() if owner.dynamic_output_shape:
            return mixed(owner.static_output_shape.get_values(), owner.dynamic_output_shape)[dim]
        case tensor.InsertOp() | tensor.InsertSliceOp():
            return (owner.dest, dim)
        case scf.ForOp():
            return (owner.iter_args[owner.results.index(value)], dim)
        case arith.SelectOp():
            return (owner.lhs, dim)
        case _:
            if owner.name.startswith("linalg.") and "operandSegmentSizes" in owner.properties:
                outputs = owner.operands[len(owner.operands) - len(owner.results) :]
                return (outputs[owner.results.index(value)], dim)
            return None
