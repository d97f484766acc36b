"""In a session that runs tests for several targets, code is compiled for that of the test."""

from __future__ import annotations

import pytest
import xdsl_relax
from harness.at_targets import target_of
from xdsl_relax.targets.cpu import cpu_target, default_target

PROGRAM = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = relax.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}"""


@pytest.fixture(scope="module")
def exe() -> xdsl_relax.Executable:
    return xdsl_relax.compile(PROGRAM)


@pytest.mark.sampled_inside
def test_code_is_for_the_target_of_the_test(request: pytest.FixtureRequest, exe: xdsl_relax.Executable):
    target = target_of(request.node)
    assert exe.interface.target == cpu_target(target or default_target()).name
    assert target is None or default_target() == target
