"""The interpreter's creation of tensors against torch, numpy and plain counting."""

import pytest
from cases.create import CASES
from harness.op_cases import Case, check_interpreter

pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_interpreter(case)
