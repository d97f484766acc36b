"""The pass `relax-tabulate-bytes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, i8
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.dense import dense_to_numpy, is_splat
from ...dialects.relax.dtypes import numpy_dtype, ui8
from ...dialects.relax.ops import binary, unary
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.indexing import TakeOp
from ...dialects.relax.ops.manipulate import SqueezeOp
from ...dialects.relax.ops.nn import activation
from ...dialects.relax.ops.qnn.elementwise import DequantizeOp, QuantizeOp
from ...dialects.relax.rules.qnn_lookup import all_elements
from ...dialects.symbolic.expressions import shapes_equal
from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ...records import record
from ..analysis.remarks import Topic, function_of, named_op, remark
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions, within
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from .recognize_quantized import MOVES

_ELEMENT_WISE: tuple[type[RelaxOp], ...] = (
    unary.UnaryOp,
    unary.AsTypeOp,
    unary.BitcastOp,
    binary.BinaryOp,
    binary.WhereOp,
    activation.ActivationOp,
    activation.PReluOp,
    QuantizeOp,
    DequantizeOp,
)

_FEW: tuple[type[RelaxOp], ...] = (
    *(unary.NumericUnaryOp, unary.CheckOp, unary.BitwiseNotOp, unary.LogicalNotOp, unary.ClipOp),
    *(unary.AsTypeOp, unary.BitcastOp, binary.BinaryOp, binary.WhereOp),
    *(activation.ReluOp, activation.LeakyReluOp, activation.PReluOp),
)
"""Ops that are an instruction or two."""

_SOME: Mapping[type[Operation], int] = {
    DequantizeOp: 4,
    QuantizeOp: 6,
    binary.DivideOp: 2,
    binary.FloorDivideOp: 2,
    unary.SqrtOp: 4,
    unary.RsqrtOp: 6,
    **dict.fromkeys(MOVES, 0),
}
"""Ops that are more than that, or less: a quantization counts as the core ops that `relax.qnn.quantize` becomes."""

_FUNCTIONS = (binary.PowerOp, binary.ModOp, binary.FloorModOp, binary.LogAddExpOp)

FUNCTION = 16
"""The operations of a function such as `exp`."""

_is_element_wise = kind_test(*_ELEMENT_WISE)
_is_move = kind_test(*MOVES)
_starts = kind_test(DequantizeOp, unary.AsTypeOp)


@record
class Source:
    """The bytes of which the elements of a tensor are functions, one of each, and what has moved them since."""

    value: SSAValue
    moves: tuple[RelaxOp, ...] = ()


@record
class Obstacle:
    """An op that computes something else for each channel, as it takes several numbers: a table would be needed for each."""

    op: RelaxOp
    numbers: SSAValue


def _operations(op: Operation) -> int:
    """Returns the number of operations on an element that an op takes, roughly."""
    few = 1 if isinstance(op, _FEW) and not isinstance(op, _FUNCTIONS) else FUNCTION
    return _SOME.get(type(op), few)


def _is_byte(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.element_type in (i8, ui8) and dims(value) is not None


class _Tables:
    """Finds the functions of single bytes in a function of the program, and replaces them by lookups."""

    def __init__(self, function: func.FuncOp, weights: Weights, least: int):
        self.weights = weight_values(function, weights)
        self.least = least
        self.ops = ops_inside(function)
        self.positions = {op: position for position, op in enumerate(self.ops)}
        self.sources: dict[SSAValue, Source] = {}
        """Of each value that is computed of bytes alone, and of numbers that are the same for all of them."""
        self.starts = {value for op in self.ops for value in op.results if _is_byte(value) and _forks(value)}
        """Bytes for which more than one chain may follow: each begins with them."""
        self.obstacles: dict[SSAValue, Obstacle] = {}
        """Of each value that would be computed of bytes alone but for several numbers, the first op that takes such."""

    def run(self) -> None:
        """Replaces the longest chains first, from their ends."""
        for op in self.ops:
            if _is_move(op):
                self._trace_move(op)
            elif _is_element_wise(op):
                self._trace(op)
        erased: set[Operation] = set()
        for op in reversed([op for op in self.ops if isinstance(op, RelaxOp) and _makes_bytes(op)]):
            source = None if op in erased else self.sources.get(op.results[0])
            if source is not None:
                erased.update(self._replaced(op, source))
            elif op not in erased and op.results[0] in self.obstacles:
                _remark_on_obstacle(op, self.obstacles[op.results[0]])

    def _trace_move(self, op: RelaxOp) -> None:
        known = self._computed(op.operands[0])
        if known is not None:
            self.sources[op.results[0]] = Source(known.value, (*known.moves, op))
        elif op.operands[0] in self.obstacles:
            self.obstacles[op.results[0]] = self.obstacles[op.operands[0]]

    def _trace(self, op: RelaxOp) -> None:
        """Notes what the result of an op is a function of, if it is one of a single tensor of bytes and has its shape."""
        result = op.results[0]
        varying = [operand for operand in op.operands if not self.is_number(operand)]
        if result in self.weights or not varying:
            return
        numbers = [operand for operand in varying if operand in self.weights]
        first, *others = (self._computed(operand) or _bytes_of(operand) for operand in varying)
        self._note_obstacle(op, [operand for operand in varying if operand not in numbers], numbers)
        shapes = dims(varying[0]), dims(result)
        # A number with more dims would make another shape.
        if first is None or any(other != first for other in others) or shapes[0] is None or shapes[1] is None:
            return
        if shapes_equal(shapes[0], shapes[1]):
            self.sources[result] = first

    def _note_obstacle(self, op: RelaxOp, varying: Sequence[SSAValue], numbers: Sequence[SSAValue]) -> None:
        """Notes what keeps a result from being a function of bytes: several `numbers`, or what is noted of other operands."""
        noted = [self.obstacles[operand] for operand in varying if operand in self.obstacles and not _is_byte(operand)]
        if noted:
            self.obstacles[op.results[0]] = noted[0]
        elif numbers and varying and all(self._computed(operand) or _is_byte(operand) for operand in varying):
            self.obstacles[op.results[0]] = Obstacle(op, numbers[0])

    def _replaced(self, op: RelaxOp, source: Source) -> Sequence[Operation]:
        """Replaces an op by a lookup where that pays; returns the ops before it that nothing reads any more, which are erased."""
        chain = self._chain(op)
        reason = self._refusal(op, chain)
        if reason:
            text = f"{named_op(op)} is not looked up in a table of 256: {reason}"
            remark(Topic.REWRITE, function_of(op), [link.location for link in chain], text)
            return []
        _replace(op, chain, source, self)
        dead = [before for before in chain[:-1] if not self._stays(before, chain)]
        for before in reversed(dead):
            Rewriter.erase_op(before)
        return dead

    def _computed(self, value: SSAValue) -> Source | None:
        """Returns what a value is a function of; None for bytes that chains begin with."""
        return None if value in self.starts else self.sources.get(value)

    def is_number(self, value: SSAValue) -> bool:
        """Returns whether a tensor is known before the inputs are, and the same number everywhere."""
        if value not in self.weights or not isinstance(value.type, TensorType):
            return False
        return _is_single(value) or _number(value) is not None

    def _chain(self, last: RelaxOp) -> list[RelaxOp]:
        """Returns the ops from the bytes up to the last one, in program order."""
        inside = {last}
        pending = [last]
        while pending:
            for operand in pending.pop().operands:
                owner = operand.owner
                if isinstance(owner, RelaxOp) and owner not in inside and self._computed(operand) is not None:
                    inside.add(owner)
                    pending.append(owner)
        return sorted(inside, key=self.positions.__getitem__)

    def _refusal(self, last: Operation, chain: Sequence[RelaxOp]) -> str:
        """Returns why a table saves no operations: they are few, or other readers need one but the first as well; empty if it does."""
        operations = sum(map(_operations, chain))
        if operations < self.least:
            return f"the {_counted(len(chain))} up to it take {operations} operations for an element, want {self.least} at least"
        stays = (op for op in chain if op is not last and not self._reads_bytes(op) and self._stays(op, chain))
        op = next(stays, None)
        return "" if op is None else f"something else reads {named_op(op)} as well"

    def _stays(self, op: Operation, chain: Sequence[Operation]) -> bool:
        """Returns whether something else than a chain reads what one of its ops makes."""
        return any(use.operation not in chain for use in op.results[0].uses)

    def _reads_bytes(self, op: Operation) -> bool:
        return _starts(op) and self._computed(op.operands[0]) is None


def _makes_bytes(op: Operation) -> bool:
    return _is_element_wise(op) and _is_byte(op.results[0])


def _forks(value: SSAValue) -> bool:
    """Returns whether several ops read bytes, or what dequantizes them."""
    readers = [use.operation for use in value.uses]
    return len(readers) != 1 or (_starts(readers[0]) and not readers[0].results[0].has_one_use())


def _bytes_of(value: SSAValue) -> Source | None:
    return Source(value) if _is_byte(value) else None


def _is_single(value: SSAValue) -> bool:
    shape = dims(value)
    return shape is not None and all(size == 1 for size in shape)


def _number(value: SSAValue) -> np.generic | None:
    """Returns the number that all elements of a constant are; None for anything else."""
    literal = value.owner.value if isinstance(value.owner, ConstantOp) else None
    if not isinstance(literal, DenseIntOrFPElementsAttr) or not is_splat(literal):
        return None
    return dense_to_numpy(literal).flat[0]


def _replace(last: RelaxOp, chain: Sequence[RelaxOp], source: Source, tables: _Tables) -> None:
    """Replaces the last op of a chain by a lookup in what the chain makes of all bytes."""
    emit = Emitter(last)
    moved = source.value
    for move in source.moves:
        with emit.at(move.location):
            (moved,) = emit.like(move, moved, *move.operands[1:])
    type_ = element(source.value)
    every: SSAValue = emit.constant(all_elements(numpy_dtype(type_)), type_)
    values: dict[SSAValue, SSAValue] = {source.value: every}
    for op in chain:
        if isinstance(op, MOVES):
            values[op.results[0]] = values[op.operands[0]]
            continue
        # What is one number along an axis is so along any.
        changed = {"axis": 0} if "axis" in op.properties else {}
        with emit.at(op.location):
            operands = [
                _as_vector(emit, operand) if tables.is_number(operand) else values[operand] for operand in op.operands
            ]
            (values[op.results[0]],) = emit.like(op, *operands, **changed)
    _remark_on_table(last, chain)
    emit.replace(last, [emit.op(TakeOp, values[last.results[0]], moved, axis=0)])


def _remark_on_table(last: Operation, chain: Sequence[Operation]) -> None:
    for op in chain:
        if op is last:
            text = f"is looked up in a table of 256: it and {len(chain) - 1} ops before are functions of one byte"
        else:
            text = f"is computed of all 256 bytes, for the table that {named_op(last)} is looked up in"
        remark(Topic.REWRITE, function_of(op), op.location, f"{named_op(op)} {text}")


def _remark_on_obstacle(last: Operation, obstacle: Obstacle) -> None:
    text = f"{named_op(obstacle.op)} takes {obstacle.numbers.type}, want the same number for all elements"
    locations = dict.fromkeys((obstacle.op.location, last.location))
    remark(Topic.REWRITE, function_of(last), locations, f"{named_op(last)} is not looked up in a table of 256: {text}")


def _counted(ops: int) -> str:
    return f"{ops} op{'s' if ops > 1 else ''}"


def _as_vector(emit: Emitter, value: SSAValue) -> SSAValue:
    """Returns a number as a tensor of rank 0 or 1."""
    rank = len(dims(value) or ())
    if _is_single(value):
        return value if rank < 2 else emit.op(SqueezeOp, value, axis=list(range(rank - 1)))
    number = _number(value)
    assert number is not None
    return emit.constant(np.asarray([number]), element(value))


@dataclass(frozen=True)
class TabulateBytesPass(PassWithOptions):
    """Replaces functions of single 8-bit elements by lookups in tables, such as an activation between two quantizations.

    ```mlir
    %x = relax.dequantize %q, %sx, %zx : (tensor<8x16xui8>, tensor<f32>, tensor<ui8>) -> tensor<8x16xf32>
    %y = relax.nn.gelu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %r = relax.quantize %y, %sy, %zy {out_dtype = ui8} : (tensor<8x16xf32>, tensor<f32>, tensor<ui8>) -> tensor<8x16xui8>
    ```
    becomes
    ```mlir
    %all = relax.constant {value = dense<[0, 1, ..., 255]> : tensor<256xui8>} : () -> tensor<256xui8>
    %x = relax.dequantize %all, %sx, %zx : (tensor<256xui8>, tensor<f32>, tensor<ui8>) -> tensor<256xf32>
    %y = relax.nn.gelu %x : (tensor<256xf32>) -> tensor<256xf32>
    %table = relax.quantize %y, %sy, %zy {out_dtype = ui8} : (...) -> tensor<256xui8>
    %r = relax.take %table, %q {axis = 0 : i64} : (tensor<256xui8>, tensor<8x16xui8>) -> tensor<8x16xui8>
    ```

    The table depends on constants or weights alone, so that `relax-fold-constant` or `relax-lift-transform-params` computes it once. It
    has the element `q` at `q mod 256`. Ops of the chain are element-wise, of one tensor of bytes and of numbers that are weights (which
    `weights` says); quantizations on the way, and ops that move elements, are part of it.

    *Requires* known ranks. *Leaves* chains of fewer than `least` operations (a quantization and its inverse are ten, a function such as
    `exp` is 16, others are one or two), chains of which something else reads a value on the way, and those with a scale for each
    channel. A table that the interpreter computes may differ from native code by one quantum where a function is rounded differently.
    """

    name = "relax-tabulate-bytes"

    weights: Weights = "parameters"
    """What counts as a weight: `arguments`, `parameters` or `constants`."""
    least: int = within(24, 1)
    """The fewest operations of a chain that a table takes the place of."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            if any(map(_makes_bytes, ops_inside(function))):
                _Tables(function, self.weights, self.least).run()
