"""Legalized quantized programs, compiled natively, are equal to the interpreter's results bit by bit."""

from __future__ import annotations

import pytest
from cases.qnn import CASES, assert_equal, module_of
from native import compile_native
from upstream import compile_upstream, requires_upstream
from xdsl.context import Context
from xdsl_relax.passes.qnn_legalize import QnnLegalizePass


def check(cases, compile_module, target="plain", stage="all"):
    module = module_of(cases)
    QnnLegalizePass(target=target, stage=stage).apply(Context(), module)
    run = compile_module(module)
    failures = []
    for index, case in enumerate(cases):
        inputs = case.inputs()
        try:
            (found,) = run(f"case_{index}", *inputs)
            assert_equal(case, found, case.expected(inputs))
        except AssertionError as error:
            failures.append(f"{case.name}: {error}")
    assert not failures, "\n".join(failures)


# Functions of f64 need not agree in the last bit, which may decide a half: the others are tables.
EXACT = [case for case in CASES if not (case.name.startswith("relax.qnn.") and case.name.endswith("-i16"))]
PRODUCTS = [case for case in CASES if case.name.startswith(("dense", "batch_matmul", "conv2d"))]


def test_native():
    check(EXACT[::3], compile_native)


@pytest.mark.parametrize("target", ["x86-vnni", "int16"])
def test_native_products(target: str):
    # A sample: what is left after legalization is the same few ops as for plain.
    check(PRODUCTS[::3], compile_native, target)


def test_native_functions():
    check([case for case in CASES if case.name.endswith(("tanh-i16", "sqrt-i16", "abs-i16"))], compile_native)


def test_the_pipeline_legalizes():
    cases = [case for case in CASES if case.name in ("dense-i8-i8-both", "requantize-UPWARD-i64-i8", "softmax-0.1")]
    run = compile_native(module_of(cases))
    for index, case in enumerate(cases):
        inputs = case.inputs()
        assert_equal(case, run(f"case_{index}", *inputs)[0], case.expected(inputs))
    assert len(cases) == 3


def test_parameters_of_other_types():
    check([case for case in CASES if "-zero-" in case.name and case.name.startswith("relax.")], compile_native)


@requires_upstream
def test_upstream():
    check(EXACT[::5], compile_upstream)
