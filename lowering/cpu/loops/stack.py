"""Memory on the stack of a kernel."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, SSAValue

from ....targets.cpu import BUFFER_ALIGNMENT
from .builder import LoopBuilder


def stack(b: LoopBuilder, element: Attribute, count: int) -> SSAValue:
    """Returns memory for so many elements, allocated where the builder stands."""
    alloca = b.insert(memref.AllocaOp.get(element, BUFFER_ALIGNMENT, [count]))
    return b.insert(memref.CastOp.build(operands=[alloca], result_types=[MemRefType(element, [DYNAMIC_INDEX])]))
