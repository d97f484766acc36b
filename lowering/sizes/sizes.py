"""Derives the sizes of tensors and memrefs from the shape inputs of their function, exactly or as an upper bound."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerType, MemRefType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, BlockArgument, SSAValue

from ...dialects.relax.vocabulary.attributes import DIMS
from ...dialects.symbolic.nodes import Dim
from ...kinds import kind_test
from .index_expr import Expr, argument_dim, argument_value, const
from .op_sizes import dim_source
from .size_rules import ResultDims, dim_of, value_of

_is_generic = kind_test(linalg.GenericOp)
_is_integer = kind_test(IndexType, IntegerType)
_is_sized = kind_test(TensorType, MemRefType)
_is_block = kind_test(Block)


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
        self._declared: dict[Dim, tuple[int, int]] = {}
        """The argument and the dim that stand for all that are declared the same, and so are equal."""
        self._entry = function.body.blocks.first
        self._memo: dict[tuple[SSAValue, int, bool], Expr | None] = {}
        for block in function.body.blocks:
            self._resolve(block)

    def _resolve(self, block: Block) -> None:
        """Finds the sizes that a block makes, in program order: no query goes further back than the operands of one op."""
        for op in block.ops:
            for region in op.regions if not _is_generic(op) else ():
                for inner in region.blocks:
                    self._resolve(inner)
            # What an op yields is known before its results.
            for result in op.results:
                if _is_integer(result.type):
                    self.value(result, exact=False)
                elif _is_sized(result.type):
                    for dim, size in enumerate(result.type.get_shape()):
                        if size == DYNAMIC_INDEX:
                            self.dim(result, dim, exact=False)

    def value(self, value: SSAValue, exact: bool = True) -> Expr | None:
        """Returns an `index` value as a polynomial; the upper bound of one that depends on data, if asked for."""
        return self._cached(value, -1, exact)

    def dim(self, value: SSAValue, dim: int, exact: bool = True) -> Expr | None:
        """Returns the size of a dim of a tensor or memref."""
        assert _is_sized(value.type)
        size = value.type.get_shape()[dim]
        return const(size) if size != DYNAMIC_INDEX else self._cached(value, dim, exact)

    def _cached(self, value: SSAValue, dim: int, exact: bool) -> Expr | None:
        key = (value, dim, exact)
        if key not in self._memo:
            self._memo[key] = None
            result = self._cached(value, dim, True) if not exact else None
            if result is None:
                result = self._derived(value, dim, exact)
            self._memo[key] = result
        return self._memo[key]

    def _derived(self, value: SSAValue, dim: int, exact: bool) -> Expr | None:
        """Returns the size of a dim, or an `index` value for -1, from the op or the block that makes it."""
        owner = value.owner
        if _is_block(owner):
            if dim < 0:
                return self._value_of_argument(value, owner, exact)
            return self._dim_of_argument(value, owner, dim, exact)
        if dim < 0:
            return value_of(self, owner, value, exact)
        source = dim_source(owner, value, dim)
        match source:
            case int():
                return const(source)
            case SSAValue():
                return self.value(source, exact)
            case (tensor, of_tensor):
                return self.dim(tensor, of_tensor, exact)
            case None:
                return dim_of(self, owner, value, dim, exact)

    def _value_of_argument(self, value: SSAValue, block: Block, exact: bool) -> Expr | None:
        assert isinstance(value, BlockArgument)
        if block is self._entry:
            if not isinstance(value.type, IndexType):
                return None
            return argument_value(value.index, DIMS.is_on_argument(self.function, value.index))
        parent = block.parent_op()
        if not exact and isinstance(parent, scf.ForOp) and value.index == 0:
            return self.value(parent.ub, exact)
        return None

    def _dim_of_argument(self, value: SSAValue, block: Block, dim: int, exact: bool) -> Expr | None:
        assert isinstance(value, BlockArgument)
        if block is self._entry:
            position = self.stand_ins.get(value, value.index)
            return self.known.get((position, dim)) or argument_dim(*self._first_declared(position, dim))
        parent = block.parent_op()
        if isinstance(parent, scf.ForOp):
            return self.dim(parent.iter_args[value.index - 1], dim, exact)
        if isinstance(parent, scf.WhileOp):
            if block is parent.before_region.block:
                return self.dim(parent.arguments[value.index], dim, exact)
            return self.dim(parent.results[value.index], dim, exact)
        return None

    def _first_declared(self, position: int, dim: int) -> tuple[int, int]:
        """Returns the argument and the dim that stand for a dim of an argument, and for all that are declared the same."""
        declared = DIMS.of_argument(self.function, position)
        size = declared[dim] if declared is not None and dim < len(declared) else None
        return (position, dim) if size is None else self._declared.setdefault(size, (position, dim))
