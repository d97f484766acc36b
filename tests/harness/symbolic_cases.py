"""Op cases with symbolic dims, for other sizes than their own."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from harness.op_cases import Case

SIZES = (0, 1, 2)


def symbols_of(case: Case) -> list[str]:
    """Returns the names of the symbols in the operands of a case."""
    return sorted({dim for arg in case.args for dim in arg.dims if isinstance(dim, str)})


def symbolic_cases(cases: list[Case]) -> list[Case]:
    """Returns a case of each op, arrangement of sizes, and attributes: the element type does not matter here."""
    kinds: dict[Any, Case] = {}
    for case in cases:
        if symbols_of(case):
            dims = tuple(tuple(arg.dims) for arg in case.args)
            kinds.setdefault((case.op, dims, str(sorted(case.attrs.items(), key=str))), case)
    return list(kinds.values())


def sizes_of(symbols: list[str]) -> list[dict[str, int]]:
    """Returns all sizes of up to three symbols; of more, the same size for all."""
    if len(symbols) > 3:
        return [dict.fromkeys(symbols, size) for size in SIZES]
    return [dict(zip(symbols, sizes, strict=True)) for sizes in itertools.product(SIZES, repeat=len(symbols))]


def sized_inputs(case: Case) -> Iterator[tuple[dict[str, int], list[Any]]]:
    """Yields the sizes, and inputs of them, that there are values for: there is no index into nothing."""
    for sizes in sizes_of(symbols_of(case)):
        try:
            yield sizes, dataclasses.replace(case, sizes={**case.sizes, **sizes}).inputs()
        except (ValueError, IndexError):
            continue
