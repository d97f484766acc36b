"""Donated arguments: which results are returned in their memory, and whose memory may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...interpreter.host.value_types import flat_values
from .arguments import Argument
from .leaf import Array, Leaf, address, leaves
from .prepared import Prepared


def donated_to(argument: Argument) -> list[int | None]:
    """Returns for each leaf of an argument the result that is returned in its memory."""
    fields = [*flat_values([argument.type])]
    results = argument.donate or [None] * len(fields)
    return [result for field, result in zip(fields, results, strict=True) for _ in leaves("", field)]


def own_donated(
    arrays: Sequence[Array], inputs: Sequence[Leaf], donated: Iterable[int], prepared: Prepared | None
) -> list[Array]:
    """Returns the arrays of a call, with copies of the donated ones that may not be overwritten.

    These are read-only arrays, and those that share memory with another argument.
    """
    # Invariant: `end` is where the memory of the spans so far ends, and `last` the one that ends there.
    spans = sorted((address(array), array.nbytes, i) for i, array in enumerate(arrays) if array.nbytes)
    shared: set[int] = set()
    end, last = 0, -1
    for start, size, i in spans:
        if start < end:
            shared |= {i, last}
        if start + size > end:
            end, last = start + size, i
    owned = list(arrays)
    for i in donated:
        array = arrays[i]
        is_shared = i in shared or (prepared is not None and prepared.shares_memory(array))
        if is_shared or not array.flags.writeable:
            owned[i] = inputs[i].device.empty(array.shape, array.dtype)
            owned[i][...] = array
    return owned
