"""Constants of many elements are computed by native code, with the interpreter's results; the others by the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.interpreter.evaluate import InterpreterEvaluator
from xdsl_relax.passes.folding.fold_constant import FoldConstantPass
from xdsl_relax.runtime import constant_evaluator
from xdsl_relax.runtime.compiler import load, relax_context
from xdsl_relax.runtime.constant_evaluator import ConstantEvaluator
from xdsl_relax.tools.multiverse import tool_context

RNG = np.random.default_rng(0)

CASES: dict[str, tuple[str, list[Any]]] = {
    "gelu": (
        "(%a: tensor<8x5xf16>) { %y = relax.nn.gelu %a : (tensor<8x5xf16>) -> tensor<8x5xf16>",
        [RNG.standard_normal((8, 5)).astype(np.float16)],
    ),
    "integer product": (
        "(%a: tensor<8x5xi32>, %b: tensor<5x3xi32>) { %y = relax.matmul %a, %b : (tensor<8x5xi32>, tensor<5x3xi32>) -> tensor<8x3xi32>",
        [RNG.integers(-9, 9, (8, 5)).astype(np.int32), RNG.integers(-9, 9, (5, 3)).astype(np.int32)],
    ),
    "several results": (
        "(%a: tensor<8x5xf32>) { %y, %z = relax.split %a {sections = 2 : i64, axis = 0 : i64} :"
        " (tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)",
        [RNG.standard_normal((8, 5)).astype(np.float32)],
    ),
    "one value twice": (
        "(%a: tensor<8x5xf32>) { %y = relax.multiply %a, %a : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>",
        [RNG.standard_normal((8, 5)).astype(np.float32)] * 2,
    ),
    "shape operand": (
        "(%a: tensor<8x5xf32>) { %s = relax.shape : () -> !relax.shape<[5, 8]>\n"
        "%y = relax.reshape %a, %s : (tensor<8x5xf32>, !relax.shape<[5, 8]>) -> tensor<5x8xf32>",
        [RNG.standard_normal((8, 5)).astype(np.float32), (5, 8)],
    ),
}


def last_op(text: str) -> RelaxOp:
    """The last relax op of these lines, with the arguments of a function before them."""
    module = load(f"func.func @f{text}\nreturn }}")
    return [op for op in module.walk() if isinstance(op, RelaxOp)][-1]


@pytest.mark.parametrize("case", CASES)
def test_native_results_are_the_interpreters(case, monkeypatch):
    text, operands = CASES[case]
    op = last_op(text)
    expected = InterpreterEvaluator().evaluate(op, operands)
    # With this threshold nothing may be left to the interpreter.
    monkeypatch.setattr(InterpreterEvaluator, "evaluate", None)
    results = ConstantEvaluator(xdsl_relax.compile, native_elements=1).evaluate(op, operands)
    for result, reference in zip(results, expected, strict=True):
        assert result.dtype == reference.dtype and result.shape == reference.shape
        np.testing.assert_allclose(result.astype(np.float64), reference.astype(np.float64), rtol=1e-3, atol=1e-6)


def test_few_elements_are_interpreted(monkeypatch):
    text, operands = CASES["gelu"]
    monkeypatch.setattr(constant_evaluator, "run_natively", None)
    assert len(ConstantEvaluator(xdsl_relax.compile, native_elements=81).evaluate(last_op(text), operands)) == 1


def test_what_has_no_lowering_is_interpreted(monkeypatch):
    text, operands = CASES["gelu"]

    def refuse(*_):
        raise PassFailedException("no lowering")

    monkeypatch.setattr(constant_evaluator, "run_natively", refuse)
    assert len(ConstantEvaluator(xdsl_relax.compile, native_elements=1).evaluate(last_op(text), operands)) == 1


def test_a_large_constant_is_folded_natively(monkeypatch):
    size = 1 << 19
    made: list[str] = []
    original = constant_evaluator.run_natively

    def record(op, operands, compile_module):
        made.append(op.name)
        return original(op, operands, compile_module)

    monkeypatch.setattr(constant_evaluator, "run_natively", record)
    module = load(
        f"""func.func @main() -> tensor<{size}xf32> {{
  %c = relax.constant {{value = dense<2.0> : tensor<{size}xf32>}} : () -> tensor<{size}xf32>
  %y = relax.nn.gelu %c : (tensor<{size}xf32>) -> tensor<{size}xf32>
  return %y : tensor<{size}xf32>
}}"""
    )
    FoldConstantPass().apply(relax_context(), module)
    assert made == ["relax.nn.gelu"]
    (constant,) = [op for op in module.walk() if isinstance(op, RelaxOp)]
    assert constant.name == "relax.constant"


def folding_context(driver: str) -> Context:
    return {"compile": relax_context, "tools": tool_context, "another driver": Context}[driver]()


@pytest.mark.parametrize(
    "driver, native", [("compile", True), ("tools", True), ("another driver", False)], ids=lambda value: str(value)
)
def test_a_context_tells_who_evaluates(driver, native, monkeypatch):
    """Our drivers fold large constants natively, also with a copy of the context; others fold them by the interpreter."""
    compiled: list[str] = []

    def record(op, operands, compile_module):
        compiled.append(op.name)
        return InterpreterEvaluator().evaluate(op, operands)

    monkeypatch.setattr(constant_evaluator, "run_natively", record)
    monkeypatch.setattr(ConstantEvaluator, "is_large", lambda self, op: True)
    for ctx in (folding_context(driver), folding_context(driver).clone()):
        module = load(
            """func.func @main() -> tensor<2xf32> {
  %c = relax.constant {value = dense<2.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.multiply %c, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}"""
        )
        FoldConstantPass().apply(ctx, module)
        assert "dense<4.0" in str(module)
    assert compiled == ["relax.multiply"] * 2 * native
