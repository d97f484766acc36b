"""Which tests, and which cases inside of tests, a sample at a target has, and a share of a sweep."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from harness.at_targets import ANY_TARGET
from harness.sampling import sampled_at_target, sampling_at, spread

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


def test_a_share_of_a_sweep_has_each_value_that_several_cases_have():
    cases = [*product(range(7), "ab"), (7, "a")]

    def values(case: tuple[int, str]):
        return enumerate(case)

    kept = spread(cases, [(3, "b"), (3, "a")], values)
    assert kept == [(0, "a"), (1, "b"), (2, "a"), (3, "a"), (3, "b"), (4, "b"), (5, "a"), (6, "b")]
    assert spread(cases[::2], [(3, "a")], values) == [(3, "a")]
