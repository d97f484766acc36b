"""The operations that combine partial results of reductions, and their neutral elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation

from .nest import Nest


def _width(type_: Attribute) -> int:
    return 64 if isinstance(type_, IndexType) else cast(IntegerType, type_).width.data


def _lowest(type_: Attribute) -> int:
    return -(1 << (_width(type_) - 1))


def _ones(type_: Attribute) -> int:
    return 1 if _width(type_) == 1 else -1


NEUTRAL: dict[str, Callable[[Attribute], float]] = {
    "arith.addf": lambda t: -0.0,
    "arith.mulf": lambda t: 1.0,
    "arith.maximumf": lambda t: -math.inf,
    "arith.minimumf": lambda t: math.inf,
    "arith.maxnumf": lambda t: math.nan,
    "arith.minnumf": lambda t: math.nan,
    "arith.addi": lambda t: 0,
    "arith.muli": lambda t: 1,
    "arith.maxsi": _lowest,
    "arith.minsi": lambda t: -_lowest(t) - 1,
    "arith.maxui": lambda t: 0,
    "arith.minui": _ones,
    "arith.andi": _ones,
    "arith.ori": lambda t: 0,
    "arith.xori": lambda t: 0,
}
"""The value that leaves every other one as it is, by combining operation and type. `maxnumf` and `minnumf` drop a NaN."""


def combiners_of(nest: Nest) -> list[Operation] | None:
    """Returns the operation that combines each output's present content with something that does not depend on any; else None."""
    # Invariant: each output so far is read by its combiner alone, and nothing but the yield reads what that makes, so that partial
    # results may start from the neutral value.
    combiners: list[Operation] = []
    for position, value in enumerate(nest.yielded):
        op = value.owner
        present = nest.output_arg(position)
        if not isinstance(op, Operation) or op.name not in NEUTRAL or op.parent is not nest.body:
            return None
        if len(list(present.uses)) != 1 or len(list(value.uses)) != 1:
            return None
        if sum(o is present for o in op.operands) != 1:
            return None
        if isinstance(value.type, IntegerType) and _width(value.type) == 1 and op.name not in _LOGIC:
            return None
        combiners.append(op)
    return combiners or None


_LOGIC = frozenset(("arith.andi", "arith.ori", "arith.xori"))
