"""Which tests, and which cases inside of tests, a sample at a target has."""

from __future__ import annotations

from pathlib import Path

from harness.at_targets import ANY_TARGET
from harness.sampling import sampled_at_target, sampling_at

E2E = Path(__file__).parents[2] / "e2e"


def test_files_that_no_sample_has_are_there():
    assert ANY_TARGET - {path.name for path in E2E.glob("test_*.py")} == set()


def test_a_share_of_the_cases_runs_at_another_target():
    cases = range(100)
    with sampling_at("x86-64", 10):
        sample = sampled_at_target(cases)
        assert 0 < len(sample) < 30
        assert sampled_at_target([7]) == [7]
        with sampling_at("x86-64-v3", 10):
            assert sampled_at_target(cases) not in (sample, [*cases])
        assert sampled_at_target(cases) == sample


def test_all_cases_run_at_the_usual_target():
    assert sampled_at_target(range(100)) == [*range(100)]
