"""The subscripts of einsum, in numpy's notation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ....records import record
from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..base import fail
from .shape_rules import broadcast_dim, shape_text

_TERM = re.compile(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?\Z")


@record
class Subscripts:
    """The labels of each operand's dims and of the result's; a dim under an ellipsis is labeled `...i`, counted from the right."""

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]


def parse_subscripts(text: str, ranks: Sequence[int]) -> Subscripts:
    """Parses subscripts for operands of these ranks; raises violations of `einsum_c2` and `einsum_c3`."""
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if not all(_TERM.match(term) for term in (*terms, right)):
        fail("einsum_c2", f'subscripts must be lists of letters with at most one "...", got "{text}"')
    if len(terms) != len(ranks):
        fail("einsum_c3", f'"{text}" is for {len(terms)} operands, got {len(ranks)}')
    operands = tuple(_labels(term, rank) for term, rank in zip(terms, ranks, strict=True))
    covered = max((sum(label.startswith("...") for label in labels) for labels in operands), default=0)
    broadcast = tuple(f"...{index}" for index in reversed(range(covered)))
    if not arrow:
        count = Counter(label for labels in operands for label in labels if not label.startswith("..."))
        return Subscripts(operands, (*broadcast, *sorted(label for label, times in count.items() if times == 1)))
    before, dots, after = right.partition("...")
    result = (*before, *(broadcast if dots else ()), *after)
    known = {label for labels in operands for label in labels}
    if len(set(result)) != len(result) or not known.issuperset(result):
        fail("einsum_c2", f'each label of the result must be one of an operand, and stand once, got "{text}"')
    return Subscripts(operands, result)


def _labels(term: str, rank: int) -> tuple[str, ...]:
    before, dots, after = term.partition("...")
    covered = rank - len(before) - len(after)
    if covered < 0 or (covered > 0 and not dots):
        fail("einsum_c3", f'"{term}" does not fit an operand of rank {rank}')
    return (*before, *(f"...{index}" for index in reversed(range(covered))), *after)


def label_dims(
    context: SizeContext, operands: Sequence[Sequence[str]], shapes: Sequence[Sequence[Dim]]
) -> dict[str, Dim]:
    """Returns the size of each label; dims of one label agree, or are 1. Raises violations of `einsum_c4`."""
    sizes: dict[str, Dim] = {}
    for labels, shape in zip(operands, shapes, strict=True):
        for label, dim in zip(labels, shape, strict=True):
            sizes[label] = _common(context, sizes[label], dim, label, shape) if label in sizes else dim
    return sizes


def _common(context: SizeContext, known: Dim, dim: Dim, label: str, shape: Sequence[Dim]) -> Dim:
    if known != 1 and dim != 1 and context.differ(known, dim):
        fail("einsum_c4", f"label {label} is {known}, but {dim} in {shape_text(shape)}")
    return broadcast_dim(known, dim)
