"""`call_tir` kernels: private functions that call the packed function of their name and hold the kernel's text."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tvm
from tvm_ffi import structural_equal
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Region

from ...dialects.relax.core import CallDPSPackedOp
from .problems import Unsupported

if TYPE_CHECKING:
    from .importer import ModuleImporter

TIR = "tvm.tir"
KERNEL = "tvm.kernel"
OP_PATTERN = "op_pattern"


@dataclass
class Kernel:
    """A kernel: its text, and a function for each signature that it is called with."""

    name: str
    text: str
    op_pattern: int | None
    made: dict[FunctionType, func.FuncOp]


def kernel_text(kernel: Any) -> str:
    """Returns the script of a kernel, or its JSON if the script does not give the same kernel back."""
    text = kernel.script()
    try:
        if structural_equal(kernel_from_text(text), kernel):
            return text
    except Exception:  # TVM's parser raises whatever it meets.
        pass
    return tvm.ir.save_json(kernel)


def kernel_from_text(text: str) -> Any:
    """Returns the kernel that `kernel_text` wrote."""
    return tvm.ir.load_json(text) if text.startswith("{") else tvm.script.from_source(text)


class KernelTable:
    """The kernels of a module under import."""

    def __init__(self, module: ModuleImporter):
        self.module = module
        self.kernels: dict[str, Kernel] = {}

    def add(self, name: str, kernel: Any) -> None:
        """Notes a kernel of the module."""
        pattern = kernel.attrs.get(OP_PATTERN) if kernel.attrs else None
        self.kernels[name] = Kernel(name, kernel_text(kernel), None if pattern is None else int(pattern), {})

    def callee(self, name: str, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> str:
        """Returns the function that stands for a kernel with these types, which is made at the first call."""
        kernel = self.kernels.get(name)
        if kernel is None:
            raise Unsupported(f"kernel @{name} is not in the module")
        signature = FunctionType.from_lists(inputs, outputs)
        if signature not in kernel.made:
            kernel.made[signature] = self._make(kernel, signature)
        return kernel.made[signature].sym_name.data

    def _make(self, kernel: Kernel, signature: FunctionType) -> func.FuncOp:
        taken = {*self.module.signatures, *self.kernels}
        taken |= {made.sym_name.data for other in self.kernels.values() for made in other.made.values()}
        name, count = kernel.name, 0
        while kernel.made and name in taken:
            count += 1
            name = f"{kernel.name}_{count}"
        block = Block(arg_types=signature.inputs.data)
        call = CallDPSPackedOp.build_from(*block.args, callee=kernel.name, result_types=signature.outputs.data)
        block.add_ops([call, func.ReturnOp(*call.results)])
        made = func.FuncOp(name, signature, Region(block), visibility="private")
        made.attributes[TIR] = StringAttr(kernel.text)
        made.attributes[KERNEL] = StringAttr(kernel.name)
        if kernel.op_pattern is not None:
            made.attributes["relax.op_pattern"] = IntegerAttr(kernel.op_pattern, i64)
        return made

    def functions(self) -> list[func.FuncOp]:
        """Returns the functions of all kernels; one that is never called takes and returns nothing."""
        for kernel in self.kernels.values():
            if not kernel.made:
                kernel.made[FunctionType.from_lists([], [])] = self._make(kernel, FunctionType.from_lists([], []))
        return [made for kernel in self.kernels.values() for made in kernel.made.values()]
