"""The pass `relax-dead-code-elimination`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import functions, is_private
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.walks import inner_blocks
from ...kinds import kind_test
from ..analysis.call_graph import named_functions, reachable, references, required_function
from ..analysis.effects import RemovableFunctions, is_removable
from ..options import PassWithOptions
from ..rewriting.dataflow_blocks import keep_outputs

_is_dataflow = kind_test(DataflowOp)


def erase_unused(block: Block, pure: Container[str]) -> bool:
    """Erases the ops of a block, and of the blocks inside, that nothing needs; returns whether there were any."""
    changed = False
    for op in reversed(list(block.ops)):
        if op.next_op is None and op.parent_op() is not None:
            # The terminator stays.
            continue
        if all(result.first_use is None for result in op.results) and is_removable(op, pure):
            Rewriter.erase_op(op)
            changed = True
            continue
        if not op.regions:
            continue
        if _is_dataflow(op):
            read = [result.first_use is not None for result in op.outputs]
            changed |= not all(read)
            changed |= erase_unused(keep_outputs(op, read), pure)
            continue
        for inner in inner_blocks(op):
            changed |= erase_unused(inner, pure)
    return changed


def erase_dead_code(module: ModuleOp, changed: Iterable[func.FuncOp]) -> None:
    """Erases what nothing reads in functions that a pass has changed."""
    pure = RemovableFunctions(module)
    for function in changed:
        while erase_unused(function.body.block, pure):
            pass


def erase_unreachable(module: ModuleOp, entries: set[str]) -> None:
    """Erases the functions that no entry and no public function reaches; none if a callee is missing."""
    functions = named_functions(module)
    mentioned = {name: references(op) for name, op in functions.items()}
    if any(not names <= functions.keys() for names in mentioned.values()):
        return
    kept = reachable(mentioned, (name for name, op in functions.items() if name in entries or not is_private(op)))
    for name, op in functions.items():
        if name not in kept:
            Rewriter.erase_op(op, safe_erase=False)


@dataclass(frozen=True)
class DeadCodeEliminationPass(PassWithOptions):
    """Erases functions that nothing reaches, and computations that nothing reads.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r, %s = relax.dataflow {
        %y = relax.add %x, %x : ...
        %z = relax.nn.relu %x : ...
        relax.output %y, %z : ...
      return %r
    ```
    becomes
    ```mlir
      %r = relax.dataflow {
        %y = relax.add %x, %x : ...
        relax.output %y : ...
      return %r
    ```

    The entries are all public functions and those named by `entry_functions`. Packed calls that are not `pure`, calls of functions
    with effects, `relax.match_cast`, which checks something, and calls of functions with one stay. Where a callee is missing no
    function is erased.
    *Requires* nothing. *Leaves* the results of all entries.
    """

    name = "relax-dead-code-elimination"

    entry_functions: tuple[str, ...] = field(default=())
    """Private functions to keep, by name."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entries = set(self.entry_functions)
        for name in sorted(entries):
            required_function(named_functions(op), name)
        erase_unreachable(op, entries)
        erase_dead_code(op, functions(op))
        erase_unreachable(op, entries)
