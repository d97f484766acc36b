"""Values of a program as tensors of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from ..annotations import checked
from ..tensor import wrapped


@checked
def wrap_nested(expr: SSAValue | Operation | Sequence[SSAValue], name: str) -> Any:
    """Returns a value as a tensor, or several as a tuple of them, with a name in the text."""
    values = expr.results if isinstance(expr, Operation) else [expr] if isinstance(expr, SSAValue) else expr
    for value in values:
        value.name_hint = name
    return wrapped(values[0] if len(values) == 1 else tuple(values))
