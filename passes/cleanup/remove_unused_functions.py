"""The pass `relax-remove-unused-functions`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import is_private
from ..analysis.call_graph import call_graph, named_functions, reachable, required_function
from ..options import PassWithOptions


@dataclass(frozen=True)
class RemoveUnusedFunctionsPass(PassWithOptions):
    """Erases the functions that no entry function mentions, directly or through others, public ones too.

    ```mlir
    func.func @fn1(%x: ...)
    func.func @fn2(%y: ...)
    func.func @main(%z: ...) { ... func.call @fn1(%z) ... }
    ```
    becomes
    ```mlir
    func.func @fn1(%x: ...)
    func.func @main(%z: ...) { ... func.call @fn1(%z) ... }
    ```

    A function is mentioned by a call, and by a symbol in an attribute, such as `relax.params_from`. *Requires* that the entries exist.
    *Leaves* them, and whatever they need, as they were.
    """

    name = "relax-remove-unused-functions"

    entries: tuple[str, ...] = field(default=("main",))
    """The functions to keep, by name."""
    public: bool = field(default=False)
    """Whether every public function is kept, and `entries` does not count."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = named_functions(op)
        entries = [name for name in functions if not is_private(functions[name])] if self.public else self.entries
        for name in entries:
            required_function(functions, name)
        kept = reachable(call_graph(op), entries)
        for name, function in functions.items():
            if name not in kept:
                Rewriter.erase_op(function, safe_erase=False)
