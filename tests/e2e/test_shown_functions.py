"""What executables, functions and parameter sets say of themselves: names, types and symbols, never data."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import NativeFunction

PROGRAM = """
func.func @main(%x: tensor<?x3xf32, #relax.sym<n>>, %w: tensor<4x3xf32> {relax.name = "fc.weight"},
                %b: tensor<4xf32> {relax.name = "fc.bias"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %w : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %y = relax.matmul %x, %t : (tensor<?x3xf32, #relax.sym<n>>, tensor<3x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %z = relax.add %y, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %z : tensor<?x4xf32, #relax.sym<n>>
}
func.func @all(%p: tuple<tensor<?xbf16, #relax.sym<m>>, !relax.shape<[m, 4]>>, %k: i64, %state: tensor<2xi1> {relax.donate = array<i64: 1>})
    -> (tensor<?xbf16, #relax.sym<m>>, tensor<2xi1>) {
  %x = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tensor<?xbf16, #relax.sym<m>>, !relax.shape<[m, 4]>>) -> tensor<?xbf16, #relax.sym<m>>
  return %x, %state : tensor<?xbf16, #relax.sym<m>>, tensor<2xi1>
}
"""
MAIN = "main(x: float32[n, 3], w: float32[4, 3], b: float32[4]) -> float32[n, 4]"
ALL = "all(p: (bfloat16[m], shape[m, 4]), k: int64, state: bool[2]) -> (bfloat16[m], bool[2])"


@pytest.fixture(scope="module")
def exe() -> Executable:
    return xdsl_relax.compile(PROGRAM)


@pytest.fixture(scope="module")
def lifted() -> Executable:
    return xdsl_relax.compile(PROGRAM, lift=True)


def test_functions_and_executables(exe: Executable, lifted: Executable):
    assert repr(exe["main"]) == f"<{MAIN}>" and repr(exe["all"]) == f"<{ALL}>"
    head, *lines = repr(exe).splitlines()
    assert head.startswith("<Executable of 2 functions for ") and lines == [f"  {MAIN}", f"  {ALL}>"]
    assert (
        "  main(x: float32[n, 3], params: ParameterSet of main_transform_params (2 parameters)) -> float32[n, 4]"
        in repr(lifted)
    )
    with pytest.raises(KeyError, match=r"no function 'man', did you mean 'main'\?"):
        exe["man"]


def test_parameters(lifted: Executable, tmp_path):
    params = lifted.transform_params({"fc.weight": np.full((4, 3), 7.25, "f"), "fc.bias": np.full(4, 7.25, "f")})
    head, *lines = repr(params).splitlines()
    assert head == f"<ParameterSet of @main_transform_params: 2 values, {params.nbytes} bytes"
    assert len(lines) == 2 and any(line.startswith("  fc.bias: float32[4], 16 bytes") for line in lines)
    assert "7.25" not in repr(params)
    lifted.save_params(params, tmp_path / "p.safetensors")
    assert repr(lifted.load_params(tmp_path / "p.safetensors")) == repr(params)


def test_many_parameters_are_counted():
    count = 60
    arguments = "".join(f', %w{i}: tensor<4xf32> {{relax.name = "w.{i}"}}' for i in range(count))
    sums = "".join(
        f"  %s{i + 1} = relax.add %{f's{i}' if i else 'x'}, %w{i} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
        for i in range(count)
    )
    program = f"func.func @main(%x: tensor<4xf32>{arguments}) -> tensor<4xf32> attributes {{relax.num_input = 1 : i64}} {{\n{sums}  return %s{count} : tensor<4xf32>\n}}"
    exe = xdsl_relax.compile(program, opt_level=0)
    assert repr(exe["main"]) == f"<main(x: float32[4], params: dict ({count} parameters)) -> float32[4]>"
    values = {f"w.{i}": np.full(4, i, "f") for i in range(count)}
    assert exe["main"](np.zeros(4, "f"), values).tolist() == [sum(range(count))] * 4
    lifted = xdsl_relax.compile(program, lift=True)
    assert len(repr(lifted.transform_params(values)).splitlines()) <= 26


def test_signatures(exe: Executable, lifted: Executable):
    text = "*, out: 'arrays to write results into' = None, results: \"'numpy', 'torch' or 'jax'\" = None"
    assert str(inspect.signature(exe["main"])) == (
        f"(x: 'float32[n, 3]', w: 'float32[4, 3]', b: 'float32[4]', {text}) -> 'float32[n, 4]'"
    )
    bound = inspect.signature(lifted["main"]).bind(1, params=2)
    assert bound.arguments == {"x": 1, "params": 2}
    assert inspect.signature(lifted["main"]).parameters["params"].annotation == "ParameterSet of main_transform_params"
    assert "interface" in inspect.signature(NativeFunction).parameters


def test_names_that_python_has_not():
    program = "func.func @main(%a: tensor<1xf32>, %h.0: tensor<1xf32>, %lambda: tensor<1xf32>, %out: tensor<1xf32>, %z: tensor<1xf32>) {\n  return\n}"
    parameters = inspect.signature(xdsl_relax.compile(program)["main"]).parameters
    assert [(name, parameter.kind.name) for name, parameter in parameters.items()] == [
        ("a", "POSITIONAL_ONLY"),
        ("h_0", "POSITIONAL_ONLY"),
        ("lambda_", "POSITIONAL_ONLY"),
        ("out_", "POSITIONAL_ONLY"),
        ("z", "POSITIONAL_OR_KEYWORD"),
        ("out", "KEYWORD_ONLY"),
        ("results", "KEYWORD_ONLY"),
    ]


def test_help(exe: Executable, lifted: Executable):
    text = pydoc.plain(pydoc.render_doc(exe["all"]))
    assert ALL in text
    assert "k: int64" in text and "state: bool[2]  (overwritten: its memory is that of result 1)" in text
    assert "w: float32[4, 3]  (parameter 'fc.weight')" in pydoc.plain(pydoc.render_doc(exe["main"]))
    assert "params: what transform_params makes" in pydoc.plain(pydoc.render_doc(lifted["main"]))
    assert "One public function" in pydoc.plain(pydoc.render_doc(NativeFunction))
    assert exe["main"].__name__ == "main"
