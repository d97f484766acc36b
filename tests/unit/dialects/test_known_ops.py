"""Ops that look alike are verified and typed once; those that differ in a type or a property are looked at."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl_relax.dialects.relax.ops.manipulate import PermuteDimsOp
from xdsl_relax.runtime.compiler import load

ALIKE = """
func.func @main(%x: tensor<3x5x7xf32>) -> tensor<7x5x3xf32> {
  %a = relax.permute_dims %x {axes = array<i64: 2, 1, 0>} : (tensor<3x5x7xf32>) -> tensor<7x5x3xf32>
  %b = relax.permute_dims %x {axes = array<i64: 2, 1, 0>} : (tensor<3x5x7xf32>) -> tensor<7x5x3xf32>
  %c = relax.permute_dims %x {axes = array<i64: AXES>} : (tensor<3x5x7xf32>) -> tensor<SHAPExf32>
  %d = relax.add %a, %b : (tensor<7x5x3xf32>, tensor<7x5x3xf32>) -> tensor<7x5x3xf32>
  return %d : tensor<7x5x3xf32>
}
"""


@pytest.fixture
def inferred(monkeypatch) -> list[PermuteDimsOp]:
    """The transposes that the rule was asked about."""
    ops: list[PermuteDimsOp] = []
    rule = PermuteDimsOp.infer
    monkeypatch.setattr(PermuteDimsOp, "infer", lambda op, context: [ops.append(op), rule(op, context)][1])
    return ops


def program(axes: str, shape: str) -> str:
    return ALIKE.replace("AXES", axes).replace("SHAPE", shape)


def test_ops_that_look_alike_are_verified_once(inferred: list[PermuteDimsOp]):
    load(program("2, 1, 0", "7x5x3").replace("3x5x7", "3x5x11").replace("7x5x3", "11x5x3"))
    assert len(inferred) == 1


@pytest.mark.parametrize(("axes", "shape"), [("2, 0, 1", "7x5x3"), ("2, 1, 0", "7x3x5"), ("2, 1, 1", "7x5x3")])
def test_another_op_is_looked_at(axes: str, shape: str):
    load(program("2, 1, 0", "7x5x3"))
    with pytest.raises((VerifyException, DiagnosticException), match="permute_dims"):
        load(program(axes, shape))


@pytest.mark.parametrize(("attributes", "count"), [("", 1), ("attributes {relax.sym_upper_bounds = {n = 8 : i64}}", 2)])
def test_ranges_of_symbols_count(inferred: list[PermuteDimsOp], attributes: str, count: int):
    load(f"""
    func.func @main(%x: tensor<?x13xf32, #relax.sym<n>>) -> tensor<13x?xf32, #relax.sym<n>> {attributes} {{
      %a = relax.permute_dims %x : (tensor<?x13xf32, #relax.sym<n>>) -> tensor<13x?xf32, #relax.sym<n>>
      %b = relax.permute_dims %x : (tensor<?x13xf32, #relax.sym<n>>) -> tensor<13x?xf32, #relax.sym<n>>
      return %b : tensor<13x?xf32, #relax.sym<n>>
    }}
    """)
    assert len(inferred) == count
