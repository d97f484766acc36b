"""What TVM computes on the CPU, against the interpreter: an independent oracle for the meaning of ops."""

from __future__ import annotations

import dataclasses
import importlib.util
from functools import cache
from importlib import import_module

import numpy as np
import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import tvm
from generators.tvm_modules import FAMILIES
from harness.op_cases import Arg, Case, assert_close, module_of
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, f32, i32, i64
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_relax.dialects.relax.attrs import ShapeType, element_type_of
from xdsl_relax.dialects.relax.ops import binary, create, indexing, unary
from xdsl_relax.dialects.relax.ops.core import ShapeOp
from xdsl_relax.frontend.tvm import to_relax
from xdsl_relax.interpreter.engine import Interpreter

NAMES = (
    "add-f32",
    "subtract-f32",
    "multiply-f32",
    "divide-f32",
    "power-f32",
    "mod-f32",
    "maximum-i8",
    "minimum-i16",
    "log_add_exp-f32",
    "equal-f32",
    "not_equal-i16",
    "less-f32",
    "less_equal-f32",
    "greater-f32",
    "greater_equal-f32",
    "floor_divide-f32",
    "bitwise_and-i8",
    "bitwise_or-i16",
    "bitwise_xor-i8",
    "left_shift-i64",
    "logical_and-i1",
    "logical_or-i1",
    "logical_xor-i1",
    "where-f32",
    "zeros-f32",
    "ones-f32",
    "zeros_like-f32",
    "ones_like-bf16",
    "arange-f32",
    "eye-f32",
    "tril-f32",
    "triu-f32",
    "hamming_window-f32-n-True",
    "nonzero-f32",
    "unique-f32",
    "linear-f32",
    "take-f32",
    "strided_slice-f32",
    "dynamic_strided_slice-forward",
    "gather_elements-last",
    "scatter_elements-f32-min",
    "index_tensor-one",
    "slice_scatter",
    "one_hot",
    "matmul-f32",
    "linear-f32",
    "einsum-f32",
    "outer-f32",
    "permute-f32",
    "reshape-join",
    "flatten-f32",
    "expand_dims",
    "squeeze",
    "concat-f32",
    "stack",
    "split",
    "broadcast_to-f32",
    "collapse_sum_to-f32",
    "repeat-f32",
    "tile",
    "flip-f32",
    "meshgrid",
    "pad-constant",
    "relu-f64",
    "leaky_relu-f32",
    "gelu-f32",
    "gelu_tanh-f32",
    "silu-f32",
    "selu-f32",
    "softplus-f32",
    "prelu-f32",
    "attention-f32",
    "attention_bias-bx2xsxt",
    "conv2d-f32",
    "conv1d",
    "conv3d",
    "conv2d_transpose-f32",
    "conv1d_transpose",
    "conv3d_transpose",
    "cross_entropy-f32",
    "nll_loss-f32-mean",
    "layer_norm-f32",
    "rms_norm-f32",
    "group_norm-f32",
    "instance_norm-f32",
    "batch_norm-f32-True",
    "max_pool2d-f32",
    "max_pool1d",
    "max_pool3d",
    "avg_pool2d-f32-False",
    "avg_pool1d",
    "avg_pool3d",
    "adaptive_avg_pool2d-f32",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool3d",
    "softmax-f32--1",
    "log_softmax-f32--1",
    "dropout",
    "sum-f32-nx133-(1,)-False",
    "mean-f32-nx133-(1,)-False",
    "max-f32-nx133-(1,)-False",
    "min-f32-nx133-(1,)-False",
    "variance-f32-nx133-(1,)-False",
    "std-f32-nx133-(1,)-False",
    "argmax-f32-nx133-1-False",
    "argmin-f32-nx133-1-False",
    "prod-f32-nx7-(1,)-False",
    "cumsum-f32-None-n-0-False",
    "cumprod-f32-None-n-0-False",
    "shape_to_tensor",
    "symbol_value-f32",
    "sort-f32",
    "argsort-0",
    "topk",
    "abs-f32",
    "acos-f32",
    "acosh-f32",
    "asin-f32",
    "asinh-f32",
    "atan-f32",
    "atanh-f32",
    "ceil-f32",
    "cos-f32",
    "cosh-f32",
    "erf-f32",
    "exp-f32",
    "floor-f32",
    "log-f32",
    "negative-f32",
    "round-f32",
    "rsqrt-f32",
    "sigmoid-f32",
    "sign-f32",
    "sin-f32",
    "sinh-f32",
    "sqrt-f32",
    "square-f32",
    "tan-f32",
    "tanh-f32",
    "isfinite-f32",
    "isinf-f32",
    "isnan-f32",
    "bitwise_not-i16",
    "logical_not",
    "astype-f64-f32",
)
"""A case of each op, of ordinary values. Outside of them the two differ, or TVM leaves the result undefined.

TVM: `maximum`, `minimum`, `nn.relu`, `clip` and pooling drop NaN; `not_equal` is false with a NaN; `clip` with `min > max` is `min`;
shifts by the width or more, conversions of floats out of range, division by 0 and indices out of range or negative are undefined;
attention with fewer heads of keys than of queries reads out of bounds; f16 and bf16 are accumulated in their own type;
`floor_divide` of floats rounds the quotient before it rounds down (1.5 by the f32 next to 0.1 is 15, exactly it is 14).
"""


