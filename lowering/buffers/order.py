"""The order in which the ops of a function run: positions, loops, exclusive branches."""

from __future__ import annotations

from xdsl.dialects import func, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ...kinds import kind_test

BRANCHES = (scf.IfOp, scf.IndexSwitchOp)
_ONCE = (func.FuncOp, scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp)

VIEWS = (
    memref.SubviewOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.ViewOp,
)
"""Ops whose result is memory of their first operand."""

_is_view = kind_test(*VIEWS)


class ExecutionOrder:
    """Numbers the ops of a function; an op with regions spans the numbers of everything inside."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.start: dict[Operation, int] = {}
        self.end: dict[Operation, int] = {}
        self._loops: dict[Block, list[Operation]] = {}
        self._count = 0
        self._number(function)

    def _number(self, op: Operation) -> None:
        self.start[op] = self._count
        self._count += 1
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    if inner.regions:
                        self._number(inner)
                    else:
                        self.start[inner] = self._count
                        self._count += 1
        self.end[op] = self._count - 1

    def span(self, op: Operation) -> tuple[int, int]:
        """Returns the first and last number of an op and everything inside."""
        start = self.start[op]
        return start, self.end.get(op, start)

    def defined_at(self, value: SSAValue) -> int:
        """Returns the number of the op that defines a value; a block argument counts as inside of its op."""
        owner = value.owner
        if isinstance(owner, Operation):
            return self.start[owner]
        parent = owner.parent_op()
        assert parent is not None
        return self.start[parent] + 1

    def loops_around(self, block: Block) -> list[Operation]:
        """Returns the ops around a block that may run it many times, outermost first."""
        loops = self._loops.get(block)
        if loops is None:
            parent = block.parent_op()
            if parent is None or parent is self.function:
                loops = []
            else:
                outer = parent.parent
                assert outer is not None
                loops = self.loops_around(outer)
                if not isinstance(parent, _ONCE):
                    loops = [*loops, parent]
            self._loops[block] = loops
        return loops

    def repeating_loop(self, value: SSAValue, op: Operation) -> Operation | None:
        """Returns the outermost loop around an op in which every iteration reads the same value."""
        block = op.parent
        assert block is not None
        defined = self.defined_at(value)
        for loop in self.loops_around(block):
            start, end = self.span(loop)
            if not start < defined <= end:
                return loop
        return None

    def exclusive(self, op: Operation, other: Operation) -> bool:
        """Returns whether two ops stand in different branches of one op, so that one run of it meets only one of them."""
        regions: dict[Operation, Region] = {}
        region = op.parent_region()
        while region is not None and (parent := region.parent) is not None and parent is not self.function:
            regions[parent] = region
            region = parent.parent_region()
        region = other.parent_region()
        while region is not None and (parent := region.parent) is not None and parent is not self.function:
            if parent in regions:
                return regions[parent] is not region and isinstance(parent, BRANCHES)
            region = parent.parent_region()
        return False

    def top_level_start(self, op: Operation) -> int:
        """Returns the number of the op in the function's own block that an op stands in."""
        while (parent := op.parent_op()) is not None and parent is not self.function:
            op = parent
        return self.start[op]

    def last_use(self, buffer: memref.AllocOp) -> int:
        """Returns the number of the last op that uses an allocation or a view of it.

        A use inside of a loop or a branch counts as one by all of it, as a loop may run it again.
        """
        last = self.start[buffer]
        pending: list[SSAValue] = [buffer.memref]
        while pending:
            for use in pending.pop().uses:
                user = use.operation
                if _is_view(user):
                    pending.append(user.results[0])
                while user.parent is not buffer.parent:
                    parent = user.parent_op()
                    assert parent is not None
                    user = parent
                last = max(last, self.span(user)[1])
        return last
