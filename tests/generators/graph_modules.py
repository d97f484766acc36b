"""Random modules for graph passes: convolutions, matrix products, norms, scales, constants and calls, in f64 so that only wrong
arithmetic shows; beside them quantized ops on integers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl_relax.dialects.relax.attrs import ShapeType, dims_of, tensor_type
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.ops.binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from xdsl_relax.dialects.relax.ops.core import ConstantOp, DataflowOp, OutputOp, ShapeOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.indexing import TakeOp
from xdsl_relax.dialects.relax.ops.linear_algebra import LinearOp, MatmulOp
from xdsl_relax.dialects.relax.ops.manipulate import ConcatOp, ExpandDimsOp, PermuteDimsOp, ReshapeOp, SplitOp
from xdsl_relax.dialects.relax.ops.nn.activation import GeluOp, LeakyReluOp, ReluOp, SiluOp
from xdsl_relax.dialects.relax.ops.nn.conv import Conv1DOp, Conv2DOp, Conv3DOp, ConvOp
from xdsl_relax.dialects.relax.ops.nn.norm import (
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    L2NormalizeOp,
    LayerNormOp,
    RMSNormOp,
)
from xdsl_relax.dialects.relax.ops.nn.softmax import DropoutOp, SoftmaxOp
from xdsl_relax.dialects.relax.ops.reduction import MeanOp
from xdsl_relax.dialects.relax.ops.shape import ShapeOfOp
from xdsl_relax.dialects.relax.ops.unary import TanhOp
from xdsl_relax.dialects.symbolic.expressions import Symbol
from xdsl_relax.dialects.upstream.func_ops import CallOp

from generators.quantized_steps import QuantizedSteps

SIZES = {"n": 3, "m": 2}
CONVOLUTIONS: dict[int, type[ConvOp]] = {1: Conv1DOp, 2: Conv2DOp, 3: Conv3DOp}
INDEX = TensorType(i64, [])


class Generator:
    """Builds one module, op by op; values keep their rank: (n, K), (n, C, W), (n, C, H, W) or (n, C, D, H, W)."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.block = Block()
        self.arguments: list[Any] = []
        self.weights: list[tuple[SSAValue, Any]] = []
        self.helpers: list[func.FuncOp] = []
        self.declared = self.rng.random() < 0.7
        self.pool: list[SSAValue] = []

    def module(self) -> tuple[ModuleOp, list[Any]]:
        """Returns a verified module with a function `main`, and arguments for it."""
        shapes: list[tuple[Any, ...]] = [
            ("n", 4),
            (2, 4),
            ("m", 4),
            ("n", 4, 6),
            (2, 4, 5, 5),
            ("m", 4, 3, "n"),
            (1, 2, 3, 4, 3),
        ]
        inputs = [self.argument(self.rng.choice(shapes)) for _ in range(self.rng.randint(1, 2))]
        index = self.block.insert_arg(INDEX, len(self.block.args))
        self.arguments.append(np.array(self.rng.randrange(3)))
        self.index = index
        self.delta = self.argument((4, 4))
        self.count = len(self.block.args)
        body = Block()
        self.body = body
        self.pool = list(inputs)
        quantized = QuantizedSteps(self, self.rng.randint(1, 4)).results() if self.rng.random() < 0.3 else []
        for _ in range(self.rng.randint(3, 14)):
            self.step(self.rng.choice(self.pool[-4:]))
        leaving = list(dict.fromkeys(self.rng.choices(self.pool[len(inputs) :], k=2) + self.pool[-1:] + quantized))
        body.add_op(OutputOp(*leaving))
        dataflow = DataflowOp(body, [value.type for value in leaving])
        self.block.add_op(dataflow)
        self.block.add_op(func.ReturnOp(*dataflow.outputs))
        types = [argument.type for argument in self.block.args]
        main = func.FuncOp("main", FunctionType.from_lists(types, [v.type for v in leaving]), Region(self.block))
        if self.declared:
            main.attributes["relax.num_input"] = IntegerAttr(self.count, i64)
        return ModuleOp([main, *self.helpers]), self.arguments

    def argument(self, shape: tuple[Any, ...]) -> SSAValue:
        """Adds an argument to the function, with a value."""
        dims = [Symbol(dim) if isinstance(dim, str) else dim for dim in shape]
        self.arguments.append(self.data.standard_normal([SIZES[dim] if isinstance(dim, str) else dim for dim in shape]))
        return self.block.insert_arg(tensor_type(dims, f64), len(self.block.args))

    def weight(self, shape: tuple[int, ...], positive: bool | None = None) -> SSAValue:
        """Returns a parameter or a constant."""
        if self.rng.random() < 0.55:
            value = self.argument(shape)
            if positive:
                self.arguments[-1] = np.abs(self.arguments[-1]) + 0.5
            return value
        array = self.data.standard_normal(shape)
        if positive or (positive is None and self.rng.random() < 0.6):
            array = np.abs(array) + 0.5
        if self.rng.random() < 0.15 and not positive:
            array = np.where(array > 1, 0.0, array)
        tensor: Any = TensorType(f64, shape)
        return self.op(ConstantOp, value=DenseIntOrFPElementsAttr(tensor, BytesAttr(array.tobytes())))

    def op(self, op_type: type[RelaxOp], *operands: SSAValue, **attrs: Any) -> SSAValue:
        """Adds an op to the dataflow block; returns its first result."""
        op = op_type.build_from(*operands, **attrs)
        self.body.add_op(op)
        return op.results[0]

    def step(self, x: SSAValue) -> None:
        """Adds one to a few ops that read a value."""
        shape = dims_of(x.type)
        assert shape is not None
        general = [
            self.scale,
            self.scale,
            self.bias,
            self.activation,
            self.residual,
            self.norm,
            self.call,
            self.constants,
            self.regroup,
        ]
        special = (
            [self.matmul, self.parallel, self.update, self.chosen, self.scores]
            if len(shape) == 2
            else [self.conv, self.branches, self.conv_norm, self.channels_last]
        )
        for value in self.rng.choice(general + special * 2)(x, shape):
            self.pool.append(value)

    def along(self, shape: Any) -> tuple[int, ...]:
        """Returns the shape of something that varies along the channels, or a scalar's."""
        if self.rng.random() < 0.15:
            return ()
        return (shape[1], *([1] * (len(shape) - 2)))

    def pair(self, op_type: type[RelaxOp], x: SSAValue, other: SSAValue) -> SSAValue:
        operands = (x, other) if self.rng.random() < 0.7 else (other, x)
        return self.op(op_type, *operands)

    def scale(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        if self.rng.random() < 0.15:
            return [self.op(DivideOp, x, self.weight(self.along(shape), positive=True))]
        return [self.pair(MultiplyOp, x, self.weight(self.along(shape)))]

    def bias(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        return [self.pair(self.rng.choice([AddOp, SubtractOp]), x, self.weight(self.along(shape)))]

    def activation(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        return [self.op(self.rng.choice([ReluOp, ReluOp, LeakyReluOp, TanhOp, GeluOp]), x)]

    def residual(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        same = [value for value in self.pool if value.type == x.type]
        return [self.op(AddOp, x, self.rng.choice(same))]

    def norm(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        channels, rank = shape[1], len(shape)
        vector = [self.weight((channels,), positive=True) for _ in range(4)]
        kind = self.rng.choice(["batch", "batch", "training", "layer", "instance", "group", "dropout", "l2", "rms"])
        flags = {"center": self.rng.random() < 0.8, "scale": self.rng.random() < 0.8}
        if kind == "dropout":
            return [self.op(DropoutOp, x)]
        if kind == "l2":
            axis = self.rng.choice([None, [1], [-1], [0, 1]])
            return [self.op(L2NormalizeOp, x, eps=1e-6, axis=axis)]
        if kind == "rms":
            return [self.op(RMSNormOp, x, vector[0], axes=[1])]
        if kind == "layer":
            return [self.op(LayerNormOp, x, *vector[:2], axes=[1], **flags)]
        if kind in ("instance", "group") and rank > 2:
            extra = {"num_groups": 2} if kind == "group" else {}
            if channels % 2 == 0:
                op_type = GroupNormOp if kind == "group" else InstanceNormOp
                axes = list(range(2, rank))
                return [self.op(op_type, x, *vector[:2], channel_axis=1, axes=axes, **extra, **flags)]
        return [self.op(BatchNormOp, x, *vector, axis=1, training=kind == "training", **flags)]

    def call(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        inner = Block(arg_types=[x.type])
        op = self.rng.choice([TanhOp, ReluOp]).build_from(inner.args[0])
        inner.add_ops([op, func.ReturnOp(op.results[0])])
        name = f"helper{len(self.helpers)}"
        helper = func.FuncOp(name, FunctionType.from_lists([x.type], [x.type]), Region(inner), "private")
        if self.rng.random() < 0.6:
            helper.attributes["relax.inline"] = UnitAttr()
        self.helpers.append(helper)
        if self.rng.random() < 0.3:
            return []
        call = CallOp(name, [x], [x.type])
        self.body.add_op(call)
        return [call.results[0]]

    def constants(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        y = self.op(AddOp, self.weight((shape[1], 1)), self.weight((1,)))
        y = self.op(ReshapeOp, y, self.op(ShapeOp, result_types=[ShapeType((shape[1], *([1] * (len(shape) - 2))))]))
        reshaped = self.op(ReshapeOp, x, self.op(ShapeOfOp, x))
        return [self.op(AddOp, reshaped, self.op(MultiplyOp, y, y))]

    def conv(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        groups = self.rng.choice([1, 1, 2, shape[1]]) if shape[1] % 2 == 0 else 1
        outputs = groups * self.rng.choice([1, 2]) if groups > 1 else self.rng.choice([2, 4])
        return [self._conv(x, shape, outputs, groups)]

    def conv_norm(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        y = self._conv(x, shape, 2, 1)
        vector = [self.weight((2,), positive=True) for _ in range(4)]
        return [self.op(BatchNormOp, y, *vector, axis=1, training=False)]

    def _conv(self, x: SSAValue, shape: Any, outputs: int, groups: int = 1, kernel: int = 3) -> SSAValue:
        letters = "DHW"[5 - len(shape) :]
        layout = self.rng.choice([f"OI{letters}", f"{letters}IO"])
        sizes = {"O": outputs, "I": shape[1] // groups, "D": kernel, "H": kernel, "W": kernel}
        weight = self.weight(tuple(sizes[letter] for letter in layout))
        attrs = {"padding": [kernel // 2], "groups": groups, "kernel_layout": layout}
        return self.op(CONVOLUTIONS[len(letters)], x, weight, **attrs)

    def channels_last(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        """A strided, dilated convolution with the channels last, between scales along them."""
        if len(shape) != 4:
            return []
        last = self.op(PermuteDimsOp, x, axes=[0, 2, 3, 1])
        if self.rng.random() < 0.5:
            last = self.op(MultiplyOp, last, self.weight((shape[1],)))
        weight = self.weight((3, 1, shape[1], 4))
        attrs = {"padding": [2, 0], "strides": [self.rng.choice([1, 2]), 1], "dilation": [self.rng.choice([1, 2]), 1]}
        y = self.op(Conv2DOp, last, weight, data_layout="NHWC", kernel_layout="HWIO", **attrs)
        y = self.op(MultiplyOp, self.op(AddOp, y, self.weight((4,))), self.weight((4,)))
        return [self.op(PermuteDimsOp, y, axes=[0, 3, 1, 2])]

    def regroup(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        """Takes a value apart and puts it together again."""
        pair = SplitOp.build_from(x, sections=2, axis=1)
        self.body.add_op(pair)
        bundle = self.op(TupleOp, *pair.results)
        items = [self.op(TupleGetItemOp, bundle, index=index) for index in (1, 0)]
        return [self.op(ConcatOp, *items, axis=1)]

    def scores(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        """A product of activations, and with them, as in attention."""
        keys = self.op(PermuteDimsOp, x, axes=[1, 0])
        scores = self.op(SoftmaxOp, self.op(MatmulOp, x, keys), axis=-1)
        return [self.op(MatmulOp, scores, self.op(SubtractOp, x, self.op(MeanOp, x, axis=[1], keepdims=True)))]

    def branches(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        kernel = self.rng.choice([1, 3])
        products = [self._conv(x, shape, self.rng.choice([2, 4]), kernel=kernel) for _ in range(3)]
        return self._tails(products)

    def _tails(self, products: list[SSAValue]) -> list[SSAValue]:
        if self.rng.random() < 0.6:
            products = [self.bias(y, dims_of(y.type))[0] for y in products]
        if self.rng.random() < 0.6:
            kind = self.rng.choice([SiluOp, ReluOp])
            products = [self.op(kind, y) for y in products]
        return products

    def matmul(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        width = self.rng.choice([2, 4])
        match self.rng.randrange(4):
            case 0:
                return [self.op(LinearOp, x, self.weight((width, shape[1])), self.weight((width,)))]
            case 1:
                transposed = self.op(PermuteDimsOp, self.weight((width, shape[1])), axes=[1, 0])
                return [self.op(MatmulOp, x, transposed)]
            case 2:
                inner = self.op(MatmulOp, x, self.weight((shape[1], 1)))
                return [self.op(MatmulOp, inner, self.weight((1, width)))]
            case _:
                return [self.op(MatmulOp, x, self.weight((shape[1], width)))]

    def parallel(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        products: list[SSAValue] = []
        kind = self.rng.randrange(4)
        batch = self.op(ExpandDimsOp, x, axis=[0]) if kind == 1 else x
        for _ in range(self.rng.randint(2, 3)):
            width = self.rng.choice([2, 4])
            if kind == 0:
                products.append(self.op(LinearOp, x, self.weight((width, shape[1]))))
            elif kind == 1:
                products.append(self.op(MatmulOp, batch, self.weight((1, shape[1], width))))
            else:
                products.append(self.op(MatmulOp, x, self.weight((shape[1], width))))
        products = self._tails(products) if kind != 1 else products
        if kind == 1:
            products = [
                self.op(ReshapeOp, y, self.op(ShapeOp, result_types=[ShapeType((dims_of(y.type) or ())[1:])]))
                for y in products
            ]
        if kind == 2:
            joined = [self.op(PermuteDimsOp, self.weight((2, 3)), axes=[1, 0]) for _ in range(2)]
            products.append(self.op(ConcatOp, *joined, axis=1))
        return products

    def update(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        size = shape[1]
        if size == 4 and self.rng.random() < 0.5:
            delta = self.delta
        else:
            delta = self.op(MatmulOp, self.weight((size, 1)), self.weight((1, size)))
        if self.rng.random() < 0.5:
            delta = self.op(PermuteDimsOp, delta, axes=[1, 0])
        if self.rng.random() < 0.5:
            delta = self.op(AddOp, delta, self.weight((size, size)))
        return [self.op(MatmulOp, x, delta)]

    def chosen(self, x: SSAValue, shape: Any) -> list[SSAValue]:
        chosen = self.op(TakeOp, self.weight((3, shape[1], 2)), self.index, axis=0)
        return [self.op(MatmulOp, x, chosen)]
