"""Constants on other devices than the host: the code holds them, and a call copies them to the device."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import InsertPoint

from ...dialects.relax.attrs import VDeviceAttr
from ...dialects.relax.vocabulary.attributes import PRIMITIVE, VDEVICE
from ...dialects.relax.vocabulary.symbols import CONSTANT_COPY, SymbolNames
from ..emit.tensor_builder import element
from .builder import LinalgBuilder


class ConstantCopies:
    """The kernels that copy constants of a module, one for each type and device."""

    def __init__(self, symbols: SymbolNames) -> None:
        self._symbols = symbols
        self._kernels: dict[tuple[Attribute, VDeviceAttr], func.FuncOp] = {}

    def kernel(self, constant_type: Attribute, vdevice: VDeviceAttr) -> str:
        """Returns the name of the kernel that copies a constant of a type to a device."""
        key = (constant_type, vdevice)
        if key not in self._kernels:
            self._kernels[key] = self._create(constant_type, vdevice)
        return self._kernels[key].sym_name.data

    @property
    def functions(self) -> list[func.FuncOp]:
        """The kernels."""
        return list(self._kernels.values())

    def _create(self, constant_type: Attribute, vdevice: VDeviceAttr) -> func.FuncOp:
        block = Block(arg_types=[constant_type])
        (x,) = block.args
        b = LinalgBuilder(InsertPoint.at_end(block), {})
        copy = b.elementwise([x], b.shape(x), element(x), lambda inner, scalars: scalars[0])
        b.insert_op(func.ReturnOp(copy))
        kernel = func.FuncOp(
            self._symbols.fresh(CONSTANT_COPY),
            FunctionType.from_lists([constant_type], [constant_type]),
            Region(block),
            "private",
            res_attrs=ArrayAttr([DictionaryAttr(VDEVICE.entry(vdevice.label))]),
        )
        PRIMITIVE.set(kernel)
        return kernel
