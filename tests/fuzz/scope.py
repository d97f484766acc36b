"""A function under construction: ops are built from what exists and run at once, so that only programs with a meaning come out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of, element_type_of, tensor_type, type_dims
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dtypes import ALL, is_float, numpy_dtype
from xdsl_relax.dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, OutputOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.data_dependent import NonzeroOp, UniqueOp
from xdsl_relax.dialects.relax.ops.indexing import DynamicStridedSliceOp
from xdsl_relax.dialects.relax.scope import used_symbols
from xdsl_relax.dialects.symbolic.expressions import Dim, Symbol
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import Bindings, InterpreterError

LARGEST = {"float64": 1e12, "float32": 1e6, "float16": 500.0, "bfloat16": 1e6}
"""Computed floats beyond this are mostly not used, lest everything overflows in the end."""

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 64, 67, 130)
SPECIAL = (0.0, -0.0, 1e-7, -1e-7, 1e-42, 0.5, -2.5, 1e30, -1e30, np.inf, -np.inf, np.nan)
ELEMENTS = 40_000
"""The largest tensor of a program."""


@dataclass(eq=False)
class Value:
    """An SSA value and what it is in each of the runs."""

    ssa: SSAValue
    data: list[Any]

    @property
    def is_tensor(self) -> bool:
        return isinstance(self.ssa.type, TensorType)

    @property
    def element(self) -> Attribute:
        return element_type_of(self.ssa.type)

    @property
    def dims(self) -> tuple[Dim, ...]:
        return tuple(dims_of(self.ssa.type) or ())

    @property
    def rank(self) -> int:
        return len(self.dims)


class Scope:
    """The values in reach of an insertion point, their data in each run, and the sizes of symbols."""

    def __init__(self, rng: random.Random, interpreter: Interpreter, runs: int, fresh: bool = True):
        self.rng = rng
        self.np = np.random.default_rng(rng.getrandbits(32))
        self.interpreter = interpreter
        self.runs = runs
        self.fresh = fresh
        """Whether further arguments may be added."""
        self.entry = Block()
        self.block = self.entry
        self.values: list[Value] = []
        self.bindings = [Bindings() for _ in range(runs)]
        self.envs: list[dict[SSAValue, Any]] = [{} for _ in range(runs)]
        self.in_dataflow = False
        self.wild = rng.random() < 0.15
        """Whether numbers may overflow and be NaN."""
        large = rng.random() < 0.1
        self.elements = 300_000 if large else ELEMENTS
        self.choices = (*SIZES, 100, 257, 384, 513) if large else SIZES
        self.loose: set[SSAValue] = set()
        """Values whose declared type says less than what would be inferred."""

    # Values that come from nowhere.

    def argument(self, value_type: Attribute, data: Sequence[Any]) -> Value:
        """Adds an argument of the function."""
        ssa = self.entry.insert_arg(value_type, len(self.entry.args))
        for env, bindings, value in zip(self.envs, self.bindings, data, strict=True):
            bindings.match("argument", value, value_type)
            env[ssa] = value
        return self._keep(Value(ssa, list(data)))

    def constant(self, array: np.ndarray[Any, Any], element: Attribute) -> Value:
        """Adds a constant tensor."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        tensor_type: TensorType[Any] = TensorType(element, array.shape)
        attr = DenseIntOrFPElementsAttr(tensor_type, BytesAttr(array.tobytes()))
        results = self.add(ConstantOp.create(properties={"value": attr}, result_types=[attr.type]), tame=False)
        assert results is not None
        return results[0]

    def symbol(self, sizes: Sequence[int] | None = None) -> Symbol:
        """Returns a symbol that no argument defines yet, and gives it a size in each run."""
        names = [name for name in "nmkpqrsuvwxyz" if name not in self.bindings[0].sizes]
        name = names[0] if names else f"d{len(self.bindings[0].sizes)}"
        for bindings, size in zip(self.bindings, sizes or self.sizes(), strict=True):
            bindings.sizes[name] = size
        return Symbol(name)

    def sizes(self) -> list[int]:
        return [self.rng.choice(self.choices) for _ in range(self.runs)]

    def tensor(
        self,
        dims: Sequence[Dim],
        element: Attribute,
        make: Callable[[np.random.Generator, tuple[int, ...]], Any] | None = None,
    ) -> Value | None:
        """Returns a new tensor: an argument, or a constant where all its dims are known."""
        shapes = [bindings.dims(dims) for bindings in self.bindings]
        if any(np.prod(shape, dtype=np.int64) > self.elements for shape in shapes):
            return None
        static = all(isinstance(dim, int) for dim in dims)
        if static and (not self.fresh or self.rng.random() < 0.15) and np.prod(shapes[0]) <= 300:
            return self.constant(self.random(shapes[0], element, make), element)
        defined = set().union(*(used_symbols(arg.type) for arg in self.entry.args)) if self.entry.args else set()
        value_type = tensor_type(tuple(dims), element)
        alone = {dim.name for dim in dims if isinstance(dim, Symbol)}
        if not self.fresh or not used_symbols(value_type) <= defined | alone:
            return None
        return self.argument(value_type, [self.random(shape, element, make) for shape in shapes])

    def random(self, shape: tuple[int, ...], element: Attribute, make: Any = None) -> np.ndarray[Any, Any]:
        """Returns random data."""
        dtype = numpy_dtype(element)
        if make is not None:
            try:
                return np.asarray(make(self.np, shape)).astype(dtype).reshape(shape)
            except (ValueError, IndexError):
                pass  # Made for other sizes.
        if is_float(element):
            kind = self.rng.random()
            if self.wild and kind < 0.4:
                numbers = np.asarray(self.np.choice(SPECIAL, shape)).astype(dtype)
                return np.where(self.np.random(shape) < 0.3, numbers, self.np.standard_normal(shape).astype(dtype))
            if kind < 0.6:
                return np.asarray(self.np.standard_normal(shape)).astype(dtype)
            if kind < 0.8:
                return np.asarray(self.np.integers(-4, 5, shape) / 2).astype(dtype)
            return np.asarray(self.np.uniform(0.25, 3.0, shape)).astype(dtype)
        if dtype == np.bool_:
            return np.asarray(self.np.integers(0, 2, shape)).astype(dtype)
        info = np.iinfo(dtype)
        if self.rng.random() < 0.2:
            return np.asarray(self.np.integers(info.min, info.max, shape, dtype, endpoint=True)).astype(dtype)
        return np.asarray(self.np.integers(max(info.min, -4), 6, shape)).astype(dtype)

    # Ops.

    def apply(self, op: type[RelaxOp], *operands: Value, **attrs: Any) -> list[Value] | None:
        """Adds an op whose result types are inferred; `None` if it refuses the operands, or its results are of no use."""
        try:
            return self.add(self.loosened(op.build_from(*(operand.ssa for operand in operands), **attrs)))
        except VerifyException:
            return None

    def loosened(self, op: RelaxOp) -> RelaxOp:
        """Sometimes forgets a dim of a result."""
        if self.rng.random() > 0.02 or isinstance(op, MatchCastOp) or not op.results:
            return op
        result = self.rng.choice(op.results)
        if (
            isinstance(result.type, TensorType)
            and result.type.get_num_dims()
            and None not in list(type_dims(result.type))
        ):
            dims = list(dims_of(result.type) or ())
            dims[self.rng.randrange(len(dims))] = None
            types = [
                tensor_type(dims, result.type.element_type) if other is result else other.type for other in op.results
            ]
            operands, properties = list(op.operands), dict(op.properties)
            op.drop_all_references()
            position = result.index
            op = type(op).create(operands=operands, properties=properties, result_types=types)
            # Only this one: the op may have others whose sizes run time alone knows, which must be named before they are read.
            self.loose.add(op.results[position])
        return op

    def apply_single(self, op: type[RelaxOp], *operands: Value | None, **attrs: Any) -> Value | None:
        """Like `apply`, for an op with one result; no result without all of the operands."""
        known = [operand for operand in operands if operand is not None]
        results = self.apply(op, *known, **attrs) if len(known) == len(operands) else None
        return None if results is None else results[0]

    def add(self, op: Operation, tame: bool = True) -> list[Value] | None:
        """Adds an op if it is valid and runs; returns its results."""
        data: list[Sequence[Any]] = []
        before = [dict(bindings.sizes) for bindings in self.bindings]
        try:
            if not isinstance(op, func.CallOp):
                # A call looks for its callee in the module, which is not there yet.
                op.verify()
            self._require_known_dims(op)
            with np.errstate(all="ignore"):
                for env, bindings in zip(self.envs, self.bindings, strict=True):
                    operands = [env[operand] for operand in op.operands]
                    _require_equal(op, operands, bindings)
                    data.append(list(self.interpreter._run_op(op, operands, env, bindings)))
            fits = all(_is_small(value, self.elements) for run in data for value in run)
            if not fits or (
                tame
                and not self.wild
                and self.rng.random() < 0.9
                and not all(_is_tame(value) for run in data for value in run)
            ):
                raise InterpreterError("too large")
        except (VerifyException, InterpreterError, ValueError, IndexError, ZeroDivisionError, OverflowError):
            for bindings, sizes in zip(self.bindings, before, strict=True):
                bindings.sizes = sizes
            op.drop_all_references()
            return None
        self.block.add_op(op)
        for env, run in zip(self.envs, data, strict=True):
            env.update(zip(op.results, run, strict=True))
        return [self._keep(Value(ssa, [run[index] for run in data])) for index, ssa in enumerate(op.results)]

    def _require_known_dims(self, op: Operation) -> None:
        """Refuses ops on unknown dims; `relax.match_cast` must name them first."""
        if not isinstance(op, RelaxOp) or isinstance(op, MatchCastOp | TupleOp | TupleGetItemOp):
            return
        unknown = [operand for operand in op.operands if None in list(type_dims(operand.type))]
        if any(operand not in self.loose for operand in unknown):
            raise InterpreterError("unknown dims")
        if unknown and not isinstance(op, UniqueOp | NonzeroOp | DynamicStridedSliceOp):
            self.loose.update(result for result in op.results if None in list(type_dims(result.type)))

    def _keep(self, value: Value) -> Value:
        self.values.append(value)
        return value

    # Choices.

    def tensors(self, *elements: Attribute, rank: int = 0) -> list[Value]:
        """Returns the tensors in reach, of some element types and of a least rank."""
        return [
            value
            for value in self.values
            if value.is_tensor and value.rank >= rank and (not elements or value.element in elements)
        ]

    def pick(self, *elements: Attribute, rank: int = 0) -> Value | None:
        """Returns a tensor, mostly a late one."""
        candidates = self.tensors(*elements, rank=rank)
        if not candidates:
            return None
        return (
            candidates[-1 - min(int(self.rng.expovariate(0.3)), len(candidates) - 1)]
            if self.rng.random() < 0.8
            else self.rng.choice(candidates)
        )

    def want(self, elements: Sequence[Attribute], rank: int = 0) -> Value | None:
        """Returns a tensor in reach, or a new one."""
        value = self.pick(*elements, rank=rank)
        if value is not None and self.rng.random() < 0.9:
            return value
        dims = [self.dim() for _ in range(rank + self.rng.choice((0, 0, 1, 1, 2)))]
        return self.tensor(dims, self.rng.choice(list(elements) or list(ALL))) or value

    def dim(self) -> Dim:
        """Returns a size, or a symbol."""
        kind = self.rng.random()
        if kind < 0.5 or not self.fresh:
            return self.rng.choice(self.choices)
        known = [Symbol(name) for name in self.bindings[0].sizes if name in self.defined()]
        return self.rng.choice(known) if known and kind < 0.85 else self.symbol()

    def defined(self) -> set[str]:
        """Returns the symbols that arguments define."""
        return {name for arg in self.entry.args for name in used_symbols(arg.type)}

    # Blocks.

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Adds to another block; what it defines is out of reach afterwards."""
        outer, count = self.block, len(self.values)
        arguments = set(self.entry.args)
        self.block = block
        try:
            yield
        finally:
            self.block = outer
            self.values = [
                value
                for i, value in enumerate(self.values)
                if i < count or value.ssa in arguments or value.ssa.owner is self.entry
            ]

    def dataflow(self, fill: Callable[[], None]) -> None:
        """Adds a dataflow block; some of what it computes leaves it."""
        block = Block()
        self.in_dataflow = True
        with self.inside(block):
            fill()
            local = [value for value in self.values if value.ssa.owner in set(block.ops)]
        self.in_dataflow = False
        if not local:
            for op in list(block.ops):
                op.detach()
            return
        count = min(len(local), self.rng.choice((1, 1, 2, 3)))
        chosen = [local[-1], *self.rng.sample(local, count - 1)]
        if self.rng.random() < 0.1 and self.values:
            chosen.append(self.rng.choice(self.values))
        block.add_op(OutputOp(*(value.ssa for value in chosen)))
        op = DataflowOp(block, [value.ssa.type for value in chosen])
        self.block.add_op(op)
        for result, value in zip(op.outputs, chosen, strict=True):
            for env, data in zip(self.envs, value.data, strict=True):
                env[result] = data
            self._keep(Value(result, value.data))

    def function(self, name: str, results: Sequence[Value], private: bool = False) -> func.FuncOp:
        """Ends the function."""
        self.entry.add_op(func.ReturnOp(*(value.ssa for value in results)))
        types = ([arg.type for arg in self.entry.args], [value.ssa.type for value in results])
        return func.FuncOp(name, types, Region(self.entry), "private" if private else None)


def _require_equal(op: Operation, operands: Sequence[Any], bindings: Bindings) -> None:
    """Refuses unknown dims that the interpreter takes as broadcast, as they may be the number 1: where they are not, compiled code does not."""
    if isinstance(op, RelaxOp) and any(None in list(type_dims(operand.type)) for operand in op.operands):
        conditions = [replace(condition, broadcasts=False) for condition in op.conditions() if condition.broadcasts]
        bindings.require(op.name, conditions, operands)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _is_small(value: Any, limit: int) -> bool:
    return all(np.size(leaf) <= limit for leaf in _leaves(value))


def _is_tame(value: Any) -> bool:
    for leaf in _leaves(value):
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.name in LARGEST and np.size(leaf):
            wide = np.abs(np.asarray(leaf, np.float64))
            if not np.all(np.isfinite(wide)) or wide.max() > LARGEST[leaf.dtype.name]:
                return False
    return True


def is_shape(value: Value) -> bool:
    """Returns whether a value is a shape."""
    return isinstance(value.ssa.type, ShapeType)
