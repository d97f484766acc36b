"""Op cases as models of ONNX: valid, and, as onnxruntime runs them, in agreement with the interpreter; what is refused stands here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="needs onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from cases import qnn
from harness.onnx_export import EVALUATORS_ROUND, UNSAFE, check_case, check_quantized_case, check_sizes
from harness.outcomes import listed
from harness.sampling import sampled
from harness.symbolic_cases import symbolic_cases
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import Relax
from xdsl_relax.frontend.onnx.exporter.function import covers

CASES = Path(__file__).parents[1] / "cases"
FAMILIES = sorted(path.stem for path in CASES.glob("[!_]*.py") if path.stem not in ("qnn", "collective"))

_MEMORY = "models have no memory of their own"
_PYTHON = "models call no Python"
_RANKS = "models run on one rank"
REFUSED = {
    "relax.builtin.alloc_tensor": _MEMORY,
    "relax.call_dps": _MEMORY,
    "relax.memory.alloc_storage": _MEMORY,
    "relax.memory.alloc_tensor": _MEMORY,
    "relax.memory.kill_storage": _MEMORY,
    "relax.memory.kill_tensor": _MEMORY,
    "relax.call_dps_packed": _PYTHON,
    "relax.call_packed": _PYTHON,
    "relax.invoke_closure": _PYTHON,
    "relax.invoke_pure_closure": _PYTHON,
    "relax.null_value": _PYTHON,
    "relax.ccl.allgather": _RANKS,
    "relax.ccl.allreduce": _RANKS,
    "relax.ccl.broadcast_from_worker0": _RANKS,
}
"""The ops that cannot be exported, and why."""


@pytest.mark.parametrize("family", FAMILIES)
def test_cases(family: str):
    outcomes = {
        case.name: check_case(case)
        for case in sampled(import_module(f"cases.{family}").CASES, lambda case: case.name)
        if case.name not in EVALUATORS_ROUND and case.op.name not in REFUSED
    }
    bad = {name: item for name, item in outcomes.items() if item.word not in ("onnxruntime", "reference")}
    assert not bad, listed(bad)
    # onnxruntime has no kernels of some functions of f64, and of nothing else.
    assert all(name.endswith("-f64") for name, item in outcomes.items() if item.word == "reference")


def test_quantized_cases():
    outcomes = {case.name: check_quantized_case(case) for case in qnn.CASES[::3]}
    bad = {name: item for name, item in outcomes.items() if item.word == "wrong" or item.word == "refused"}
    assert not bad, listed(bad)


@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_of_0_1_and_2(family: str):
    cases = [
        case
        for case in symbolic_cases(list(import_module(f"cases.{family}").CASES))
        if not case.name.startswith(UNSAFE) and case.name not in EVALUATORS_ROUND
    ]
    wrong = [text for case in cases[::2] for text in check_sizes(case)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("opset", [19, 23])
def test_other_opsets(opset: int):
    outcomes = {
        case.name: check_case(case, opset)
        for family in FAMILIES
        for case in import_module(f"cases.{family}").CASES[::12]
        if case.name not in EVALUATORS_ROUND and case.op.name not in REFUSED
    }
    bad = {name: item for name, item in outcomes.items() if item.word not in ("onnxruntime", "reference")}
    assert not bad, listed(bad)


def test_each_op_is_exported_or_refused():
    ops = [op for op in Relax.operations if issubclass(op, RelaxOp)]
    missing = {op.name for op in ops if not covers(op) and not op.name.startswith("relax.qnn.")}
    assert missing == {*REFUSED}
