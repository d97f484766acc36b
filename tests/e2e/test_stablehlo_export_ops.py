"""Op cases as programs of StableHLO: valid, and, as XLA runs them and as they are imported again, in agreement with the interpreter."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax", reason="needs jax")

from cases import qnn
from harness.outcomes import listed
from harness.sampling import runs_all, sampled
from harness.stablehlo_export import (
    ZEROS_COUNT,
    check_case,
    check_quantized_case,
    check_sizes,
)
from harness.symbolic_cases import symbolic_cases
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import Relax
from xdsl_relax.frontend.model.problems import UnsupportedProgramError
from xdsl_relax.frontend.stablehlo import import_stablehlo, to_stablehlo
from xdsl_relax.frontend.stablehlo.exporter.module import STRUCTURE
from xdsl_relax.frontend.stablehlo.exporter.ops.rules import REFUSED, RULES
from xdsl_relax.frontend.stablehlo.load import read_module
from xdsl_relax.frontend.stablehlo.original import run_module
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.interpreted import interpret

CASES = Path(__file__).parents[1] / "cases"
FAMILIES = sorted(
    path.stem for path in CASES.glob("[!_]*.py") if path.stem not in ("qnn", "collective", "data_dependent")
)


LOST_NAN = {"max-f32-7x1103-(1,)-False", "min-f32-7x1103-(1,)-False"}
"""XLA's extremes of long rows are not NaN where an element is; those of the reference interpreter are."""


@pytest.mark.parametrize("family", FAMILIES)
def test_cases(family: str):
    outcomes = {
        case.name: check_case(case)
        for case in sampled(import_module(f"cases.{family}").CASES[::3], lambda case: case.name)
        if case.op.name not in REFUSED and ZEROS_COUNT not in case.name
    }
    words = {name: ("pass", "no program", *(["reference"] if name in LOST_NAN else [])) for name in outcomes}
    bad = {name: item for name, item in outcomes.items() if item.word not in words[name]}
    assert not bad, listed(bad)
    assert any(item.word == "pass" for item in outcomes.values()) or not runs_all()


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_of_0_1_and_2(family: str):
    cases = [
        case for case in symbolic_cases(list(import_module(f"cases.{family}").CASES)) if ZEROS_COUNT not in case.name
    ]
    sample = sampled(cases[::5], lambda case: case.name)
    wrong = [text for case in sample for text in check_sizes(case)]
    assert not wrong, "\n".join(wrong)


def test_quantized_cases():
    outcomes = {case.name: check_quantized_case(case) for case in qnn.CASES[::9]}
    bad = {name: item for name, item in outcomes.items() if item.word != "pass"}
    assert not bad, listed(bad)


def test_the_reference_interpreter_settles_disputes():
    """XLA adds to a product before it rounds that where processors do both at once, which makes another integer of a half."""
    (case,) = (case for case in qnn.CASES if case.name == "add-f32")
    assert check_quantized_case(case).word in ("pass", "reference")


def test_each_op_is_exported_or_refused():
    ops = {op.name for op in Relax.operations if issubclass(op, RelaxOp) and not op.name.startswith("relax.qnn.")}
    assert ops - RULES.keys() - STRUCTURE == {*REFUSED}
    assert not RULES.keys() & REFUSED.keys()


STRUCTURED = """
func.func @main(%x: tensor<3xf32>, %k: tensor<i64>) -> (tensor<3xf32>, tensor<2xf32>, tensor<i64>) {
  %first = arith.constant 0 : index
  %count = arith.constant 3 : index
  %step = arith.constant 2 : index
  %start = arith.constant 0.5 : f32
  %r, %s = scf.for %i = %first to %count step %step iter_args(%a = %x, %t = %start) -> (tensor<3xf32>, f32) {
    %b = relax.add %a, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %e = tensor.extract %b[%i] : tensor<3xf32>
    %u = arith.addf %t, %e : f32
    scf.yield %b, %u : tensor<3xf32>, f32
  }
  %pair = func.call @pair(%r, %k) : (tensor<3xf32>, tensor<i64>) -> tuple<tensor<3xf32>, tuple<tensor<i64>>>
  %p = relax.tuple_get_item %pair {index = 0 : i64} : (tuple<tensor<3xf32>, tuple<tensor<i64>>>) -> tensor<3xf32>
  %q = relax.tuple_get_item %pair {index = 1 : i64} : (tuple<tensor<3xf32>, tuple<tensor<i64>>>) -> tuple<tensor<i64>>
  %n = relax.tuple_get_item %q {index = 0 : i64} : (tuple<tensor<i64>>) -> tensor<i64>
  %two = tensor.from_elements %s, %start : tensor<2xf32>
  return %p, %two, %n : tensor<3xf32>, tensor<2xf32>, tensor<i64>
}
func.func private @pair(%x: tensor<3xf32>, %k: tensor<i64>) -> tuple<tensor<3xf32>, tuple<tensor<i64>>> {
  %y = relax.negative %x : (tensor<3xf32>) -> tensor<3xf32>
  %inner = relax.tuple %k : (tensor<i64>) -> tuple<tensor<i64>>
  %pair = relax.tuple %y, %inner : (tensor<3xf32>, tuple<tensor<i64>>) -> tuple<tensor<3xf32>, tuple<tensor<i64>>>
  return %pair : tuple<tensor<3xf32>, tuple<tensor<i64>>>
}
"""


