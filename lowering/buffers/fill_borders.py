"""The pass `fill-borders`: what is written behind a fill is not filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ...passes.options import PassWithOptions, within
from ...records import record
from ..sizes.op_sizes import VIEWS
from .workspace_bytes import byte_width

_is_fill = kind_test(linalg.FillOp)
_is_view = kind_test(*VIEWS)


@record
class _Part:
    """A part of a buffer."""

    offsets: list[int]
    sizes: list[int]


@dataclass(frozen=True)
class FillBordersPass(PassWithOptions):
    """Fills no more than the borders of a buffer whose inside is written next, as padding does.

    ```mlir
    linalg.fill ins(%zero : i8) outs(%padded : memref<1x57x58x64xi8>)
    %inside = memref.subview %padded[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1] : ...
    linalg.generic ... ins(%x : memref<1x56x56x64xi8>) outs(%inside : ...)
    ```
    becomes
    ```mlir
    %top = memref.subview %padded[0, 0, 0, 0] [1, 1, 58, 64] [1, 1, 1, 1] : ...
    linalg.fill ins(%zero : i8) outs(%top : ...)
    %left = memref.subview %padded[0, 1, 0, 0] [1, 56, 1, 64] [1, 1, 1, 1] : ...
    linalg.fill ins(%zero : i8) outs(%left : ...)
    %right = memref.subview %padded[0, 1, 57, 0] [1, 56, 1, 64] [1, 1, 1, 1] : ...
    linalg.fill ins(%zero : i8) outs(%right : ...)
    %inside = ...
    ```

    Before: bufferized functions. After: the same. Sizes must be known. A buffer of less than `fewest_bytes` is filled as a whole. Where
    borders along an axis have runs of less than `shortest_run` bytes, what is inside along the axes before is filled as a whole: rows with
    a few elements on either side are filled and written together, by loops that both share, unless what is written is read in another
    order. Borders are filled before what computes the inside, as early as nothing else uses the buffer: an op on the tiles of a product
    that writes it then follows that product.
    """

    name = "fill-borders"
    fewest_bytes: int = within(4096, 0)
    """The bytes of a buffer from which on its borders alone are filled."""
    shortest_run: int = within(64, 0)
    """The bytes in a row from which on a border along an axis is filled by itself."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for fill in filter(_is_fill, ops_inside(op)):
            borders = self._borders(fill)
            if borders is not None:
                _fill_parts(fill, borders)

    def _borders(self, fill: linalg.FillOp) -> list[_Part] | None:
        """Returns what is left to fill; None where that is all, or not worth telling apart."""
        buffer = fill.outputs[0]
        type_ = cast(MemRefType, buffer.type)
        shape, size = type_.get_shape(), byte_width(type_.element_type)
        if DYNAMIC_INDEX in shape or prod(shape) * size < self.fewest_bytes or not _is_own(buffer):
            return None
        written = _written_next(fill, buffer)
        if written is None:
            return None
        inside, op = written
        # What lies in another order than it is read has loops of its own.
        shortest = self.shortest_run if _keeps_order(op) else 0
        borders: list[_Part] = []
        for axis in range(len(shape)):
            parts = list(_around(shape, inside, axis))
            if any(_elements_of_run(shape, part) * size < shortest for part in parts):
                rest = _Part(
                    [*inside.offsets[:axis], *([0] * len(shape[axis:]))], [*inside.sizes[:axis], *shape[axis:]]
                )
                return [*borders, rest] if borders else None
            borders += parts
        return borders


def _is_own(buffer: SSAValue) -> bool:
    """Returns whether a value is a whole buffer, all of whose readers have it by way of the value: scratch, or an argument."""
    owner = buffer.owner
    return isinstance(owner, memref.AllocOp) or (
        isinstance(owner, Block) and isinstance(owner.parent_op(), func.FuncOp)
    )


def _written_next(fill: linalg.FillOp, buffer: SSAValue) -> tuple[_Part, Operation] | None:
    """Returns the part of a filled buffer that an op writes as a whole before anything else takes the buffer, and the op."""
    view: memref.SubviewOp | None = None
    part: _Part | None = None
    users = _users_by_views(buffer, fill)
    op = fill.next_op
    while op is not None:
        if op in users and view is None:
            view = op if isinstance(op, memref.SubviewOp) else None
            part = None if view is None else _part(view)
            if part is None:
                return None
        elif op in users and view is not None and part is not None:
            return (part, op) if _writes_all(op, view.result, buffer) else None
        op = op.next_op
    return None


def _users(value: SSAValue, beside: Operation) -> set[Operation]:
    """Returns the ops of a block, that of another op, in which a value is used."""
    block = beside.parent
    assert block is not None
    ops = {block.find_ancestor_op_in_block(use.operation) for use in value.uses}
    return {op for op in ops if op is not None}


