"""Every numbered constraint that an op documents is raised somewhere, and has a case of invalid IR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl_relax.dialects.relax.dialect import OPS

ROOT = Path(__file__).parents[3]
INVALID = "\n".join(path.read_text() for path in (ROOT / "tests" / "filecheck" / "dialects").glob("invalid*.mlir"))


def documented(op) -> list[str]:
    """The constraints that an op's own documentation, or else its base class's, lists."""
    stem = op.name.removeprefix("relax.").split(".")[-1]
    for parent in op.__mro__:
        numbers = re.findall(rf"^\s*(?:{stem}|<op>)_c(\d+):", parent.__dict__.get("__doc__") or "", re.MULTILINE)
        if numbers:
            return [f"{stem}_c{number}" for number in numbers]
    return []


CASES = [(op.name, constraint) for op in OPS for constraint in documented(op)]


def test_there_are_constraints():
    assert len(CASES) > 200


@pytest.mark.parametrize(("name", "constraint"), CASES)
def test_constraint_has_a_case_of_invalid_ir(name, constraint):
    assert re.search(rf"expected-error.*\b{constraint}: ", INVALID), f"{name}: no case for {constraint}"
