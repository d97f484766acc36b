"""Copies from buffer to buffer as calls of kernels: one for each type, however many buffers a function returns as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import AffineMapAttr, FunctionType, MemRefType, ModuleOp, SymbolRefAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.relax.function_signature import attribute_array
from ...dialects.relax.vocabulary.attributes import PRIMITIVE, RESULT
from ...dialects.relax.vocabulary.symbols import COPY, SymbolNames
from ..emit.constructors import call
from .view_types import is_compact


def copy_op(source: SSAValue, target: SSAValue) -> linalg.GenericOp:
    """Returns what copies the content of a memref into another one of the same shape."""
    type_ = source.type
    assert isinstance(type_, MemRefType)
    rank = type_.get_num_dims()
    identity = AffineMapAttr(AffineMap.identity(rank))
    block = Block(arg_types=[type_.element_type, type_.element_type])
    block.add_op(linalg.YieldOp(block.args[0]))
    parallel = IteratorTypeAttr.parallel()
    return linalg.GenericOp([source], [target], Region(block), [identity, identity], [parallel] * rank)


class CopyKernels:
    """The kernels that copy, of the functions of a module; `functions` is for the end of the module."""

    def __init__(self, module: ModuleOp):
        self._symbols = SymbolNames(module)
        self._kernels: dict[Attribute, SymbolRefAttr] = {}
        self.functions: list[func.FuncOp] = []

    def copies(self, function: func.FuncOp, pairs: Sequence[tuple[SSAValue, SSAValue]]) -> list[Operation]:
        """Returns what copies sources to targets at the end of a function: calls where several buffers of a type are copied."""
        counts = Counter(source.type for source, target in pairs if _is_plain(source, target))
        # All or none of them: LLVM takes its time for a function with a loop of its own, however many calls are around that.
        calls = not PRIMITIVE.is_on(function) and max(counts.values(), default=0) > 1
        return [
            copy_op(source, target)
            if not (calls and _is_plain(source, target))
            else call(self._kernel(source.type), (source, target), ())
            for source, target in pairs
        ]

    def _kernel(self, type_: Attribute) -> SymbolRefAttr:
        if type_ not in self._kernels:
            block = Block(arg_types=[type_, type_])
            block.add_ops([copy_op(*block.args), func.ReturnOp()])
            kernel = func.FuncOp(
                self._symbols.fresh(COPY), FunctionType.from_lists([type_, type_], []), Region(block), "private"
            )
            kernel.arg_attrs = attribute_array([{}, RESULT.entry()])
            PRIMITIVE.set(kernel)
            self.functions.append(kernel)
            self._kernels[type_] = SymbolRefAttr(kernel.sym_name)
        return self._kernels[type_]


def _is_plain(source: SSAValue, target: SSAValue) -> bool:
    """Returns whether two memrefs may be the arguments of a function that copies one to the other."""
    return source.type == target.type and isinstance(source.type, MemRefType) and is_compact(source.type)
