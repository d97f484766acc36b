"""Modules that upstream prints, with named linalg ops and tensor ops, compute what upstream's own generalization computes."""

from __future__ import annotations

import numpy as np
from harness.upstream import MLIR_OPT, UpstreamBuffers, requires_upstream, run_tool
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser
from xdsl_relax.dialects.upstream.linalg_ops import EXTENDED_LINALG
from xdsl_relax.dialects.upstream.tensor_ops import EXTENDED_TENSOR
from xdsl_relax.lowering.buffers.bufferize import BufferizePass
from xdsl_relax.lowering.linalg.decompose_tensor import DecomposeTensorPass
from xdsl_relax.lowering.linalg.fuse_linalg import FuseLinalgPass
from xdsl_relax.lowering.linalg.generalize_linalg import GeneralizeLinalgPass

pytestmark = requires_upstream
WINDOW = "{dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>}"
LINE = "{dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}"

CASES: dict[str, tuple[list[tuple[int, ...]], tuple[int, ...], str]] = {
    "batch_matmul": (
        [(2, 3, 4), (2, 4, 5)],
        (2, 3, 5),
        "linalg.batch_matmul ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "matvec": ([(3, 4), (4,)], (3,), "linalg.matvec ins(%a, %b : A, B) outs(%o : O) -> O"),
    "vecmat": ([(3,), (3, 4)], (4,), "linalg.vecmat ins(%a, %b : A, B) outs(%o : O) -> O"),
    "dot": ([(4,), (4,)], (), "linalg.dot ins(%a, %b : A, B) outs(%o : O) -> O"),
    "conv_2d_nhwc_hwcf": (
        [(1, 5, 6, 3), (2, 2, 3, 4)],
        (1, 4, 3, 4),
        f"linalg.conv_2d_nhwc_hwcf {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "conv_2d_nchw_fchw": (
        [(1, 3, 5, 6), (4, 3, 2, 2)],
        (1, 4, 4, 3),
        f"linalg.conv_2d_nchw_fchw {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "conv_1d_nwc_wcf": (
        [(1, 6, 3), (2, 3, 4)],
        (1, 4, 4),
        f"linalg.conv_1d_nwc_wcf {LINE} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "depthwise_conv_2d_nhwc_hwc": (
        [(1, 5, 6, 3), (2, 2, 3)],
        (1, 4, 3, 3),
        f"linalg.depthwise_conv_2d_nhwc_hwc {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "depthwise_conv_2d_nhwc_hwcm": (
        [(1, 5, 6, 3), (2, 2, 3, 2)],
        (1, 4, 3, 3, 2),
        f"linalg.depthwise_conv_2d_nhwc_hwcm {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "pooling_nhwc_max": (
        [(1, 5, 6, 3), (2, 2)],
        (1, 4, 3, 3),
        f"linalg.pooling_nhwc_max {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "pooling_nchw_sum": (
        [(1, 3, 5, 6), (2, 2)],
        (1, 3, 4, 3),
        f"linalg.pooling_nchw_sum {WINDOW} ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "div": ([(3, 4), (3, 4)], (3, 4), "linalg.div ins(%a, %b : A, B) outs(%o : O) -> O"),
    "negf": ([(3, 4), (1,)], (3, 4), "linalg.negf ins(%a : A) outs(%o : O) -> O"),
    "square": ([(3, 4), (1,)], (3, 4), "linalg.square ins(%a : A) outs(%o : O) -> O"),
    "elementwise": (
        [(3, 4), (3, 4)],
        (3, 4),
        "linalg.elementwise kind=#linalg.elementwise_kind<mul> ins(%a, %b : A, B) outs(%o : O) -> O",
    ),
    "transpose": ([(2, 3, 4), (1,)], (4, 2, 3), "linalg.transpose ins(%a : A) outs(%o : O) permutation = [2, 0, 1]"),
    "broadcast": ([(3,), (1,)], (2, 3, 4), "linalg.broadcast ins(%a : A) outs(%o : O) dimensions = [0, 2]"),
    "reduce": ([(3, 4), (1,)], (4,), "linalg.reduce {arith.addf} ins(%a : A) outs(%o : O) dimensions = [0]"),
    "map": ([(3, 4), (3, 4)], (3, 4), "linalg.map {arith.mulf} ins(%a, %b : A, B) outs(%o : O)"),
    "pad": (
        [(3, 4), (1,)],
        (6, 7),
        "tensor.pad %a low[1, 2] high[2, 1] {\n^bb0(%i: index, %j: index):\n  tensor.yield %f : f32\n} : A to O",
    ),
    "concat": ([(3, 4), (2, 4)], (5, 4), "tensor.concat dim(0) %a, %b : (A, B) -> O"),
    "generate": (
        [(3, 4), (1,)],
        (3, 4),
        "tensor.generate {\n^bb0(%i: index, %j: index):\n  %v = tensor.extract %a[%i, %j] : A\n"
        "  %w = arith.mulf %v, %f : f32\n  tensor.yield %w : f32\n} : O",
    ),
    "pack": (
        [(3, 5), (1,)],
        (2, 2, 3, 2),
        "linalg.pack %a padding_value(%f : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] "
        "inner_tiles = [3, 2] into %o : A -> O",
    ),
    "unpack": (
        [(2, 2, 3, 2), (1,)],
        (3, 5),
        "linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %o : A -> O",
    ),
}


def _pack(x: np.ndarray) -> np.ndarray:
    padded = np.full((4, 6), 2.5, np.float32)
    padded[:3, :5] = x
    return padded.reshape(2, 2, 2, 3).transpose(2, 0, 3, 1)


IN_NUMPY = {
    "pack": lambda a, b: _pack(a),
    "unpack": lambda a, b: a.transpose(1, 3, 0, 2).reshape(4, 6)[:3, :5],
    "pad": lambda a, b: np.pad(a, ((1, 2), (2, 1)), constant_values=2.5),
    "concat": lambda a, b: np.concatenate([a, b]),
    "generate": lambda a, b: a * np.float32(2.5),
}
"""What upstream does not generalize is compared with numpy."""


def _type(shape: tuple[int, ...]) -> str:
    return "tensor<" + "".join(f"{s}x" for s in shape) + "f32>"


def _function(name: str) -> str:
    inputs, output, op = CASES[name]
    for letter, shape in (("A", inputs[0]), ("B", inputs[1]), ("O", output)):
        op = op.replace(f" {letter}", f" {_type(shape)}").replace(f"({letter}", f"({_type(shape)}")
    a, b, o = (_type(s) for s in (*inputs, output))
    return (
        f"func.func @{name}(%a: {a}, %b: {b}, %o: {o}) -> {o} {{\n%f = arith.constant 2.5 : f32\n"
        f"%r = {op}\nreturn %r : {o}\n}}"
    )


def test_named_ops_agree_with_upstream() -> None:
    text = "\n".join(_function(name) for name in CASES)
    context = Context()
    for name, factory in get_all_dialects().items():
        if name not in ("linalg", "tensor"):
            context.register_dialect(name, factory)
    context.register_dialect("linalg", lambda: EXTENDED_LINALG)
    context.register_dialect("tensor", lambda: EXTENDED_TENSOR)
    printed = run_tool([str(MLIR_OPT), "--mlir-print-op-generic"], text)
    module = Parser(context, printed).parse_module()
    for item in (GeneralizeLinalgPass(), DecomposeTensorPass(), FuseLinalgPass(), BufferizePass()):
        item.apply(context, module)
        module.verify()
    names = {op.name for op in module.walk() if op.name.startswith(("linalg.", "tensor."))}
    assert names <= {"linalg.generic", "linalg.fill", "linalg.yield", "linalg.index"}
    lowered = UpstreamBuffers(module)
    named = "\n".join(_function(name) for name in CASES if name not in IN_NUMPY)
    flags = ("--linalg-generalize-named-ops", "--mlir-print-op-generic")
    generalized = Parser(context, run_tool([str(MLIR_OPT), *flags], named)).parse_module()
    BufferizePass().apply(context, generalized)
    reference = UpstreamBuffers(generalized)
    for name, (inputs, output, _) in CASES.items():
        rng = np.random.default_rng(3)
        given = [rng.integers(1, 9, shape).astype(np.float32) for shape in (*inputs, output)]
        result, expected = np.full(output, np.nan, np.float32), np.full(output, np.nan, np.float32)
        lowered(name, *(x.copy() for x in given), result)
        if name in IN_NUMPY:
            expected = IN_NUMPY[name](given[0], given[1])
        else:
            reference(name, *(x.copy() for x in given), expected)
        np.testing.assert_array_equal(result, expected, err_msg=name)
