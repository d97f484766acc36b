"""Ops inside of an op, in the order of xDSL's own walk."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl_relax.dialects.walks import ops_inside
from xdsl_relax.runtime.compiler import load

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))
BLOCKS = """
func.func @main(%p: i1) -> i64 {
  cf.cond_br %p, ^one, ^two
^one:
  %a = arith.constant 1 : i64
  %r = scf.if %p -> (i64) {
    scf.yield %a : i64
  } else {
    %b = arith.constant 2 : i64
    scf.yield %b : i64
  }
  return %r : i64
^two:
  %c = arith.constant 3 : i64
  return %c : i64
}"""


@pytest.mark.parametrize("program", [*EXAMPLES, BLOCKS, "builtin.module {}"])
def test_ops_come_in_the_order_of_the_program(program: Path | str):
    module = load(program)
    assert ops_inside(module) == [*module.walk()]
