"""Functions of jax, imported as StableHLO: results of the interpreter and of machine code against jax."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax

jax = pytest.importorskip("jax", reason="needs jax")

from harness.engines import ENGINES  # noqa: E402
from harness.jax_functions import FUNCTIONS as EVERY  # noqa: E402
from harness.jax_functions import RNG  # noqa: E402
from harness.sampling import sampled  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError, UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.stablehlo import (  # noqa: E402
    from_stablehlo,
    import_jax,
    import_stablehlo,
    to_stablehlo,
    to_stablehlo_bytecode,
)
from xdsl_relax.frontend.stablehlo.load import read_module  # noqa: E402
from xdsl_relax.frontend.stablehlo.original import run_module, run_original  # noqa: E402
from xdsl_relax.frontend.stablehlo.small_floats import SMALL_FLOATS  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

FUNCTIONS = {name: EVERY[name] for name in sampled(EVERY, share=4)}


def everything(arguments: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Returns the results of all functions, so that they are compiled once."""
    return {name: function(*arguments[name]) for name, (function, _) in FUNCTIONS.items()}


ARGUMENTS = {name: arguments for name, (_, arguments) in FUNCTIONS.items()}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return jax.jit(everything)(ARGUMENTS)


@pytest.fixture(scope="module", params=sorted(ENGINES))
def results(request: pytest.FixtureRequest) -> dict[str, Any]:
    model = import_jax(jax.jit(everything), ARGUMENTS)
    leaves = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(ARGUMENTS)]
    with np.errstate(all="ignore"):
        made = ENGINES[request.param](model.module)("main", *leaves, *model.params.values())
    tree = jax.tree_util.tree_structure(jax.eval_shape(everything, ARGUMENTS))
    return jax.tree_util.tree_unflatten(tree, made)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str, results: dict[str, Any], expected: dict[str, Any]) -> None:
    results_of, expected_of = (jax.tree_util.tree_leaves(tree[name]) for tree in (results, expected))
    for got, want in zip(results_of, expected_of, strict=True):
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        if want.dtype.kind in "fV":
            tolerance = 2e-5 if want.dtype.itemsize > 2 else 1e-2
            np.testing.assert_allclose(got.astype("d"), want.astype("d"), rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(got, want)


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    model = import_jax(jax.jit(everything), ARGUMENTS)
    leaves = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(ARGUMENTS)]
    made = run_module(read_module(to_stablehlo(model.module)), [*leaves, *model.params.values()])
    return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(jax.eval_shape(everything, ARGUMENTS)), made)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_export_runs_in_jax(name: str, exported: dict[str, Any], expected: dict[str, Any]) -> None:
    test_function(name, exported, expected)


def test_files(tmp_path: Path) -> None:
    x, w = np.arange(6, dtype="f").reshape(2, 3), np.ones((3, 2), "f")
    program = to_stablehlo_bytecode(import_jax(jax.jit(lambda x, w: jax.nn.relu(x @ w - 4)), x, w).module)
    path = tmp_path / "layer.mlirbc"
    path.write_bytes(program)
    model = xdsl_relax.compile(path)
    assert model(x, w).tolist() == [[0, 0], [8, 8]]
    assert run_original(path, {"x": x, "w": w})[0].tolist() == [[0, 0], [8, 8]]


REFUSED = """
func.func public @main(%x: tensor<2xcomplex<f32>>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.custom_call @one(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %b = stablehlo.custom_call @one(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.imag %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %d = stablehlo.rng %r0, %r0, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
"""


def test_all_that_is_not_supported_is_named_at_once() -> None:
    program = REFUSED.replace(
        "  %d",
        "  %r0 = stablehlo.constant dense<0.0> : tensor<f32>\n  %s = stablehlo.constant dense<4> : tensor<1xi64>\n  %d",
    )
    with pytest.raises(UnsupportedModelError) as caught:
        import_stablehlo(program)
    assert caught.value.counts == {"argument": 1, "custom_call @one": 2, "stablehlo.rng": 1}
    assert "tensors of complex<f32> have no counterpart" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module {", "not a program of StableHLO: "),
        ("missing.mlirbc", "cannot read missing.mlirbc: No such file or directory"),
        ("module {\n}", "the program has no public function"),
    ],
)
def test_what_is_no_program(text: str, message: str) -> None:
    with pytest.raises(ModelImportError) as caught:
        import_stablehlo(text)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


