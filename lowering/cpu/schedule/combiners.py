"""How partial results of reductions are combined, as the payload says: by an operation, by a comparison, or by a comparison of
values that places go along with.

    %next = arith.addf %present, %x

    %less = arith.cmpf ogt, %x, %present                       the greater one; a NaN is passed over
    %next = arith.select %less, %x, %present

    %over = arith.cmpf ugt, %x, %present                       the place of the first of the greatest; a NaN is greater than all others
    %number = arith.cmpf ord, %present, %present
    %better = arith.andi %over, %number                        arith.cmpi sgt, %x, %present for integers
    %next = arith.select %better, %x, %present
    %next_place = arith.select %better, (linalg.index d), %present_place
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue

from ....records import record
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


_EXPANDED = frozenset(("arith.maximumf", "arith.minimumf"))
"""Operations that are a comparison and a choice, as a NaN on either side stays."""


@record
class ByOperation:
    """An output that an operation combines."""

    output: int
    op: Operation

    @property
    def neutral(self) -> list[float]:
        """The value that leaves every other one as it is."""
        return [NEUTRAL[self.op.name](self.op.results[0].type)]

    @property
    def latencies(self) -> int:
        """The operations, each after the one before, that make the next result."""
        return 2 if self.op.name in _EXPANDED else 1


@record
class ByComparison:
    """An output that becomes what compares with it: the greater one for `ogt`, the lesser one for `olt`."""

    output: int
    predicate: str

    @property
    def neutral(self) -> list[float]:
        """The value that every other one but itself replaces."""
        return [-math.inf if self.predicate == "ogt" else math.inf]

    @property
    def latencies(self) -> int:
        """The operations, each after the one before, that make the next result."""
        return 1


@record
class ByPlace:
    """Two outputs, an extreme value and its place, the first one of equals."""

    output: int
    place: int
    predicate: str
    """The comparison of a value with that before it: `ugt`, `ult` of floats, of which numbers alone are replaced; or of integers."""
    value_type: Attribute
    place_type: Attribute

    @property
    def neutral(self) -> list[float]:
        """A value that no other one is beyond, at a place behind all others."""
        least = self.predicate in ("ugt", "sgt")
        place = -_lowest(self.place_type) - 1
        if isinstance(self.value_type, AnyFloat):
            return [-math.inf if least else math.inf, place]
        return [_EXTREME[self.predicate](self.value_type), place]

    @property
    def latencies(self) -> int:
        """The operations, each after the one before, that make the next result."""
        return 2


Combiner: TypeAlias = ByOperation | ByComparison | ByPlace


def combiners_of(nest: Nest) -> list[Combiner] | None:
    """Returns how the outputs are combined with something that does not depend on any; None if an output is not.

    They are in the order of the outputs: a place follows its value.
    """
    combiners: list[Combiner] = []
    position = 0
    while position < len(nest.outputs):
        combiner = _operation(nest, position) or _comparison(nest, position) or _place(nest, position)
        if combiner is None:
            return None
        combiners.append(combiner)
        position += len(combiner.neutral)
    return combiners or None


def _operation(nest: Nest, position: int) -> ByOperation | None:
    # The output is read by its combiner alone, and nothing but the yield reads what that makes, so that partial results may start
    # from the neutral value.
    value, present = nest.yielded[position], nest.output_arg(position)
    op = value.owner
    if not isinstance(op, Operation) or op.name not in NEUTRAL or op.parent is not nest.body:
        return None
    if not _uses(present, op) or len(list(value.uses)) != 1:
        return None
    if isinstance(value.type, IntegerType) and _width(value.type) == 1 and op.name not in _LOGIC:
        return None
    return ByOperation(position, op)


def _comparison(nest: Nest, position: int) -> ByComparison | None:
    present = nest.output_arg(position)
    chosen = _chosen(nest, position)
    if chosen is None or not isinstance(compare := chosen.cond.owner, arith.CmpfOp) or len(list(chosen.cond.uses)) != 1:
        return None
    predicate = _FLOAT_PREDICATES[compare.predicate.value.data]
    if predicate not in ("ogt", "olt") or compare.lhs is not chosen.lhs or compare.rhs is not present:
        return None
    return ByComparison(position, predicate) if _uses(present, compare, chosen) else None


def _place(nest: Nest, position: int) -> ByPlace | None:
    """Returns the combiner of a value and of the output behind it, if that is the value's place along the only reduction."""
    # Both outputs are chosen by one comparison and read by nothing else, and places grow, so that the least of equals is the first.
    if position + 1 == len(nest.outputs) or len(nest.reduced) != 1:
        return None
    present, present_place = nest.output_arg(position), nest.output_arg(position + 1)
    chosen, place = _chosen(nest, position), _chosen(nest, position + 1)
    if chosen is None or place is None or chosen.cond is not place.cond or len(list(chosen.cond.uses)) != 2:
        return None
    if not _uses(present_place, place) or not _counts(nest, place.lhs, nest.reduced[0]):
        return None
    predicate = _of_integers(chosen, present) or _of_floats(chosen, present)
    return None if predicate is None else ByPlace(position, position + 1, predicate, present.type, present_place.type)


