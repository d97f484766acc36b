"""Random modules for memory planning: tensors of many sizes and types with short lives, reshapes, tuples, branches, symbolic sizes."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, f16, f32, i1, i32
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of, element_type_of, tensor_type
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.ops.binary import AddOp, MaximumOp
from xdsl_relax.dialects.relax.ops.core import CallDPSPackedOp, DataflowOp, OutputOp, ShapeOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.manipulate import ConcatOp, PermuteDimsOp, ReshapeOp, SplitOp, TileOp
from xdsl_relax.dialects.relax.ops.reduction import MaxOp
from xdsl_relax.dialects.relax.ops.unary import AbsOp, AsTypeOp, NegativeOp
from xdsl_relax.dialects.relax.symbol_ranges import drop_stale_ranges
from xdsl_relax.dialects.relax.vocabulary.attributes import (
    MEMORY_PLAN_DYNAMIC_OUTPUT,
    SYM_LOWER_BOUNDS,
    SYM_UPPER_BOUNDS,
)
from xdsl_relax.dialects.symbolic.expressions import Symbol, evaluate
from xdsl_relax.interpreter.host.packed_functions import register_packed

SIZES = {"n": 3, "m": 2}
BOUNDS = {"n": 9, "m": 16}
ELEMENTS = (f32, f32, f32, f16, i32)
FOREIGN = "memory_modules.negate"


register_packed(FOREIGN, lambda x, output: np.copyto(output, -x))


def sizes_of(value_type: Attribute) -> list[int]:
    """Returns the sizes of the dims of an argument."""
    sizes: list[int] = []
    for dim in dims_of(value_type) or ():
        assert dim is not None
        sizes.append(evaluate(dim, SIZES))
    return sizes


class Generator:
    """Builds one function `main`, op by op."""

    def __init__(self, seed: int, branches: bool = True):
        self.rng = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.branches = branches and self.rng.random() < 0.3
        self.arguments: list[Any] = []

    def module(self) -> tuple[ModuleOp, list[Any]]:
        """Returns a module, and arguments for `main`."""
        rng = self.rng
        types = [tensor_type([], i1), *(self.input_type() for _ in range(rng.randint(1, 3)))]
        outer = Block(arg_types=types)
        for value_type in types:
            shape = sizes_of(value_type)
            data = self.data.integers(-3, 4, shape).astype(numpy_dtype(element_type_of(value_type)))
            self.arguments.append(data)
        dataflow = not self.branches and rng.random() < 0.5
        block = Block() if dataflow else outer
        pool = self.fill(block, list(outer.args[1:]), rng.randint(4, 24), outer.args[0])
        computed = [value for value in pool if value.owner is not outer] or pool
        leaving = list(dict.fromkeys([*rng.choices(computed, k=rng.randint(0, 2)), computed[-1]]))
        if dataflow:
            block.add_op(OutputOp(*leaving))
            region = DataflowOp(block, [value.type for value in leaving])
            outer.add_op(region)
            leaving = list(region.outputs)
        outer.add_op(func.ReturnOp(*leaving))
        signature = FunctionType.from_lists(types, [value.type for value in leaving])
        main = func.FuncOp("main", signature, Region(outer))
        self.declare_bounds(main)
        return ModuleOp([main]), self.arguments

    def input_type(self) -> Attribute:
        """Returns the type of an argument."""
        dims = [self.rng.choice([1, 2, 4, 6, 16, Symbol("n"), Symbol("m")]) for _ in range(self.rng.randint(1, 3))]
        return tensor_type(dims, self.rng.choice(ELEMENTS))

    def declare_bounds(self, main: func.FuncOp) -> None:
        """Declares bounds of some symbols."""
        rng = self.rng
        bounds = {name: size for name, size in BOUNDS.items() if rng.random() < 0.5}
        if bounds:
            SYM_UPPER_BOUNDS.set(main, bounds)
            if rng.random() < 0.3:
                SYM_LOWER_BOUNDS.set(main, dict.fromkeys(bounds, 1))
            drop_stale_ranges(main)
        if rng.random() < 0.3:
            MEMORY_PLAN_DYNAMIC_OUTPUT.set(main)

    def fill(self, block: Block, pool: list[SSAValue], count: int, condition: SSAValue) -> list[SSAValue]:
        """Adds ops to a block; returns the values that are there afterwards."""
        pool = list(pool)
        for _ in range(count):
            x = self.rng.choice(pool[-3:] if self.rng.random() < 0.7 else pool)
            if self.branches and self.rng.random() < 0.12:
                pool.append(self.branch(block, x, pool, condition))
            else:
                pool += self.step(block, x, pool)
        return pool

    def branch(self, block: Block, x: SSAValue, pool: list[SSAValue], condition: SSAValue) -> SSAValue:
        """Adds an if, each branch of which computes something like a value."""
        regions: list[Region] = []
        for _ in range(2):
            inner = Block()
            self.fill(inner, pool, self.rng.randint(0, 4), condition)
            result = self.op(inner, self.rng.choice([NegativeOp, AbsOp]), self.op(inner, AbsOp, x)[0])[0]
            inner.add_op(scf.YieldOp(result))
            regions.append(Region(inner))
        taken = ExtractOp(condition, [], i1)
        op = scf.IfOp(taken.result, [x.type], regions[0], regions[1])
        block.add_ops([taken, op])
        return op.results[0]

    def op(self, block: Block, op_type: type[RelaxOp], *operands: SSAValue, **attrs: Any) -> list[SSAValue]:
        """Adds an op; returns its results."""
        op = op_type.build_from(*operands, **attrs)
        block.add_op(op)
        return list(op.results)

    def step(self, block: Block, x: SSAValue, pool: list[SSAValue]) -> list[SSAValue]:
        """Adds one op, or two, that read a value."""
        dims = list(dims_of(x.type) or ())
        static = all(isinstance(dim, int) for dim in dims)
        size = math.prod(dim for dim in dims if isinstance(dim, int))
        kind = self.rng.randrange(11)
        match kind:
            case 0:
                alike = [value for value in pool if value.type == x.type]
                return self.op(block, self.rng.choice([AddOp, MaximumOp]), x, self.rng.choice(alike))
            case 1:
                return self.op(block, AsTypeOp, x, dtype=self.rng.choice(ELEMENTS))
            case 2 if static and dims:
                target = [2, size // 2] if size % 2 == 0 else [size]
                shape = ShapeOp.build_from(result_types=[ShapeType(tuple(target))])
                block.add_op(shape)
                return self.op(block, ReshapeOp, x, shape.result)
            case 3 if dims and isinstance(dims[0], int) and dims[0] % 2 == 0:
                return self.op(block, SplitOp, x, sections=2, axis=0)
            case 4 if dims and size <= 512:
                return self.op(block, ConcatOp, x, x, axis=self.rng.randrange(len(dims)))
            case 5 if dims and size <= 128:
                return self.op(block, TileOp, x, repeats=[20, *[1] * (len(dims) - 1)])
            case 6 if len(dims) > 1:
                return self.op(block, MaxOp, x, axis=[self.rng.randrange(len(dims))])
            case 7:
                return self.op(block, PermuteDimsOp, x)
            case 8:
                call = CallDPSPackedOp.build_from(x, callee=FOREIGN, result_types=[x.type])
                block.add_op(call)
                return list(call.results)
            case 9:
                other = self.rng.choice(pool)
                whole = self.op(block, TupleOp, x, other)[0]
                return self.op(block, TupleGetItemOp, whole, index=0)
            case _:
                return self.op(block, self.rng.choice([NegativeOp, AbsOp]), x)
