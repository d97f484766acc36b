"""Private functions of a program, one for equal ones."""

from __future__ import annotations

from xdsl.dialects import func

from .scope import Program
from .symbols import name_apart


def shared(program: Program, function: func.FuncOp) -> func.FuncOp:
    """Returns the first function that is equal to this one, up to the names of functions, values and symbols; it may be this one."""
    copy = function.clone()
    copy.sym_name = type(copy.sym_name)("function")
    name_apart(copy, lambda symbol: "s")
    for op in copy.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            value.name_hint = None
    return program.private_functions.setdefault(str(copy), function)
