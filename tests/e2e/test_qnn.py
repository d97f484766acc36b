"""Legalized quantized programs, compiled natively, are equal to the interpreter's results bit by bit."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from cases.qnn import CASES, LARGE_PRODUCTS, QnnCase, assert_equal, module_of
from harness.hostile import hostile_calls
from harness.native import check_hostile, compile_native
from harness.op_cases import Arg
from harness.upstream import compile_upstream, requires_upstream
from xdsl.context import Context
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.passes.quantization.qnn_legalize import QnnLegalizePass
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.targets.cpu import cpu_target, default_target


def check(cases, compile_module, target="plain", stage="all"):
    module = module_of(cases)
    QnnLegalizePass(target=target, stage=stage).apply(Context(), module)
    run = compile_module(module)
    failures = []
    for index, case in enumerate(cases):
        inputs = case.inputs()
        try:
            (result,) = run(f"case_{index}", *inputs)
            assert_equal(case, result, case.expected(inputs))
        except AssertionError as error:
            failures.append(f"{case.name}: {error}")
    assert not failures, "\n".join(failures)


# Functions of f64 need not agree in the last bit, which may decide a half: the others are tables.
EXACT = [case for case in CASES if not (case.name.startswith("relax.qnn.") and case.name.endswith("-i16"))]
PRODUCTS = [case for case in CASES if case.name.startswith(("dense", "batch_matmul", "conv2d"))]


def test_native():
    check(EXACT[::5], compile_native)


@pytest.mark.parametrize("target", ["x86-vnni", "int16"])
def test_native_products(target: str):
    # A sample: what is left after legalization is the same few ops as for plain.
    check(PRODUCTS[::6], compile_native, target)


def test_native_functions():
    check([case for case in CASES if case.name.endswith(("tanh-i16", "sqrt-i16", "abs-i16"))], compile_native)


def test_the_pipeline_legalizes():
    cases = [case for case in CASES if case.name in ("dense-i8-i8-both", "requantize-UPWARD-i64-i8", "softmax-0.1")]
    run = compile_native(module_of(cases))
    for index, case in enumerate(cases):
        inputs = case.inputs()
        assert_equal(case, run(f"case_{index}", *inputs)[0], case.expected(inputs))
    assert len(cases) == 3


class DotProducts:
    """Compiles modules, and counts the instructions in them that add products of 8 bits."""

    count = 0

    def observe(self, spec, module, seconds):
        if spec.startswith("linalg-to-loops"):
            self.count = len(re.findall("vpdpbusd|llvm.x86.tdpb", str(module)))

    def compile(self, module, **options):
        executable = xdsl_relax.compile(module, observer=self.observe, **options)
        assert (self.count > 0) == (cpu_target(default_target()).dot_product("ui8", "i8") is not None)
        return executable


def test_large_products_as_they_are():
    def compile_module(module):
        executable = DotProducts().compile(module)
        return lambda function, *args: (executable[function](*args),)

    check(LARGE_PRODUCTS, compile_module)


def test_large_products_through_the_pipeline():
    executable = DotProducts().compile(module_of(LARGE_PRODUCTS))
    for index, case in enumerate(LARGE_PRODUCTS):
        inputs = case.inputs()
        assert_equal(case, executable[f"case_{index}"](*inputs), case.expected(inputs))


LIFTED = """
func.func @main(%x: tensor<?x67xi8, #relax.sym<n>>, %w: tensor<70x67xui8> {relax.name = "w"}) -> tensor<?x70xi32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %zx = relax.constant {value = dense<-7> : tensor<i32>} : () -> tensor<i32>
    %zw = relax.constant {value = dense<131> : tensor<i32>} : () -> tensor<i32>
    %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s
      : (tensor<?x67xi8, #relax.sym<n>>, tensor<70x67xui8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x70xi32, #relax.sym<n>>
    relax.output %y : tensor<?x70xi32, #relax.sym<n>>
  } : tensor<?x70xi32, #relax.sym<n>>
  return %r : tensor<?x70xi32, #relax.sym<n>>
}"""


def test_lifted_weights_are_packed():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 256, (70, 67), np.uint8)
    executable = DotProducts().compile(LIFTED, lift=True)
    params = executable.transform_params({"w": weight})
    # Panels of 64 columns, or of 16 for targets with few registers.
    assert {(2, 17, 64, 4), (5, 17, 16, 4)} & {np.shape(value) for value in params.values}
    for rows in (1, 5, 31):
        data = rng.integers(-128, 128, (rows, 67), np.int8)
        want = (data.astype(np.int64) + 7) @ (weight.astype(np.int64).T - 131)
        np.testing.assert_array_equal(executable["main"](data, params), want)


def test_parameters_of_other_types():
    check([case for case in CASES if "-zero-" in case.name and case.name.startswith("relax.")], compile_native)


@requires_upstream
def test_upstream():
    check(EXACT[::5], compile_upstream)


def with_a_symbol_each(case: QnnCase) -> QnnCase:
    """Returns a case of which every dim, but those of size 1, has a symbol of its own; scales and zero points stay."""
    sizes: dict[str, int] = {}
    operands: list[Any] = []
    for index, operand in enumerate(case.operands):
        if isinstance(operand, Arg):
            dims: list[int | str] = []
            for axis, dim in enumerate(operand.dims):
                size = case.sizes[dim] if isinstance(dim, str) else dim
                dims.append(size if size == 1 else f"s{index}_{axis}")
                if size != 1:
                    sizes[f"s{index}_{axis}"] = size
            operand = dataclasses.replace(operand, dims=tuple(dims))
        operands.append(operand)
    return dataclasses.replace(case, operands=operands, sizes=sizes)


def kinds_of(cases: Sequence[QnnCase]) -> list[QnnCase]:
    """Returns a case of each op, ranks, arrangement of scales and zero points, and attributes."""
    kinds: dict[Any, QnnCase] = {}
    for case in cases:
        ranks = [len(arg.dims) for arg in case.args]
        constants = [operand.shape for operand in case.operands if not isinstance(operand, Arg)]
        attributes = sorted((name, str(value)) for name, value in case.attrs.items())
        kinds.setdefault((case.op, str((ranks, constants, attributes))), case)
    return list(kinds.values())


def test_operands_that_do_not_fit_between_inaccessible_pages() -> None:
    """Each third kind, with sizes that no rule relates: natively and in the interpreter the same are refused."""
    cases = [with_a_symbol_each(case) for case in kinds_of(EXACT)[::3]]
    module = module_of(cases)
    executable, interpreter = xdsl_relax.compile(module), Interpreter(module)
    check_hostile(executable, cases)
    accepted = refused = 0
    for index, case in enumerate(cases):
        for label, operands in hostile_calls(case):
            results: list[Any] = []
            for call in (executable[f"case_{index}"].call, partial(interpreter.call, f"case_{index}")):
                try:
                    results.append(call(*operands)[0])
                except (ArgumentError, ExecutionError, InterpreterError):
                    results.append(None)
            native, expected = results
            assert (native is None) == (expected is None), (case.name, label)
            accepted, refused = accepted + (native is not None), refused + (native is None)
            if native is not None and np.size(native):
                assert_equal(case, native, expected)
    assert accepted > len(cases) and refused > 0
