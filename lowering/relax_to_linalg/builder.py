"""The builder of lowering rules: tensors whose sizes are made of the symbols of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import cf
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.symbolic.expressions import Dim, Known, Leaf, Symbol, simplify
from ...dialects.symbolic.nodes import Apply
from ...dialects.symbolic.order import NO_RANGES, Ranges
from ..emit.constructors import shown
from ..emit.scalar import cast
from ..emit.tensor_builder import Size, TensorBuilder
from ..sizes.emit_range_checks import RangeCheckEmitter
from ..sizes.emit_sizes import SizeEmitter

_PREDICATES = {"==": "eq", "<=": "sle", ">=": "sge"}


class LoweringError(Exception):
    """An op that cannot be lowered, with the reason."""


def signless(element_type: Attribute) -> Attribute:
    """Returns an element type as linalg has it: integers without a sign."""
    if isinstance(element_type, IntegerType) and element_type.signedness.data != Signedness.SIGNLESS:
        return IntegerType(element_type.width.data)
    return element_type


class LinalgBuilder(TensorBuilder):
    """The builder handed to the lowering rules: linalg, tensor and index arithmetic on one function."""

    def __init__(self, point: InsertPoint, symbols: Mapping[str, SSAValue], ranges: Ranges = NO_RANGES):
        super().__init__(point)
        self.symbols = dict(symbols)
        self.ranges = ranges
        self._sizes = self._emitter({})

    def nested(self, block: Block) -> LinalgBuilder:
        """Returns a builder at the end of a block inside of an op, with the same symbols."""
        return LinalgBuilder(InsertPoint.at_end(block), self.symbols, self.ranges)

    def size(self, dim: Dim) -> Size:
        """Returns a dim as an int or as an `index` value computed from the function's symbols.

        Raises `LoweringError` for an unknown dim or an undefined symbol.
        """
        if dim is None:
            raise LoweringError("a dim of the result is unknown; name it with relax.match_cast")
        dim = simplify(dim, self.ranges)
        if isinstance(dim, int):
            return dim
        return self._sizes.value(dim)

    def sizes(self, dims: Sequence[Dim] | None) -> list[Size]:
        """Returns the sizes of dims, see `size`."""
        if dims is None:
            raise LoweringError("the rank of the result is unknown; give it with relax.match_cast")
        return [self.size(dim) for dim in dims]

    def size_as(self, size: Size, element_type: Attribute) -> SSAValue:
        """Returns a size as a scalar of an integer or float type."""
        return self.constant(size, element_type) if isinstance(size, int) else cast(self, size, element_type)

    def emit_size(self, dim: Known, operand_dims: Mapping[Leaf, SSAValue]) -> SSAValue:
        """Returns a size that is made of symbols and of dims of operands, which have the given values."""
        emitter = self._emitter(operand_dims) if operand_dims else self._sizes
        return emitter.value(simplify(dim, self.ranges))

    def range_checks(self) -> RangeCheckEmitter:
        """Returns what emits whether sizes of the function's symbols are in range."""

        def leaf_value(leaf: Leaf) -> SSAValue:
            assert isinstance(leaf, Symbol)
            return self._symbol(leaf)

        return RangeCheckEmitter(self.insert, leaf_value)

    def _emitter(self, operand_dims: Mapping[Leaf, SSAValue]) -> SizeEmitter:
        def leaf_value(leaf: Leaf) -> SSAValue:
            return self._symbol(leaf) if isinstance(leaf, Symbol) else operand_dims[leaf]

        return SizeEmitter(self.insert, self.index, leaf_value, self._check_divisor, self.ranges)

    def _symbol(self, symbol: Symbol) -> SSAValue:
        if symbol.name not in self.symbols:
            raise LoweringError(f"symbol {symbol.name} is not defined by an argument or a match_cast of the function")
        return self.symbols[symbol.name]

    def _check_divisor(self, divisor: SSAValue, size: Known) -> None:
        name = str(size.rhs) if isinstance(size, Apply) else ""
        self.check(divisor, ">=", self.index(1), f"a divisor in the size {size} is not positive", (name, ""))

    def check(self, lhs: SSAValue, relation: str, rhs: SSAValue, message: str, names: tuple[str, str]) -> None:
        """Asserts that `lhs relation rhs` holds for two indices, which errors show by these names; the relation is `==`, `<=` or `>=`."""
        self.insert_op(cf.AssertOp(shown(self.compare(_PREDICATES[relation], lhs, rhs), *names), message))

    def nonempty(
        self,
        needed: Sequence[Size],
        sizes: Sequence[Size],
        element_type: Attribute,
        compute: Callable[[LinalgBuilder], SSAValue],
        otherwise: float = 0,
    ) -> SSAValue:
        """Returns a tensor that is computed by reading others, `otherwise` everywhere if one of the sizes that are `needed` is 0."""
        if 0 in [size for size in needed if isinstance(size, int)]:
            return self.filled(otherwise, element_type, sizes)
        unknown = [size for size in needed if not isinstance(size, int)]
        if not unknown:
            return compute(self)
        condition = self.less(0, unknown[0])
        for size in unknown[1:]:
            condition = self.both(condition, self.less(0, size))
        [result] = self.if_else(
            condition,
            lambda inner: [compute(inner)],
            lambda inner: [inner.filled(otherwise, element_type, sizes)],
        )
        return result
