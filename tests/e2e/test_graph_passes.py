"""Graph passes change no result: the interpreter on random modules before and after each pass, all of them, and the default pipelines.

Floats (f64) agree up to 1e-9 of the largest element, integers bit by bit. `RELAX_GRAPH_MODULES=5000` runs more modules, from `RELAX_GRAPH_FIRST` on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from generators.graph_modules import Generator
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.vocabulary.attributes import PARAMS_FROM
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.passes import PASSES
from xdsl_relax.passes.analysis.call_graph import named_functions
from xdsl_relax.runtime.compiler import available_passes

MANY = os.environ.get("RELAX_GRAPH_MODULES")
FIRST = int(os.environ.get("RELAX_GRAPH_FIRST", "0"))
SEEDS = range(FIRST, FIRST + int(MANY)) if MANY else (2, 8, 10, 26, 27, 28, 40, 41)
"""Those of the modules: each run has something to change in two of the usual ones."""

RUNS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "remove-unused-functions": [("relax-remove-unused-functions", {})],
    "inline": [("relax-inline", {})],
    "inline_private": [("relax-inline", {"private_functions": True})],
    "qnn-legalize": [("relax-qnn-legalize", {})],
    "simplify-inference": [("relax-simplify-inference", {"norms": True, "training": True})],
    "fold-constant": [("relax-fold-constant", {})],
    "fold-batch-norm-to-conv2d": [("relax-fold-batch-norm-to-conv2d", {"params": True})],
    "backward-fold-scale-axis": [("relax-simplify-inference", {}), ("relax-backward-fold-scale-axis", {})],
    "forward-fold-scale-axis": [("relax-simplify-inference", {}), ("relax-forward-fold-scale-axis", {})],
    "recognize-norms": [("relax-fold-constant", {}), ("relax-recognize-norms", {})],
    "recognize-quantized": [("relax-recognize-quantized", {}), ("relax-convert-layout", {})],
    "tabulate-bytes": [("relax-fold-constant", {}), ("relax-tabulate-bytes", {"least": 1})],
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
    "read-transposed-operands": [("relax-fold-constant", {}), ("relax-read-transposed-operands", {})],
    "pack-weights": [("relax-pack-weights", {})],
    "fuse-ops": [("relax-fuse-ops", {})],
    "lift-transform-params": [("relax-lift-transform-params", {})],
}
RUNS["all"] = [
    ("relax-inline", {"private_functions": True}),
    ("relax-simplify-inference", {"norms": True}),
    ("relax-fold-constant", {}),
    ("relax-recognize-norms", {}),
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


def passes_by_run() -> dict[str, Sequence[ModulePass | PassPipeline]]:
    """The passes of each run: those above, and the default pipelines up to kernels."""
    known = available_passes()
    runs: dict[str, Sequence[ModulePass | PassPipeline]] = {
        run: [PASSES[name]()(**options) for name, options in specs] for run, specs in RUNS.items()
    }
    for level in range(4):
        for lift in (False, True):
            specs = pipelines(Settings(opt_level=level, lift=lift))["graph"]
            runs[f"-O {level}{' lifted' if lift else ''}"] = [PassPipeline.parse_spec(known, spec) for spec in specs]
    return runs


def results(module: ModuleOp, arguments: Sequence[Any]) -> Sequence[Any]:
    """What `main` returns, with its parameters transformed if it takes them so."""
    interpreter = Interpreter(module)
    main = named_functions(module)["main"]
    transform, count = PARAMS_FROM.of(main), main.attributes.get("relax.num_input")
    if transform is not None:
        assert isinstance(count, IntegerAttr)
        inputs = count.value.data
        arguments = [*arguments[:inputs], *interpreter.call(transform, *arguments[inputs:])]
    return interpreter.call("main", *arguments)


def difference(actual: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """Says how results differ; `None` if they agree."""
    for index, (result, wanted) in enumerate(zip(actual, expected, strict=True)):
        if result.dtype != wanted.dtype or result.shape != wanted.shape:
            return f"result {index} is {result.dtype}{result.shape}, expected {wanted.dtype}{wanted.shape}"
        if result.dtype != np.float64:
            if not np.array_equal(result, wanted):
                return f"result {index} has other bits"
            continue
        if not np.array_equal(np.isnan(result), np.isnan(wanted)):
            return f"result {index} has other NaNs"
        error = np.abs(result - wanted).max(initial=0)
        if not error <= 1e-9 * (1 + np.abs(wanted).max(initial=0)):
            return f"result {index} differs by {error}"
    return None


def check(seeds: Sequence[int]) -> tuple[Counter[str], list[str]]:
    """Runs modules; returns in how many of them each run changed something, and what went wrong."""
    runs = passes_by_run()
    changed: Counter[str] = Counter()
    failures: list[str] = []
    for seed in seeds:
        original, arguments = Generator(seed).module()
        verify_program(original)
        expected = results(original, arguments)
        for run, passes in runs.items():
            module = original.clone()
            try:
                for step in passes:
                    step.apply(Context(), module)
                if module.is_structurally_equivalent(original):
                    continue
                verify_program(module)
                reason = difference(results(module, arguments), expected)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
            changed[run] += 1
            if reason is not None:
                failures.append(f"module {seed}, {run}: {reason}")
    return changed, failures


def test_results_are_equal():
    changed, failures = check(SEEDS)
    assert not failures, "\n".join(failures)
    idle = [run for run in passes_by_run() if not changed[run]]
    assert not idle, f"these runs changed none of {len(SEEDS)} modules: {', '.join(idle)}"
    if MANY:
        print(*(f"{run}: changed {count} of {MANY}" for run, count in changed.items()), sep="\n")
