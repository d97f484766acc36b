"""The interpreter's collective operations."""

import pytest
from cases.collective import CASES
from harness.op_cases import Case, check_interpreter


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_interpreter(case)
