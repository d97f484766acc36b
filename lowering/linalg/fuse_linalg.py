"""The pass `fuse-linalg`: element-wise producers are computed inside the `linalg.generic` that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import Rewriter

from ...dialects.relax.dense import is_splat
from ...dialects.upstream.positions import fused
from ...dialects.walks import ops_inside
from ...passes.analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ...passes.options import PassWithOptions, within
from ...records import record
from ..emit.constructors import constant

PARALLEL = IteratorTypeAttr.parallel()
_WIDENING = {"arith.extf", "arith.extsi", "arith.extui"}
_CHEAP_MATH = {"math.absf", "math.absi", "math.copysign", "math.fma"}
_NARROW = 8
"""Innermost iterations of which vectors have few lanes: less than half of those of AVX-512."""
_INDEX_OPS = 3
"""Light ops on indices and constants alone that every reader may do again, such as those of a triangle of bits."""
_COSTLY = {"arith.divf", "arith.divsi", "arith.divui", "arith.remf", "arith.remsi", "arith.remui"}


@dataclass(frozen=True)
class FuseLinalgPass(PassWithOptions):
    """Inlines all-parallel producers into their consumers by composing indexing maps.

    ```mlir
    %y = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%a: f32, %b: f32): %c = math.exp %a ... linalg.yield %c }
    %z = linalg.generic {...} ins(%y) outs(%e) { ^bb0(%a: f32, %b: f32): %c = arith.negf %a ... linalg.yield %c }
    ```
    becomes
    ```mlir
    %z = linalg.generic {...} ins(%x) outs(%e) {
    ^bb0(%a: f32, %b: f32):
      %c = math.exp %a : f32
      %d = arith.negf %c : f32
      linalg.yield %d : f32
    ```

    Before: one `linalg.generic` an operation. After: fewer and larger ones; fills and splats that are only read became
    scalars; dead ops and unused operands are gone. No operation is reordered inside an element, so that results do not
    change by a bit. A producer is inlined if its consumer is the only user and reads each element once, or if it is
    cheap (at most `cheap_ops` light ops) and has at most `max_uses` users; not if it divides, or calls functions of math, and its consumer
    alone has fewer than 8 innermost iterations. Contractions only take over widenings,
    permutations and broadcasts of their operands. `max_operands` limits the operands of one op.
    """

    name = "fuse-linalg"
    cheap_ops: int = within(2, 0)
    """The most ops of a producer that is computed for each of several consumers."""
    max_uses: int = within(3, 1)
    """The most consumers of such a producer."""
    max_operands: int = within(24, 1)
    """The most operands of an op that takes in another."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                generics = [g for g in ops_inside(function) if isinstance(g, linalg.GenericOp) and g.results]
                for generic in generics:
                    _Consumer(generic, self).run()
                erase_dead(function)


@record(frozen=False)
class _Producer:
    """What is needed to compute one element of an operand inside another op."""

    op: linalg.GenericOp
    loops: list[AffineExpr]
    """The producer's loops in terms of the consumer's."""


