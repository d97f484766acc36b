"""`call_tir` kernels as private functions that hold the kernel's text.

The body of the function is linalg, or loops over tensors (`tir/`). A kernel that has no counterpart there stays opaque: its function
calls the packed function of its name, and the call says why in `relax.opaque`.
"""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....builder import BlockBuilder
from ....dialects.relax.function_signature import fresh
from ....dialects.relax.ops.core import CallDPSPackedOp
from ....dialects.relax.vocabulary.attributes import CALL_OP_PATTERN, OP_PATTERN, OPAQUE, PRIMITIVE
from ....dialects.upstream.func_ops import CallOp
from ....passes.rewriting.kernel_functions import is_kernel
from ..diagnostics import Unsupported
from ..kernel_text import callees, kernel_text
from ..tir.function import kernel_body
from ..vocabulary import CALLS, FREE_SIZES, INPLACE, KERNEL, TIR


@dataclass
class Kernel:
    """A kernel: its text, and a function for each signature that it is called with."""

    name: str
    source: Any
    text: str
    op_pattern: int | None
    made: dict[tuple[FunctionType, tuple[int, ...] | None], func.FuncOp]


class KernelTable:
    """The kernels of a module under import."""

    def __init__(self, functions: Collection[str]):
        self._functions = functions
        """The names of the module's other functions."""
        self.kernels: dict[str, Kernel] = {}

    def add(self, name: str, kernel: Any) -> None:
        """Notes a kernel of the module."""
        pattern = kernel.attrs.get(CALL_OP_PATTERN.name) if kernel.attrs else None
        self.kernels[name] = Kernel(name, kernel, kernel_text(kernel), None if pattern is None else int(pattern), {})

    def callee(
        self,
        name: str,
        inputs: Sequence[Attribute],
        outputs: Sequence[Attribute],
        free: bool = False,
        inplace: tuple[int, ...] | None = None,
    ) -> str:
        """Returns the function that stands for a kernel with these types, which is made at the first call.

        With `inplace` it writes arguments: `tir.function.kernel_body`. With `free` the last input is a shape that Relax does not pass:
        the sizes that only the results tell there.
        """
        kernel = self.kernels.get(name)
        if kernel is None:
            raise Unsupported(f"kernel @{name} is not in the module")
        signature = FunctionType.from_lists(inputs, outputs)
        if (signature, inplace) not in kernel.made:
            kernel.made[signature, inplace] = self._make(kernel, signature, free, inplace)
        return kernel.made[signature, inplace].sym_name.data

    def call(
        self,
        name: str,
        operands: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        free: bool,
        inplace: tuple[int, ...] | None = None,
    ) -> func.CallOp:
        """Returns a call of a kernel; one of a kernel that is known says how fusion may treat it."""
        callee = self.callee(name, [value.type for value in operands], outputs, free, inplace)
        made = CallOp(callee, operands, outputs)
        kernel = self.kernels[name]
        function = next(function for function in kernel.made.values() if function.sym_name.data == callee)
        if kernel.op_pattern is not None and is_kernel(function):
            CALL_OP_PATTERN.set(made, kernel.op_pattern)
        return made

    def _make(
        self, kernel: Kernel, signature: FunctionType, free: bool, inplace: tuple[int, ...] | None
    ) -> func.FuncOp:
        try:
            made = self._function(kernel, signature, kernel_body(kernel.source, signature, inplace))
            made.verify()
            PRIMITIVE.set(made)
        except (Unsupported, VerifyException) as error:
            if inplace is not None:
                raise
            made = self._function(kernel, signature, _packed_body(kernel, signature, free, str(error)))
        if inplace is not None:
            made.attributes[INPLACE] = DenseArrayBase.from_list(i64, inplace)
        if free:
            made.attributes[FREE_SIZES] = UnitAttr()
        return made

    def _function(self, kernel: Kernel, signature: FunctionType, block: Block) -> func.FuncOp:
        """Returns a function that stands for a kernel, under a name that no other one has."""
        taken = {*self._functions, *self.kernels}
        taken |= {made.sym_name.data for other in self.kernels.values() for made in other.made.values()}
        name = fresh(kernel.name, taken) if kernel.made else kernel.name
        made = func.FuncOp(name, signature, Region(block), visibility="private")
        made.attributes[TIR] = StringAttr(kernel.text)
        made.attributes[KERNEL] = StringAttr(kernel.name)
        if kernel.op_pattern is not None:
            OP_PATTERN.set(made, kernel.op_pattern)
        return made

    def functions(self) -> list[func.FuncOp]:
        """Returns the functions of all kernels; one that is never called takes and returns nothing."""
        nothing = FunctionType.from_lists([], [])
        for kernel in self.kernels.values():
            if not kernel.made:
                kernel.made[nothing, None] = self._function(kernel, nothing, Block([func.ReturnOp()]))
        standing = {name: next(iter(kernel.made.values())).sym_name.data for name, kernel in self.kernels.items()}
        for kernel in self.kernels.values():
            called = [SymbolRefAttr(standing[name]) for name in callees(kernel.source) if name in standing]
            for made in kernel.made.values() if called else ():
                made.attributes[CALLS] = ArrayAttr(called)
        return [made for kernel in self.kernels.values() for made in kernel.made.values()]


def _packed_body(kernel: Kernel, signature: FunctionType, free: bool, reason: str) -> Block:
    """Returns a body that calls the packed function of a kernel's name."""
    block = Block(arg_types=signature.inputs.data)
    args = block.args[:-1] if free else block.args
    g = BlockBuilder(block, location=UnknownLoc())
    attributes = OPAQUE.entry(" ".join(reason.split()))
    types = signature.outputs.data
    results = g.results(CallDPSPackedOp, *args, callee=kernel.name, result_types=types, attributes=attributes)
    g.insert(func.ReturnOp(*results))
    return block
