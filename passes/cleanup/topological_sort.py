"""The pass `relax-topological-sort`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import DataflowOp, MatchCastOp
from ...dialects.relax.type_dims import defined_symbols
from ..analysis.symbol_map import symbols_in
from ..options import PassWithOptions

ORDERS = ("depth-first", "breadth-first")
DIRECTIONS = ("from-inputs", "from-outputs")


class Graph:
    """The ops of a dataflow block and what each needs to come before it: its operands, and the casts that name its sizes."""

    def __init__(self, block: Block) -> None:
        self.ops = [op for op in block.ops if op.next_op is not None]
        inside = set(self.ops)
        namer: dict[str, Operation] = {}
        self.before: dict[Operation, list[Operation]] = {}
        self.after: dict[Operation, list[Operation]] = {op: [] for op in self.ops}
        for op in self.ops:
            needed = [operand.owner for operand in op.operands if operand.owner in inside]
            used = {name for value in (*op.operands, *op.results) for name in symbols_in(value.type)}
            needed += [namer[name] for name in sorted(used) if name in namer]
            self.before[op] = [owner for owner in dict.fromkeys(needed) if isinstance(owner, Operation)]
            for owner in self.before[op]:
                self.after[owner].append(op)
            if isinstance(op, MatchCastOp):
                # A symbol belongs to the first cast that defines it.
                for name in defined_symbols(op.result.type):
                    namer.setdefault(name, op)

    def from_inputs(self, depth_first: bool) -> list[Operation]:
        """Returns an order from the inputs: depth first, each op followed by what it makes ready, or breadth first, by distance."""
        if depth_first:
            return self._ready_order()
        return sorted(self.ops, key=_distance(self.ops, self.before))

    def from_outputs(self, roots: Sequence[Operation], depth_first: bool) -> list[Operation]:
        """Returns an order from the outputs backward, in which ops stand close to what reads them."""
        if not depth_first:
            distance = _distance(self.ops[::-1], self.after)
            return sorted(self.ops, key=lambda op: -distance(op))
        done: dict[Operation, None] = {}
        for root in (*roots, *self.ops):
            stack = [(root, iter(self.before[root]))]
            while stack:
                op, remaining = stack[-1]
                following = next((operand_op for operand_op in remaining if operand_op not in done), None)
                if following is None:
                    done.setdefault(op)
                    stack.pop()
                else:
                    stack.append((following, iter(self.before[following])))
        return list(done)

    def _ready_order(self) -> list[Operation]:
        """Returns the ops as they become ready, readers of the latest first."""
        waiting = {op: len(self.before[op]) for op in self.ops}
        ready = deque(op for op in self.ops if not waiting[op])
        order: list[Operation] = []
        while ready:
            op = ready.popleft()
            order.append(op)
            freed: list[Operation] = []
            for reader in self.after[op]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    freed.append(reader)
            ready.extendleft(reversed(freed))
        return order


def _distance(ops: Sequence[Operation], near: dict[Operation, list[Operation]]) -> Callable[[Operation], int]:
    """Returns the number of ops on the longest path to each op, along `near`, which names ops that come before in `ops`."""
    distances: dict[Operation, int] = {}
    for op in ops:
        distances[op] = max((distances[neighbor] + 1 for neighbor in near[op]), default=0)
    return distances.__getitem__


@dataclass(frozen=True)
class TopologicalSortPass(PassWithOptions):
    """Orders the ops of each dataflow block.

    ```mlir
    %a = relax.exp %x : ...
    %b = relax.exp %y : ...
    %c = relax.nn.relu %a : ...
    ```
    becomes, depth-first from the inputs,
    ```mlir
    %a = relax.exp %x : ...
    %c = relax.nn.relu %a : ...
    %b = relax.exp %y : ...
    ```

    From the outputs, depth-first, each op stands right before what reads it first; breadth-first, ops with the same number of steps to the
    last reader stand together. Ties keep the order that there was; what nothing reads stays. An op stays behind the cast that defines a
    symbol which it uses. *Requires* nothing. *Leaves* results unchanged.
    """

    name = "relax-topological-sort"

    order: str = field(default="depth-first")
    """`depth-first` or `breadth-first`."""
    direction: str = field(default="from-inputs")
    """`from-inputs` or `from-outputs`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for value, allowed in ((self.order, ORDERS), (self.direction, DIRECTIONS)):
            if value not in allowed:
                raise PassFailedException(f"expected {' or '.join(allowed)}, got {value}")
        for function in functions(op):
            for inner in function.walk():
                if isinstance(inner, DataflowOp):
                    self._sort(inner)

    def _sort(self, dataflow: DataflowOp) -> None:
        block, output = dataflow.body.block, dataflow.output
        graph = Graph(block)
        depth_first = self.order == "depth-first"
        if self.direction == "from-inputs":
            order = graph.from_inputs(depth_first)
        else:
            owners = [value.owner for value in output.values]
            roots = [owner for owner in owners if isinstance(owner, Operation) and owner in graph.before]
            order = graph.from_outputs(roots, depth_first)
        for op in order:
            op.detach()
            block.insert_op_before(op, output)