class _Consumer:
    """Takes producers into one op; the op is rebuilt once, at the end."""

    def __init__(self, op: linalg.GenericOp, options: FuseLinalgPass):
        self.op = op
        self.options = options
        self.inputs = list(op.inputs)
        self.outputs = list(op.outputs)
        self.maps = [m.data for m in op.indexing_maps.data]
        self.loops = len(op.iterator_types.data)
        self.block = op.body.block
        self.contraction = is_contraction(op)
        self.changed = False
        self.locations = [op.location]
        """Those of the op and of what it has taken in."""

    def run(self) -> None:
        position = 0
        while position < len(self.inputs):
            if not self._drop(position) and not self._scalar(position) and not self._inline(position):
                position += 1
        if self.changed:
            self._rebuild()

    def _bound_without(self, position: int, added: Sequence[AffineMap] = ()) -> bool:
        """Returns whether the remaining operands still tell the size of each loop."""
        maps = [*self.maps[:position], *self.maps[position + 1 :], *added]
        dims = {r.position for m in maps for r in m.results if isinstance(r, AffineDimExpr)}
        return len(dims) == self.loops

    def _remove(self, position: int) -> None:
        self.block.erase_arg(self.block.args[position])
        del self.inputs[position], self.maps[position]
        self.changed = True

    def _drop(self, position: int) -> bool:
        """Removes an input that is not used, or that another input repeats."""
        arg = self.block.args[position]
        if arg.first_use is not None:
            for other in range(position):
                if self.inputs[other] is self.inputs[position] and self.maps[other] == self.maps[position]:
                    arg.replace_all_uses_with(self.block.args[other])
                    break
            else:
                return False
        if not self._bound_without(position):
            return False
        self._remove(position)
        return True

    def _scalar(self, position: int) -> bool:
        """Replaces an input that repeats one value by the value."""
        arg = self.block.args[position]
        if arg.first_use is None or not self._bound_without(position):
            return False
        owner = self.inputs[position].owner
        first = self.block.first_op
        assert first is not None
        value: SSAValue
        if isinstance(owner, linalg.FillOp) and owner.inputs[0].type == arg.type:
            value = owner.inputs[0]
        elif isinstance(owner, tensor.SplatOp):
            value = owner.input
        elif isinstance(owner, arith.ConstantOp):
            scalar = _splat_value(owner)
            if scalar is None:
                return False
            copy = arith.ConstantOp(scalar)  # pyright: ignore
            self.block.insert_op_before(copy, first)
            value = copy.result
        else:
            return False
        arg.replace_all_uses_with(value)
        self._remove(position)
        return True

    def _inline(self, position: int) -> bool:
        producer = self._producer(position)
        if producer is None:
            return False
        source = producer.op
        loops = producer.loops
        # Invariant: operand `position` stays until the end, so that the producer's operands are inserted behind it, in order.
        kept = [i for i in range(len(source.inputs)) if source.body.block.args[i].first_use is not None]
        maps = [_compose(source.indexing_maps.data[i].data, loops, self.loops) for i in kept]
        arg = self.block.args[position]
        if arg.first_use is None or not self._bound_without(position, maps):
            return False
        if len(self.inputs) + len(self.outputs) + len(kept) - 1 > self.options.max_operands:
            return False
        first = self.block.first_op
        assert first is not None
        mapping: dict[SSAValue, SSAValue] = {}
        for offset, i in enumerate(kept):
            at = position + 1 + offset
            mapping[source.body.block.args[i]] = self.block.insert_arg(source.body.block.args[i].type, at)
            self.inputs.insert(at, source.inputs[i])
            self.maps.insert(at, maps[offset])
        self.locations.append(source.location)
        if is_recording():
            text = f"{named_op(source)} is computed inside of the loops of {named_op(self.op)}"
            remark(Topic.LOOPS, function_of(self.op), source.location, text, others=[self.op.location])
        # A body that nothing else needs moves, so that a row of ops costs what its ops are, not the square of that.
        moves = source.results[0].has_one_use()
        for inner in list(source.body.block.ops):
            if isinstance(inner, linalg.YieldOp):
                result = inner.operands[0]
                arg.replace_all_uses_with(mapping.get(result, result))
            elif isinstance(inner, linalg.IndexOp):
                mapping[inner.result] = self._loop_value(loops[inner.dim.value.data], first)
            elif moves:
                inner.detach()
                self.block.insert_op_before(inner, first)
                inner.operands = [mapping.get(operand, operand) for operand in inner.operands]
            else:
                clone = inner.clone(mapping)
                self.block.insert_op_before(clone, first)
                for old, new in zip(inner.results, clone.results, strict=True):
                    mapping[old] = new
        self._remove(position)
        return True

    def _loop_value(self, expr: AffineExpr, before: Operation) -> SSAValue:
        if isinstance(expr, AffineDimExpr):
            new: Operation = linalg.IndexOp(expr.position)
        else:
            assert isinstance(expr, AffineConstantExpr)
            new = constant(expr.value)
        self.block.insert_op_before(new, before)
        return new.results[0]

    def _producer(self, position: int) -> _Producer | None:
        """Returns the op behind an input, if it may be computed here."""
        # Invariant: the op writes each point of its result once, so that `loops` gives its loops at the point that is read here.
        source = self.inputs[position].owner
        if (
            not isinstance(source, linalg.GenericOp)
            or source.parent is not self.op.parent
            or len(source.results) != 1
            or any(t != PARALLEL for t in source.iterator_types.data)
            or source.body.block.args[len(source.inputs)].first_use is not None
        ):
            return None
        written = source.indexing_maps.data[len(source.inputs)].data
        dims = [r.position for r in written.results if isinstance(r, AffineDimExpr)]
        if len(dims) != len(written.results) or sorted(dims) != list(range(written.num_dims)):
            return None
        read = self.maps[position]
        loops: list[AffineExpr] = [AffineExpr.constant(0)] * written.num_dims
        for dim, expr in zip(dims, read.results, strict=True):
            loops[dim] = expr
        body = [op for op in source.body.block.ops if not isinstance(op, linalg.YieldOp)]
        if any(
            isinstance(op, linalg.IndexOp)
            and not isinstance(loops[op.dim.value.data], AffineDimExpr | AffineConstantExpr)
            for op in body
        ):
            return None
        return _Producer(source, loops) if self._worthwhile(source, read, body) else None

    def _worthwhile(self, source: linalg.GenericOp, read: AffineMap, body: Sequence[Operation]) -> bool:
        """Returns whether computing a producer at each point that reads it costs less than its result in memory."""
        # First what costs nothing, last what is computed once for each reader.
        if any(op.regions for op in body):
            return False
        if self.contraction:
            if any(map(_has_quotient, (e for m in source.indexing_maps.data for e in m.data.results))):
                return False
            return not body or (len(body) == 1 and body[0].name in _WIDENING and len(source.inputs) == 1)
        if not body:
            return True
        users = {use.operation for use in source.results[0].uses}
        once = len({r.position for r in read.results if isinstance(r, AffineDimExpr)}) == self.loops
        few = len(body) <= self.options.cheap_ops if source.inputs else _arithmetic(body) <= _INDEX_OPS
        cheap = few and not any(map(_is_costly, body))
        if users == {self.op}:
            # A transposition to a few channels has vectors of as many lanes, which would be most of the time in arithmetic.
            moves = _narrow(self.op) and not _narrow(source)
            return (once and not (moves and any(map(_is_costly, body)))) or cheap
        return cheap and len(users) <= self.options.max_uses

    def _rebuild(self) -> None:
        op = self.op
        region = op.detach_region(op.body)
        new = linalg.GenericOp(
            self.inputs,
            self.outputs,
            region,
            [AffineMapAttr(m) for m in self.maps],
            op.iterator_types,
            list(op.result_types),
            op.doc,
            op.library_call,
        )
        new.attributes.update(op.attributes)
        new.location = fused(self.locations)
        Rewriter.replace_op(op, new)


