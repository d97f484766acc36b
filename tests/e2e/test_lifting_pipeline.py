"""The default pipeline with lifting: functions take transformed parameters, and have the results of the program as it was."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.interpreted import interpret

RNG = np.random.default_rng(0)

# A convolution with batch_norm in a dataflow block, two products of one value outside of one.
PROGRAM = """
func.func @main(%x: tensor<?x3x8x8xf32, #relax.sym<n>>, %w: tensor<4x3x3x3xf32> {relax.name = "w"}, %g: tensor<4xf32> {relax.name = "g"},
                %b: tensor<4xf32> {relax.name = "b"}, %m: tensor<4xf32> {relax.name = "m"}, %v: tensor<4xf32> {relax.name = "v"})
    -> tensor<?x4x8x8xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x8xf32, #relax.sym<n>>
    %n, %m1, %v1 = relax.nn.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false}
      : (tensor<?x4x8x8xf32, #relax.sym<n>>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4x8x8xf32, #relax.sym<n>>, tensor<4xf32>, tensor<4xf32>)
    %z = relax.nn.relu %n : (tensor<?x4x8x8xf32, #relax.sym<n>>) -> tensor<?x4x8x8xf32, #relax.sym<n>>
    relax.output %z : tensor<?x4x8x8xf32, #relax.sym<n>>
  } : tensor<?x4x8x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8x8xf32, #relax.sym<n>>
}
func.func @projections(%x: tensor<?x8xf32, #relax.sym<n>>, %q: tensor<8x8xf32> {relax.name = "q"}, %k: tensor<2x8xf32> {relax.name = "k"})
    -> (tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %k : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %a = relax.matmul %x, %q : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %b = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  return %a, %b : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
}
"""


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


WEIGHTS = {
    "main": {"w": normal(4, 3, 3, 3), "g": normal(4), "b": normal(4), "m": normal(4), "v": np.abs(normal(4)) + 0.5},
    "projections": {"q": normal(8, 8), "k": normal(2, 8)},
}
INPUTS = {"main": normal(2, 3, 8, 8), "projections": normal(5, 8)}


@pytest.mark.parametrize("level", range(4))
def test_lifted_functions_have_the_results_of_the_program(level):
    module = load(PROGRAM)
    executable = xdsl_relax.compile(module, opt_level=level, lift=True)
    for name, weights in WEIGHTS.items():
        params = executable.transform_params(weights, transform=f"{name}_transform_params", progress=False)
        expected = interpret(module)(name, INPUTS[name], *weights.values())
        for result, wanted in zip(executable[name].call(INPUTS[name], params), expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)


IN_BODIES = """
func.func @main(%x: tensor<3x70xf32>, %n: index, %c: i1, %w: tensor<70x70xf32> {relax.name = "w"}, %v: tensor<70x70xf32> {relax.name = "v"})
    -> tensor<3x70xf32> attributes {relax.num_input = 3 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<3x70xf32>) {
    %w_t = relax.permute_dims %w : (tensor<70x70xf32>) -> tensor<70x70xf32>
    %b = relax.matmul %a, %w_t : (tensor<3x70xf32>, tensor<70x70xf32>) -> tensor<3x70xf32>
    %q = scf.if %c -> (tensor<3x70xf32>) {
      %y = relax.matmul %b, %v : (tensor<3x70xf32>, tensor<70x70xf32>) -> tensor<3x70xf32>
      scf.yield %y : tensor<3x70xf32>
    } else {
      %e = relax.exp %v : (tensor<70x70xf32>) -> tensor<70x70xf32>
      %z = relax.matmul %b, %e : (tensor<3x70xf32>, tensor<70x70xf32>) -> tensor<3x70xf32>
      scf.yield %z : tensor<3x70xf32>
    }
    %t = relax.tanh %q : (tensor<3x70xf32>) -> tensor<3x70xf32>
    scf.yield %t : tensor<3x70xf32>
  }
  return %r : tensor<3x70xf32>
}
"""


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("lift", [True, "shared"])
def test_weights_of_loops_and_branches_are_lifted(level, lift):
    module = load(IN_BODIES)
    executable = xdsl_relax.compile(module, opt_level=level, lift=lift)
    w, v, x = normal(70, 70) / 8, normal(70, 70) / 8, normal(3, 70)
    params = executable.transform_params({"w": w, "v": v}, progress=False)
    if level >= 2:
        assert sorted(params.names) == ["e_packed", "v_packed", "w_t_packed"]
    for count, flag in ((0, True), (3, True), (2, False)):
        (expected,) = interpret(module)("main", x, count, flag, w, v)
        np.testing.assert_allclose(executable["main"](x, count, flag, params), expected, rtol=1e-4, atol=1e-4)


def test_without_lifting_functions_take_the_weights_themselves():
    executable = xdsl_relax.compile(PROGRAM)
    expected = interpret(load(PROGRAM))("main", INPUTS["main"], *WEIGHTS["main"].values())
    np.testing.assert_allclose(
        executable["main"](INPUTS["main"], *WEIGHTS["main"].values()), expected[0], rtol=1e-4, atol=1e-4
    )
    with pytest.raises(KeyError):
        executable["main_transform_params"]


def test_parameters_of_one_function_are_refused_by_another():
    executable = xdsl_relax.compile(PROGRAM, lift=True)
    params = executable.transform_params(WEIGHTS["main"], transform="main_transform_params", progress=False)
    with pytest.raises(ArgumentError, match="expected parameters from projections_transform_params"):
        executable["projections"](INPUTS["projections"], params)


def test_functions_share_one_set_of_parameters():
    text = "\n".join(
        f"""func.func @{name}(%x: tensor<{rows}x8xf32>, %q: tensor<8x8xf32> {{relax.name = "q"}}, %k: tensor<2x8xf32> {{relax.name = "k"}})
    -> tensor<{rows}x2xf32> attributes {{relax.num_input = 1 : i64}} {{
  %t = relax.permute_dims %k : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %a = relax.matmul %x, %q : (tensor<{rows}x8xf32>, tensor<8x8xf32>) -> tensor<{rows}x8xf32>
  %b = relax.matmul %a, %t : (tensor<{rows}x8xf32>, tensor<8x2xf32>) -> tensor<{rows}x2xf32>
  return %b : tensor<{rows}x2xf32>
}}"""
        for name, rows in (("prefill", 5), ("decode", 1))
    )
    executable = xdsl_relax.compile(text, lift="shared")
    params = executable.transform_params(WEIGHTS["projections"], progress=False)
    q, k = WEIGHTS["projections"].values()
    for name, rows in (("prefill", 5), ("decode", 1)):
        x = normal(rows, 8)
        np.testing.assert_allclose(executable[name](x, params), x @ q @ k.T, rtol=1e-4, atol=1e-4)
