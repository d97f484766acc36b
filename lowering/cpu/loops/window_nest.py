"""Reductions over small windows, written out for several rows of results at once; what steps share is read and combined once.

    linalg.generic %y[i, j] max= %x[2 * i + k, 2 * j + l]    with <vectors, loops = [0, 1, 2, 3], along = 1, lanes = 16, rows = 2>

becomes

    scf.for %i = 0 to 56 step 2, scf.for %j = 0 to 48 step 16
      for each of 5 rows of x: 3 vectors, the largest of them
      for each of 2 rows of y: the largest of 3 rows
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, f32, f64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from ....dialects.relax.schedule import Vectors
from ...emit.emitter import Index
from ..schedule.access import Access, coefficient
from ..schedule.contraction import added_product
from .builder import LoopBuilder
from .fetch import elements_of_line, fetch
from .kernels import multiply_add
from .loop_nest import LoopNest, with_loop
from .padded_window import PaddedWindow, WindowReader
from .vector_access import Mask, SharedElements, VectorAccess, first_lanes, lanes_of, mask_apart
from .window_epilogue import WindowEpilogue

LEAST_INSIDE = 2
"""The fewest vectors inside of an image for which there is code that masks nothing."""

Offsets: TypeAlias = tuple[int, ...]
"""How far an element is from the one at the point of a block, on each axis."""


def emit_windows(
    b: LoopBuilder,
    nest: LoopNest,
    schedule: Vectors,
    access: VectorAccess,
    point: list[Index],
    fixed: int,
    initial: SSAValue | None,
    image: PaddedWindow | None = None,
    epilogue: WindowEpilogue | None = None,
) -> None:
    """Emits the loops of a nest whose first `fixed` loops are around it already.

    Results start from the initial scalar, or where there is none from what the output holds. With an image, an input is not read: around
    the image there are zeros. An epilogue runs on the results before they are stored.
    """
    along = schedule.along
    outer = [d for d in range(fixed, nest.rank()) if nest.parallel[d] and d != along]
    # With rows, the innermost of these loops goes by blocks.
    row = outer[-1] if schedule.rows > 1 else None
    sizes = [b.ceildiv(nest.uppers[d], schedule.rows) if d == row else nest.uppers[d] for d in outer]

    def rows_at(rows: int, at: list[Index]) -> None:
        block = _Block(b, nest, schedule, access, row, rows, initial, image, epilogue)
        inside = block.is_inside(at)
        if inside is None:
            _emit_row(block, at)
            return
        # Most rows are inside of the image.
        checked = _Block(b, nest, schedule, access, row, rows, initial, image, epilogue, checks=True)
        b.if_else(inside, lambda: _emit_row(block, at), lambda: _emit_row(checked, at))

    def body(indices: Sequence[Index]) -> None:
        at = list(point)
        for d, index in zip(outer, indices, strict=True):
            at[d] = b.mul(index, schedule.rows) if d == row else index
        if row is None:
            rows_at(1, at)
            return
        size = nest.uppers[row]
        if isinstance(size, int) and size % schedule.rows == 0:
            rows_at(schedule.rows, at)
            return
        whole = b.less(b.add(at[row], schedule.rows - 1), size)

        def one_by_one(row: int = row) -> None:
            b.plain_loop(at[row], size, 1, lambda i: rows_at(1, with_loop(at, row, i)))

        b.if_else(whole, lambda: rows_at(schedule.rows, at), one_by_one)

    parallel = schedule.parallel
    b.nest(sizes[:parallel], lambda i: b.nest(sizes[parallel:], lambda j: body([*i, *j])), schedule.grain)


def _emit_row(block: _Block, point: list[Index]) -> None:
    """Emits the blocks along the vectors: whole ones, then a part of one.

    Where results may be computed again, and are so many, the last block ends with them and is whole, and there is one copy of the code.
    """
    b, lanes = block.b, block.schedule.lanes
    along, size = block.schedule.along, block.nest.uppers[block.schedule.along]
    if isinstance(size, int) and size > lanes and size % lanes and block.may_repeat():
        b.plain_loop(0, size, lanes, lambda i: block.emit(with_loop(point, along, b.minimum(i, size - lanes)), None))
        return
    limit = b.round_down(size, lanes)
    for begin, end, inside in _stretches(limit, lanes, block.columns_inside()):
        b.plain_loop(
            begin, end, lanes, lambda i, inside=inside: block.emit(with_loop(point, along, i), None, inside=inside)
        )
    rest = b.sub(size, limit)

    def tail() -> None:
        block.emit(with_loop(point, along, limit), first_lanes(b, rest, lanes))

    if not isinstance(rest, int):
        b.when(b.less(limit, size), tail)
    elif rest:
        tail()


def _stretches(limit: Index, lanes: int, inside: range) -> Iterator[tuple[int, Index, bool]]:
    """Yields where runs of whole vectors begin and end, and whether they are inside of the image; few are not told apart."""
    if not isinstance(limit, int):
        yield 0, limit, False
        return
    begin = -(-inside.start // lanes) * lanes
    end = min(limit, inside.stop + (begin - inside.stop) % lanes)
    if (end - begin) // lanes < LEAST_INSIDE:
        begin = end = limit
    for first, last, known in ((0, begin, False), (begin, end, True), (end, limit, False)):
        if first < last:
            yield first, last, known


class _Block:
    """One vector of results in each of several rows."""

    def __init__(
        self,
        b: LoopBuilder,
        nest: LoopNest,
        schedule: Vectors,
        access: VectorAccess,
        row: int | None,
        rows: int,
        initial: SSAValue | None,
        image: PaddedWindow | None = None,
        epilogue: WindowEpilogue | None = None,
        *,
        checks: bool = False,
    ):
        self.b = b
        self.nest = nest
        self.schedule = schedule
        self.access = access
        self.row = row
        self.rows = rows
        self.initial = initial
        self.image = image
        self.epilogue = epilogue
        self.checks = checks
        """Whether the image may end before some of the rows do."""
        self.reader: WindowReader | None = None
        self.shared: dict[tuple[int, ...], SharedElements] = {}
        """What steps read of a row of an operand, by its number and the offsets of the row."""
        self.combiner = _plain_combiner(nest)
        self.factors = _factors(nest)
        sizes = [nest.uppers[d] for d in nest.reduced]
        assert all(isinstance(size, int) for size in sizes)
        self.steps = list(product(*(range(size) for size in sizes if isinstance(size, int))))
        self.columns = dict(self._shared_columns())
        """The least offset along the vectors, and how far the others are from it, of operands whose steps share loads, by their numbers."""

    def _shared_columns(self) -> Iterator[tuple[int, tuple[int, int]]]:
        for number, operand in enumerate(self.nest.inputs):
            spread = operand.spread(self.schedule.along)
            if spread is None:
                continue
            columns = [self._offsets(operand, r, step)[-1] for r in range(self.rows) for step in self.steps]
            reach = max(columns) - min(columns)
            if SharedElements.are_few(spread, self.schedule.lanes, reach):
                yield number, (min(columns), reach)

    def may_repeat(self) -> bool:
        """Returns whether results may be computed twice: they add to nothing, and what changes them reads nothing that they may replace.
        What is fetched depends on where blocks begin.
        """
        return self.initial is not None and self.image is None and not (self.epilogue and self.epilogue.reads_planes)

    def is_inside(self, point: list[Index]) -> SSAValue | None:
        """Emits whether the rows at a point read rows of the image alone; None where there are no others."""
        if self.image is None:
            return None
        operand = self.nest.inputs[self.image.number]
        offsets = [self._offsets(operand, r, step) for r in range(self.rows) for step in self.steps]
        return self.image.is_inside(self.b, self.access.address(operand, point), offsets)

    def columns_inside(self) -> range:
        """Returns where vectors begin that read no columns beside the image; none where other loops move these, or rows are checked."""
        if self.image is None or self.checks:
            return range(0)
        operand, along = self.nest.inputs[self.image.number], self.schedule.along
        column, spread = operand.exprs[-1], coefficient(operand.exprs[-1], along) or 1
        others = [d for d in column.used_dims() if d != along and d not in self.nest.reduced]
        size = self.image.shape[-1]
        if others or size == DYNAMIC_INDEX:
            return range(0)
        start = self.image.starts[-1] - column.eval([0] * self.nest.rank(), [])
        offsets = [offset - offset % spread for step in self.steps for offset in (self._offsets(operand, 0, step)[-1],)]
        last = size - spread * self.schedule.lanes - max(offsets) + start
        return range(max(0, -(-(start - min(offsets)) // spread)), max(0, last // spread + 1))

    def emit(self, point: list[Index], mask: Mask, *, inside: bool = False) -> None:
        """Emits a block at a point, of which the reductions are 0; `inside` says that it reads no columns beside the image."""
        self.shared = {}
        if self.image is not None:
            address = self.access.address(self.nest.inputs[self.image.number], point)
            spread = coefficient(self.nest.inputs[self.image.number].exprs[-1], self.schedule.along) or 1
            self._fetch(point, address)
            self.reader = WindowReader(
                self.b,
                self.image,
                address,
                spread,
                self.schedule.lanes,
                lanes_of(mask),
                checks=self.checks,
                inside=inside,
            )
        output = self.nest.outputs[0]
        rows = [
            point if self.row is None else with_loop(point, self.row, self.b.add(point[self.row], r))
            for r in range(self.rows)
        ]
        sums = self._plain(point, rows, mask) if self.combiner is None else self._separable(point, rows, mask)
        lanes = self.schedule.lanes
        loaded = [] if self.epilogue is None else self.epilogue.loaded(point)
        for at, total in zip(rows, sums, strict=True):
            value = total if self.epilogue is None else self.epilogue.emit(loaded, at, total, lanes, mask)
            self.access.store(value, output, at, lanes, mask)

    def _fetch(self, point: list[Index], address: Sequence[Index]) -> None:
        """Emits the fetch of a part of what the next rows read of an image, behind what these read."""
        b, image, schedule = self.b, self.image, self.schedule
        if image is None or not schedule.fetched or self.row is None or self.rows != schedule.rows:
            return
        operand, line = self.nest.inputs[image.number], elements_of_line(f32)
        last = max(self._offsets(operand, self.rows - 1, step)[-2] for step in self.steps)
        place = [b.sub(index, start) for index, start in zip(address, image.starts, strict=True)]
        following = image.image.at(b, [*place[:-2], b.add(place[-2], last + 1), 0])
        part = b.mul(b.floordiv(point[schedule.along], schedule.lanes), schedule.fetched * line)
        for number in range(schedule.fetched):
            fetch(b, image.image.buffer, b.add(b.add(following, part), number * line))

    def _plain(self, point: list[Index], rows: list[list[Index]], mask: Mask) -> list[SSAValue]:
        """Emits the payload at each step of each row; an element that several read is loaded once."""
        lanes, nest, access = self.schedule.lanes, self.nest, self.access
        loaded: dict[tuple[int, Offsets], SSAValue] = {}
        sums = [[self._present(at, mask)] if nest.reads_output(0) else [] for at in rows]
        # Steps that read the same elements are neighbors, so that these are in registers for a short time.
        order = sorted((self._offsets(nest.inputs[0], r, s), r, s) for r in range(self.rows) for s in self.steps)
        for _, r, step in order:
            arguments: dict[SSAValue, SSAValue] = {}
            for position, (arg, operand) in enumerate(zip(nest.body.args, nest.inputs, strict=False)):
                if not arg.uses:
                    continue
                if not operand.is_memref:
                    arguments[arg] = operand.value
                    continue
                key = (position, self._offsets(operand, r, step))
                if key not in loaded:
                    loaded[key] = self._load(position, operand, point, key[1], mask)
                arguments[arg] = loaded[key]
            if self.factors is not None:
                x, y = (self.b.splat(arguments[factor], lanes) for factor in self.factors)
                sums[r] = [multiply_add(self.b, x, y, self.b.splat(sums[r][0], lanes))]
                continue
            results = access.payload(point, access.with_outputs(arguments, sums[r]), lanes, mask)
            sums[r] = [self.b.splat(results[0], lanes)]
        return [values[0] for values in sums]

    def _separable(self, point: list[Index], rows: list[list[Index]], mask: Mask) -> list[SSAValue]:
        """Emits what each row combines: runs of the innermost reduction first, which rows share."""
        assert self.combiner is not None
        op, operand = self.combiner
        number = next(k for k, access in enumerate(self.nest.inputs) if access is operand)
        runs: dict[tuple[Offsets, ...], SSAValue] = {}
        results: list[SSAValue] = []
        length = self.steps[-1][-1] + 1
        for r, at in enumerate(rows):
            value = self._present(at, mask)
            for first in range(0, len(self.steps), length):
                key = tuple(self._offsets(operand, r, step) for step in self.steps[first : first + length])
                if key not in runs:
                    items = [self._load(number, operand, point, offsets, mask) for offsets in key]
                    total = items[0]
                    for item in items[1:]:
                        total = _combined(self.b, op, total, item)
                    runs[key] = total
                value = _combined(self.b, op, value, runs[key])
            results.append(value)
        return results

    def _present(self, point: list[Index], mask: Mask) -> SSAValue:
        """Returns what a vector of results starts from."""
        lanes = self.schedule.lanes
        if self.initial is not None:
            return self.b.splat(self.initial, lanes)
        return self.access.load(self.nest.outputs[0], point, lanes, mask)

    def _offsets(self, operand: Access, row: int, step: Sequence[int]) -> Offsets:
        """Returns how far an operand at a step of a row is from where it is at the point of the block."""
        moved = dict(zip(self.nest.reduced, step, strict=True))
        if self.row is not None:
            moved[self.row] = row
        return tuple(sum((coefficient(e, d) or 0) * i for d, i in moved.items()) for e in operand.exprs)

    def _load(self, number: int, operand: Access, point: list[Index], offsets: Offsets, mask: Mask) -> SSAValue:
        b = self.b
        if self.reader is not None and self.reader.image.number == number:
            return self.reader.load(offsets)
        if number in self.columns:
            return self._load_shared(number, operand, point, offsets, mask)
        address = [b.add(at, offset) for at, offset in zip(self.access.address(operand, point), offsets, strict=True)]
        value = self.access.load_at(operand, address, self.schedule.lanes, mask)
        return value if self.combiner is None else b.splat(value, self.schedule.lanes)

    def _load_shared(
        self,
        number: int,
        operand: Access,
        point: list[Index],
        offsets: Offsets,
        mask: Mask,
    ) -> SSAValue:
        """Emits the load of elements that are a few apart, of the same few loads for all steps of a row."""
        b, lanes, spread = self.b, self.schedule.lanes, operand.spread(self.schedule.along)
        least, reach = self.columns[number]
        assert spread is not None
        *rows, first = offsets
        key = (number, *rows)
        if key not in self.shared:
            *outer, column = self.access.address(operand, point)
            column = b.add(column, least)
            place = [b.add(at, offset) for at, offset in zip(outer, rows, strict=True)]

            def load(offset: int) -> SSAValue:
                exist = None if mask is None else mask_apart(b, mask.count, spread, offset, lanes, reach)
                return b.vector_load(operand.value, [*place, b.add(column, offset)], lanes, exist)

            self.shared[key] = SharedElements(b, load, spread, lanes, reach)
        return self.shared[key].at(first - least)


_ASSOCIATIVE = frozenset(
    f"arith.{name}" for name in ("addf", "addi", "maximumf", "minimumf", "maxsi", "maxui", "minsi", "minui")
)


def _plain_combiner(nest: LoopNest) -> tuple[Operation, Access] | None:
    """Returns the operation that combines the output with an input as it is, and that input; None for other payloads."""
    if len(nest.payload) != 1 or nest.payload[0].name not in _ASSOCIATIVE or len(nest.payload[0].operands) != 2:
        return None
    (op,) = nest.payload
    lhs, rhs = op.operands
    item = rhs if lhs is nest.output_arg(0) else lhs if rhs is nest.output_arg(0) else None
    arguments = zip(nest.body.args, nest.inputs, strict=False)
    access = next((access for arg, access in arguments if arg is item and access.is_memref), None)
    return None if access is None else (op, access)


def _factors(nest: LoopNest) -> tuple[SSAValue, SSAValue] | None:
    """Returns the two inputs whose product a payload adds to its output, in a type in which processors multiply and add at once; None for
    other payloads.
    """
    product = added_product(nest)
    if product is None or len(nest.payload) != 2 or product.results[0].type not in (f32, f64):
        return None
    x, y = product.operands
    inputs = nest.body.args[: len(nest.inputs)]
    return (x, y) if x in inputs and y in inputs else None


def _combined(b: LoopBuilder, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Emits the operation on two vectors; which of two zeros the larger is, is the order's choice."""
    properties = dict(op.properties)
    if op.name in ("arith.maximumf", "arith.minimumf"):
        properties["fastmath"] = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])
    return b.insert(type(op).create(operands=[lhs, rhs], result_types=[lhs.type], properties=properties))
