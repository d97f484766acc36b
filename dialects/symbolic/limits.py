"""What sizes a program may compute with: every one fits 64 bits, and no tensor has more bytes than a machine can address.

Text and numbers alone: what calls compiled code holds sizes against them where no op is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from .nodes import EVALUATE, Apply, Known, symbols

MOST = 1 << 62
"""The absolute value of every size, and of what decides it, is at most this."""
MOST_BYTES = 1 << 48
"""A tensor has at most so many bytes, which is what processors address; sums of thousands of them still fit 64 bits."""


class SizeError(Exception):
    """A size is out of range."""


class Check(NamedTuple):
    """A size that the shape function of a function holds against what is expected."""

    argument: int
    """The index of the lowered argument."""
    axis: int
    """The axis of a tensor, 0 for an `index` argument."""
    expected: Known


class SizeLimit(NamedTuple):
    """What a function computes with, and what therefore must be in range: the sizes of a tensor or of a shape value, and its bytes."""

    op: str
    """The op that makes the value."""
    width: int
    """The bytes of an element of a tensor; 0 for a shape value."""
    dims: tuple[Known, ...]


def limit_symbols(limit: SizeLimit) -> set[str]:
    """Returns the symbols in the sizes of a limit."""
    return {name for dim in limit.dims for name in symbols(dim)}


def strongest(limits: Sequence[SizeLimit], given: Sequence[SizeLimit]) -> tuple[SizeLimit, ...]:
    """Returns the limits that neither others nor the tensors that are `given` imply: the first of equal ones."""
    kept: list[SizeLimit] = []
    factors = [_factors(limit) for limit in dict.fromkeys(given)]
    for limit in sorted(dict.fromkeys(limits), key=lambda limit: (-len(_factors(limit)[1]), -_factors(limit)[0])):
        scale, dims = _factors(limit)
        implied = (
            all(dim in other for dim in dims) if limit.width == 0 else scale <= most and dims <= other
            for most, other in factors
        )
        if not any(implied):
            kept.append(limit)
            factors.append((scale, dims))
    order = {limit: position for position, limit in enumerate(limits)}
    return tuple(sorted(kept, key=order.__getitem__))


def _factors(limit: SizeLimit) -> tuple[int, Counter[Known]]:
    """Returns the bytes of a tensor as a number and the sizes that it is multiplied with."""
    numbers = (max(dim, 1) for dim in limit.dims if isinstance(dim, int))
    return limit.width * prod(numbers), Counter(dim for dim in limit.dims if not isinstance(dim, int))


def require_in_range(limit: SizeLimit, sizes: Mapping[str, int]) -> int:
    """Returns the bytes of the tensor, 0 of a shape value; raises `SizeError` where the limit does not hold.

    The error names the op, the sizes and the symbols.
    """
    named = where({name: sizes[name] for name in sorted(limit_symbols(limit))})
    values: list[int] = []
    for dim in limit.dims:
        try:
            values.append(checked_value(dim, sizes))
        except OverflowError:
            raise SizeError(f"{limit.op}: the size {dim} does not fit 64 bits{named}") from None
    size = limit.width * prod(max(value, 1) for value in values)
    if size > MOST_BYTES:
        shape = " x ".join(map(str, limit.dims))
        raise SizeError(
            f"{limit.op}: a tensor of {shape} elements would take {size} bytes{named}, expected at most {MOST_BYTES}"
        )
    return limit.width * prod(max(value, 0) for value in values)


def where(sizes: Mapping[str, int]) -> str:
    """Returns the values of symbols as the end of a message."""
    return " where " + ", ".join(f"{name} = {size}" for name, size in sizes.items()) if sizes else ""


def checked_value(size: Known, sizes: Mapping[str, int], is_term: bool = False) -> int:
    """Returns the value of a size; raises `OverflowError` where it, or what decides it, is out of range.

    What sums and products wrap is right again where their result fits, so that a term of one may be anything.
    """
    if not isinstance(size, Apply):
        return size if isinstance(size, int) else sizes[str(size)]
    is_sum = size.op in ("+", "-", "*")
    lhs, rhs = (checked_value(operand, sizes, is_sum) for operand in (size.lhs, size.rhs))
    # Divisors are checked where they are used.
    value = EVALUATE[size.op](lhs, max(rhs, 1) if size.op in ("floordiv", "mod") else rhs)
    if abs(value) > MOST and not is_term:
        raise OverflowError
    return value
