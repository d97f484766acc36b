"""Graph passes change no result: the interpreter on random modules before and after each pass, and after all of them.

`RELAX_GRAPH_MODULES=5000` runs more modules.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import xdsl_relax.universe  # noqa: F401 (provides the evaluator of constants)
from graph_modules import Generator
from xdsl.context import Context
from xdsl.passes import ModulePass
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.passes import PASSES
from xdsl_relax.runtime.interpreter.engine import Interpreter

MODULES = int(os.environ.get("RELAX_GRAPH_MODULES", "24"))

PATTERNS = """
a.product = relax.nn.relu?(relax.add?(relax.matmul(*, *), *))
b.channels = relax.nn.relu?(relax.add?(relax.nn.conv2d(*, *), const))
a.scaled = relax.multiply(*, *)
"""

RUNS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "remove-unused-functions": [("relax-remove-unused-functions", {})],
    "inline": [("relax-inline", {})],
    "inline_private": [("relax-inline", {"private_functions": True})],
    "simplify-inference": [("relax-simplify-inference", {"norms": True, "training": True})],
    "fold-constant": [("relax-fold-constant", {})],
    "fold-batch-norm-to-conv2d": [("relax-fold-batch-norm-to-conv2d", {"params": True})],
    "backward-fold-scale-axis": [("relax-simplify-inference", {}), ("relax-backward-fold-scale-axis", {})],
    "forward-fold-scale-axis": [("relax-simplify-inference", {}), ("relax-forward-fold-scale-axis", {})],
    "fold-scale-axis": [("relax-fold-constant", {}), ("relax-fold-scale-axis", {})],
    "combine-parallel-matmul": [("relax-combine-parallel-matmul", {})],
    "combine-parallel-matmul_any": [("relax-combine-parallel-matmul", {"only_weights": False})],
    "combine-parallel-matmul_batch": [("relax-combine-parallel-matmul", {"to_batch": True})],
    "combine-parallel-conv2d": [("relax-combine-parallel-conv2d", {"min_branches": 2})],
    "combine-parallel-batch-matmul": [("relax-combine-parallel-batch-matmul", {"min_branches": 2})],
    "expand-matmul-of-sum": [("relax-expand-matmul-of-sum", {})],
    "adjust-matmul-order": [("relax-adjust-matmul-order", {})],
    "reorder-permute-dims-after-concat": [("relax-reorder-permute-dims-after-concat", {})],
    "reorder-take-after-matmul": [("relax-reorder-take-after-matmul", {})],
    "fuse-transpose-matmul": [("relax-fuse-transpose-matmul", {})],
    "fuse-ops": [("relax-fuse-ops", {})],
    "fuse-ops-by-pattern": [("relax-fuse-ops-by-pattern", {"patterns": PATTERNS})],
    "merge-composite-functions": [
        ("relax-fuse-ops-by-pattern", {"patterns": PATTERNS, "bind_constants": False}),
        ("relax-merge-composite-functions", {}),
    ],
    "offload-blas": [("relax-offload-blas", {})],
}
RUNS["all"] = [
    ("relax-inline", {"private_functions": True}),
    ("relax-simplify-inference", {}),
    ("relax-fold-constant", {}),
    ("relax-fold-scale-axis", {}),
    ("relax-expand-matmul-of-sum", {}),
    ("relax-adjust-matmul-order", {}),
    ("relax-reorder-take-after-matmul", {}),
    ("relax-combine-parallel-matmul", {}),
    ("relax-combine-parallel-batch-matmul", {}),
    ("relax-combine-parallel-conv2d", {}),
    ("relax-reorder-permute-dims-after-concat", {}),
    ("relax-fuse-transpose-matmul", {}),
    ("relax-fold-constant", {}),
    ("relax-remove-unused-functions", {}),
]


def make(name: str, options: dict[str, Any]) -> ModulePass:
    return PASSES[name]()(**options)


@pytest.mark.parametrize("run", RUNS)
def test_results_are_equal(run: str):
    changed = 0
    for seed in range(MODULES):
        module, arguments = Generator(seed).module()
        verify_program(module)
        expected = Interpreter(module).call("main", *arguments)
        for name, options in RUNS[run]:
            before = str(module)
            make(name, options).apply(Context(), module)
            verify_program(module)
        changed += before != str(module)
        found = Interpreter(module).call("main", *arguments)
        for one, other in zip(found, expected, strict=True):
            bound = 1e-9 * (1 + np.abs(other).max(initial=0))
            assert np.array_equal(np.isnan(one), np.isnan(other)), (run, seed)
            assert np.abs(one - other).max(initial=0) <= bound, (run, seed)
    assert changed >= min(1, MODULES // 20), f"{run} fired in {changed} of {MODULES} modules only"
