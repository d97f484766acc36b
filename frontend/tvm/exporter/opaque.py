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
from .context import Exporter


def opaque_call(exporter: Exporter, op: CallPackedOp, values: Sequence[Any], kept: Mapping[str, Attribute]) -> Any:
    """Returns the call of an op; `kept` is what `importer/opaque.py` wrote: by position what is no value, and the attributes."""
    attrs = kept.get("attrs")
    args = with_kept(exporter, values, kept)
    loaded = tvm.ir.load_json(attrs.data) if isinstance(attrs, StringAttr) else None
    types = [exporter.result_type(op)] if "typed" in kept else []
    return tvm.ir.Call(tvm.ir.Op.get(op.callee.data), args, loaded, types)


def with_kept(exporter: Exporter, values: Sequence[Any], kept: Mapping[str, Attribute]) -> list[Any]:
    """Returns arguments with those that are no values in the dialect in their places."""
    args = list(values)
    for position in sorted(int(key) for key in kept if key.isdecimal()):
        item = kept[str(position)]
        if isinstance(item, SymbolRefAttr):
            name = item.string_value()
            if name not in exporter.module.functions:
                raise Unsupported(f"no function @{name}")
            args.insert(position, exporter.module.variable(exporter.module.functions[name]))
        elif isinstance(item, StringAttr):
            args.insert(position, tvm.ir.load_json(item.data))
    return args
