"""The dialect to TVM Relax: modules; the inverse of `importer/module.py`."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ....passes.analysis.effects import PureFunctions
from ..attributes import relax_module_attributes
from ..diagnostics import UnsupportedError
from ..kernel_text import kernel_from_text, linked
from ..vocabulary import TIR
from .context import ExportState
from .function import FunctionExporter


def export_module(module: ModuleOp) -> Any:
    """Returns a module as an IRModule; raises `UnsupportedError` with all that has no counterpart."""
    state = ExportState(module)
    made: dict[Any, Any] = {}
    pure = PureFunctions(module)
    for name, function in state.functions.items():
        if TIR in function.attributes:
            variable = state.variable(function)
            text = function.attributes[TIR]
            assert isinstance(text, StringAttr)
            if variable not in made:
                made[variable] = kernel_from_text(text.data)
                relax.expr._update_type(variable, made[variable].ty)  # pyright: ignore[reportPrivateUsage]
            continue
        exporter = FunctionExporter(state, function, name in pure)
        result = exporter.run()
        if result is not None:
            variable = state.variable(function)
            relax.expr._update_type(variable, result.ty)  # pyright: ignore[reportPrivateUsage]
            made[variable] = result
    kernels = {
        variable.name_hint: variable for variable, function in made.items() if isinstance(function, tvm.tirx.PrimFunc)
    }
    for variable in kernels.values():
        made[variable] = linked(made[variable], kernels)
    for op in module.body.block.ops:
        if not isinstance(op, func.FuncOp):
            state.problems.append(f"{op.name}: not a function")
    if state.problems:
        raise UnsupportedError("export", state.problems)
    try:
        return relax.transform.Normalize()(
            tvm.ir.IRModule(made, attrs=relax_module_attributes(module), global_infos=state.devices.global_infos)
        )
    except Exception as error:  # TVM raises what it finds wrong with an op under many types.
        raise UnsupportedError("export", [str(error).splitlines()[0]]) from error