DYNAMIC = """
func.func public @main(%x: tensor<?x3xf32, #stablehlo.bounds<8, ?>> loc("x")) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %m = stablehlo.multiply %n, %c : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %y = stablehlo.dynamic_reshape %x, %s : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<1xi32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def test_dynamic_sizes_become_symbols_with_bounds() -> None:
    module = from_stablehlo(DYNAMIC)
    assert "#relax.sym<3 * x_0>" in str(module)
    exe = xdsl_relax.compile(module)
    assert exe["main"](np.ones((2, 3), "f")).shape == (6,)
    with pytest.raises(ValueError, match="x_0"):
        exe["main"](np.ones((9, 3), "f"))
    assert "tensor<2x3xf32>" in str(from_stablehlo(DYNAMIC, dims={"x_0": 2}))


def test_symbolic_shapes_of_jax() -> None:
    (n,) = jax.export.symbolic_shape("n")
    function = jax.jit(lambda x, y: jax.nn.softmax(x @ y, axis=0).reshape(-1))
    x, y = (jax.ShapeDtypeStruct(shape, np.float32) for shape in ((n, 3), (3, 2)))
    module = import_jax(function, x, y).module
    arrays = np.arange(12, dtype="f").reshape(4, 3) / 9, np.ones((3, 2), "f")
    result = xdsl_relax.compile(module)["main"](*arrays)
    np.testing.assert_allclose(result, function(*arrays), rtol=1e-5)


SMALL = """
func.func public @main(%x: tensor<300xf32>) -> (tensor<300xf32>, tensor<300xi32>) {
  %a = stablehlo.convert %x : (tensor<300xf32>) -> tensor<300xTYPE>
  %b = stablehlo.add %a, %a : tensor<300xTYPE>
  %c = stablehlo.convert %b : (tensor<300xTYPE>) -> tensor<300xf32>
  %d = stablehlo.convert %x : (tensor<300xf32>) -> tensor<300xi4>
  %e = stablehlo.multiply %d, %d : tensor<300xi4>
  %f = stablehlo.convert %e : (tensor<300xi4>) -> tensor<300xi32>
  return %c, %f : tensor<300xf32>, tensor<300xi32>
}
"""


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_small_types_are_rounded_and_wrap_around(name: str) -> None:
    dtype = SMALL_FLOATS[name].dtype
    x = np.concatenate(
        [
            RNG.normal(size=250) * 10.0 ** RNG.integers(-4, 4, 250),
            np.linspace(-2, 2, 45),
            [0, np.inf, -np.inf, 1e9, -1e9],
        ]
    )
    x = x.astype(np.float32)
    floats, integers = interpret(from_stablehlo(SMALL.replace("TYPE", name)))("main", x)
    with np.errstate(all="ignore"):
        half = x.astype(dtype).astype(np.float32)
        want = (half + half).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(floats, want)
    clipped = np.trunc(np.clip(x, -8, 7)).astype(np.int32)
    np.testing.assert_array_equal(integers, (clipped * clipped + 8) % 16 - 8)


def test_scans_run_backwards() -> None:
    program = """
func.func public @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = chlo.scan(%x) inits(%z) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %0#0 : tensor<4xi32>
}
"""
    (result,) = interpret(from_stablehlo(program))("main", np.array([1, 2, 3, 4], np.int32))
    assert result.tolist() == [10, 9, 7, 4]


def test_arguments_that_nothing_reads_stay() -> None:
    params = {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)}
    model = import_jax(
        jax.jit(lambda p, x, z: p["b"] + x), params, np.ones(3, np.float32), np.ones(4, np.float32), weights=0
    )
    assert (model.inputs, list(model.params)) == (("x", "z"), ["a", "b"])


def test_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "stablehlo.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/stablehlo.md", "exec"), {})


@pytest.mark.parametrize("index", [0, 2, 2**63 - 1, 2**63, 2**64 - 1])
def test_unsigned_indices_beyond_signed_ones(index: int) -> None:
    text = """
func.func public @main(%x: tensor<5xf32>, %i: tensor<ui64>) -> (tensor<2xf32>, tensor<5xf32>) {
  %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<5xf32>, tensor<ui64>) -> tensor<2xf32>
  %u = stablehlo.dynamic_update_slice %x, %r, %i : (tensor<5xf32>, tensor<2xf32>, tensor<ui64>) -> tensor<5xf32>
  return %r, %u : tensor<2xf32>, tensor<5xf32>
}"""
    x, start = np.arange(5, dtype=np.float32), min(index, 3)
    part, whole = interpret(import_stablehlo(text).module)("main", x, np.asarray(index, np.uint64))
    np.testing.assert_array_equal(part, x[start : start + 2])
    np.testing.assert_array_equal(whole, x)
