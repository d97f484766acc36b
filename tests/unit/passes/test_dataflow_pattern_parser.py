"""What is wrong with a pattern is said with its position."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.host.blas import BLAS
from xdsl_relax.passes.fusion.dataflow_pattern import CallPattern, Choice, Wildcard
from xdsl_relax.passes.fusion.dataflow_pattern_parser import parse_patterns
from xdsl_relax.passes.fusion.offload_blas import PATTERNS

INVALID = {
    "a.b = relax.nn.rel(*)": "1:7: no op is called relax.nn.rel, did you mean relax.nn.relu?",
    "a.b = relax.exp(*) {axis = 1}": "1:21: relax.exp has no attribute axis, its attributes: none",
    "a.b = relax.sum(*) {axis = }": "1:28: expected a number, a 'string', true, false, none, a list or a type, got '}'",
    "a.b = relax.exp(*; a.c = *": "1:18: expected ',', got the end of the line",
    "a.c = relax.exp(*) | *": "1:7: expected an op, got a pattern that any value matches",
    "# comment\na.c = relax.exp(*); a.c = relax.sin(*)": "2:21: two patterns are called a.c",
    "a.c = relax.exp(*: f33)": "1:20: expected an element type, got f33",
    "a.c = relax.exp(&)": "1:17: expected a pattern, got '&'",
    "a.c = relax.exp?()": "1:7: expected an operand that stays if relax.exp is left out",
    "a.c relax.exp(*)": "1:5: expected '=', got 'relax.exp'",
    "= relax.exp(*)": "1:1: expected the name of a pattern, got '='",
    "a.c = relax.exp(*) relax.sin(*)": "1:20: expected the end of the pattern, got 'relax.sin'",
}


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text):
    with pytest.raises(PassFailedException) as error:
        parse_patterns(text)
    assert str(error.value) == f"<patterns>:{INVALID[text]}"


def test_optional_ops_parts_and_values():
    part, whole = parse_patterns(
        "p = relax.sum(%x: f32) {axis = [1, -2] | none, keepdims = true}.0\nx.a = p; x.b = relax.exp?(p)"
    )
    assert isinstance(part.pattern, CallPattern)
    (operand,) = part.pattern.operands
    assert isinstance(operand, Wildcard)
    expected = CallPattern(
        "relax.sum",
        (Wildcard("x", operand.elements),),
        attributes=(("axis", ((1, -2), None)), ("keepdims", (True,))),
    )
    assert part.pattern == expected
    assert whole.pattern == Choice((CallPattern("relax.exp", (expected,)), expected))
    assert (part.backend, whole.name) == ("x", "x.b")


def test_blas_has_a_function_for_each_pattern():
    assert {pattern.name for pattern in parse_patterns(PATTERNS)} == {*BLAS}
