"""Chains of element-wise ops, reductions and created tensors in one dataflow block, compiled with fusion, against the interpreter."""

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter

PROGRAM = """
!cube = tensor<2x?x?xf32, #relax.sym<n, n>>
!rows = tensor<2x?x1xf32, #relax.sym<n>>
!mask = tensor<2x?x?xi1, #relax.sym<n, n>>
!matrix = tensor<?x?xf32, #relax.sym<n, m>>
!column = tensor<?x1xf32, #relax.sym<n>>

func.func @standardize(%x: !matrix) -> !matrix {
  %eps = relax.constant {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
  %r = relax.dataflow {
    %mean = relax.mean %x {axis = array<i64: -1>, keepdims = true} : (!matrix) -> !column
    %d = relax.subtract %x, %mean : (!matrix, !column) -> !matrix
    %var = relax.variance %x {axis = array<i64: -1>, keepdims = true} : (!matrix) -> !column
    %safe = relax.add %var, %eps : (!column, tensor<f32>) -> !column
    %inv = relax.rsqrt %safe : (!column) -> !column
    %y = relax.multiply %d, %inv : (!matrix, !column) -> !matrix
    relax.output %y : !matrix
  } : !matrix
  return %r : !matrix
}

func.func @quantize(%x: tensor<?x7xf16, #relax.sym<n>>, %scale: tensor<7xf16>) -> tensor<?x7xi8, #relax.sym<n>> {
  %r = relax.dataflow {
    %q = relax.divide %x, %scale : (tensor<?x7xf16, #relax.sym<n>>, tensor<7xf16>) -> tensor<?x7xf16, #relax.sym<n>>
    %w = relax.round %q : (tensor<?x7xf16, #relax.sym<n>>) -> tensor<?x7xf16, #relax.sym<n>>
    %c = relax.clip %w {min = -100 : i64, max = 100 : i64} : (tensor<?x7xf16, #relax.sym<n>>) -> tensor<?x7xf16, #relax.sym<n>>
    %y = relax.astype %c {dtype = i8} : (tensor<?x7xf16, #relax.sym<n>>) -> tensor<?x7xi8, #relax.sym<n>>
    relax.output %y : tensor<?x7xi8, #relax.sym<n>>
  } : tensor<?x7xi8, #relax.sym<n>>
  return %r : tensor<?x7xi8, #relax.sym<n>>
}

func.func @one_hot_rows(%i: tensor<?xi64, #relax.sym<n>>, %s: !relax.shape<[k]>) -> tensor<?x?xf32, #relax.sym<n, k>> {
  %z = relax.shape : () -> !relax.shape<[0, k, 1]>
  %column = relax.shape : () -> !relax.shape<[n, 1]>
  %r = relax.dataflow {
    %places = relax.arange %z : (!relax.shape<[0, k, 1]>) -> tensor<?xi64, #relax.sym<k>>
    %rows = relax.reshape %i, %column : (tensor<?xi64, #relax.sym<n>>, !relax.shape<[n, 1]>) -> tensor<?x1xi64, #relax.sym<n>>
    %e = relax.equal %rows, %places : (tensor<?x1xi64, #relax.sym<n>>, tensor<?xi64, #relax.sym<k>>) -> tensor<?x?xi1, #relax.sym<n, k>>
    %y = relax.astype %e {dtype = f32} : (tensor<?x?xi1, #relax.sym<n, k>>) -> tensor<?x?xf32, #relax.sym<n, k>>
    relax.output %y : tensor<?x?xf32, #relax.sym<n, k>>
  } : tensor<?x?xf32, #relax.sym<n, k>>
  return %r : tensor<?x?xf32, #relax.sym<n, k>>
}

func.func @causal(%x: !cube) -> !cube {
  %low = relax.constant {value = dense<-1.0e+09> : tensor<f32>} : () -> tensor<f32>
  %r = relax.dataflow {
    %ones = relax.ones_like %x {dtype = i1} : (!cube) -> !mask
    %mask = relax.tril %ones : (!mask) -> !mask
    %m = relax.where %mask, %x, %low : (!mask, !cube, tensor<f32>) -> !cube
    %top = relax.max %m {axis = array<i64: 2>, keepdims = true} : (!cube) -> !rows
    %d = relax.subtract %m, %top : (!cube, !rows) -> !cube
    %e = relax.exp %d : (!cube) -> !cube
    %total = relax.sum %e {axis = array<i64: 2>, keepdims = true} : (!cube) -> !rows
    %y = relax.divide %e, %total : (!cube, !rows) -> !cube
    relax.output %y : !cube
  } : !cube
  return %r : !cube
}

func.func @best_of_running(%x: tensor<?x5xf32, #relax.sym<n>>) -> (tensor<?xi64, #relax.sym<n>>, tensor<i64>) {
  %r:2 = relax.dataflow {
    %s = relax.square %x : (tensor<?x5xf32, #relax.sym<n>>) -> tensor<?x5xf32, #relax.sym<n>>
    %c = relax.cumsum %s {axis = 1 : i64, exclusive = true} : (tensor<?x5xf32, #relax.sym<n>>) -> tensor<?x5xf32, #relax.sym<n>>
    %d = relax.negative %c : (tensor<?x5xf32, #relax.sym<n>>) -> tensor<?x5xf32, #relax.sym<n>>
    %a = relax.argmax %d {axis = 1 : i64} : (tensor<?x5xf32, #relax.sym<n>>) -> tensor<?xi64, #relax.sym<n>>
    %b = relax.argmin %d : (tensor<?x5xf32, #relax.sym<n>>) -> tensor<i64>
    relax.output %a, %b : tensor<?xi64, #relax.sym<n>>, tensor<i64>
  } : tensor<?xi64, #relax.sym<n>>, tensor<i64>
  return %r#0, %r#1 : tensor<?xi64, #relax.sym<n>>, tensor<i64>
}
"""


