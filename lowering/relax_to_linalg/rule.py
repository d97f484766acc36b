"""What a lowering rule is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from .builder import LinalgBuilder

Rule: TypeAlias = Callable[[Any, Sequence[SSAValue], LinalgBuilder], Sequence[SSAValue]]
"""`rule(op, operands, b)` emits the lowering of `op` on the lowered operands and returns the lowered results.

`op` still has its relax types (symbolic dims, signed element types); the operands are signless tensors. A shape operand is passed as the
tuple of its sizes would be: its values are read off the type of `op`'s operand by `b.sizes(shape_value(...))`.
"""

Rules: TypeAlias = Mapping[type[Any], Rule]
