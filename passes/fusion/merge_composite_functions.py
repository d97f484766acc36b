"""The pass `relax-merge-composite-functions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ...dialects.relax.ops.core import DataflowOp, TupleGetItemOp, TupleOp
from ...dialects.relax.vocabulary.attributes import CODEGEN, COMPOSITE
from ...dialects.walks import ops_inside
from ...records import record
from ..analysis.call_graph import named_functions
from ..cleanup.topological_sort import Graph
from ..rewriting.kernel_functions import KernelFunctions, Outline, graph_functions
from ..rewriting.tuple_fields import read_fields
from .dataflow_pattern import backend_of


def is_region(function: func.FuncOp) -> bool:
    """Returns whether a function is a region for a code generator."""
    return CODEGEN.is_on(function)


def composite_name(function: func.FuncOp | None) -> str | None:
    """Returns the name of the pattern that a function's body matches, `None` if it is no composite function."""
    return None if function is None else COMPOSITE.of(function)


def outline_region(calls: Sequence[Operation], backend: str, functions: KernelFunctions) -> None:
    """Makes calls of composite functions a region: a function for a code generator that calls them."""
    functions.outline(calls, Outline(CODEGEN.entry(backend), "all", backend))


def tuple_backends(block: Block, backends: Mapping[Operation, str]) -> dict[Operation, str]:
    """Returns the ops that only pack or unpack tuples between composite calls of one code generator, with that."""
    readers: dict[Operation, set[str]] = {}
    for op in reversed(list(block.ops)):
        if isinstance(op, TupleOp | TupleGetItemOp):
            users = [use.operation for use in op.result.uses]
            readers[op] = set().union(
                *(readers.get(user, {backends[user]} if user in backends else ()) for user in users)
            )
    made: dict[Operation, str] = {}
    for op in reversed(readers):
        makers = {made.get(value.owner) or backends.get(value.owner) for value in op.operands}  # pyright: ignore
        between = (makers - {None}) & readers[op]
        if len(between) == 1:
            made[op] = between.pop()  # pyright: ignore
    return made


@record(frozen=False, eq=False)
class Group:
    """Ops that are to stand together: composite calls of one code generator and what passes tuples between them, or another op."""

    backend: str | None
    ops: list[Operation]
    before: set[Operation] = field(default_factory=set[Operation])
    """The ops of other groups that some op here needs."""


def merge_calls(block: Block, backends: Mapping[Operation, str]) -> list[Group]:
    """Partitions the ops of a block: each call of a composite function joins the groups of its operands, if that makes no cycle."""
    # No two groups need each other: a call joins a group only if no other group that it needs depends on that group.
    graph = Graph(block)
    group_of: dict[Operation, Group] = {}
    for op in graph.ops:
        needed = list(dict.fromkeys(group_of[needed_group] for needed_group in graph.before[op]))
        joined: list[Group] = []
        backend = backends.get(op)
        if backend is not None:
            direct = {operand.owner for operand in op.operands}
            beyond = _needed_by(needed, group_of)
            joined = [
                needed_group
                for needed_group in needed
                if needed_group.backend == backend
                and needed_group not in beyond
                and any(member in direct for member in needed_group.ops)
            ]
        group = Group(backend, [member for needed_group in joined for member in needed_group.ops])
        group.before = set().union(*(needed_group.before for needed_group in joined), graph.before[op]) - {*group.ops}
        group.ops.append(op)
        for member in group.ops:
            group_of[member] = group
    return list(dict.fromkeys(group_of.values()))


def _needed_by(groups: Sequence[Group], group_of: Mapping[Operation, Group]) -> set[Group]:
    """Returns all groups that some of the groups need, directly or not."""
    reached: set[Group] = set()
    pending = list(groups)
    while pending:
        for op in pending.pop().before:
            group = group_of[op]
            if group not in reached:
                reached.add(group)
                pending.append(group)
    return reached


class MergeCompositeFunctionsPass(ModulePass):
    """Groups neighboring calls of composite functions into regions, one for each code generator.

    ```mlir
    %y = func.call @fused_matmul_relu(%x, %w) : ...
    %z = func.call @fused_matmul(%y, %v) : ...
    ```
    becomes, if both have `relax.composite = "blas...."`,
    ```mlir
    func.func private @fused_matmul_relu_matmul_blas(%x: ..., %w: ..., %v: ...)
        attributes {relax.codegen = "blas", relax.global_symbol = "fused_matmul_relu_matmul_blas"}
    %z = func.call @fused_matmul_relu_matmul_blas(%x, %w, %v) : ...
    ```

    A call joins the regions that make its operands, directly or packed into tuples, unless a way leads from there to it through something
    else. Values of a region that
    something else reads are results of it, and what reads them moves behind its call. *Requires* composite functions, as
    `relax-fuse-ops-by-pattern` makes them. *Leaves* them as they are, called by regions; in Relax they become local functions of
    those.
    """

    name = "relax-merge-composite-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        named = named_functions(op)
        functions = KernelFunctions(op)
        for function in graph_functions(op):
            if is_region(function):
                continue
            read_fields(function)
            for inner in ops_inside(function):
                if isinstance(inner, DataflowOp):
                    self._merge(inner.body.block, named, functions)

    def _merge(self, block: Block, named: Mapping[str, func.FuncOp], functions: KernelFunctions) -> None:
        backends: dict[Operation, str] = {}
        for op in block.ops:
            if isinstance(op, func.CallOp):
                name = composite_name(named.get(op.callee.string_value()))
                if name is not None:
                    backends[op] = backend_of(name)
        backends |= tuple_backends(block, backends)
        for group in merge_calls(block, backends):
            if group.backend is not None and any(isinstance(op, func.CallOp) for op in group.ops):
                outline_region(sorted(group.ops, key=block.get_operation_index), group.backend, functions)
