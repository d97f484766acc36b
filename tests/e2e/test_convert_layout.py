"""Every op with a rule of layouts, behind a transpose to channels first: the transpose moves, and results stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl_relax.builder import ModuleBuilder, tensor
from xdsl_relax.dialects.relax.base import RelaxOp, dims, element
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.dialects.relax.layout_rule import LayoutRule
from xdsl_relax.dialects.relax.ops.binary import BinaryOp, WhereOp
from xdsl_relax.dialects.relax.ops.manipulate import ConcatOp
from xdsl_relax.dialects.relax.ops.nn.activation import PReluOp
from xdsl_relax.dialects.relax.ops.nn.pool import PoolLikeOp
from xdsl_relax.dialects.relax.ops.qnn.elementwise import DequantizeBase, QuantizeBase, RequantizeOp
from xdsl_relax.dialects.relax.ops.reduction import ReductionOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.contraction.convert_layout import ConvertLayoutPass

SIZES = [2, 5, 4, 3]
"""`NHWC`, all different."""

RULED = [op for op in OPS if issubclass(op, RelaxOp) and op.LAYOUT_RULE is not LayoutRule.FIXED]


def element_of(op: type[RelaxOp]) -> str:
    """An element type that the op takes."""
    accepted = [str(each) for each in getattr(op, "ACCEPTED", ())]
    if issubclass(op, DequantizeBase):
        return "ui8"
    if op is RequantizeOp:
        return "i32"
    if "pool" in op.name:
        return "i32"
    return next((name for name in ("f32", "i32", "i1") if name in accepted), "f32")


def channels_first(f, name, kind):
    return f.permute_dims(f.input(name, tensor(SIZES, kind)), axes=[0, 3, 1, 2])


def built(op, others) -> ModuleOp:
    """A module with the op on transposed operands; further operands of a broadcasting op have these dims, or are transposed too."""
    kind = element_of(op)
    m = ModuleBuilder()
    with m.function("main") as f:
        x = channels_first(f, "x", kind)
        second = channels_first(f, "y", kind) if others is None else f.input("y", tensor(others, kind))
        if issubclass(op, BinaryOp):
            results = [f.op(op, x, second), f.op(op, second, x)]
        elif op is WhereOp:
            results = [f.op(op, f.greater(x, second), x, second)]
        elif issubclass(op, QuantizeBase | DequantizeBase):
            scale, number = f.constant(np.linspace(0.5, 2, 3), "f32"), f.constant([1, 2, 3], "i32")
            results = [f.op(op, x, scale, number, axis=1), f.op(op, x, f.constant(0.5, "f32"), f.constant(1, "i32"))]
        elif op is RequantizeOp:
            scale, number = f.constant(np.linspace(0.5, 2, 3), "f32"), f.constant([1, 2, 3], "i32")
            single, zero = f.constant(0.5, "f32"), f.constant(1, "i32")
            results = [
                f.op(op, x, scale, number, single, zero, axis=1),
                f.op(op, x, single, zero, f.constant(1.5, "f32"), zero, rounding="TONEAREST", compute_dtype="f32"),
            ]
        elif op is PReluOp:
            results = [
                f.op(op, x, f.constant([0.5, 2.0, -1.0], "f32")),
                f.op(op, x, f.constant([0.5] * 4, "f32"), axis=-1),
            ]
        elif issubclass(op, ReductionOp):
            axes = ([2, 3], [-1, 1], [0], [1, 0, 3], None)
            results = [f.op(op, x, axis=axis, keepdims=keepdims) for axis in axes for keepdims in (False, True)]
        elif op is ConcatOp:
            results = [f.op(op, x, x, axis=axis) for axis in (0, 1, -1)]
        elif issubclass(op, PoolLikeOp):
            is_adaptive = "adaptive" in op.name
            sizes: dict[str, Any] = {"output_size": [2, 3]} if is_adaptive else {"pool_size": [2, 3], "strides": [1, 2]}
            results = [f.op(op, x, **sizes)]
        else:
            required = {"relax.clip": {"min": -0.5, "max": 0.5}, "relax.astype": {"dtype": "f64"}}
            results = [f.op(op, x, **required.get(op.name, {}))]
        f.returns(*results)
    return m.build()


def check(op, others):
    before, after = built(op, others), built(op, others)
    ConvertLayoutPass().apply(Context(), after)
    after.verify()
    rng = np.random.default_rng(0)
    (function,) = functions(after)
    arguments = [
        (rng.standard_normal([size for size in dims(argument) or () if isinstance(size, int)]) * 3 + 1).astype(
            numpy_dtype(element(argument))
        )
        for argument in function.body.block.args
    ]
    with np.errstate(all="ignore"):
        results, expected = (Interpreter(module).call("main", *arguments) for module in (after, before))
    for result, wanted in zip(results, expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
    return [item for item in after.walk() if type(item) is op]


def producers(op):
    """The names of the ops that make the operands of an op."""
    return {operand.owner.name for operand in op.operands if isinstance(operand.owner, Operation)}


IMAGES = [op for op in RULED if "1d" not in op.name and "3d" not in op.name]
BROADCASTING = [op for op in RULED if op.name in ("relax.subtract", "relax.where", "relax.less")]


@pytest.mark.parametrize("op", IMAGES, ids=lambda op: op.name)
def test_transposes_move_behind(op):
    assert all("relax.permute_dims" not in producers(item) for item in check(op, None))


@pytest.mark.parametrize("others", [[], [1], [4], [5, 1], [3, 1, 1], [2, 1, 1, 1], [1, 3, 1, 1], [1, 1, 1, 1]])
@pytest.mark.parametrize("op", BROADCASTING, ids=lambda op: op.name)
def test_smaller_operands_broadcast_along_the_same_dims(op, others):
    check(op, others)


@pytest.mark.parametrize("others", [[5, 4], [3, 5, 4], [2, 3, 5, 4]])
def test_larger_operands_keep_the_transpose_in_front(others):
    assert all("relax.permute_dims" in producers(item) for item in check(BROADCASTING[0], others))
