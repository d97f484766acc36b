"""What the parts of an export share: the state of the module, and what a part asks of the function under export."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import tvm
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from ..types import ExportScope
from ..vdevices import ExportDevices
from ..vocabulary import KERNEL


class ExportState:
    """What is known of the module under export."""

    def __init__(self, module: ModuleOp):
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
        self.problems: list[str] = []
        """What has no counterpart, a line each."""
        self.devices = ExportDevices(module)
        self._variables: dict[str, Any] = {}

    def variable(self, function: func.FuncOp) -> Any:
        """Returns the global variable of a function; the functions of one kernel share it."""
        label = function.attributes.get(KERNEL)
        name = label.data if isinstance(label, StringAttr) else function.sym_name.data
        return self._variables.setdefault(name, tvm.ir.GlobalVar(name))


class Exporter(Protocol):
    """What the export of one op asks of the function under export."""

    module: ExportState
    scope: ExportScope

    def expression(self, value: SSAValue) -> Any:
        """Returns what stands for a value where it is used."""
        ...

    def tuple_of(self, values: Sequence[SSAValue]) -> Any:
        """Returns a tuple argument."""
        ...

    def result_type(self, op: Operation) -> Any:
        """Returns the type of what an op computes: that of its result, or a tuple of those of its results."""
        ...

    def inferred(self, expression: Any) -> Any:
        """Returns the type that Relax infers of an expression."""
        ...

    def bind(self, op: Operation, expression: Any) -> None:
        """Binds the value of an op: its one result, or a tuple of which the results are the fields."""
        ...

    def stand_for(self, value: SSAValue, expression: Any) -> None:
        """Lets an expression stand wherever a value is used."""
        ...

    def fresh(self, expression: Any) -> Any:
        """Binds an expression that no value of ours stands for; returns its variable."""
        ...