def test_loops_scalars_and_tuples():
    module = load(STRUCTURED)
    program = to_stablehlo(module)
    inputs = [np.array([1, 2, 3], np.float32), np.array(7)]
    expected = interpret(module)("main", *inputs)
    assert [np.asarray(item).tolist() for item in expected] == [[-3, -6, -9], [11.5, 0.5], 7]
    for results in (
        run_module(read_module(program), inputs),
        interpret(import_stablehlo(program).module)("main", *inputs),
    ):
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, wanted)


COUNTED = """
func.func @main(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  %y, %n = scf.while (%a = %x) : (tensor<f32>) -> (tensor<f32>, tensor<i64>) {
    %twice = relax.add %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %below = relax.less %twice, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %flag = tensor.extract %below[] : tensor<i1>
    %count = relax.astype %twice {dtype = i64} : (tensor<f32>) -> tensor<i64>
    scf.condition(%flag) %twice, %count : tensor<f32>, tensor<i64>
  } do {
  ^bb0(%b: tensor<f32>, %m: tensor<i64>):
    %c = relax.negative %b : (tensor<f32>) -> tensor<f32>
    %d = relax.negative %c : (tensor<f32>) -> tensor<f32>
    scf.yield %d : tensor<f32>
  }
  return %y, %n : tensor<f32>, tensor<i64>
}
"""


@pytest.mark.parametrize("limit", [0, 3, 100])
def test_loops_that_pass_on_other_values_than_they_get(limit: int):
    module = load(COUNTED)
    program = to_stablehlo(module)
    inputs = [np.array(1, np.float32), np.array(limit, np.float32)]
    expected = interpret(module)("main", *inputs)
    assert [np.asarray(item).item() for item in expected] == [{0: 2, 3: 4, 100: 128}[limit]] * 2
    for results in (
        run_module(read_module(program), inputs),
        interpret(import_stablehlo(program).module)("main", *inputs),
    ):
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, wanted)


def test_refusals_say_why():
    module = load("""
func.func @main(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<?xf32, #relax.sym<n>> {
  %a = relax.nonzero %x : (tensor<4xf32>) -> tensor<1x?xi64>
  %b, %c = relax.unique %x {return_counts = true} : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  %d = relax.match_cast %b : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
  return %d : tensor<?xf32, #relax.sym<n>>
}
""")
    with pytest.raises(UnsupportedProgramError) as caught:
        to_stablehlo(module)
    assert caught.value.counts == {"signature": 1, "relax.nonzero": 1, "relax.unique": 1}
    assert "the size of its result depends on values" in str(caught.value)


@pytest.mark.parametrize("passed", ["%a", "%b"])
@pytest.mark.parametrize("place", ["first", "second"])
def test_refusals_in_loops(place: str, passed: str):
    call = '%z = relax.call_packed %v {callee = "f", pure = true} : (tensor<f32>) -> tensor<f32>'
    text = f"""
func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %y = scf.while (%a = %x) : (tensor<f32>) -> (tensor<f32>) {{
    {call.replace("%v", "%a") if place == "first" else "%z = relax.negative %a : (tensor<f32>) -> tensor<f32>"}
    %b = relax.add %z, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %below = relax.less %b, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %flag = tensor.extract %below[] : tensor<i1>
    scf.condition(%flag) {passed} : tensor<f32>
  }} do {{
  ^bb0(%c: tensor<f32>):
    {call.replace("%v", "%c") if place == "second" else "%z = relax.negative %c : (tensor<f32>) -> tensor<f32>"}
    scf.yield %z : tensor<f32>
  }}
  return %y : tensor<f32>
}}
"""
    with pytest.raises(UnsupportedProgramError) as caught:
        to_stablehlo(load(text))
    assert set(caught.value.counts) == {"relax.call_packed"}
