"""Where ops stand in a block that changes, and what has to stand before a place."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Protocol, TypeVar

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.core import MatchCastOp
from ...dialects.relax.type_dims import defined_symbols
from ..analysis.symbol_map import symbols_in

MAX_HOISTED = 32
"""The largest number of ops that are moved for one value."""


class ParallelBranch(Protocol):
    """Ops in a row of a block, the first of which reads a value that it shares with other branches."""

    @property
    def ops(self) -> Sequence[Operation]:
        """The ops in order."""
        ...

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """What they read beside the shared value, which is the first operand of the first."""
        ...

    @property
    def result(self) -> SSAValue:
        """What leaves the branch."""
        ...


BranchT = TypeVar("BranchT", bound=ParallelBranch)


class BlockOrder:
    """A number for each op of a block, larger for later ones; ops that are inserted get a number between those of their neighbors."""

    def __init__(self, block: Block, function: func.FuncOp):
        self.block = block
        self._numbers: dict[Operation, float] = {}
        self._renumber()
        types = [argument.type for argument in function.body.block.args]
        self.argument_symbols: set[str] = set().union(*map(defined_symbols, types)) if types else set()

    def _renumber(self) -> None:
        self._numbers = {op: float(index) for index, op in enumerate(self.block.ops)}

    def __getitem__(self, op: Operation) -> float:
        return self._numbers[op]

    def insert(self, op: Operation) -> None:
        """Gives a number to an op that was just inserted, or moved."""
        before, after = op.prev_op, op.next_op
        low = self._numbers[before] if before is not None else None
        high = self._numbers[after] if after is not None else None
        if low is None and high is None:
            number = 0.0
        elif low is None:
            assert high is not None
            number = high - 1
        else:
            number = low + 1 if high is None else (low + high) / 2
        self._numbers[op] = number
        if number in (low, high):
            self._renumber()

    def own(self, op: Operation) -> Operation | None:
        """Returns the op of the block that is, or holds, an op; `None` if it stands elsewhere."""
        current: Operation | None = op
        while current is not None and current.parent is not self.block:
            current = current.parent_op()
        return current

    def first_reader(self, values: Iterable[SSAValue], ignored: Container[Operation]) -> Operation:
        """Returns the first op of the block that reads one of the values, but for some; the terminator if there is none."""
        readers = [self.own(use.operation) for value in values for use in value.uses if use.operation not in ignored]
        last = self.block.last_op
        assert last is not None
        return min((op for op in readers if op is not None), key=self._numbers.__getitem__, default=last)

    def missing_before(self, value: SSAValue, location: Operation, forbidden: set[Operation]) -> list[Operation] | None:
        """Returns what has to move so that a value stands before a place, in order; `None` if it cannot.

        Ops that are forbidden, have effects, or use sizes that the block itself names, stay where they are.
        """
        # `moves` holds what stands behind the location; all that such an op needs is in it, or stands before the location.
        moves: dict[Operation, None] = {}
        pending = [value]
        while pending:
            owner = pending.pop().owner
            if not isinstance(owner, Operation) or owner.parent is not self.block or owner in moves:
                continue
            if owner in forbidden:
                return None
            if self._numbers[owner] < self._numbers[location]:
                continue
            if owner is location or not self._movable(owner) or len(moves) == MAX_HOISTED:
                return None
            moves[owner] = None
            pending.extend(owner.operands)
        return sorted(moves, key=self._numbers.__getitem__)

    def _movable(self, op: Operation) -> bool:
        return (
            isinstance(op, RelaxOp)
            and not isinstance(op, MatchCastOp)
            and is_side_effect_free(op)
            and all(symbols_in(result.type) <= self.argument_symbols for result in op.results)
        )

    def move_before(self, ops: Iterable[Operation], location: Operation) -> None:
        """Moves ops, in their order, to a place."""
        for op in ops:
            op.detach()
            self.block.insert_op_before(op, location)
            self.insert(op)

    def place_inputs(self, branches: Sequence[BranchT], least: int) -> list[BranchT]:
        """Moves the inputs of branches before the first reader of any branch; returns the branches for which that can be done.

        None are returned if there are fewer than `least`; inputs may have moved all the same.
        """
        while True:
            fitting = self._placeable(branches)
            if len(fitting) < least:
                return []
            if len(fitting) == len(branches):
                return fitting
            # Without the others the first reader may be an earlier one.
            branches = fitting

    def _placeable(self, branches: Sequence[BranchT]) -> list[BranchT]:
        members = {op for branch in branches for op in branch.ops}
        location = self.first_reader([branch.result for branch in branches], members)
        fitting: list[BranchT] = []
        # A move puts ops before the location, which stays the first reader: later branches find them there.
        for branch in branches:
            known_symbols = set(self.argument_symbols)
            for value in (branch.ops[0].operands[0], *branch.inputs):
                known_symbols |= symbols_in(value.type)
            moves = [self.missing_before(value, location, members) for value in branch.inputs]
            if not symbols_in(branch.result.type) <= known_symbols or any(move is None for move in moves):
                continue
            for move in moves:
                self.move_before([op for op in move or () if self[op] >= self[location]], location)
            fitting.append(branch)
        return fitting
