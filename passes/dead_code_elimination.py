"""The pass `relax-dead-code-elimination`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from ..dialects.relax.core import DataflowOp
from .dataflow_blocks import keep_outputs
from .effects import is_removable, pure_functions
from .function_signature import functions, is_private


def erase_unused(block: Block, pure: set[str]) -> bool:
    """Erases the ops of a block, and of the blocks inside, that nothing needs; returns whether there were any."""
    changed = False
    for op in reversed(list(block.ops)):
        if op.next_op is None and op.parent_op() is not None:
            continue  # The terminator.
        if is_removable(op, pure) and all(result.first_use is None for result in op.results):
            op.detach()
            op.erase()
            changed = True
            continue
        if isinstance(op, DataflowOp):
            read = [result.first_use is not None for result in op.outputs]
            changed |= not all(read)
            changed |= erase_unused(keep_outputs(op, read), pure)
            continue
        for region in op.regions:
            for inner in region.blocks:
                changed |= erase_unused(inner, pure)
    return changed


def _references(op: Operation) -> set[str]:
    """Returns the names of the functions that an op and what is inside of it mention."""
    found: set[str] = set()

    def collect(attr: Attribute) -> None:
        if isinstance(attr, SymbolRefAttr):
            found.add(attr.root_reference.data)
        elif isinstance(attr, ArrayAttr):
            for item in attr.data:
                collect(item)

    for inner in op.walk():
        for attr in (*inner.properties.values(), *inner.attributes.values()):
            collect(attr)
    return found


def erase_unreachable(module: ModuleOp, entries: set[str]) -> None:
    """Erases the functions that no entry and no public function reaches; none if a callee is missing."""
    by_name = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
    mentioned = {name: _references(op) for name, op in by_name.items()}
    if any(not names <= {*by_name} for names in mentioned.values()):
        return
    reached: set[str] = set()
    pending = [name for name, op in by_name.items() if name in entries or not is_private(op)]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending.extend(mentioned[name])
    for name, op in by_name.items():
        if name not in reached:
            op.detach()
            op.erase(safe_erase=False)


@dataclass(frozen=True)
class DeadCodeEliminationPass(ModulePass):
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
    with effects, and `relax.match_cast`, which checks something, stay. Where a callee is missing no function is erased.
    *Requires* nothing. *Leaves* the results of all entries.
    """

    name = "relax-dead-code-elimination"

    entry_functions: tuple[str, ...] = field(default=())
    """Private functions to keep, by name."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entries = set(self.entry_functions)
        known = {inner.sym_name.data for inner in op.body.block.ops if isinstance(inner, func.FuncOp)}
        if entries - known:
            raise PassFailedException(f"no function @{min(entries - known)}")
        erase_unreachable(op, entries)
        pure = pure_functions(op)
        for function in functions(op):
            while erase_unused(function.body.block, pure):
                pass
        erase_unreachable(op, entries)
