"""Import of ops that the dialect lacks: calls of packed functions under the names of the ops."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax
from xdsl.dialects.builtin import DictionaryAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue

from ....dialects.relax.ops.core import CallPackedOp
from ....dialects.relax.vocabulary.attributes import OPAQUE
from ..vocabulary import OP
from .context import Importer, Results, Value

_ALLOCATIONS = frozenset(
    f"relax.{name}"
    for name in "builtin.alloc_tensor memory.alloc_storage memory.alloc_tensor vm.alloc_storage vm.alloc_tensor".split()
)
"""Ops that Relax calls pure, and of which two calls are not the same all the same."""


def import_opaque_call(importer: Importer, call: Any, ty: Any, reason: str = "") -> Value:
    """Imports a call of an op as one of the packed function with its name; `relax.opaque` says the reason, if there is one.

    What is no value in the dialect, such as a dtype, and the attributes of the call, are kept as JSON in `tvm.op`.
    """
    # Every argument goes to one of three: strings to `literals`, what is no value to `kept`, anything else to `operands`.
    operands: list[SSAValue] = []
    literals: dict[str, str] = {}
    kept: dict[str, Attribute] = {}
    for index, arg in enumerate(call.args):
        if isinstance(arg, tvm.ir.StringImm):
            literals[str(len(operands) + len(literals))] = str(arg.value)
        elif isinstance(arg, relax.ExternFunc) or is_dtype(arg):
            kept[str(index)] = StringAttr(tvm.ir.save_json(arg))
        elif isinstance(arg, tvm.ir.GlobalVar):
            kept[str(index)] = SymbolRefAttr(arg.name_hint)
        elif isinstance(arg, tvm.tirx.IntImm | tvm.tirx.FloatImm):
            operands.append(importer.number(arg))
        else:
            operands.append(importer.value(arg))
    if call.attrs is not None:
        kept["attrs"] = StringAttr(tvm.ir.save_json(call.attrs))
    if len(call.ty_args) == 1:
        kept["typed"] = UnitAttr()
    several = isinstance(ty, tvm.ir.TupleType) and len(ty.fields) != 1
    types = importer.result_types(ty) if several else [importer.scope.type(ty)]
    results = importer.builder.results(
        CallPackedOp,
        *operands,
        result_types=types,
        attributes={OP: DictionaryAttr(kept), **(OPAQUE.entry(" ".join(reason.split())) if reason else {})},
        callee=str(call.op.name),
        pure=(bool(call.op.get_attr("FPurity")) and call.op.name not in _ALLOCATIONS) or None,
        literals=literals or None,
    )
    return Results(results) if several else results[0]


def is_dtype(expression: Any) -> bool:
    """Returns whether an argument is a dtype, which is no value in the dialect."""
    return isinstance(expression, tvm.ir.GenericConst) and not isinstance(expression.value, tvm.runtime.Tensor)