def _has_quotient(expr: AffineExpr) -> bool:
    """Returns whether an expression is not linear."""
    kinds = (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
    return any(isinstance(e, AffineBinaryOpExpr) and e.kind not in kinds for e in expr.dfs())


def _arithmetic(body: Sequence[Operation]) -> int:
    """Returns how many ops compute something, of those that are no indices or constants."""
    return sum(not isinstance(op, linalg.IndexOp | arith.ConstantOp) for op in body)


def _is_costly(op: Operation) -> bool:
    is_function = op.name.startswith("math.") and op.name not in _CHEAP_MATH
    return is_function or op.name in _COSTLY or isinstance(op, tensor.ExtractOp)


def _narrow(op: linalg.GenericOp) -> bool:
    """Returns whether the last dim of an element-wise op is known to be short."""
    shape = cast(TensorType, op.results[0].type).get_shape()
    return all(t == PARALLEL for t in op.iterator_types.data) and bool(shape) and 1 < shape[-1] < _NARROW


def _compose(inner: AffineMap, loops: Sequence[AffineExpr], count: int) -> AffineMap:
    """Returns an operand map of a producer in terms of the consumer's loops."""
    return AffineMap(count, 0, tuple(r.replace_dims_and_symbols(loops, ()) for r in inner.results))


def is_contraction(op: linalg.GenericOp) -> bool:
    """Returns whether an op multiplies two inputs and sums."""
    if len(op.inputs) < 2 or all(t == PARALLEL for t in op.iterator_types.data):
        return False
    names = {inner.name for inner in op.body.block.ops}
    return bool(names & {"arith.mulf", "arith.muli", "arith.andi", "complex.mul"}) and bool(
        names & {"arith.addf", "arith.addi", "arith.ori", "complex.add"}
    )


def _splat_value(op: arith.ConstantOp) -> Attribute | None:
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(op.result.type, TensorType):
        return None
    if not is_splat(value):
        return None
    element = value.get_element_type()
    number = next(iter(value.iter_values()), None)
    if isinstance(number, float) and isinstance(element, AnyFloat):
        return FloatAttr(number, element)
    if isinstance(number, int):
        return IntegerAttr(number, element)  # pyright: ignore
    return None


_PURE = (linalg.GenericOp, linalg.FillOp, tensor.EmptyOp, tensor.DimOp, tensor.SplatOp, arith.ConstantOp)


def erase_dead(function: func.FuncOp) -> None:
    """Removes ops whose results nobody uses, users first."""
    pending: list[Block] = list(function.body.blocks)
    while pending:
        block = pending.pop()
        op = block.last_op
        while op is not None:
            previous = op.prev_op
            dead = bool(op.results) and all(r.first_use is None for r in op.results)
            if dead and (isinstance(op, _PURE) or op.name.startswith("tensor.")):
                op.detach()
                op.erase()
            else:
                for region in op.regions:
                    pending.extend(region.blocks)
            op = previous