def positive(rng, shape):
    return rng.integers(1, 6, shape)


def numbered(count):
    """Returns indices that do not repeat."""
    return lambda rng, shape: rng.permutation(count)[: int(np.prod(shape))].reshape(shape)


def no_oracle(*inputs: np.ndarray) -> np.ndarray:
    """Stands in cases that are compared with TVM alone."""
    raise NotImplementedError


ORDINARY = (
    Case("floor_mod", binary.FloorModOp, [Arg((4, 5), i32), Arg((4, 5), i32, positive)], no_oracle),
    Case("right_shift", binary.RightShiftOp, [Arg((4, 5), i32), Arg((5,), i32, positive)], no_oracle),
    Case("clip", unary.ClipOp, [Arg((4, 5))], no_oracle, {"min": -0.5, "max": 0.5}),
    Case("full", create.FullOp, [Arg((2, 3), shape_value=True), Arg(())], no_oracle),
    Case("full_like", create.FullLikeOp, [Arg((2, 3)), Arg((), i64)], no_oracle),
    Case("gather_nd", indexing.GatherNDOp, [Arg((6, 3)), Arg((4, 1), i64, numbered(6))], no_oracle),
    Case("scatter_nd", indexing.ScatterNDOp, [Arg((6, 3)), Arg((4, 1), i64, numbered(6)), Arg((4, 3))], no_oracle),
    Case(
        "scatter_nd-add",
        indexing.ScatterNDOp,
        [Arg((6, 3)), Arg((4, 1), i64, numbered(6)), Arg((4, 3))],
        no_oracle,
        {"reduction": "add"},
    ),
)


def static(case):
    """Returns a case with its symbols replaced by their sizes."""
    args = [
        dataclasses.replace(arg, dims=tuple(case.sizes[dim] if isinstance(dim, str) else dim for dim in arg.dims))
        for arg in case.args
    ]
    return dataclasses.replace(case, args=args)


@cache
def cases():
    by_name: dict[str, list[Case]] = {}
    for family in FAMILIES:
        for case in import_module(f"cases.{family}").CASES:
            by_name.setdefault(case.name, []).append(case)
    # Two families have cases of one name, in the order of the families.
    return [static(by_name[name][NAMES[:index].count(name)]) for index, name in enumerate(NAMES)] + list(ORDINARY)


@cache
def machine():
    """Returns TVM's machine with a function for each case; shapes are written where they are used."""
    module = module_of(cases())
    for function in module.body.block.ops:
        assert isinstance(function, func.FuncOp)
        block = function.body.block
        for arg in list(block.args)[::-1]:
            if isinstance(arg.type, ShapeType):
                op = ShapeOp.build_from(result_types=[arg.type])
                Rewriter.insert_op(op, InsertPoint.at_start(block))
                arg.replace_all_uses_with(op.result)
                block.erase_arg(arg)
        inputs = [arg.type for arg in block.args]
        function.function_type = FunctionType.from_lists(inputs, function.function_type.outputs.data)
    return tvm.relax.VirtualMachine(tvm.relax.build(to_relax(module), target="llvm"), tvm.cpu())  # pyright: ignore[reportArgumentType]


def leaves(value):
    return (
        [value.numpy()] if isinstance(value, tvm.runtime.Tensor) else [leaf for item in value for leaf in leaves(item)]
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", range(len(NAMES) + len(ORDINARY)), ids=[*NAMES, *(case.name for case in ORDINARY)])
def test_tvm_agrees(index):
    case = cases()[index]
    inputs = case.inputs()
    module = module_of([case])
    wanted = Interpreter(module).call("case_0", *inputs)
    arrays = [tvm.runtime.tensor(np.asarray(value, order="C")) for value in inputs if not isinstance(value, tuple)]
    results = leaves(machine()[f"case_{index}"](*arrays))
    types = next(op.function_type.outputs.data for op in module.body.block.ops if isinstance(op, func.FuncOp))
    assert len(results) == len(wanted)
    for result, expected, result_type in zip(results, wanted, types, strict=True):
        expected = np.asarray(expected)
        assert result.dtype == expected.dtype
        wide = expected.astype(np.int64 if expected.dtype.kind in "iub" else np.float64)
        assert_close(result, wide, element_type_of(result_type), case.tolerance, 2e-6)


def test_every_case_is_of_another_op():
    names = [case.op.name for case in cases()[: len(NAMES)]]
    assert len(set(names)) == len(names) >= 140
    assert f32 in {arg.element for case in cases() for arg in case.args}
