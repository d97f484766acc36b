"""Code for aarch64: its objects have vector instructions, and under qemu-user it computes what the interpreter computes."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from harness.emulator import Emulated, compile_emulated, disassemble, requires_emulator
from harness.op_cases import check_compiled
from harness.sampling import sampled
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.value_types import TensorValue
from xdsl_relax.runtime.compare import compare
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.machine.object_file import read_object
from xdsl_relax.runtime.signatures import signatures
from xdsl_relax.targets.cpu import host_target

EXAMPLES = Path(__file__).parents[2] / "examples"

ARITHMETIC = re.compile(r"^\s+\w+:\s+(f(?:mla|add|mul|max)|s(?:mlal|mull)|add)\s+v\d+\.(\d+[bhsd])", re.MULTILINE)


def vector_arithmetic(code: bytes) -> dict[str, int]:
    """Returns how often an object has each arithmetic instruction on a whole vector register: `fmla 4s`."""
    counts: dict[str, int] = {}
    for name, lanes in ARITHMETIC.findall(disassemble(code)):
        counts[f"{name} {lanes}"] = counts.get(f"{name} {lanes}", 0) + 1
    return counts


@requires_emulator
@pytest.mark.parametrize("name", sampled(sorted(path.stem for path in EXAMPLES.glob("*.mlir"))))
def test_examples_have_vector_code(name: str):
    code = xdsl_relax.compile(EXAMPLES / f"{name}.mlir", target="aarch64-generic").code
    counts = vector_arithmetic(code)
    # Those without a product of matrices have sums.
    assert counts["fadd 4s" if name in ("row_mean", "square_root") else "fmla 4s"] > 0
    # Nothing is left to a C library but what threads and constants need.
    assert read_object(code).undefined == ()


KERNELS = """
func.func @matmul(%x: tensor<37x65xf32>, %y: tensor<65x130xf32>) -> tensor<37x130xf32> {
  %r = relax.matmul %x, %y : (tensor<37x65xf32>, tensor<65x130xf32>) -> tensor<37x130xf32>
  return %r : tensor<37x130xf32>
}
func.func @matmul_dynamic(%x: tensor<?x?xf32, #relax.sym<m, k>>, %y: tensor<?x?xf32, #relax.sym<k, n>>)
    -> tensor<?x?xf32, #relax.sym<m, n>> {
  %r = relax.matmul %x, %y : (tensor<?x?xf32, #relax.sym<m, k>>, tensor<?x?xf32, #relax.sym<k, n>>)
      -> tensor<?x?xf32, #relax.sym<m, n>>
  return %r : tensor<?x?xf32, #relax.sym<m, n>>
}
func.func @bytes(%x: tensor<33x70xi8>, %y: tensor<70x67xi8>) -> tensor<33x67xi32> {
  %r = relax.matmul %x, %y {out_dtype = i32} : (tensor<33x70xi8>, tensor<70x67xi8>) -> tensor<33x67xi32>
  return %r : tensor<33x67xi32>
}
func.func @halves(%x: tensor<5x70xf16>, %y: tensor<70x67xf16>) -> tensor<5x67xf16> {
  %r = relax.matmul %x, %y : (tensor<5x70xf16>, tensor<70x67xf16>) -> tensor<5x67xf16>
  return %r : tensor<5x67xf16>
}
func.func @conv(%x: tensor<1x5x14x14xf32>, %w: tensor<19x5x3x3xf32>) -> tensor<1x19x14x14xf32> {
  %r = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>}
      : (tensor<1x5x14x14xf32>, tensor<19x5x3x3xf32>) -> tensor<1x19x14x14xf32>
  return %r : tensor<1x19x14x14xf32>
}
func.func @attention(%q: tensor<1x9x2x32xf32>, %k: tensor<1x21x2x32xf32>, %v: tensor<1x21x2x32xf32>) -> tensor<1x9x2x32xf32> {
  %r = relax.nn.attention %q, %k, %v
      : (tensor<1x9x2x32xf32>, tensor<1x21x2x32xf32>, tensor<1x21x2x32xf32>) -> tensor<1x9x2x32xf32>
  return %r : tensor<1x9x2x32xf32>
}
func.func @softmax(%x: tensor<?x101xf32, #relax.sym<n>>) -> tensor<?x101xf32, #relax.sym<n>> {
  %r = relax.nn.softmax %x : (tensor<?x101xf32, #relax.sym<n>>) -> tensor<?x101xf32, #relax.sym<n>>
  return %r : tensor<?x101xf32, #relax.sym<n>>
}
func.func @layer_norm(%x: tensor<?x67xf32, #relax.sym<n>>, %g: tensor<67xf32>, %b: tensor<67xf32>) -> tensor<?x67xf32, #relax.sym<n>> {
  %r = relax.nn.layer_norm %x, %g, %b {axes = array<i64: -1>}
      : (tensor<?x67xf32, #relax.sym<n>>, tensor<67xf32>, tensor<67xf32>) -> tensor<?x67xf32, #relax.sym<n>>
  return %r : tensor<?x67xf32, #relax.sym<n>>
}
"""
SIZES = {"m": 7, "n": 35, "k": 66}


@requires_emulator
@pytest.mark.parametrize("target", ["aarch64-generic", "aarch64-neoverse-v1"])
def test_kernels(target: str):
    module = load(KERNELS)
    functions = signatures(module)
    compiled, interpreter = Emulated(module, target), Interpreter(module)
    counts = vector_arithmetic(compiled.executable.code)
    assert {"fmla 4s", "fadd 4s"} <= set(counts), counts
    rng = np.random.default_rng(0)
    for name in compiled.executable:
        inputs = []
        for argument in functions[name].arguments:
            assert isinstance(argument.type, TensorValue)
            shape = [dim if isinstance(dim, int) else SIZES[str(dim)] for dim in argument.type.dims]
            kind = argument.type.dtype
            values = rng.integers(-128, 128, shape) if kind.kind == "i" else rng.standard_normal(shape)
            inputs.append(values.astype(kind))
        for got, want in zip(compiled(name, *inputs), interpreter.call(name, *inputs), strict=True):
            verdict = compare(got, want)
            assert verdict.agrees, f"{name}: {verdict}"


FAMILIES = {
    "linear_algebra": ("matmul-f", "matmul-bf16", "matmul-i32", "matmul-broadcast"),
    "nn_conv": ("conv2d-f", "conv2d-i32", "conv2d-depthwise", "conv2d-nhwc"),
    "nn_norm": ("layer_norm-", "rms_norm-"),
    "nn_softmax": ("softmax-",),
    "nn_attention": ("attention-f", "attention-symbolic", "attention_bias-mask"),
    "packing": ("packed_matmul-f32", "packed_matmul-batch", "packed_matmul-unsigned", "packed_matmul-one-row"),
    "unary": ("exp-", "tanh-", "erf-", "sin-", "log-", "astype-f64-", "astype-bf16-", "astype-i8-"),
}
"""Families of cases, and how the names of those begin that are run."""


@requires_emulator
@pytest.mark.parametrize("family", FAMILIES)
def test_cases(family: str):
    cases = [case for case in import_module(f"cases.{family}").CASES if case.name.startswith(FAMILIES[family])]
    # Of each kind of a family, one of the cases at least.
    kinds = [[case for case in cases if case.name.startswith(kind)] for kind in FAMILIES[family]]
    assert all(kinds)
    cases = [case for kind in kinds for case in sampled(kind, lambda case: case.name)]
    check_compiled(cases, compile_emulated("aarch64-generic"))


ASSERTING = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>> {
  %z = relax.match_cast %y : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>>
  %r = relax.add %x, %z : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
"""


@requires_emulator
def test_failed_assertions_are_reported():
    run = Emulated(ASSERTING)
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(run("main", x, x)[0], x + x)
    with pytest.raises(ExecutionError):
        run("main", x, np.ones(4, np.float32))


def test_calls_on_this_machine_are_refused():
    if host_target().architecture == "aarch64":
        pytest.skip("this machine runs such code")
    executable = xdsl_relax.compile(ASSERTING, target="aarch64-neoverse-n1")
    with pytest.raises(RuntimeError, match="cannot run code for aarch64-neoverse-n1: this machine is"):
        executable["main"](np.ones(3, np.float32), np.ones(3, np.float32))
