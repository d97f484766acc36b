"""Loops over constants in a shape function, whose code then does not grow with the number of arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import SSAValue

from ...dialects.relax.vocabulary.symbols import SHAPE_TABLE, SymbolNames
from ...targets.cpu import BUFFER_ALIGNMENT
from ..emit.constructors import INDEX
from ..emit.op_builder import OpBuilder, Values

TABLE = 16
"""From this number on, what is alike is done in a loop over a table."""


class ShapeTables:
    """Emits the loops at the point of a builder; `globals` are the constants that they read."""

    def __init__(self, b: OpBuilder, function: str, symbols: SymbolNames, given: SSAValue, results: SSAValue):
        self.globals: list[memref.GlobalOp] = []
        self._b = b
        self._function = function
        self._symbols = symbols
        self._given = given
        self._results = results

    def first_other_size(self, places: Sequence[int], sizes: Sequence[int], before: int, status: SSAValue) -> SSAValue:
        """Returns 1 + `before` + the first row whose place in `given` holds another size than expected, or else `status`."""
        table = self._constant("sizes", sizes)
        return self._first_other(places, before, status, lambda b, row: b.insert(memref.LoadOp.get(table, [row])))

    def first_unequal(self, places: Sequence[int], others: Sequence[int], before: int, status: SSAValue) -> SSAValue:
        """Returns 1 + `before` + the first row whose two places in `given` hold different sizes, or else `status`."""
        table = self._constant("others", others)
        return self._first_other(
            places, before, status, lambda b, row: self._given_at(b, b.insert(memref.LoadOp.get(table, [row])))
        )

    def write(self, sizes: Sequence[int]) -> None:
        """Writes sizes to `results`."""
        table = self._constant("results", sizes)

        def write_row(b: OpBuilder, row: SSAValue, carried: Values) -> Values:
            b.insert_op(memref.StoreOp.get(b.insert(memref.LoadOp.get(table, [row])), self._results, [row]))
            return ()

        self._b.for_range(0, len(sizes), (), write_row)

    def _first_other(
        self,
        places: Sequence[int],
        before: int,
        status: SSAValue,
        expected: Callable[[OpBuilder, SSAValue], SSAValue],
    ) -> SSAValue:
        # From the last row to the first, so that the first one stays.
        table = self._constant("places", places)
        last, after = self._b.index(len(places) - 1), self._b.index(before + 1)

        def check_row(b: OpBuilder, step: SSAValue, carried: Values) -> Values:
            row = b.insert(arith.SubiOp(last, step))
            given = self._given_at(b, b.insert(memref.LoadOp.get(table, [row])))
            size = expected(b, row)
            number = b.insert(arith.IndexCastOp(b.insert(arith.AddiOp(row, after)), i64))
            return [b.select(b.compare("ne", given, size), number, carried[0])]

        return self._b.for_range(0, len(places), [status], check_row)[0]

    def _given_at(self, b: OpBuilder, place: SSAValue) -> SSAValue:
        return b.insert(memref.LoadOp.get(self._given, [b.insert(arith.IndexCastOp(place, INDEX))]))

    def _constant(self, name: str, values: Sequence[int]) -> SSAValue:
        memory = MemRefType(i64, [len(values)])
        data = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(values)]), values)
        symbol = self._symbols.fresh(SHAPE_TABLE.format(self._function, name))
        self.globals.append(
            memref.GlobalOp.get(StringAttr(symbol), memory, data, StringAttr("private"), UnitAttr(), BUFFER_ALIGNMENT)
        )
        return self._b.insert(memref.GetGlobalOp(symbol, memory))
