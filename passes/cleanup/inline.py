"""The pass `relax-inline`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.calls import call_sizes
from ...dialects.relax.function_signature import is_private
from ...dialects.relax.ops.core import CallPackedOp, DataflowOp, InvokeClosureOp, KillObjectOp
from ...dialects.relax.symbol_ranges import declared_ranges, ranges_at
from ...dialects.relax.vocabulary.attributes import INLINE
from ...dialects.walks import ops_inside
from ..analysis.call_graph import call_graph, components, named_functions, references
from ..options import PassWithOptions
from ..rewriting.inline_call import Caller, inline_call
from ..rewriting.kernel_functions import is_kernel
from .dead_code_elimination import erase_dead_code


def is_marked(function: func.FuncOp) -> bool:
    """Returns whether a function asks to be inlined: `relax.inline`, or `relax.inline = 1`."""
    return INLINE.is_on(function)


def fits(block: Block, callee: func.FuncOp) -> bool:
    """Returns whether the body of a function may stand in a block: a dataflow block takes neither branches nor effects."""
    if not isinstance(block.parent_op(), DataflowOp):
        return True
    return not any(
        isinstance(op, scf.IfOp | scf.WhileOp | scf.ForOp | InvokeClosureOp | KillObjectOp)
        or (isinstance(op, CallPackedOp) and not op.prop("pure", False))
        for op in ops_inside(callee)
    )


def keeps_ranges(call: func.CallOp, callee: func.FuncOp) -> bool:
    """Returns whether the sizes of a call are provably in the ranges that the callee declares: only a call checks them."""
    declared = declared_ranges(callee)
    if not declared:
        return True
    types = [operand.type for operand in call.operands]
    names, context = call_sizes(callee.function_type.inputs.data, types, ranges_at(call))
    context.conditions.clear()
    for name, (low, high) in declared.intervals.items():
        context.is_below(names.get(name), low)
        context.is_below(high, names.get(name))
    return not context.conditions


@dataclass(frozen=True)
class InlinePass(PassWithOptions):
    """Puts the body of each function with `relax.inline` in the place of its calls, then erases the function.

    ```mlir
    func.func @double(%a: tensor<?xf32>) -> tensor<?xf32> attributes {relax.inline} {
      %b = relax.match_cast %a : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
      ...
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.sym<n>>)
      %z = func.call @double(%x)
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.sym<n>>)
      %b = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n_1>>
      ...
    ```

    As in Relay a marked function is inlined if it is not recursive and calls nothing that is left, and is erased if it was called at
    the start and is mentioned no more; one that nothing called is an entry and stays. With `private_functions` all private functions
    are inlined as well, as by Relax's InlinePrivateFunctions, whatever they call. Kernels stay. The symbols of a callee's arguments
    become the dims of what is passed, its other symbols get names that the caller does not have; what a type of the callee promises and
    the caller does not know is asserted by a `relax.match_cast`. A call in a dataflow block stays if the body has branches or
    effects, and so does one whose sizes are not provably in the ranges that the callee declares.

    *Requires* nothing. *Leaves* recursive functions as they are, or fails with `recursion=refuse`.
    """

    name = "relax-inline"

    private_functions: bool = field(default=False)
    """Whether private functions are inlined without a mark."""
    recursion: Literal["keep", "refuse"] = field(default="keep")
    """What to do with a recursive function that would have to be inlined."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = named_functions(op)
        graph = call_graph(op)
        called = set[str]().union(*graph.values()) if graph else set[str]()
        inlined: set[str] = set()
        changed: list[func.FuncOp] = []
        # Callees come first: a function that is inlined has no call left that is to be inlined.
        for component in components(graph):
            for name in component:
                function = functions[name]
                if not function.body.blocks:
                    continue
                if self._inline_calls(function, {callee: functions[callee] for callee in inlined}):
                    changed.append(function)
                is_wanted = is_marked(function) or (self.private_functions and is_private(function))
                if not is_wanted or is_kernel(function):
                    continue
                if len(component) > 1 or name in graph[name]:
                    if self.recursion == "refuse":
                        raise PassFailedException(f"{self.name}: @{name} is recursive and cannot be inlined")
                elif self.private_functions or not any(
                    isinstance(inner, func.CallOp) for inner in ops_inside(function)
                ):
                    inlined.add(name)
        mentioned = {name: references(function) for name, function in functions.items()}
        self._erase(functions, mentioned, inlined & called)
        erase_dead_code(op, [function for function in changed if function.parent is not None])

    def _inline_calls(self, function: func.FuncOp, callees: dict[str, func.FuncOp]) -> bool:
        """Inlines the calls of functions; returns whether there were any."""
        caller: Caller | None = None
        for call in [op for op in ops_inside(function) if isinstance(op, func.CallOp)]:
            callee = callees.get(call.callee.string_value())
            if (
                callee is not None
                and call.parent is not None
                and fits(call.parent, callee)
                and keeps_ranges(call, callee)
            ):
                caller = caller or Caller(function)
                inline_call(call, callee, caller)
        return caller is not None

    def _erase(
        self, functions: dict[str, func.FuncOp], mentioned: dict[str, frozenset[str]], candidates: set[str]
    ) -> None:
        """Erases the candidates that only erased functions mention."""
        counts = dict.fromkeys(functions, 0)
        for names in mentioned.values():
            for name in names & functions.keys():
                counts[name] += 1
        pending = [name for name in candidates if counts[name] == 0]
        while pending:
            name = pending.pop()
            for callee in mentioned[name] & functions.keys():
                counts[callee] -= 1
                if counts[callee] == 0 and callee in candidates:
                    pending.append(callee)
            Rewriter.erase_op(functions[name], safe_erase=False)
