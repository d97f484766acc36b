"""Sizes as operands: shapes, and what only the result of a kernel tells."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.attrs import ShapeType
from ....dialects.relax.ops.core import ShapeOp
from ....dialects.relax.type_dims import defined_symbols, used_symbols
from ....dialects.symbolic.expressions import Dim, Symbol
from .context import Importer


def shape_operand(importer: Importer, dims: Sequence[Dim]) -> SSAValue:
    """Returns a shape value with these dims."""
    return importer.insert(ShapeOp.build_from(result_types=[ShapeType(tuple(dims))])).results[0]


def add_free_sizes(importer: Importer, operands: list[SSAValue], types: Sequence[Attribute]) -> bool:
    """Adds the sizes that only the results of a kernel tell to its operands, as one shape; returns whether there are any."""
    inputs = [value.type for value in operands]
    defined = set[str]().union(*map(defined_symbols, inputs))
    sizes = sorted(set[str]().union(*map(used_symbols, (*inputs, *types))) - defined)
    if sizes:
        operands.append(shape_operand(importer, [Symbol(name) for name in sizes]))
    return bool(sizes)
