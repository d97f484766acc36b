"""Subclasses of xDSL's ops with a wider definition of operands, results or traits.

`irdl_op_definition` makes accessors of the fields of a class, and so refuses a class that derives from one that it made. A class without
the decorator derives well: it inherits the accessors, and says by `get_irdl_definition` what its verifier asks.

For upstream: "`irdl_op_definition` accepts subclasses of defined ops, which may override single fields."
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xdsl.ir import OpTraits
from xdsl.irdl import AnyAttr, IRDLOperation, OpDef, OperandDef, ResultDef


def redefined(
    parent: type[IRDLOperation],
    *,
    operands: Mapping[str, OperandDef] | None = None,
    results: Mapping[str, ResultDef] | None = None,
    traits: OpTraits | None = None,
) -> OpDef:
    """Returns the definition of an op with some operands, results or all traits exchanged; that of the parent stays as it is."""
    definition = parent.get_irdl_definition()
    return replace(
        definition,
        operands=[(name, (operands or {}).get(name, given)) for name, given in definition.operands],
        results=[(name, (results or {}).get(name, given)) for name, given in definition.results],
        traits=definition.traits if traits is None else traits,
    )


ANY_OPERAND = OperandDef(AnyAttr())
ANY_RESULT = ResultDef(AnyAttr())
