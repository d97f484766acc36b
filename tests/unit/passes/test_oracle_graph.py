"""The graph passes against the reference's on random modules; `python tests/oracles/oracle_graph.py PASS --seeds 0:500` runs more."""

from __future__ import annotations

import importlib.util
from collections import Counter
from dataclasses import replace

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

from oracles.oracle_graph import PAIRS, Pair, compare

SEEDS = 4
KNOWN = [
    ("merge-composite-functions", 298, "sizes"),
    ("merge-composite-functions", 400, "order of results"),
    ("combine-parallel-matmul", 62, "constants"),
    ("combine-parallel-matmul", 232, "biases first"),
    ("combine-parallel-matmul", 330, "several groups"),
    ("fuse-ops-own-patterns", 37, "vector products"),
    ("fuse-ops-own-patterns", 14, "symbolic layouts"),
    ("fuse-ops-own-patterns", 170, "unmoved elements"),
]
"""A module for each difference that docs/graph_passes.md names."""
VARYING = {"biases first", "several groups"}
"""Differences that the reference does not show in each run of the same module, as it follows the order of addresses."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", PAIRS)
def test_random_modules(name):
    """Wherever the reference's result is well-formed, ours is the same."""
    counts: Counter[str] = Counter()
    for seed in range(1, 1 + SEEDS):
        outcome = compare(name, PAIRS[name].make(seed))
        assert outcome.kind != "different", f"seed {seed}: {outcome.detail}"
        counts[outcome.kind] += 1
    assert counts["same"] >= SEEDS // 2, counts


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "seed", "difference"), KNOWN)
def test_known_difference(name, seed, difference):
    """A known difference has an outcome of its own."""
    kinds = compare(name, PAIRS[name].make(seed)).kind.split(" and ")
    assert difference in kinds or (difference in VARYING and set(kinds) <= {*VARYING, "same"})


def test_every_difference_is_known():
    """Each difference that the comparison knows has a module above."""
    listed = [(name, difference) for name, pair in PAIRS.items() for difference in pair.differences]
    assert sorted(listed) == sorted((name, difference) for name, _, difference in KNOWN)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name, pair in PAIRS.items() if pair.differences])
def test_known_differences_hide_nothing(name):
    """What the known differences do not explain stays a difference."""
    broken = {name: replace(PAIRS[name], ours=PAIRS["dce"].ours)}
    kinds = {compare(name, PAIRS[name].make(seed), broken).kind for kind, seed, _ in KNOWN if kind == name}
    assert kinds <= {"same", "different"}
    assert "different" in kinds


def test_a_difference_is_found():
    """The comparison tells the results of two passes apart."""
    pairs = {"broken": Pair(PAIRS["fuse-ops"].reference, PAIRS["dce"].ours, PAIRS["fuse-ops"].after)}
    kinds = {compare("broken", PAIRS["fuse-ops"].make(seed), pairs).kind for seed in range(3)}
    assert "different" in kinds