def _standardize(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def _causal(x):
    masked = np.where(np.tri(x.shape[1], dtype=bool), x, -np.inf)
    exponentials = np.exp(masked - masked.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def _best(x):
    before = np.cumsum(x * x, 1) - x * x
    return np.argmin(before, 1), np.argmax(before)


def _random(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


CALLS = [
    ("standardize", (_random(3, 17),), _standardize),
    ("standardize", (_random(1, 1),), _standardize),
    ("standardize", (_random(0, 4),), _standardize),
    (
        "quantize",
        (np.float16(30) * _random(5, 7).astype(np.float16), np.linspace(0.1, 2, 7).astype(np.float16)),
        lambda x, s: np.clip(np.rint((x / s).astype(np.float16)), -100, 100).astype(np.int8),
    ),
    ("one_hot_rows", (np.array([2, 0, 9, 1]), (3,)), lambda i, s: (i[:, None] == np.arange(*s)).astype(np.float32)),
    ("causal", (_random(2, 9, 9),), _causal),
    ("causal", (_random(2, 1, 1),), _causal),
    ("best_of_running", (_random(6, 5),), _best),
]


@pytest.fixture(scope="module")
def executable():
    return xdsl_relax.compile(PROGRAM)


@pytest.fixture(scope="module")
def interpreter():
    return Interpreter(xdsl_relax.load(PROGRAM))


@pytest.mark.parametrize(
    "index", range(len(CALLS)), ids=[f"{name}-{index}" for index, (name, _, _) in enumerate(CALLS)]
)
def test_chain(executable, interpreter, index):
    name, args, oracle = CALLS[index]
    expected = oracle(*args)
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = executable[name](*args)
    results = results if isinstance(results, tuple | list) else (results,)
    for native, reference, wanted in zip(results, interpreter.call(name, *args), expected, strict=True):
        np.testing.assert_allclose(reference, wanted, rtol=2e-5, atol=2e-6)
        np.testing.assert_allclose(native, reference, rtol=2e-5, atol=2e-6)


COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("element", ["bf16", "f16", "f32", "f64"])
def test_comparisons_that_become_numbers(comparison, element):
    """Vectors of each width of floats become vectors of each width of integers, with NaN, infinities and subnormal numbers."""
    dtype = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64}[element]
    tiny = ml_dtypes.finfo(dtype).smallest_subnormal
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2, tiny, -tiny], dtype)
    x, y = (grid.reshape(-1) for grid in np.meshgrid(values, values))
    argument = f"tensor<?x{element}, #relax.sym<m>>"
    functions = ""
    for target in ("i8", "ui8", "i16", "ui16", "i32", "i64", "f16", "bf16"):
        result = f"tensor<?x{target}, #relax.sym<m>>"
        functions += f"""
        func.func @to_{target}(%x: {argument}, %y: {argument}) -> {result} {{
          %c = relax.{comparison} %x, %y : ({argument}, {argument}) -> tensor<?xi1, #relax.sym<m>>
          %r = relax.astype %c {{dtype = {target}}} : (tensor<?xi1, #relax.sym<m>>) -> {result}
          return %r : {result}
        }}"""
    executable = xdsl_relax.compile(functions)
    want = COMPARISONS[comparison](x.astype(np.float64), y.astype(np.float64))
    for name in executable:
        np.testing.assert_array_equal(executable[name](x, y).astype(np.float64), want.astype(np.float64), err_msg=name)
