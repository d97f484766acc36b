"""Sizes as operands: shapes, and what only the result of a kernel tells."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.type_dims import defined_symbols, used_symbols
from ....dialects.symbolic.expressions import Symbol
from .context import Importer


def add_free_sizes(importer: Importer, operands: list[SSAValue], types: Sequence[Attribute]) -> bool:
    """Adds the sizes that only the results of a kernel tell to its operands, as one shape; returns whether there are any."""
    inputs = [value.type for value in operands]
    defined = set[str]().union(*map(defined_symbols, inputs))
    sizes = sorted(set[str]().union(*map(used_symbols, (*inputs, *types))) - defined)
    if sizes:
        operands.append(importer.builder.shape(*map(Symbol, sizes)))
    return bool(sizes)