def _of_integers(chosen: arith.SelectOp, present: SSAValue) -> str | None:
    """Returns by which comparison an integer replaces the present one."""
    better = chosen.cond.owner
    if not isinstance(better, arith.CmpiOp) or better.lhs is not chosen.lhs or better.rhs is not present:
        return None
    predicate = _INTEGER_PREDICATES[better.predicate.value.data]
    return predicate if predicate in _EXTREME and _uses(present, better, chosen) else None


def _of_floats(chosen: arith.SelectOp, present: SSAValue) -> str | None:
    """Returns by which comparison a float replaces the present one, if that is a number."""
    better = chosen.cond.owner
    over, number = (o.owner for o in better.operands) if isinstance(better, arith.AndIOp) else (None, None)
    if not isinstance(over, arith.CmpfOp) or not isinstance(number, arith.CmpfOp):
        return None
    if over.lhs is not chosen.lhs or over.rhs is not present or any(o is not present for o in number.operands):
        return None
    if any(len(list(op.result.uses)) != 1 for op in (over, number)) or not _uses(present, over, number, number, chosen):
        return None
    predicate, is_number = (_FLOAT_PREDICATES[op.predicate.value.data] for op in (over, number))
    return predicate if predicate in ("ugt", "ult") and is_number == "ord" else None


def _chosen(nest: Nest, position: int) -> arith.SelectOp | None:
    """Returns the choice between something new and an output's present content that is the output, and nothing else."""
    value = nest.yielded[position]
    op = value.owner
    if not isinstance(op, arith.SelectOp) or op.parent is not nest.body or op.rhs is not nest.output_arg(position):
        return None
    return op if len(list(value.uses)) == 1 and op.lhs is not op.rhs else None


def _uses(value: SSAValue, *readers: Operation) -> bool:
    """Returns whether a value is read by these operations alone, once for each time that they are named."""
    return sorted(id(use.operation) for use in value.uses) == sorted(map(id, readers))


def _counts(nest: Nest, value: SSAValue, loop: int) -> bool:
    """Returns whether a value is the index of a loop, as an integer."""
    while isinstance(op := value.owner, arith.IndexCastOp):
        value = op.input
    return isinstance(op, linalg.IndexOp) and nest.index_dims[op.dim.value.data] == loop


_LOGIC = frozenset(("arith.andi", "arith.ori", "arith.xori"))
_FLOAT_PREDICATES = (
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
)
_INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_EXTREME: dict[str, Callable[[Attribute], float]] = {
    "sgt": NEUTRAL["arith.maxsi"],
    "slt": NEUTRAL["arith.minsi"],
    "ugt": NEUTRAL["arith.maxui"],
    "ult": NEUTRAL["arith.minui"],
}
