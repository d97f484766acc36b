"""Random modules for parameter lifting: several functions that share weights, with everything that makes lifting hard."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    TupleType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of, element_type_of, tensor_type
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.ops.binary import AddOp, MultiplyOp
from xdsl_relax.dialects.relax.ops.core import (
    ConstantOp,
    DataflowOp,
    MatchCastOp,
    OutputOp,
    ShapeOp,
    StopLiftParamsOp,
    TupleGetItemOp,
    TupleOp,
)
from xdsl_relax.dialects.relax.ops.linear_algebra import MatmulOp
from xdsl_relax.dialects.relax.ops.manipulate import ConcatOp, PermuteDimsOp, ReshapeOp
from xdsl_relax.dialects.relax.ops.unary import AbsOp, NegativeOp, TanhOp
from xdsl_relax.dialects.symbolic.expressions import Dim, Symbol, evaluate, product, substitute, symbols
from xdsl_relax.dialects.symbolic.parser import dim_from_string
from xdsl_relax.dialects.upstream.func_ops import CallOp

from generators.lift_callees import Callee, emit_ones, random_callee, symbols_of

SIZES = {"n": 3, "m": 2, "p": 5}
"""The sizes of the symbols; p is that of dims which types leave unknown."""

Shape = tuple[Any, ...]
"""Dims: ints, strings, and None for an unknown one."""


@dataclass
class Step:
    """One binding of the common program: an op on earlier values, and the shape of its result (a list for a tuple)."""

    kind: str
    operands: list[int]
    shape: Any
    seed: int = 0


@dataclass
class Program:
    """Weights, and steps on them; functions do some of the steps each."""

    weights: list[Any]
    steps: list[Step] = field(default_factory=list)
    casts: bool = True
    repeats: bool = True
    """Whether a function may do a step twice."""
    returns: bool = True
    """Whether a function may return what weights alone tell."""
    common: bool = False
    """Whether all functions read the first weight outside of dataflow blocks."""

    def shape(self, index: int) -> Any:
        """Returns the shape of a value: the weights first, then the steps."""
        return self.weights[index] if index < len(self.weights) else self.steps[index - len(self.weights)].shape


def dim(value: Any, names: dict[str, str]) -> Dim:
    """Returns a dim, with symbols renamed."""
    if not isinstance(value, str):
        return value
    return substitute(dim_from_string(value), {old: Symbol(new) for old, new in names.items()})


def type_of(shape: Any, names: dict[str, str]) -> Attribute:
    """Returns the type of a tensor (a tuple of dims) or of a tuple (a list)."""
    if isinstance(shape, list):
        return TupleType(tuple(cast(TypeAttribute, type_of(field, names)) for field in shape))
    return tensor_type([dim(size, names) for size in shape], f32)


def random_program(rng: random.Random) -> Program:
    """Makes weights, and steps that depend on them alone."""
    choices: list[Any] = [(3, 4), (4, 4), (4, 3), (4,), ("n", 4), (4, "n"), ("n",), ("m", "n"), (4, "2 * n")]
    weights: list[Any] = [rng.choice(choices) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.2:
        weights.append([(3, 4), (4, 4)])
    if rng.random() < 0.15:
        weights.append((None, None))
    program = Program(weights)
    program.casts, program.repeats, program.returns, program.common = (rng.random() < p for p in (0.3, 0.3, 0.3, 0.7))
    for _ in range(rng.randint(1, 10)):
        step = random_step(rng, program)
        if step is not None:
            program.steps.append(step)
    return program


def random_step(rng: random.Random, program: Program) -> Step | None:
    """Makes a step on random earlier values, `None` if the choice does not fit."""
    count = len(program.weights) + len(program.steps)
    first, second = rng.randrange(count), rng.randrange(count)
    shape = program.shape(first)
    if isinstance(shape, list):
        index = rng.randrange(len(shape))
        return Step("item", [first], shape[index], index)
    if None in shape:
        return Step("cast_new", [first], ("p", 5))
    kind = rng.choice(
        "negative abs tanh permute add multiply matmul concat flatten constant stop call tuple cast none square ones".split()
    )
    other = program.shape(second)
    known = {size for weight in program.weights for size in _flat(weight) if isinstance(size, str)}
    match kind:
        case "permute" if len(shape) == 2:
            return Step(kind, [first], shape[::-1])
        case "add" | "multiply":
            same = [operand for operand in range(count) if program.shape(operand) == shape]
            return Step(kind, [first, rng.choice(same)], shape)
        case "matmul" if len(shape) == 2 and isinstance(other, tuple) and len(other) == 2 and shape[1] == other[0]:
            return Step(kind, [first, second], (shape[0], other[1]))
        case "concat" if len(shape) == 2 and None not in shape:
            return Step(
                kind,
                [first, first],
                (str(product([2, dim(shape[0], {})])) if isinstance(shape[0], str) else 2 * shape[0], shape[1]),
            )
        case "flatten" if len(shape) == 2:
            total = product([dim(size, {}) for size in shape])
            return Step(kind, [first], (total if isinstance(total, int) else str(total),))
        case "constant" if all(isinstance(size, int) for size in shape):
            return Step(kind, [first], shape, rng.randrange(2))
        case "call" if shape == (3, 4):
            return Step(kind, [first], shape)
        case "ones" if None not in shape and known >= symbols_of(shape):
            return Step(kind, [], shape)
        case "tuple" if isinstance(other, tuple) and None not in other:
            return Step(kind, [first, second], [shape, other])
        case "cast" if not program.casts:
            return None
        case "negative" | "abs" | "tanh" | "cast" | "square":
            return Step(kind, [first], shape)
        case "stop" if rng.random() < 0.5:
            return Step(kind, [first], shape)
        case _:
            return None


class FunctionWriter:
    """Writes one function: some of the steps in a random order, mixed with what depends on run-time arguments."""

    def __init__(
        self, rng: random.Random, program: Program, name: str, names: dict[str, str], callees: list[Callee]
    ) -> None:
        self.rng, self.program, self.name, self.names, self.callees = rng, program, name, names, callees
        self.unary: dict[str, Any] = {"negative": NegativeOp, "abs": AbsOp, "tanh": TanhOp}

    def write(self) -> func.FuncOp:
        """Returns the function."""
        rng, program = self.rng, self.program
        inputs = self._inputs()
        types = [type_of(shape, self.names) for shape in (*inputs, *program.weights)]
        entry = Block(arg_types=types)
        for index, arg in enumerate(entry.args):
            arg.name_hint = f"x{index}" if index < len(inputs) else f"w{index - len(inputs)}"
        self.values: dict[int, list[SSAValue]] = {
            index: [value] for index, value in enumerate(entry.args[len(inputs) :])
        }
        self.run_time: list[tuple[Any, SSAValue]] = list(zip(inputs, entry.args, strict=False))
        pending = [
            index
            for index in range(len(program.weights), len(program.weights) + len(program.steps))
            if rng.random() < 0.8
        ]
        for _ in range(rng.choice([1, 1, 2])):
            self._dataflow(entry, pending)
        if rng.random() < 0.3:
            self._emit_runtime(entry)
        results = self._results()
        if program.common and isinstance(program.weights[0], tuple):
            read = TanhOp.build_from(entry.args[len(inputs)])
            entry.add_op(read)
            results.append(read.result)
        entry.add_op(func.ReturnOp(*results))
        attributes = [DictionaryAttr({}) for _ in inputs]
        attributes += [
            DictionaryAttr({"relax.name": StringAttr(f"layer.{index}.weight")}) for index in range(len(program.weights))
        ]
        function = func.FuncOp(
            self.name,
            FunctionType.from_lists(types, [value.type for value in results]),
            Region(entry),
            arg_attrs=ArrayAttr(attributes),
        )
        function.attributes["relax.num_input"] = IntegerAttr(len(inputs), i64)
        return function

    def _type_of(self, shape: Any) -> Attribute:
        return type_of(shape, self.names)

    def _inputs(self) -> list[Shape]:
        inputs: list[Shape] = [
            self.rng.choice([(3, 4), (4, 4), ("b", 4), ("n", 4), (4,)]) for _ in range(self.rng.randint(1, 2))
        ]
        bare = {size for shape in (*inputs, *self.program.weights) for size in _flat(shape) if isinstance(size, str)}
        used = {
            name
            for shape in (*inputs, *self.program.weights)
            for size in _flat(shape)
            if isinstance(size, str)
            for name in symbols(dim_from_string(size))
        }
        return inputs + [(name,) for name in sorted(used - bare)]

    def _dataflow(self, entry: Block, pending: list[int]) -> None:
        inner = Block()
        start = {id(value) for values in self.values.values() for value in values} | {
            id(value) for _, value in self.run_time
        }
        while True:
            ready = [
                index
                for index in pending
                if all(
                    operand in self.values for operand in self.program.steps[index - len(self.program.weights)].operands
                )
            ]
            if not ready or self.rng.random() < 0.05:
                break
            if self.rng.random() < 0.3:
                self._emit_runtime(inner)
                continue
            index = self.rng.choice(ready)
            pending.remove(index)
            step = self.program.steps[index - len(self.program.weights)]
            for _ in range(2 if self.program.repeats and step.kind != "cast_new" and self.rng.random() < 0.3 else 1):
                self.values.setdefault(index, []).append(self._emit(inner, step))
        self._emit_runtime(inner)
        leaving: list[SSAValue] = []
        for values in (*self.values.values(),):
            leaving += [value for value in values if id(value) not in start]
        leaving += [value for _, value in self.run_time if id(value) not in start]
        inner.add_op(OutputOp(*leaving))
        dataflow = DataflowOp(inner, [value.type for value in leaving])
        entry.add_op(dataflow)
        outside = dict(zip(leaving, dataflow.outputs, strict=True))
        self.values = {index: [outside.get(value, value) for value in values] for index, values in self.values.items()}
        self.run_time = [(shape, outside.get(value, value)) for shape, value in self.run_time]

    def _emit(self, block: Block, step: Step) -> SSAValue:
        def add(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        operands = [self.rng.choice(self.values[operand]) for operand in step.operands]
        result_type = type_of(step.shape, self.names)
        match step.kind:
            case "negative" | "abs" | "tanh":
                value = add(self.unary[step.kind].build_from(*operands))
            case "square":
                value = add(MultiplyOp.build_from(operands[0], operands[0]))
            case "add":
                value = add(AddOp.build_from(*operands))
            case "multiply":
                value = add(MultiplyOp.build_from(*operands))
            case "matmul":
                value = add(MatmulOp.build_from(*operands))
            case "permute":
                value = add(PermuteDimsOp.build_from(*operands, axes=[1, 0]))
            case "concat":
                value = add(ConcatOp.build_from(operands[0], operands[0], axis=0))
            case "flatten":
                dims = tuple(dim(size, self.names) for size in step.shape)
                shape = add(ShapeOp.build_from(result_types=[ShapeType(dims)]))
                value = add(ReshapeOp.build_from(operands[0], shape))
            case "constant":
                data = np.random.default_rng(step.seed).standard_normal(step.shape).astype(np.float32)
                dense = DenseIntOrFPElementsAttr.from_list(TensorType(f32, step.shape), data.ravel().tolist())
                constant = add(ConstantOp.build_from(value=dense))
                if step.seed:
                    constant = add(NegativeOp.build_from(constant))
                value = add(AddOp.build_from(operands[0], constant))
            case "ones":
                value = emit_ones(block, result_type)
            case "call":
                value = add(CallOp("helper", operands, [result_type]))
            case "tuple":
                value = add(TupleOp.build_from(*operands))
            case "item":
                value = add(TupleGetItemOp.build_from(operands[0], index=step.seed))
            case "stop":
                value = add(StopLiftParamsOp.build_from(*operands))
            case _:
                value = add(MatchCastOp.build_from(*operands, result_types=[result_type]))
        if self.rng.random() < 0.5:
            value.name_hint = f"v_{step.kind}"
        return value

    def _emit_runtime(self, block: Block) -> None:
        """Inserts an op that reads a run-time value, and a value of the common program if one fits, or a call."""
        if self.callees and self.rng.random() < 0.4:
            everything = [
                (self.program.shape(index), value) for index, values in self.values.items() for value in values
            ]
            callee = self.rng.choice(self.callees)
            self.run_time += callee.call(block, self.run_time + everything, self._type_of, self.rng) or []
            return
        shape, value = self.rng.choice(self.run_time)
        fitting = [
            (index, value)
            for index, values in self.values.items()
            if isinstance(self.program.shape(index), tuple)
            for value in values
            if self.program.shape(index) == shape
            or (len(shape) == 2 and self.program.shape(index)[:1] == shape[1:] == (4,))
        ]
        if not fitting:
            op: Any = TanhOp.build_from(value)
            result = shape
        else:
            index, other = self.rng.choice(fitting)
            right = self.program.shape(index)
            if right == shape:
                op, result = AddOp.build_from(value, other), shape
            elif len(right) == 1:
                op, result = AddOp.build_from(value, other), shape
            else:
                op, result = MatmulOp.build_from(value, other), (shape[0], right[1])
        block.add_op(op)
        self.run_time.append((result, op.results[0]))

    def _results(self) -> list[SSAValue]:
        every = [value for _, value in self.run_time]
        if self.program.returns:
            every += [value for values in self.values.values() for value in values]
        return self.rng.sample(every, self.rng.randint(1, min(3, len(every))))


def _flat(shape: Any) -> list[Any]:
    return [size for part in shape for size in _flat(part)] if isinstance(shape, list) else list(shape)


def helper() -> func.FuncOp:
    """Returns a private function that the programs call."""
    block = Block(arg_types=[TensorType(f32, [3, 4])])
    op = TanhOp.build_from(block.args[0])
    block.add_ops([op, func.ReturnOp(op.results[0])])
    types = [TensorType(f32, [3, 4])]
    return func.FuncOp("helper", FunctionType.from_lists(types, types), Region(block), "private")


def random_module(seed: int) -> ModuleOp:
    """Returns the module of a seed."""
    rng = random.Random(seed)
    program = random_program(rng)
    callees: list[Callee] = []
    for index in range(rng.choice([0, 0, 1, 2, 3])):
        names = renamed(f"_c{index}")
        callees.append(random_callee(rng, f"c{index}", callees, lambda shape, names=names: type_of(shape, names)))
    functions: list[func.FuncOp] = []
    for index in range(rng.randint(1, 3)):
        names = renamed(f"_{index}" if rng.random() < 0.4 else "")
        functions.append(FunctionWriter(rng, program, f"f{index}", names, callees).write())
    if len(functions) > 1 and rng.random() < 0.15:
        del functions[-1].attributes["relax.num_input"]
    functions += [callee.function for callee in callees]
    rng.shuffle(functions)
    return ModuleOp([*functions, helper()])


def renamed(suffix: str) -> dict[str, str]:
    """Returns the names of the symbols in a function."""
    return {name: f"{name}{suffix}" for name in ("n", "m", "b", "p")}


def random_arguments(function: func.FuncOp, sizes: Callable[[str], int], seed: int) -> list[Any]:
    """Returns arrays for the arguments of a function; an unknown dim has the size of `p`."""
    rng = np.random.default_rng(seed)
    return [_random_value(value_type, sizes, rng) for value_type in function.function_type.inputs.data]


def _random_value(value_type: Attribute, sizes: Callable[[str], int], rng: np.random.Generator) -> Any:
    if isinstance(value_type, TupleType):
        return tuple(_random_value(field, sizes, rng) for field in value_type.types.data)
    shape = [
        SIZES["p"] if size is None else evaluate(size, {name: sizes(name) for name in symbols(size)})
        for size in dims_of(value_type) or ()
    ]
    dtype = numpy_dtype(element_type_of(value_type))
    return rng.integers(0, 7, shape).astype(dtype) if dtype.kind in "iu" else rng.standard_normal(shape).astype(dtype)


def size_of(name: str) -> int:
    """Returns the size of a symbol by the first letter of its name."""
    return {**SIZES, "b": 6}[name[0]]


def flattened(values: Sequence[Any]) -> list[Any]:
    """Returns the arrays in nested tuples."""
    return [leaf for value in values for leaf in (flattened(value) if isinstance(value, tuple) else [value])]
