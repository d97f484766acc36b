"""Upstream's own pipeline, run by mlir-runner on our linalg, gives the numbers that our native code gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects import func
from xdsl.passes import PassPipeline
from xdsl.printer import Printer
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.runtime.compiler import available_passes, relax_context

RUNNER = shutil.which("mlir-runner-22")
pytestmark = pytest.mark.skipif(RUNNER is None, reason="mlir-runner-22 is not installed (Debian: mlir-22-tools)")

MATMUL = """
func.func @f(%x: tensor<5x7xf32>, %w: tensor<7x3xf32>, %b: tensor<3xf32>) -> tensor<5x3xf32> {
  %0 = relax.matmul %x, %w : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %1 = relax.add %0, %b : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}
"""
ELEMENTWISE = """
func.func @f(%x: tensor<4x9xf32>, %y: tensor<9xf32>) -> tensor<4x9xf32> {
  %0 = relax.multiply %x, %y : (tensor<4x9xf32>, tensor<9xf32>) -> tensor<4x9xf32>
  %1 = relax.nn.silu %0 : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %1 : tensor<4x9xf32>
}
"""
REDUCTION = """
func.func @f(%x: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %0 = relax.nn.softmax %x {axis = -1 : i64} : (tensor<3x17xf32>) -> tensor<3x17xf32>
  return %0 : tensor<3x17xf32>
}
"""
CONVOLUTION = """
func.func @f(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x5x4xf32> {
  %0 = relax.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x5x4xf32>
  return %0 : tensor<2x4x5x4xf32>
}
"""

TO_LLVM = (
    "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
    "--convert-linalg-to-loops",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-libm",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-math-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
)


def linalg_functions(text: str) -> tuple[str, list[str], str]:
    """The module's functions at the linalg stage in generic form, the argument types of @f, and its result type."""
    module, ctx = xdsl_relax.load(text), relax_context()
    for spec in pipelines(Settings(threads=0))["linalg"]:
        PassPipeline.parse_spec(available_passes(), spec).apply(ctx, module)
    stream = StringIO()
    printer = Printer(stream, print_generic_format=True)
    for op in module.body.block.ops:
        printer.print_op(op)
        stream.write("\n")
    (main,) = (op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.sym_name.data == "f")
    types = main.function_type
    return stream.getvalue(), [str(type_) for type_ in types.inputs], str(types.outputs.data[0])


def dense(array: np.ndarray) -> str:
    return (
        "dense<"
        + re.sub(
            r"(-?\d+)\.(?=[\s,\]])",
            r"\1.0",
            np.array2string(
                array,
                separator=",",
                threshold=1 << 20,
                floatmode="unique",
                formatter={"float": lambda v: f"{float(v):.9e}"},
            ),
        )
        + ">"
    )


def run_with_mlir_runner(text: str, arrays: list[np.ndarray]) -> np.ndarray:
    functions, inputs, output = linalg_functions(text)
    constants = "".join(
        f"  %a{i} = arith.constant {dense(array)} : {type_}\n"
        for i, (array, type_) in enumerate(zip(arrays, inputs, strict=True))
    )
    arguments = ", ".join(f"%a{i}" for i in range(len(arrays)))
    shape = output.removeprefix("tensor<").removesuffix(">")
    harness = f"""module {{
{functions}
func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {{
{constants}  %r = func.call @f({arguments}) : ({", ".join(inputs)}) -> {output}
  %m = bufferization.to_buffer %r : {output} to memref<{shape}>
  %u = memref.cast %m : memref<{shape}> to memref<*xf32>
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}}
}}
"""
    lowered = subprocess.run(["mlir-opt-22", *TO_LLVM], input=harness, capture_output=True, text=True, check=False)
    assert lowered.returncode == 0, lowered.stderr[:2000]
    libraries = Path("/usr/lib/llvm-22/lib")
    shared = ",".join(
        str(next(libraries.glob(f"lib{name}.so*"))) for name in ("mlir_runner_utils", "mlir_c_runner_utils")
    )
    ran = subprocess.run(
        [str(RUNNER), "-e", "main", "--entry-point-result=void", f"--shared-libs={shared}"],
        input=lowered.stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[:2000]
    data = ran.stdout.split("data =")[1]
    numbers = [float(item) for item in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?|nan|inf", data)]
    return np.array(numbers, np.float32)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        pytest.param(MATMUL, [(5, 7), (7, 3), (3,)], id="contraction"),
        pytest.param(ELEMENTWISE, [(4, 9), (9,)], id="element-wise"),
        pytest.param(REDUCTION, [(3, 17)], id="reduction"),
        pytest.param(CONVOLUTION, [(2, 3, 9, 8), (4, 3, 3, 3)], id="convolution"),
    ],
)
def test_upstream_pipeline_gives_our_numbers(text, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    ours = xdsl_relax.compile(text)["f"](*arrays)
    # printMemrefF32 writes six digits.
    np.testing.assert_allclose(run_with_mlir_runner(text, arrays), ours.reshape(-1), rtol=2e-5, atol=1e-5)
