"""The pass `export-functions`: names of C for what an object file defines for others."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...dialects.relax.vocabulary.attributes import ENTRY_OF, SHAPE_FUNCTION_OF
from ...passes.options import PassWithOptions
from .names import c_name


@dataclass(frozen=True)
class ExportFunctionsPass(PassWithOptions):
    """Gives C entries and shape functions names of C that begin with a prefix, so that several objects can be linked into one program.

    ```mlir
    llvm.func @main.call(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr) -> i64 attributes {relax.entry_of = @main} {
    ```
    becomes with `{prefix=linear}`
    ```mlir
    llvm.func @linear_main_call(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr) -> i64 attributes {relax.entry_of = @main} {
    ```

    Before and after: a module at the llvm stage. Nothing inside of it calls these functions.
    """

    name = "export-functions"

    prefix: str = "relax"
    """What names of C begin with."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.body.block.ops if isinstance(function, llvm.FuncOp)]
        taken = {function.sym_name.data for function in functions}
        for function in functions:
            entry, shape = ENTRY_OF.of(function), SHAPE_FUNCTION_OF.of(function)
            if entry is not None:
                function.sym_name = StringAttr(c_name(f"{self.prefix}_{entry}_call", taken))
            elif shape is not None:
                function.sym_name = StringAttr(c_name(f"{self.prefix}_{shape}_shape", taken))
