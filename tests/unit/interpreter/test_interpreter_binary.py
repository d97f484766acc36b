"""The interpreter's element-wise ops of two tensors against torch in float64 and Python's integers."""

import pytest
from cases.binary import CASES
from harness.op_cases import Case, check_interpreter

pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_interpreter(case)
