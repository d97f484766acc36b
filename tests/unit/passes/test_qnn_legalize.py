"""What `relax-qnn-legalize` leaves gives the same numbers as Python's integers, for each target; and what it refuses."""

from __future__ import annotations

import pytest
from cases.qnn import CASES, QnnCase, assert_equal, module_of
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.dialects.relax.rules.fixed_point import fixed_point
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.passes.quantization.qnn_legalize import QnnLegalizePass
from xdsl_relax.passes.quantization.qnn_targets import TARGETS

PRODUCTS = [case for case in CASES if case.name.startswith(("dense", "batch_matmul", "conv2d"))]


def check(case: QnnCase, target: str, stage: str = "all") -> None:
    module = module_of([case])
    QnnLegalizePass(target=target, stage=stage).apply(Context(), module)
    module.verify()
    if stage == "all":
        assert not [op.name for op in module.walk() if op.name.startswith("relax.qnn.")]
    inputs = case.inputs()
    (result,) = Interpreter(module).call("case_0", *inputs)
    assert_equal(case, result, case.expected(inputs))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plain(case: QnnCase):
    check(case, "plain")


@pytest.mark.sweep
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "plain"])
@pytest.mark.parametrize("case", PRODUCTS, ids=lambda case: case.name)
def test_products_for_a_target(case: QnnCase, target: str):
    check(case, target)


@pytest.mark.parametrize("case", CASES[::7], ids=lambda case: case.name)
def test_first_stage_alone(case: QnnCase):
    check(case, "x86-vnni", "legalize")


@pytest.mark.parametrize("case", [case for case in CASES if ".tanh" in case.name], ids=lambda case: case.name)
def test_second_stage_alone(case: QnnCase):
    """Without the tables of the first stage functions are computed."""
    check(case, "plain", "canonicalize")


@pytest.mark.parametrize(("target", "vnni"), [("x86-64-v4", False), ("alderlake", True), ("aarch64-generic", False)])
def test_compilations_choose_the_factors(target: str, vnni: bool):
    passes = pipelines(Settings(target=target))["llvm"]
    assert ("relax-qnn-legalize{target=x86-vnni}" in passes) == vnni
    assert ("relax-qnn-legalize" in passes) != vnni
    assert f"schedule-linalg{{target={target} threads=1}}" in passes


@pytest.mark.parametrize(("option", "value"), [("target", "riscv"), ("stage", "both")])
def test_unknown_options(option: str, value: str):
    with pytest.raises(PassFailedException, match=f"{option} must be one of .*, got {value}"):
        QnnLegalizePass(**{option: value}).apply(Context(), module_of(CASES[:1]))


@pytest.mark.parametrize(
    ("multiplier", "expected"),
    [
        (0.5, (2**30, 0)),
        (1.0, (2**30, 1)),
        (0.75, (3 * 2**29, 0)),
        (1 - 2.0**-40, (2**30, 1)),
        (0.0, (0, 0)),
        (2.0**-33, (2**30, -32)),
        (2.0**-34, (0, 0)),
        (3.0, (3 * 2**29, 2)),
    ],
)
def test_fixed_point(multiplier: float, expected: tuple[int, int]):
    assert fixed_point(multiplier) == expected


@pytest.mark.parametrize("multiplier", [float("inf"), float("nan"), -1.0])
def test_fixed_point_refuses(multiplier: float):
    with pytest.raises(ValueError, match="must be finite and not negative"):
        fixed_point(multiplier)
