"""The pass `relax-verify-symbols`."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ...dialects.relax.calls import verify_call_op
from ...dialects.relax.scope import verify_symbol_scopes


class VerifySymbolsPass(ModulePass):
    """Checks the scoping rule of symbols in every function, and that calls bind the symbols of their callees; changes nothing.

    ```mlir
    func.func @main(%x: tensor<?xf32, #relax.sym<n + 1>>) -> tensor<?xf32, #relax.sym<n + 1>>
    ```
    is refused: `symbol n in argument 0 of @main is not defined: ...`.

    `relax-opt`, `relax-run` and `compile` check both by themselves. This pass is for other drivers, whose verifier sees ops only, and
    whose `func.call` asks for equal types: there, calls between functions that name a size differently need `--disable-verify`.

    *Requires* nothing. *Leaves* the module as it is.
    """

    name = "relax-verify-symbols"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp):
                verify_symbol_scopes(function)
        for call in op.walk():
            if isinstance(call, func.CallOp):
                verify_call_op(call)
