"""Loops around relax ops: at every level, with and without lifting, and as text at every stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException
from xdsl_relax.builder import ModuleBuilder, shape, tensor
from xdsl_relax.lowering.pipeline import STAGES
from xdsl_relax.tools.relax_opt import main as relax_opt

SQUARE_ROOT = Path(__file__).parents[2] / "examples" / "square_root.mlir"

CONDITION_ON_TENSORS = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<1xf32> {relax.name = "w"}) -> tensor<?xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %limit = arith.constant 100.0 : f32
  %y = scf.while (%v = %x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
    %a = relax.abs %v : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %m = relax.max %a : (tensor<?xf32, #relax.sym<n>>) -> tensor<f32>
    %e = tensor.extract %m[] : tensor<f32>
    %again = arith.cmpf olt, %e, %limit : f32
    scf.condition(%again) %v : tensor<?xf32, #relax.sym<n>>
  } do {
  ^bb0(%v: tensor<?xf32, #relax.sym<n>>):
    %s = relax.exp %w : (tensor<1xf32>) -> tensor<1xf32>
    %d = relax.multiply %v, %s : (tensor<?xf32, #relax.sym<n>>, tensor<1xf32>) -> tensor<?xf32, #relax.sym<n>>
    scf.yield %d : tensor<?xf32, #relax.sym<n>>
  }
  return %y : tensor<?xf32, #relax.sym<n>>
}
"""


@pytest.mark.parametrize("opt_level", range(4))
@pytest.mark.parametrize("lift", [False, True, "shared"])
def test_a_condition_that_is_computed_from_tensors(opt_level, lift):
    executable = xdsl_relax.compile(CONDITION_ON_TENSORS, opt_level=opt_level, lift=lift)
    x, w = np.array([1.0, -3.0, 2.0], np.float32), np.array([0.5], np.float32)
    params = [executable.transform_params({"w": w})] if lift else [w]
    expected = x
    while np.abs(expected).max() < 100:
        expected = expected * np.exp(w)
    np.testing.assert_allclose(executable["main"](x, *params), expected, rtol=1e-5)


@pytest.mark.parametrize("stage", STAGES)
def test_a_loop_that_carries_tensors_is_valid_at_every_stage(stage, tmp_path):
    target = tmp_path / "out.mlir"
    assert relax_opt([str(SQUARE_ROOT), "-p", stage, "-o", str(target)]) == 0
    assert relax_opt([str(target), "-o", "/dev/null"]) == 0


def program(inputs: int) -> ModuleOp:
    """Returns a program with many static sizes and a static entry of a shape argument."""
    m = ModuleBuilder()
    with m.function("main") as f:
        arguments = [f.input(f"x{index}", tensor([2], "f32")) for index in range(inputs)]
        f.input("s", shape([300]))
        f.returns(f.add(arguments[0], arguments[0]))
    return m.build()


@pytest.mark.parametrize("inputs", [1, 15, 16, 33])
def test_static_entries_of_shapes_are_checked_beside_many_static_sizes(inputs):
    main = xdsl_relax.compile(program(inputs))["main"]
    arrays = [np.ones(2, np.float32)] * inputs
    np.testing.assert_array_equal(main(*arrays, (300,)), [2, 2])
    with pytest.raises(ValueError, match="300"):
        main(*arrays, (301,))
    with pytest.raises(ValueError, match="expected 2, got 3"):
        main(*arrays[1:], np.ones(3, np.float32), (300,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opt_level": -1}, "opt_level: expected 0, 1, 2 or 3, got -1"),
        ({"opt_level": 7}, "opt_level: expected 0, 1, 2 or 3, got 7"),
        ({"opt_level": "2"}, "opt_level: expected 0, 1, 2 or 3, got '2'"),
        ({"lift": "Shared"}, "lift: expected False, True or \"shared\", got 'Shared'"),
        ({"threads": -1}, "threads: expected 0 to 4096, got -1"),
        ({"target": ""}, "unknown target ''"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises((ValueError, DiagnosticException), match=message):
        xdsl_relax.compile(program(1), **options)


@pytest.mark.parametrize("text", ["2n", "n m", "n)", "n, m", "n + 1 floordiv 2 garbage", -1, 1 << 63])
def test_a_dim_is_read_to_its_end(text):
    with pytest.raises(Exception, match="expected"):
        tensor([text], "f32")


def test_code_of_another_program_is_refused():
    first, second = xdsl_relax.compile(program(1)), xdsl_relax.compile(program(2))
    assert first.code is not None and second.code is not None
    with pytest.raises(RuntimeError, match="digests differ"):
        xdsl_relax.link(first.interface, second.code)
    with pytest.raises(RuntimeError, match="digests differ"):
        xdsl_relax.link(first.interface, first.code[:-1])
