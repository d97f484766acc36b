"""The interpreter's reductions against torch in float64 and int64."""

import pytest
from cases.reduction import CASES
from harness.op_cases import Case, check_interpreter

pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_interpreter(case)
