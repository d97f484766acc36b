"""Finds attention among ops of linalg: a contraction, the softmax of its rows, a contraction of these.

    %s[b, i, j] += %q[b, i, d] * %k[b, j, d]         the first product, whose result are the scores
    %m[b, i]    max= %s[b, i, j]                     ops between, of which one reduces rows
    %p[b, i, j] = exp(%s[b, i, j] - %m[b, i])
    %o[b, i, d] += %p[b, i, j] * %v[b, j, d]         the second product, and what follows it

All of these ops have loops over b and i, and no step of them reads what another one has made: these loops are shared. Here j is the loop
over columns. Both factors of the first product lie along b, which is an outer loop; i is that over rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from ...dialects.relax.vocabulary.attributes import WEIGHTLESS
from ...passes.analysis.remarks import named_op
from ...records import record
from ..emit.emitter import Index
from ..emit.tensor_builder import REDUCTION
from ..sizes.op_sizes import constant_index
from .fuse_linalg import is_contraction

MOST_OPS = 64
"""Ops of a chain at most, of which attention has some ten: a program of many products is not searched to its end for each of them."""

Loops = Mapping[Operation, Mapping[int, int]]
"""Of each op, which of its loops is which loop of the last op."""


@record
class Sight:
    """Row i sees the columns up to i + `offset`: of them only the last `window`, where there is one. All others weigh nothing."""

    offset: Index
    window: int | None


@record
class Chain:
    """Ops from one product to another, and those that follow, in program order. Shared loops are named by those of the last op."""

    ops: Sequence[linalg.GenericOp]
    """The first is a product. Nothing else reads what they make, but for the result of the last one."""
    loops: Loops
    """The shared loops."""
    outer: Sequence[int]
    """The shared loops along which both factors of the first product lie, such as those over batches and heads."""
    row: int
    """The shared loop over rows."""
    columns: Mapping[Operation, int]
    """Of each op that has it, the loop over columns; empty where ops read the scores in different ways."""
    sight: Sight | None
    """Which columns a row sees, where it does not see all."""

    @property
    def product(self) -> linalg.GenericOp:
        """The op that makes the scores."""
        return self.ops[0]

    @property
    def column_axis(self) -> int:
        """The axis of the scores along which columns go; needs `columns`."""
        axis = axis_of(self.product, self.columns[self.product])
        assert axis is not None
        return axis

    @property
    def last(self) -> linalg.GenericOp:
        """The op that makes the result."""
        return self.ops[-1]


def find_chain(product: Operation) -> Chain | str:
    """Returns the chain that begins with a product; else why there is none, nothing where no reduction of rows and product follow."""
    path = _path(product)
    reduced = next((position for position, op in enumerate(path) if _reduces_rows(op)), len(path))
    if not any(is_product(op) for op in path[reduced:]):
        return ""
    obstacle = _obstacle(path)
    if obstacle:
        return obstacle
    loops = _shared_loops(path)
    outer = _outer_loops(path[0])
    own = loops.get(path[0], {})
    rows = [loop for loop in own if loop not in outer]
    if not rows:
        return "no loop over rows is the same in all of these ops"
    row = own[max(rows)]
    columns = _columns(path, own)
    sight = _sight(path, loops, row, columns)
    return Chain(path, loops, sorted(own[loop] for loop in own if loop in outer), row, columns, sight)


def is_product(op: Operation) -> bool:
    """Returns whether an op is a contraction with one result of which no input has all loops, as those of a sum of rows have."""
    if not isinstance(op, linalg.GenericOp) or len(op.results) != 1 or not is_contraction(op):
        return False
    loops = len(op.iterator_types.data)
    return all(len(attr.data.used_dims()) < loops for attr in op.indexing_maps.data)


def position_of(expr: AffineExpr) -> int:
    """Returns which loop an index is; -1 where it is none."""
    return expr.position if isinstance(expr, AffineDimExpr) else -1


def axis_of(op: linalg.GenericOp, loop: int) -> int | None:
    """Returns the axis of the result of an op along which a loop goes; `None` where there is none."""
    written = op.indexing_maps.data[-1].data.results
    return next((axis for axis, e in enumerate(written) if position_of(e) == loop), None)


def _path(first: Operation) -> list[linalg.GenericOp]:
    """Returns an op and those that depend on it, up to the first that is no `linalg.generic`, and one more than `MOST_OPS` at most."""
    path: list[linalg.GenericOp] = []
    made: set[SSAValue] = set()
    op: Operation | None = first
    while op is not None and len(path) <= MOST_OPS:
        if op is first or any(operand in made for operand in op.operands):
            if not isinstance(op, linalg.GenericOp) or len(op.results) != 1:
                break
            path.append(op)
            made.add(op.results[0])
        op = op.next_op
    return path


def _obstacle(path: Sequence[linalg.GenericOp]) -> str:
    """Returns why ops are not computed together; nothing where they may be."""
    if len(path) > MOST_OPS:
        return f"more than {MOST_OPS} ops depend on it"
    members = set[Operation](path)
    made = {op.results[0] for op in path}
    for op in path[:-1]:
        if any(use.operation not in members for use in op.results[0].uses):
            return f"what {named_op(op)} makes is read by others, too"
    for op in path:
        if any(output in made for output in op.outputs):
            return f"{named_op(op)} adds to what another op makes"
    return ""


def _reduces_rows(op: linalg.GenericOp) -> bool:
    return REDUCTION in op.iterator_types.data and not is_product(op)


def _outer_loops(product: linalg.GenericOp) -> set[int]:
    """Returns the loops of a product along which all its factors lie, and its result: factors are what lies along a summed loop."""
    summed = {loop for loop, kind in enumerate(product.iterator_types.data) if kind == REDUCTION}
    maps = [attr.data.used_dims() for attr in product.indexing_maps.data]
    return maps[-1].intersection(*(used for used in maps[:-1] if used & summed))


def _accesses(op: linalg.GenericOp) -> Iterator[tuple[SSAValue, Sequence[AffineExpr]]]:
    """Yields the inputs of an op and where it reads them, then its result and where it writes that."""
    maps = [attr.data.results for attr in op.indexing_maps.data]
    yield from zip(op.inputs, maps, strict=False)
    yield op.results[0], maps[-1]


def _computed_with(op: linalg.GenericOp) -> set[int]:
    """Returns the loops of which an op computes where it reads or writes, beside those that are an index as they are."""
    indices = (e for _, read in _accesses(op) for e in read if not isinstance(e, AffineDimExpr))
    return {loop for e in indices for loop in e.used_dims()}


def _shared_loops(path: Sequence[linalg.GenericOp]) -> Loops:
    """Returns the loops that are alike in all ops; empty where there are none."""
    kept = {e.position for e in path[-1].indexing_maps.data[-1].data.results if isinstance(e, AffineDimExpr)}
    # Invariant: no others may be shared. A round gives up at least one of them, or all are shared.
    while kept:
        loops, lost = _try(path, kept)
        if not lost:
            return loops
        kept -= lost
    return {}


def _try(path: Sequence[linalg.GenericOp], kept: set[int]) -> tuple[Loops, set[int]]:
    """Returns which loops of all ops are some loops of the last one, and those of the latter that an op has not, or reads elsewhere."""
    last = path[-1]
    made = {op.results[0] for op in path}
    loops: dict[Operation, Mapping[int, int]] = {last: {loop: loop for loop in kept}}
    axes: dict[SSAValue, list[int | None]] = {}
    lost: set[int] = set()
    # Readers come first: they say which loop goes along which axis of a value.
    for op in reversed(path):
        if op is not last:
            written = op.indexing_maps.data[-1].data.results
            pairs = zip(written, axes[op.results[0]], strict=True)
            loops[op] = {e.position: s for e, s in pairs if s is not None and isinstance(e, AffineDimExpr)}
        own = loops[op]
        lost |= kept - set(own.values())
        lost |= {own[loop] for loop in _computed_with(op) if loop in own}
        for value, read in _accesses(op):
            if value not in made or value is op.results[0]:
                continue
            here = [own.get(e.position) if isinstance(e, AffineDimExpr) else None for e in read]
            there = axes.setdefault(value, here)
            lost |= kept - set(here)
            if there != here:
                lost |= {s for s in (*there, *here) if s is not None}
    return loops, lost


def _columns(path: Sequence[linalg.GenericOp], shared: Mapping[int, int]) -> dict[Operation, int]:
    """Returns the loop over columns of each op that has it; none where ops read scores in different ways, or there are several."""
    product = path[0]
    written = product.indexing_maps.data[-1].data.results
    columns = [e.position for e in written if isinstance(e, AffineDimExpr) and e.position not in shared]
    if len(columns) != 1 or not all(isinstance(e, AffineDimExpr) for e in written):
        return {}
    loops: dict[Operation, int] = {product: columns[0]}
    axes: dict[SSAValue, int] = {}
    # From the product on: an op has the loop if it reads a value along the axis of columns, and hands it on if its result has that axis.
    for op in path:
        read_along = {read[axes[value]] for value, read in _accesses(op) if value in axes}
        if read_along:
            expr = read_along.pop()
            if read_along or not isinstance(expr, AffineDimExpr):
                return {}
            loops[op] = expr.position
        if op in loops:
            axis = axis_of(op, loops[op])
            if loops[op] in _computed_with(op):
                return {}
            if axis is not None:
                axes[op.results[0]] = axis
    return loops


def _sight(path: Sequence[linalg.GenericOp], loops: Loops, row: int, columns: Mapping[Operation, int]) -> Sight | None:
    """Returns which columns a row sees: what all readers of the scores agree on. The result itself may have no columns."""
    last = path[-1]
    if not columns or (last in columns and axis_of(last, columns[last]) is not None):
        return None
    scores = path[0].results[0]
    sights = {
        _seen(op, next(loop for loop, shared in loops[op].items() if shared == row), columns[op])
        for op in path
        if scores in op.inputs
    }
    return sights.pop() if len(sights) == 1 else None


def _seen(op: linalg.GenericOp, row: int, column: int) -> Sight | None:
    """Returns which columns an op sees, of a select whose condition is `column <= row + offset`, and `column > that - window`."""
    selects = [each for each in op.body.block.ops if isinstance(each, arith.SelectOp) and WEIGHTLESS.is_on(each)]
    if len(selects) != 1:
        return None
    upper, *lower = _conditions(selects[0].cond)
    end = _bound(upper, "sle", column)
    offset = None if end is None else _offset(end, row)
    if end is None or offset is None or len(lower) > 1:
        return None
    if not lower:
        return Sight(offset, None)
    window = _window(_bound(lower[0], "sgt", column), end)
    return None if window is None else Sight(offset, window)


def _conditions(condition: SSAValue) -> list[SSAValue]:
    """Returns what must hold for a condition to hold, itself at least; a constant that is true is no condition."""
    conjunction = condition.owner
    if not isinstance(conjunction, arith.AndIOp):
        return [condition]
    parts = [part for part in conjunction.operands if not constant_index(part)]
    return [each for part in parts for each in _conditions(part)] or [condition]


def _offset(end: SSAValue, row: int) -> Index | None:
    """Returns what a value adds to the index of the row; `None` where it is no such sum, or differs between points."""
    if not isinstance(end.owner, arith.AddiOp) or not _is_index(end.owner.lhs, row):
        return None
    offset = end.owner.rhs
    number = constant_index(offset)
    if number is not None:
        return number
    home = offset.owner.parent if isinstance(offset.owner, Operation) else offset.owner
    return None if home is end.owner.parent else offset


def _window(begin: SSAValue | None, end: SSAValue) -> int | None:
    """Returns the constant that is the distance of a bound from another one; `None` where it is not known."""
    if begin is None or not isinstance(begin.owner, arith.SubiOp) or begin.owner.lhs is not end:
        return None
    return constant_index(begin.owner.rhs)


def _bound(condition: SSAValue, predicate: str, loop: int) -> SSAValue | None:
    """Returns what a condition compares the index of a loop with; `None` where it is another one."""
    compare = condition.owner
    if not isinstance(compare, arith.CmpiOp) or not _is_index(compare.lhs, loop):
        return None
    return compare.rhs if arith.CMPI_COMPARISON_OPERATIONS[compare.predicate.value.data] == predicate else None


def _is_index(value: SSAValue, loop: int) -> bool:
    return isinstance(value.owner, linalg.IndexOp) and value.owner.dim.value.data == loop
