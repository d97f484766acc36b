"""Memory planning against the reference's, on random modules: the same tensors in the same storages, in the same order."""

from __future__ import annotations

import importlib.util
from collections import Counter

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import numpy as np
import tvm
from generators.memory_modules import Generator
from generators.tvm_modules import read
from oracles.oracle_memory import STAGES, compare
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.interpreter.engine import Interpreter

SEEDS = 3

BOUNDED = """
@R.function
def main(x: R.Tensor((2, 4), "float32"), y: R.Tensor(("n", 4), "float32"), z: R.Tensor(("m",), "float32")):
    R.func_attr({"tir_var_upper_bound": {"n": 32}, "num_input": 1})
    n = T.int64()
    with R.dataflow():
        a = R.exp(x)
        r = R.reshape(a, R.shape([8]))
        b = R.add(r, r)
        c = R.split(b, 2)
        d = R.add(c[0], c[1])
        e = R.astype(d, "float16")
        f = R.exp(e)
        k = R.exp(y)
        l = R.negative(k)
        q = R.call_dps_packed("g", (l,), out_ty=R.Tensor((n, 4), "float32"))
        s = R.exp(q)
        u = R.exp(z)
        v = R.negative(u)
        w = R.exp(v)
        R.output(f, s, w)
    return (f, s, w)
"""


@pytest.mark.sweep
@pytest.mark.parametrize("name", STAGES)
def test_random_modules(name: str):
    counts: Counter[str] = Counter()
    for seed in range(SEEDS):
        outcome = compare(name, to_relax(Generator(seed, branches=name != "style").module()[0]))
        assert outcome.kind != "different", f"seed {seed}: {outcome.detail}"
        counts[outcome.kind] += 1
    assert counts["same"], counts


@pytest.mark.sweep
@pytest.mark.parametrize("name", STAGES)
def test_bounds_types_and_reshapes(name: str):
    outcome = compare(name, read(BOUNDED))
    assert outcome.kind == "same", outcome.detail


@pytest.mark.parametrize("seed", range(2))
def test_a_plan_of_the_reference_runs(seed: int):
    """In the storages that the reference chose, and until it kills the values."""
    module, arguments = Generator(seed, branches=False).module()
    stage = STAGES["kill"]
    planned = tvm.transform.Sequential([make() for make in (*stage.start, stage.reference)])(to_relax(module))
    results = Interpreter(from_relax(planned)).call("main", *arguments)
    (results,) = results if isinstance(results[0], tuple) else (results,)
    for result, reference in zip(results, Interpreter(module).call("main", *arguments), strict=True):
        np.testing.assert_array_equal(result, reference)


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    """The comparison tells another plan apart."""
    monkeypatch.setattr("xdsl_relax.passes.memory.storage_pool.MATCH_RANGE", 1)
    assert compare("plan", read(BOUNDED)).kind == "different"
