"""Dense constants as `memref.global`, one per value."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute

from ...dialects.relax.dense import resolved
from ...dialects.relax.vocabulary.symbols import CONSTANT, SymbolNames
from ...targets.cpu import BUFFER_ALIGNMENT


class GlobalConstants:
    """The globals that the constants of a module become."""

    def __init__(self, module: ModuleOp):
        self._names: dict[Attribute, str] = {}
        self._symbols = SymbolNames(module)
        self.ops: list[memref.GlobalOp] = []

    def add(self, op: arith.ConstantOp) -> tuple[str, MemRefType]:
        """Returns the name and type of the global that holds a tensor constant."""
        value = op.value
        assert isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr) and isinstance(
            op.result.type, TensorType
        )
        type_ = MemRefType(op.result.type.element_type, op.result.type.shape)
        name = self._names.get(value)
        if name is None:
            name = self._names[value] = self._symbols.fresh(CONSTANT)
            self.ops.append(
                memref.GlobalOp.get(
                    StringAttr(name), type_, resolved(value), StringAttr("private"), UnitAttr(), BUFFER_ALIGNMENT
                )
            )
        return name, type_

    @staticmethod
    def scalar(value: DenseIntOrFPElementsAttr) -> IntegerAttr | FloatAttr:
        """Returns the element that a constant repeats."""
        element = value.get_element_type()
        number = next(iter(value.iter_values()))
        if isinstance(element, AnyFloat):
            return FloatAttr(cast(float, number), element)
        assert isinstance(element, IntegerType | IndexType)
        return IntegerAttr(cast(int, number), element)
