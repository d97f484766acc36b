"""Random private functions: tuples and tensors as arguments, of which not all are read, and several results."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, f32
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.dialects.relax.ops.core import DataflowOp, OutputOp, ShapeOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.create import OnesOp
from xdsl_relax.dialects.relax.ops.unary import NegativeOp, TanhOp
from xdsl_relax.dialects.upstream.func_ops import CallOp

TypeOf = Callable[[Any], Attribute]
"""The type of a shape: a tuple of dims for a tensor, a list of shapes for a tuple."""

Typed = tuple[Any, SSAValue]
"""A shape and a value that has it."""

TENSORS: list[Any] = [(3, 4), (4, 4), (4,), ("n", 4), ("b", 4), ("n",)]


@dataclass(frozen=True)
class Callee:
    """A function that others call."""

    function: func.FuncOp
    parameters: list[Any]
    """The shapes of the arguments."""
    results: list[Any]
    """The shapes of the results."""

    def call(self, block: Block, values: list[Typed], type_of: TypeOf, rng: random.Random) -> list[Typed] | None:
        """Calls the function with some of the values; returns tensors among its results, `None` if no values fit."""
        operands = [argument(block, shape, values, type_of, rng) for shape in self.parameters]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        call = CallOp(self.function.sym_name.data, known, [type_of(shape) for shape in self.results])
        block.add_op(call)
        read: list[Typed] = []
        for shape, value in zip(self.results, call.results, strict=True):
            read += tensors(block, shape, value, rng)
        return read


def argument(block: Block, shape: Any, values: list[Typed], type_of: TypeOf, rng: random.Random) -> SSAValue | None:
    """Returns a value of a shape: one that is there, or one made for it; `None` if its size is not known."""
    fitting = [value for other, value in values if other == shape]
    if fitting:
        return rng.choice(fitting)
    if not isinstance(shape, list):
        return None if symbols_of(shape) else emit_ones(block, type_of(shape))
    fields = [argument(block, field, values, type_of, rng) for field in shape]
    known = [field for field in fields if field is not None]
    if len(known) < len(fields):
        return None
    bundle = TupleOp.build_from(*known)
    block.add_op(bundle)
    return bundle.result


def tensors(block: Block, shape: Any, value: SSAValue, rng: random.Random) -> list[Typed]:
    """Reads some of the tensors in a value."""
    if rng.random() < 0.3:
        return []
    if not isinstance(shape, list):
        return [(shape, value)]
    read: list[Typed] = []
    for index, field in enumerate(shape):
        if rng.random() < 0.7:
            item = TupleGetItemOp.build_from(value, index=index)
            block.add_op(item)
            read += tensors(block, field, item.result, rng)
    return read


def random_shape(rng: random.Random, depth: int = 0) -> Any:
    """Returns the shape of a tensor, or of a tuple."""
    if depth < 2 and rng.random() < 0.35:
        return [random_shape(rng, depth + 1) for _ in range(rng.randint(1, 3))]
    return rng.choice(TENSORS)


def symbols_of(shape: Any) -> set[str]:
    """Returns the symbols in a shape."""
    if isinstance(shape, list):
        return set().union(*map(symbols_of, shape))
    return {dim for dim in shape if isinstance(dim, str)}


def random_callee(rng: random.Random, name: str, others: list[Callee], type_of: TypeOf) -> Callee:
    """Returns a private function that may call others."""
    parameters = [random_shape(rng) for _ in range(rng.randint(1, 4))]
    entry = Block(arg_types=[type_of(shape) for shape in parameters])
    for index, arg in enumerate(entry.args):
        arg.name_hint = f"a{index}"
    body = Block() if rng.random() < 0.7 else entry
    values: list[Typed] = []
    for shape, arg in zip(parameters, entry.args, strict=True):
        values += tensors(body, shape, arg, rng)
    known = set().union(*map(symbols_of, parameters))
    for _ in range(rng.randint(1, 5)):
        grow(rng, body, values, others, type_of, known)
    results = rng.sample(values, rng.randint(1, min(4, len(values))))
    if rng.random() < 0.2:
        results.append(rng.choice(results))
    if rng.random() < 0.5:
        results = [bundle(rng, body, results)]
    returned = [value for _, value in results]
    if body is not entry:
        body.add_op(OutputOp(*returned))
        dataflow = DataflowOp(body, [value.type for value in returned])
        entry.add_op(dataflow)
        returned = list(dataflow.outputs)
    entry.add_op(func.ReturnOp(*returned))
    signature = FunctionType.from_lists([arg.type for arg in entry.args], [value.type for value in returned])
    function = func.FuncOp(name, signature, Region(entry), "private")
    return Callee(function, parameters, [shape for shape, _ in results])


def bundle(rng: random.Random, block: Block, results: list[Typed]) -> Typed:
    """Returns a tuple of values, some of them in a tuple of their own."""
    if len(results) > 2 and rng.random() < 0.4:
        results = [results[0], bundle(rng, block, results[1:])]
    op = TupleOp.build_from(*(value for _, value in results))
    block.add_op(op)
    return [shape for shape, _ in results], op.result


def grow(
    rng: random.Random, block: Block, values: list[Typed], others: list[Callee], type_of: TypeOf, known: set[str]
) -> None:
    """Appends an op, and its result to the values."""
    if others and rng.random() < 0.3:
        values += rng.choice(others).call(block, values, type_of, rng) or []
    if not values or rng.random() < 0.2:
        values.append(ones(rng, block, type_of, known))
        return
    shape, value = rng.choice(values)
    same = [other for other_shape, other in values if other_shape == shape]
    if rng.random() < 0.5:
        op = AddOp.build_from(value, rng.choice(same))
    else:
        op = rng.choice([TanhOp, NegativeOp]).build_from(value)
    block.add_op(op)
    values.append((shape, op.result))


def ones(rng: random.Random, block: Block, type_of: TypeOf, known: set[str]) -> Typed:
    """Appends an op without parameters."""
    shape = rng.choice([candidate for candidate in TENSORS if symbols_of(candidate) <= known])
    return shape, emit_ones(block, type_of(shape))


def emit_ones(block: Block, value_type: Attribute) -> SSAValue:
    """Appends ones of a tensor type."""
    sizes = ShapeOp.build_from(result_types=[ShapeType(tuple(dims_of(value_type) or ()))])
    op = OnesOp.build_from(sizes.result, dtype=f32)
    block.add_ops([sizes, op])
    return op.result
