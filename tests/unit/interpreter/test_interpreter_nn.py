"""The interpreter's neural network ops against torch, or formulas, in float64."""

from importlib import import_module

import pytest
from harness.op_cases import Case, check_interpreter

pytest.importorskip("torch")

FAMILIES = (
    "nn_activation",
    "nn_softmax",
    "nn_norm",
    "nn_conv",
    "nn_winograd",
    "nn_pool",
    "nn_attention",
    "nn_loss",
    "image",
)


@pytest.mark.parametrize(
    "case", [case for family in FAMILIES for case in import_module(f"cases.{family}").CASES], ids=lambda case: case.name
)
def test_case(case: Case):
    check_interpreter(case)