def _users_by_views(buffer: SSAValue, beside: Operation) -> set[Operation]:
    """Returns the ops of a block, that of another op, in which a buffer is used, or a view of it."""
    users: set[Operation] = set()
    values = [buffer]
    while values:
        value = values.pop()
        users |= _users(value, beside)
        values += [result for use in value.uses if _is_view(use.operation) for result in use.operation.results]
    return users


def _part(view: memref.SubviewOp) -> _Part | None:
    """Returns the part of a buffer that a view shows; None where elements are left out, and where sizes are not known."""
    offsets, sizes, strides = (
        list(values.get_values()) for values in (view.static_offsets, view.static_sizes, view.static_strides)
    )
    if DYNAMIC_INDEX in (*offsets, *sizes) or any(stride != 1 for stride in strides):
        return None
    return _Part(offsets, sizes)


def _writes_all(op: Operation, view: SSAValue, buffer: SSAValue) -> bool:
    """Returns whether an op writes each element of a view, of which it reads none, and not the buffer elsewhere."""
    if isinstance(op, linalg.FillOp):
        return op.outputs[0] is view
    if (
        not isinstance(op, linalg.GenericOp)
        or list(op.operands).count(view) != 1
        or buffer in op.operands
        or view not in op.outputs
    ):
        return False
    position = list(op.operands).index(view)
    exprs = op.indexing_maps.data[position].data.results
    dims = [expr.position for expr in exprs if isinstance(expr, AffineDimExpr)]
    parallel = all(kind.data == IteratorType.PARALLEL for kind in op.iterator_types)
    return (
        parallel
        and len(dims) == len(exprs)
        and sorted(dims) == list(range(len(op.iterator_types)))
        and not any(op.body.block.args[position].uses)
    )


def _keeps_order(op: Operation) -> bool:
    """Returns whether all operands of an op lie in the order of its result, as far as they have its loops."""
    maps = op.indexing_maps.data if isinstance(op, linalg.GenericOp) else ()
    loops = [[expr.position for expr in each.data.results if isinstance(expr, AffineDimExpr)] for each in maps]
    places = {loop: place for place, loop in enumerate(loops[-1])} if loops else {}
    orders = [[places[loop] for loop in of_operand if loop in places] for of_operand in loops]
    return all(order == sorted(order) for order in orders)


def _around(shape: Sequence[int], inside: _Part, axis: int) -> Iterator[_Part]:
    """Yields the parts of a buffer before and behind one along an axis, inside of it along the axes before."""
    first, count = inside.offsets[axis], inside.sizes[axis]
    offsets, sizes, after = inside.offsets[:axis], inside.sizes[:axis], shape[axis + 1 :]
    for start, end in ((0, first), (first + count, shape[axis])):
        if start < end:
            yield _Part([*offsets, start, *([0] * len(after))], [*sizes, end - start, *after])


def _elements_of_run(shape: Sequence[int], part: _Part) -> int:
    """Returns how many elements of a part follow one another in the buffer at least."""
    run = 1
    for whole, size in zip(reversed(shape), reversed(part.sizes), strict=True):
        run *= size
        if size < whole:
            break
    return run


def _fill_parts(fill: linalg.FillOp, parts: Sequence[_Part]) -> None:
    """Replaces the fill of a buffer by those of some parts."""
    buffer, value, place = fill.outputs[0], fill.inputs[0], _first_place(fill)
    new: list[Operation] = []
    constant = value.owner
    if place is not fill and isinstance(constant, arith.ConstantOp):
        # It may stand behind the place; others may need it where it is.
        copy = constant.clone()
        new.append(copy)
        value = copy.result
    for part in parts:
        view = memref.SubviewOp.from_static_parameters(
            buffer, cast(MemRefType, buffer.type), part.offsets, part.sizes, [1] * len(part.sizes)
        )
        new += [view, linalg.FillOp([value], [view.result], ())]
    for op in new:
        op.location = fill.location
    Rewriter.insert_op(new, InsertPoint.before(place))
    Rewriter.erase_op(fill)
    if isinstance(constant, arith.ConstantOp) and constant.result.first_use is None:
        Rewriter.erase_op(constant)


def _first_place(fill: linalg.FillOp) -> Operation:
    """Returns the first op before which a buffer can be filled: what computes the inside then follows what it reads.

    A constant that it is filled with need not stand before that.
    """
    buffer, value, place = fill.outputs[0], fill.inputs[0].owner, cast(Operation, fill)
    behind = {*_users_by_views(buffer, fill), buffer.owner, *(() if isinstance(value, arith.ConstantOp) else (value,))}
    while place.prev_op is not None and place.prev_op not in behind:
        place = place.prev_op
    return place
