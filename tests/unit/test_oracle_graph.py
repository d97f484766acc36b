"""The graph passes against the reference's on random modules; `python tests/oracle_graph.py PASS --seeds 0:500` runs more."""

from __future__ import annotations

import importlib.util
from collections import Counter

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

from oracle_graph import PAIRS, Pair, compare

SEEDS = 4
OWN_PATTERNS = "fuse-ops-own-patterns"
"""Not the same where docs/graph_passes.md says so."""


@pytest.mark.parametrize("name", [name for name in PAIRS if name != OWN_PATTERNS])
def test_random_modules(name):
    """Wherever the reference's result is well-formed, ours is the same."""
    found: Counter[str] = Counter()
    for seed in range(1, 1 + SEEDS):
        outcome = compare(name, PAIRS[name].make(seed))
        assert outcome.kind != "different", f"seed {seed}: {outcome.detail}"
        found[outcome.kind] += 1
    assert found["same"] >= SEEDS // 2, found


def test_a_difference_is_found():
    """The comparison tells the results of two passes apart."""
    pairs = {"broken": Pair(PAIRS["fuse-ops"].reference, PAIRS["dce"].ours, PAIRS["fuse-ops"].after)}
    kinds = {compare("broken", PAIRS["fuse-ops"].make(seed), pairs).kind for seed in range(3)}
    assert "different" in kinds
