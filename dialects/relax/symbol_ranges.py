"""The ranges of symbols: what a function declares of the sizes that its symbols stand for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...kinds import kind_test
from ..nearest_name import suggestion
from ..symbolic.expressions import symbols
from ..symbolic.order import NO_RANGES, Ranges
from ..walks import ops_inside
from .type_dims import used_symbols
from .vocabulary.attributes import DIMS, SYM_LOWER_BOUNDS, SYM_UPPER_BOUNDS


def declared_ranges(function: func.FuncOp) -> Ranges:
    """Returns the ranges that a function declares; raises `VerifyException` where they are none."""
    attributes = function.attributes
    lower, upper = attributes.get(SYM_LOWER_BOUNDS.name), attributes.get(SYM_UPPER_BOUNDS.name)
    return NO_RANGES if lower is None and upper is None else _ranges(lower, upper)


@lru_cache(maxsize=1024)
def _ranges(lower: Attribute | None, upper: Attribute | None) -> Ranges:
    attributes = {
        name.name: attr for name, attr in ((SYM_LOWER_BOUNDS, lower), (SYM_UPPER_BOUNDS, upper)) if attr is not None
    }
    least, most = SYM_LOWER_BOUNDS.of(attributes) or {}, SYM_UPPER_BOUNDS.of(attributes) or {}
    for symbol in least.keys() & most.keys():
        if least[symbol] > most[symbol]:
            raise VerifyException(
                f"{SYM_UPPER_BOUNDS}: the bound of {symbol} must be at least {least[symbol]}, its lower bound, "
                f"got {most[symbol]}"
            )
    return Ranges({symbol: (least.get(symbol, 0), most.get(symbol)) for symbol in {**least, **most}})


def range_attributes(ranges: Ranges) -> dict[str, Attribute]:
    """Returns the attributes by which a function declares ranges."""
    least = {name: low for name, (low, _) in ranges.intervals.items() if low}
    most = {name: high for name, (_, high) in ranges.intervals.items() if high is not None}
    return {
        **(SYM_LOWER_BOUNDS.entry(least) if least else {}),
        **(SYM_UPPER_BOUNDS.entry(most) if most else {}),
    }


def ranges_of_signature(function: func.FuncOp) -> Ranges:
    """Returns the declared ranges of the symbols in a function's type."""
    signature = function.function_type
    used = {name for value_type in (*signature.inputs, *signature.outputs) for name in used_symbols(value_type)}
    return declared_ranges(function).restricted(used)


def verify_ranges(function: func.FuncOp) -> None:
    """Checks that the ranges of a function are ranges, of symbols that occur in it. Raises `VerifyException`."""
    declared = declared_ranges(function)
    if not declared:
        return
    known = function_symbols(function)
    for symbol in declared.intervals:
        if symbol not in known:
            there = f"its symbols: {', '.join(sorted(known))}" if known else "it has no symbols"
            raise VerifyException(
                f"@{function.sym_name.data} declares {declared.text(symbol)}, but has no symbol {symbol!r}"
                f"{suggestion(symbol, known) or ','} {there}"
            )


def drop_stale_ranges(function: func.FuncOp) -> None:
    """Removes the ranges of symbols that a function has no more: passes replace sizes by numbers, and erase what names them."""
    declared = declared_ranges(function)
    if declared:
        kept = declared.restricted(function_symbols(function))
        for name in (SYM_LOWER_BOUNDS, SYM_UPPER_BOUNDS):
            name.clear(function)
        function.attributes.update(range_attributes(kept))


def function_symbols(function: func.FuncOp) -> set[str]:
    """Returns the symbols of a function's type, of the types inside, and of the dims that arguments keep below the relax stage."""
    signature = function.function_type
    inside = (result.type for op in ops_inside(function) for result in op.results)
    # By where they are: the types of layers are few objects, and their hash takes long.
    types = {id(type_): type_ for type_ in (*signature.inputs, *signature.outputs, *inside)}
    kept = (DIMS.of_argument(function, index) or () for index in range(len(signature.inputs)))
    return set().union(
        *map(used_symbols, types.values()), (name for dims in kept for dim in dims for name in symbols(dim))
    )


def ranges_at(op: Operation) -> Ranges:
    """Returns the ranges of the function that an op stands in, or that its operands are made in."""
    function = _function_around(op)
    return ranges_of(op.operands) if function is None else declared_ranges(function)


def ranges_of(operands: Iterable[SSAValue]) -> Ranges:
    """Returns the ranges of the function that operands are made in."""
    function = next((f for operand in operands if (f := _function_of(operand)) is not None), None)
    return NO_RANGES if function is None else declared_ranges(function)


def _function_of(value: SSAValue) -> func.FuncOp | None:
    owner = value.owner
    return _function_around(owner.parent_op() if isinstance(owner, Block) else owner)


_is_function = kind_test(func.FuncOp)


def _function_around(op: Operation | None) -> func.FuncOp | None:
    while op is not None and not _is_function(op):
        op = op.parent_op()
    return op
