"""Finds what depends on sizes that only run time knows, and in which step of a function it can be computed.

    %n = arith.index_cast %element : i64 to index    step 0
    %e = tensor.empty(%n) : tensor<?xf32>            step 1: memory for it is found once %n is known

A size that has a bound does not count: memory is planned for the bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects import cf, func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from ...records import record
from ..sizes.index_expr import Atom, Expr, const
from ..sizes.size_rules import ResultDims
from ..sizes.sizes import SizeAnalysis

Steps: TypeAlias = "dict[Operation, int]"
"""For each op at the top of a function, but for the last one, the step that computes it."""


@record(frozen=False)
class Callees:
    """What is known of the functions that a function calls, by name."""

    dims: dict[str, ResultDims] = field(default_factory=dict[str, ResultDims])
    """The sizes of their results."""
    needs: dict[str, AbstractSet[int]] = field(default_factory=dict[str, AbstractSet[int]])
    """The positions of `index` arguments that their memory depends on."""
    calls_python: set[str] = field(default_factory=set[str])
    """Those that have no body, or call such a function."""


class UnboundedSizes:
    """The ops of one function that make a tensor, or call for memory, of a size that depends on data and that nothing bounds."""

    def __init__(self, function: func.FuncOp, callees: Callees):
        self.function = function
        self.callees = callees
        self.sizes = SizeAnalysis(function, callees.dims)
        self.waiting = {op for op in _but_last(function.body.block) if self._waits(op)}

    def memory_arguments(self) -> set[int]:
        """Returns the positions of the `index` arguments that the memory of the function depends on."""
        positions: set[int] = set()

        def note(atom: Atom) -> Expr:
            if atom.kind == "arg":
                positions.add(atom.argument)
            return const(1)

        for op in _ops(self.function.body.block):
            for size in self._sizes_of(op):
                if size is not None:
                    size.substitute(note)
        return positions

    def ops_of_unknown_sizes(self, block: Block) -> list[Operation]:
        """Returns the ops of a block, and of blocks inside, that make a tensor or call for memory of a size that nothing bounds."""
        return [op for op in _ops(block) if None in self._sizes_of(op)]

    def calls_python(self, op: Operation) -> bool:
        """Returns whether an op, or one inside of it, calls a function that has no body, or one that does."""
        calls = (inner for inner in ops_inside(op) if isinstance(inner, func.CallOp))
        return any(call.callee.string_value() in self.callees.calls_python for call in calls)

    def steps(self) -> Steps:
        """Returns in which step each op is computed: what sizes depend on in the first that can, all else where it is read.

        Raises `OpError` for an op that finds a size inside of itself.
        """
        steps = self._earliest()
        for op in reversed([*_but_last(self.function.body.block)]):
            if not self.calls_python(op) and not isinstance(op, cf.AssertOp):
                steps[op] = self._latest(op, steps)
        return steps

    def _earliest(self) -> Steps:
        # Invariant: an op comes no earlier than what it reads, and, where it waits for a size, behind the step that computes the size.
        # Calls of Python stay in order.
        steps: Steps = {}
        last_call = 0
        for op in _but_last(self.function.body.block):
            made = {v: steps[v.owner] for v in operands_from_outside([op]) if isinstance(v.owner, Operation)}
            steps[op] = max(made.values(), default=0)
            if op in self.waiting:
                sizes = [step for value, step in made.items() if self.is_unknown(value)]
                if not sizes and not any(None in self._dims(value) for value in made):
                    raise OpError(
                        op,
                        f"split-at-sizes: the size of a tensor depends on data inside of {op.name}, and nothing bounds it",
                    )
                steps[op] = max(steps[op], *(step + 1 for step in sizes), 0)
            if self.calls_python(op):
                last_call = steps[op] = max(steps[op], last_call)
        return steps

    def _latest(self, op: Operation, steps: Steps) -> int:
        """Returns the first step that reads a result of an op, but before it is waited for; where nothing does, its step."""
        read: list[int] = []
        for result in op.results:
            for use in result.uses:
                user = self._at_top(use.operation)
                if user in steps:
                    read.append(steps[user] - (user in self.waiting and self.is_unknown(result)))
        return min(read, default=steps[op])

    def _at_top(self, op: Operation) -> Operation:
        """Returns the op at the top of the function that an op is inside of."""
        while (parent := op.parent_op()) is not None and parent is not self.function:
            op = parent
        return op

    def _waits(self, op: Operation) -> bool:
        return any(None in self._sizes_of(inner) for inner in (op, *_inside(op)))

    def _sizes_of(self, op: Operation) -> list[Expr | None]:
        """Returns the sizes of the tensors that an op makes, and those that the memory of its callee depends on, or their bounds."""
        sizes = [size for result in op.results for size in self._dims(result)]
        if isinstance(op, func.CallOp):
            positions = self.callees.needs.get(op.callee.string_value(), ())
            sizes += [self.sizes.value(op.operands[position], exact=False) for position in positions]
        return sizes

    def _dims(self, value: SSAValue) -> Sequence[Expr | None]:
        if not isinstance(value.type, TensorType):
            return ()
        dynamic = [d for d, size in enumerate(value.type.get_shape()) if size == DYNAMIC_INDEX]
        return [self.sizes.dim(value, d, exact=False) for d in dynamic]

    def is_unknown(self, value: SSAValue) -> bool:
        """Returns whether a value is a size of which not even a bound is known."""
        return isinstance(value.type, IndexType) and self.sizes.value(value, exact=False) is None


def operands_from_outside(ops: Iterable[Operation]) -> list[SSAValue]:
    """Returns what ops, and the ops inside of them, read that none of them makes, each once."""
    made: set[SSAValue] = set()
    read: dict[SSAValue, None] = {}
    for op in ops:
        for inner in ops_inside(op):
            read.update(dict.fromkeys(inner.operands))
            made.update(inner.results, *(block.args for region in inner.regions for block in region.blocks))
    return [value for value in read if value not in made]


def _ops(block: Block) -> Iterator[Operation]:
    """Yields the ops of a block and of blocks inside, but for bodies of linalg ops."""
    for op in block.ops:
        yield op
        yield from _inside(op)


def _inside(op: Operation) -> Iterator[Operation]:
    if not isinstance(op, linalg.GenericOp):
        for region in op.regions:
            for block in region.blocks:
                yield from _ops(block)


def _but_last(block: Block) -> Iterator[Operation]:
    return (op for op in block.ops if op is not block.last_op)
