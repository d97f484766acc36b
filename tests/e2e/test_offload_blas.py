"""Matrix products handed to BLAS: the same results as kernels, natively and in the interpreter, for shapes of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host import packed_functions as packed
from xdsl_relax.interpreter.host.blas import BLAS
from xdsl_relax.runtime.compiler import available_passes, load

LAYERS = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<16x8xf32>, %b: tensor<16xf32>, %v: tensor<16x3xf32>)
    -> (tensor<?x3xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>) {
  %r, %s = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %0 = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
    %1 = relax.add %0, %b : (tensor<?x16xf32, #relax.sym<n>>, tensor<16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
    %2 = relax.nn.relu %1 : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
    %3 = relax.exp %2 : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
    %4 = relax.matmul %2, %v : (tensor<?x16xf32, #relax.sym<n>>, tensor<16x3xf32>) -> tensor<?x3xf32, #relax.sym<n>>
    relax.output %4, %3 : tensor<?x3xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>
  } : tensor<?x3xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>
  return %r, %s : tensor<?x3xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>
}
"""

SHAPES = [
    ((3, 4), (4, 5), (5,), (3, 5)),
    ((3, 4), (4, 5), (3, 1), (3, 5)),
    ((3, 4), (4, 1), (5,), (3, 5)),
    ((3, 4), (4, 5), (2, 1, 1), (2, 3, 5)),
    ((2, 3, 4), (4, 5), (5,), (2, 3, 5)),
    ((2, 1, 3, 4), (6, 4, 5), (), (2, 6, 3, 5)),
    ((4,), (4, 5), (5,), (5,)),
    ((3, 4), (4,), (3,), (3,)),
    ((4,), (4,), (2,), (2,)),
    ((0, 4), (4, 5), (5,), (0, 5)),
    ((3, 0), (0, 5), (5,), (3, 5)),
]
"""Of the data, the weight, the bias and the result."""


@pytest.fixture
def called(monkeypatch):
    """The names of the library functions that are called, in order."""
    names: list[str] = []

    def watched(name, function):
        def call(*arrays):
            names.append(name)
            function(*arrays)

        return call

    for name, function in BLAS.items():
        monkeypatch.setitem(packed._FUNCTIONS, name, watched(name, function))
    return names


def layer_arguments(n):
    rng = np.random.default_rng(n)
    return [rng.standard_normal(shape).astype(np.float32) for shape in ((n, 8), (16, 8), (16,), (16, 3))]


EXPECTED_CALLS = ["blas.matmul_transposed_bias_relu", "blas.matmul"]


def test_native_calls_the_library(called):
    exe = xdsl_relax.compile(LAYERS, passes=["relax-offload-blas"])
    kernels = xdsl_relax.compile(LAYERS)
    for n in (0, 1, 7, 65):
        called.clear()
        results = exe["main"](*layer_arguments(n))
        assert called == EXPECTED_CALLS
        for result, reference in zip(results, kernels["main"](*layer_arguments(n)), strict=True):
            np.testing.assert_allclose(result, reference, rtol=2e-5, atol=1e-5)


def test_kernels_do_not_call_the_library(called):
    xdsl_relax.compile(LAYERS)["main"](*layer_arguments(3))
    assert called == []


def offloaded(text):
    module = load(text)
    available_passes()["relax-offload-blas"]()().apply(None, module)  # type: ignore[arg-type]
    module.verify()
    return module


def test_interpreter_calls_the_library(called):
    results = Interpreter(offloaded(LAYERS)).call("main", *layer_arguments(5))
    assert called == EXPECTED_CALLS
    for result, reference in zip(results, Interpreter(load(LAYERS)).call("main", *layer_arguments(5)), strict=True):
        np.testing.assert_allclose(result, reference, rtol=2e-5, atol=1e-5)


def tensor(shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}f64>"


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("has_relu", [False, True])
def test_shapes(called, shapes, has_relu):
    x, w, b, result = map(tensor, shapes)
    product = tensor(np.matmul(np.zeros(shapes[0]), np.zeros(shapes[1])).shape)
    text = f"""
    func.func @main(%x: {x}, %w: {w}, %b: {b}) -> {result} {{
      %r = relax.dataflow {{
        %0 = relax.matmul %x, %w : ({x}, {w}) -> {product}
        %1 = relax.add %0, %b : ({product}, {b}) -> {result}
        %2 = relax.{"nn.relu" if has_relu else "abs"} %1 : ({result}) -> {result}
        relax.output %2 : {result}
      }} : {result}
      return %r : {result}
    }}"""
    rng = np.random.default_rng(0)
    arguments = [rng.standard_normal(shape) for shape in shapes[:3]]
    if arguments[0].size:
        arguments[0].flat[0] = np.nan
    (expected,) = Interpreter(load(text)).call("main", *arguments)
    (computed,) = Interpreter(offloaded(text)).call("main", *arguments)
    assert called == ["blas.matmul_bias_relu" if has_relu else "blas.matmul_bias"]
    np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-12)


def test_sizes_that_do_not_fit_are_errors():
    exe = xdsl_relax.compile(LAYERS, passes=["relax-offload-blas"])
    x, w, b, v = layer_arguments(3)
    with pytest.raises(ValueError, match="argument 'x' dim 1: expected 8"):
        exe["main"](x[:, :4], w, b, v)
