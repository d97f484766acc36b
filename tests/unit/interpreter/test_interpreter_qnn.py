"""The interpreter's quantized ops against Python's own integers and fractions."""

import pytest
from cases.qnn import CASES, QnnCase, assert_equal, module_of
from xdsl_relax.interpreter.engine import Interpreter


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: QnnCase):
    inputs = case.inputs()
    (result,) = Interpreter(module_of([case])).call("case_0", *inputs)
    assert_equal(case, result, case.expected(inputs))
