"""The state of a kernel under import: its buffers as tensors, its sizes, and what is known of its variables."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from typing import Any

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from ....lowering.emit.op_builder import OpBuilder
from ....lowering.emit.tensor_builder import Size, ranked
from ....lowering.relax_to_linalg.builder import LinalgBuilder
from ..diagnostics import Unsupported
from ..types import key
from .expressions import Bounds, Expressions, element_type


class Kernel:
    """What the variables and buffers of a kernel stand for at the point that the import has reached."""

    def __init__(self, b: LinalgBuilder):
        self.b = b
        self.bounds = Bounds()
        self.variables: dict[int, Size] = {}
        self.tensors: dict[int, SSAValue] = {}
        self._keep: list[Any] = []

    def define(self, variable: Any, size: Size) -> None:
        """Lets a variable stand for a size."""
        self._keep.append(variable)
        self.variables[key(variable)] = size

    def expressions(self, b: OpBuilder | None = None) -> Expressions:
        """Returns what evaluates expressions now; a tensor that is written later is not seen."""
        return Expressions(b or self.b, self.bounds, self.variables, dict(self.tensors))

    def size(self, expression: Any) -> Size:
        """Returns a size of the function."""
        return self.expressions().index(expression)

    def sizes(self, buffer: Any) -> list[Size]:
        """Returns the sizes of a buffer."""
        if len(buffer.ty.strides):
            raise Unsupported(f"buffer {buffer.name} has strides")
        return [self.size(size) for size in buffer.ty.shape]

    def empty(self, buffer: Any) -> SSAValue:
        """Returns a tensor for a buffer, of undefined content."""
        return self.b.empty(self.sizes(buffer), element_type(buffer))

    def refined(self, value: SSAValue, buffer: Any) -> SSAValue:
        """Returns a tensor with the static sizes that the kernel relies on."""
        wanted = ranked(self.sizes(buffer), element_type(buffer))
        return value if value.type == wanted else self.b.insert(tensor.CastOp(value, wanted))
