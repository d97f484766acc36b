"""A tenth of ONNX's own node suite, chosen by the names of the cases, by the interpreter and natively; none may be wrong or crash."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("onnx", reason="needs onnx")

from harness.main_runs import ENGINES
from harness.onnx_cases import outcome, suite
from harness.outcomes import in_tenth

PARTS = 10

REFUSABLE = (
    "ImageDecoder",
    "LabelEncoder",
    "RandomUniformLike",
    "TreeEnsemble",
    "drops at random",
    "string",
)
"""What a case may be refused for: text, randomness, images, trees."""


@cache
def _cases() -> list[Any]:
    return suite(in_tenth)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_cases_pass_or_are_refused_by_name(part: int) -> None:
    cases = _cases()[part::PARTS]
    assert len(cases) > 10
    # Machine code of every third case: a compilation takes longer than all the rest.
    runs = {True: list(ENGINES.values()), False: [ENGINES["interpret"]]}
    outcomes = {case.name: outcome(case, runs[index % 3 == 0]) for index, case in enumerate(cases)}
    assert {name: result for name, result in outcomes.items() if result.word in ("wrong", "crash")} == {}
    refused = {name: result.detail for name, result in outcomes.items() if result.word == "refused"}
    assert {name: why for name, why in refused.items() if not any(word in why for word in REFUSABLE)} == {}
