"""The target `llvm-ir`: a program of the stage llvm as the text that LLVM's own tools read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from .to_ir import print_llvm_ir


@dataclass(frozen=True)
class LLVMIRTarget(Target):
    """Prints the LLVM IR of a program of the stage llvm, constants included."""

    name = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        foreign = next((op for op in ops_inside(module) if op.dialect_name() not in ("builtin", "llvm")), None)
        if foreign is not None:
            raise OpError(foreign, f"llvm-ir: expected a program of the stage llvm (-p llvm), got {foreign.name}")
        output.write(print_llvm_ir(module, embed_constants=True))
