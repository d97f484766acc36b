"""Export of calls of packed functions that stand for ops of Relax."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute

from ....dialects.relax.ops.core import CallPackedOp
from ..diagnostics import Unsupported
from ..vocabulary import CALLEE
from .context import Exporter


def opaque_call(exporter: Exporter, op: CallPackedOp, values: Sequence[Any], kept: Mapping[str, Attribute]) -> Any:
    """Returns the call of an op, or of a function of the module.

    `kept` is what `importer/opaque.py` wrote: by position what is no value, and the attributes.
    """
    if isinstance(callee := kept.get(CALLEE), SymbolRefAttr):
        return tvm.ir.Call(function_variable(exporter, callee), list(values))
    attrs = kept.get("attrs")
    args = with_kept(exporter, values, kept)
    loaded = tvm.ir.load_json(attrs.data) if isinstance(attrs, StringAttr) else None
    types = [exporter.result_type(op)] if "typed" in kept else []
    return tvm.ir.Call(tvm.ir.Op.get(op.callee.data), args, loaded, types)


def function_variable(exporter: Exporter, symbol: SymbolRefAttr) -> Any:
    """Returns the global variable of a function by its name."""
    name = symbol.string_value()
    if name not in exporter.module.functions:
        raise Unsupported(f"no function @{name}")
    return exporter.module.variable(exporter.module.functions[name])


def with_kept(exporter: Exporter, values: Sequence[Any], kept: Mapping[str, Attribute]) -> list[Any]:
    """Returns arguments with those that are no values in the dialect in their places."""
    args = list(values)
    for position in sorted(int(key) for key in kept if key.isdecimal()):
        item = kept[str(position)]
        if isinstance(item, SymbolRefAttr):
            args.insert(position, function_variable(exporter, item))
        elif isinstance(item, StringAttr):
            args.insert(position, tvm.ir.load_json(item.data))
    return args
