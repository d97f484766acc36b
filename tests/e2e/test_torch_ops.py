"""A share of torch's own table of ops, chosen by name, through export, importer and interpreter; `tests/oracles/oracle_torch.py` runs all."""

from __future__ import annotations

import pytest
import torch
from harness.main_runs import ENGINES
from harness.outcomes import Outcome, in_tenth
from harness.sampling import sampled
from harness.torch_cases import cases, ops, outcome

pytestmark = pytest.mark.filterwarnings("ignore")

SAMPLES = 1
"""Of each op."""


def test_a_share_of_the_ops_agrees_or_is_refused():
    """A tenth of them; a fortieth where sweeps run a share of their cases."""
    # torch's table needs it.
    pytest.importorskip("expecttest")
    outcomes: dict[str, Outcome] = {}
    for op in sampled([op for op in ops(torch.float32) if in_tenth(op.name)], lambda op: op.name, 40):
        for case in cases(op, torch.float32, SAMPLES):
            outcomes[case.name] = outcome(case, [ENGINES["interpret"]])
    assert {name: item for name, item in outcomes.items() if item.word in ("wrong", "crash")} == {}
    words = [item.word for item in outcomes.values()]
    assert words.count("pass") >= 0.6 * len(words), f"{words.count('pass')} of {len(words)} pass"


@pytest.mark.parametrize(("name", "samples"), [("nn.functional.prelu", None), ("nn.functional.bilinear", 3)])
def test_all_samples_of_an_op_agree(name: str, samples: int | None):
    pytest.importorskip("expecttest")
    (op,) = [op for op in ops(torch.float32) if op.name == name]
    outcomes = [outcome(case, [ENGINES["interpret"]]) for case in cases(op, torch.float32, samples)]
    assert outcomes and [item for item in outcomes if item.word != "pass"] == []
