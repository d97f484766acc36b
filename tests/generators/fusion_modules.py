"""Random graphs for passes that group ops: chains, diamonds, tuples, reductions, opaque calls, symbolic dims, several blocks."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, TensorType, f32
from xdsl.ir import Block, Region, SSAValue
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of, tensor_type
from xdsl_relax.dialects.relax.ops import binary, manipulate, reduction, unary
from xdsl_relax.dialects.relax.ops.core import (
    CallDPSPackedOp,
    ConstantOp,
    DataflowOp,
    OutputOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from xdsl_relax.dialects.relax.ops.linear_algebra import MatmulOp
from xdsl_relax.dialects.relax.ops.nn import activation as nn_activation
from xdsl_relax.dialects.relax.ops.nn.conv import Conv2DOp
from xdsl_relax.dialects.relax.ops.nn.norm import LayerNormOp
from xdsl_relax.dialects.relax.ops.nn.pool import MaxPool2DOp
from xdsl_relax.dialects.relax.ops.nn.softmax import SoftmaxOp
from xdsl_relax.dialects.symbolic.expressions import Symbol, product

SIZES = {"n": 3}
UNARY = (unary.ExpOp, unary.TanhOp, unary.NegativeOp, unary.SigmoidOp, nn_activation.ReluOp)
BINARY = (binary.AddOp, binary.MultiplyOp, binary.SubtractOp, binary.MaximumOp)


class FusionGenerator:
    """Builds one module with a function `main`, op by op."""

    def __init__(self, seed: int, calls: bool = True):
        self.rng = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.calls = calls
        self.entry = Block()
        self.body = Block()
        self.pool: list[SSAValue] = []
        self.arguments: list[Any] = []

    def module(self) -> tuple[ModuleOp, list[Any]]:
        """Returns a module, and arguments for `main`."""
        n = Symbol("n") if self.rng.random() < 0.5 else 4
        shapes = [(n, 4), (n, 4), (2, n, 4), (1, 3, 6, 6), (n,)]
        self.pool = [self.argument(self.rng.choice(shapes)) for _ in range(self.rng.randint(1, 3))]
        self.weights = [self.argument(shape) for shape in ((4, 4), (4, 6), (4,), (3, 3, 3, 3))]
        for _ in range(self.rng.choice([1, 1, 2])):
            self.dataflow()
        computed = [value for value in self.pool if value not in self.entry.args] or self.pool
        results = self.rng.sample(computed, self.rng.randint(1, min(3, len(computed))))
        self.entry.add_op(func.ReturnOp(*results))
        types = [argument.type for argument in self.entry.args]
        signature = FunctionType.from_lists(types, [value.type for value in results])
        module = ModuleOp([func.FuncOp("main", signature, Region(self.entry))])
        module.verify()
        return module, self.arguments

    def argument(self, shape: tuple[Any, ...]) -> SSAValue:
        """Adds an argument to the function, with a value."""
        sizes = [SIZES[dim.name] if isinstance(dim, Symbol) else dim for dim in shape]
        self.arguments.append(self.data.standard_normal(sizes).astype(np.float32))
        return self.entry.insert_arg(tensor_type(shape, f32), len(self.entry.args))

    def dataflow(self) -> None:
        """Adds a dataflow block; what leaves it, and the arguments, are what the next one reads."""
        start = len(self.pool)
        for _ in range(self.rng.randint(3, 14)):
            # Recent values more often, so that chains and diamonds arise.
            recent = self.pool[-5:] if self.rng.random() < 0.8 else self.pool
            self.pool += self.step(self.rng.choice(recent))
        added = self.pool[start:]
        leaving = list(dict.fromkeys(self.rng.choices(added, k=2) + added[-1:])) if added else []
        self.body.add_op(OutputOp(*leaving))
        outer = DataflowOp(self.body, [value.type for value in leaving])
        self.entry.add_op(outer)
        self.pool = [*self.pool[:start], *outer.outputs]
        self.body = Block()

    def op(self, op_type: Any, *operands: SSAValue, **attrs: Any) -> SSAValue:
        op = op_type.build_from(*operands, **attrs)
        self.body.add_op(op)
        return op.results[0]

    def step(self, x: SSAValue) -> list[SSAValue]:
        """Adds one to a few ops that read a value."""
        shape = dims_of(x.type)
        assert shape is not None
        rank = len(shape)
        kinds = (
            ["unary"] * 4 + ["binary"] * 4 + ["constant", "scalar", "reduce", "tuple", "concat", "reshape", "constants"]
        )
        if self.calls:
            kinds.append("call")
        if rank > 1:
            kinds += ["permute", "split", "softmax", "broadcast", "sum_row"]
        if shape[-1:] == (4,):
            kinds += ["matmul", "matmul", "bias", "norm"]
        if rank == 4 and shape[1] == 3 and all(isinstance(dim, int) and dim > 1 for dim in shape[2:]):
            kinds += ["conv"] * 3 + ["pool"]
        match self.rng.choice(kinds):
            case "unary":
                return [self.op(self.rng.choice(UNARY), x)]
            case "binary":
                other = self.rng.choice([value for value in self.pool if value.type == x.type] or [x])
                return [self.op(self.rng.choice(BINARY), *self.rng.sample([x, other], 2))]
            case "constant":
                return [self.op(self.rng.choice(BINARY), x, self.constant(shape[-1:]))]
            case "scalar":
                return [self.op(self.rng.choice(BINARY), x, self.constant(()))]
            case "constants":
                return [self.op(binary.AddOp, x, self.folded(shape[-1:]))]
            case "bias":
                return [self.op(binary.AddOp, x, self.weights[2])]
            case "matmul":
                return [self.op(MatmulOp, x, self.weights[self.rng.randrange(2)])]
            case "conv":
                return [self.op(Conv2DOp, x, self.weights[3], padding=[1, 1, 1, 1])]
            case "pool":
                return [self.op(MaxPool2DOp, x, pool_size=[2, 2], strides=[1, 1])]
            case "norm":
                return [self.op(LayerNormOp, x, self.weights[2], self.weights[2], axes=[-1])]
            case "softmax":
                return [self.op(SoftmaxOp, x)]
            case "reduce":
                axes = self.rng.sample(range(rank), self.rng.randint(1, rank)) if rank else None
                op_type = self.rng.choice([reduction.SumOp, reduction.MaxOp])
                return [self.op(op_type, x, axis=axes, keepdims=self.rng.random() < 0.5)]
            case "sum_row":
                row = self.op(reduction.SumOp, x, axis=[rank - 1], keepdims=True)
                return [row, self.op(binary.SubtractOp, x, row)]
            case "broadcast":
                return [self.op(binary.AddOp, self.op(reduction.MaxOp, x, axis=[0], keepdims=True), x)]
            case "permute":
                return [self.op(manipulate.PermuteDimsOp, x, axes=self.rng.sample(range(rank), rank))]
            case "reshape":
                total = product(shape)
                return [self.op(manipulate.ReshapeOp, x, self.op(ShapeOp, result_types=[ShapeType((total,))]))]
            case "split":
                return self.split(x, shape)
            case "concat":
                other = self.op(self.rng.choice(UNARY), x)
                return [self.op(manipulate.ConcatOp, *self.rng.sample([x, other], 2), axis=rank - 1)] if rank else []
            case "tuple":
                pair = self.op(TupleOp, x, self.op(self.rng.choice(UNARY), x))
                return [self.op(TupleGetItemOp, pair, index=self.rng.randrange(2))]
            case _:
                return [self.op(CallDPSPackedOp, x, callee="opaque", result_types=[x.type])]

    def split(self, x: SSAValue, shape: tuple[Any, ...]) -> list[SSAValue]:
        axes = [axis for axis, dim in enumerate(shape) if isinstance(dim, int) and dim % 2 == 0]
        if not axes:
            return []
        op = manipulate.SplitOp.build_from(x, sections=2, axis=self.rng.choice(axes))
        self.body.add_op(op)
        return self.rng.sample(list(op.results), self.rng.randint(1, 2))

    def folded(self, shape: tuple[Any, ...]) -> SSAValue:
        """Returns what some ops that round alike everywhere make of constants."""
        value = self.constant(shape)
        if not dims_of(value.type):
            return value
        value = self.op(binary.MultiplyOp, value, self.constant(shape))
        if self.rng.random() < 0.5:
            value = self.op(binary.MaximumOp, self.op(unary.NegativeOp, value), self.constant(()))
        if self.rng.random() < 0.3:
            rows = self.op(manipulate.ExpandDimsOp, value, axis=[0])
            value = self.op(manipulate.SqueezeOp, self.op(manipulate.PermuteDimsOp, rows, axes=[1, 0]), axis=[1])
        return value

    def constant(self, shape: tuple[Any, ...]) -> SSAValue:
        """Returns a constant; a scalar if a dim is no number, and in the place of a vector of one element."""
        sizes = shape if all(isinstance(dim, int) for dim in shape) and shape != (1,) else ()
        values = self.data.standard_normal(sizes).astype(np.float32).ravel().tolist()
        return self.op(ConstantOp, value=DenseIntOrFPElementsAttr.from_list(TensorType(f32, sizes), values))


def random_fusion_module(seed: int) -> ModuleOp:
    """Returns the module of a seed."""
    return FusionGenerator(seed).module()[0]
