"""Inserts ops at one point of the IR: constants, elements of tensors, loops and branches that carry values."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import LocationAttr, TensorType, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects.new_op import new_op
from ...dialects.relax.vocabulary.attributes import INDEPENDENT
from ...dialects.walks import ops_inside
from .constructors import INDEX, constant
from .emitter import Emitter, Index

Values: TypeAlias = Sequence[SSAValue]


class OpBuilder(Emitter):
    """Inserts ops at a point, and remembers the constants that it made there."""

    def __init__(self, point: InsertPoint):
        self._builder = Builder(point)
        self._constants: dict[tuple[Any, Attribute], SSAValue] = {}

    @contextmanager
    def located(self, location: LocationAttr) -> Generator[None, None, None]:
        """Gives what is inserted at the end of the block inside, and has no location yet, a location."""
        block = self._builder.insertion_point.block
        last = block.last_op
        yield
        made = block.first_op if last is None else last.next_op
        while made is not None:
            for op in ops_inside(made) if made.regions else (made,):
                if isinstance(op.location, UnknownLoc):
                    op.location = location
            made = made.next_op

    def nested(self, block: Block) -> Self:
        """Returns a builder at the end of a block inside of an op."""
        return type(self)(InsertPoint.at_end(block))

    def insert_op(self, op: Operation) -> Sequence[SSAValue]:
        """Inserts an op and returns its results."""
        self._builder.insert(op)
        return op.results

    def constant(self, value: float | bool, element_type: Attribute) -> SSAValue:
        """Returns a scalar constant of a (signless) type, made once per point."""
        key = (repr(value), element_type)
        if key not in self._constants:
            self._constants[key] = self.insert(constant(value, element_type))
        return self._constants[key]

    def extract(self, source: SSAValue, indices: Sequence[Index]) -> SSAValue:
        """Reads an element of a tensor."""
        assert isinstance(source.type, TensorType)
        return self.insert(
            tensor.ExtractOp(source, [self.as_index(index) for index in indices], source.type.element_type)
        )

    def insert_element(self, scalar: SSAValue, destination: SSAValue, indices: Sequence[Index]) -> SSAValue:
        """Returns a tensor with one element replaced."""
        return self.insert(tensor.InsertOp(scalar, destination, [self.as_index(index) for index in indices]))

    def for_range(
        self,
        lower: Index,
        upper: Index,
        initial: Values,
        body: Callable[[Self, SSAValue, Values], Values],
        step: Index = 1,
        independent: bool = False,
    ) -> Values:
        """Inserts an `scf.for`; `body` gets the index and the carried values and returns the next ones.

        Threads may share the steps of an `independent` one, see `relax.independent`.
        """
        block = Block(arg_types=[INDEX, *(value.type for value in initial)])
        inner = self.nested(block)
        inner.insert_op(scf.YieldOp(*body(inner, block.args[0], block.args[1:])))
        start, end, stride = (self.as_index(bound) for bound in (lower, upper, step))
        loop = new_op(
            scf.ForOp, [start, end, stride, *initial], [value.type for value in initial], regions=[Region(block)]
        )
        if independent:
            INDEPENDENT.set(loop)
        return self.insert_op(loop)

    def for_each(
        self,
        sizes: Sequence[Index],
        initial: Values,
        body: Callable[[Self, list[SSAValue], Values], Values],
        independent: bool = False,
    ) -> Values:
        """Inserts one loop for each size, nested, in row-major order."""

        def nest(builder: Self, outer: list[SSAValue], carried: Values) -> Values:
            if len(outer) == len(sizes):
                return body(builder, outer, carried)

            def level(inner: Self, index: SSAValue, values: Values) -> Values:
                return nest(inner, [*outer, index], values)

            return builder.for_range(0, sizes[len(outer)], carried, level, independent=independent)

        return nest(self, [], initial)

    def while_loop(
        self,
        initial: Values,
        condition: Callable[[Self, Values], SSAValue],
        body: Callable[[Self, Values], Values],
    ) -> Values:
        """Inserts an `scf.while` whose carried values keep their types."""
        types = [value.type for value in initial]
        before, after = Block(arg_types=types), Block(arg_types=types)
        test, step = self.nested(before), self.nested(after)
        test.insert_op(scf.ConditionOp(condition(test, before.args), *before.args))
        step.insert_op(scf.YieldOp(*body(step, after.args)))
        return self.insert_op(scf.WhileOp(initial, types, Region(before), Region(after)))

    def if_else(
        self, condition: SSAValue, then: Callable[[Self], Values], otherwise: Callable[[Self], Values]
    ) -> Values:
        """Inserts an `scf.if`; both branches return values of the same types."""
        regions: list[Region] = []
        types: list[Attribute] = []
        for branch in (then, otherwise):
            block = Block()
            inner = self.nested(block)
            results = branch(inner)
            inner.insert_op(scf.YieldOp(*results))
            regions.append(Region(block))
            types = [result.type for result in results]
        return self.insert_op(scf.IfOp(condition, types, regions[0], regions[1]))
