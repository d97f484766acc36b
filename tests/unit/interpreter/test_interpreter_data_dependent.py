"""The interpreter's rules of the family data_dependent against independent oracles."""

import pytest
from cases.data_dependent import CASES
from harness.op_cases import Case, check_interpreter

pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_interpreter(case)
