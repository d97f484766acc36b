"""Cases of the quantized ops: tensors of every kind of element, constant scales and zero points; the oracle is in Python's integers."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from harness.op_cases import Arg
from oracles import qnn_reference as reference
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, i8, i16, i32
from xdsl.ir import Attribute, Block, Region
from xdsl_relax.dialects.relax.dense import dense_from_numpy
from xdsl_relax.dialects.relax.dtypes import element_from_numpy, numpy_dtype, ui8, ui16
from xdsl_relax.dialects.relax.ops.core import ConstantOp
from xdsl_relax.dialects.relax.ops.qnn import contraction as qnn_contraction
from xdsl_relax.dialects.relax.ops.qnn import elementwise as qnn
from xdsl_relax.dialects.relax.ops.qnn import unary as qnn_unary

ELEMENTS = (i8, ui8, i16, ui16, i32)


def scale(*values: float) -> np.ndarray:
    """A scale, or one for each index."""
    return np.array(values, np.float32).reshape(-1 if len(values) > 1 else ())


def zero(*values: int) -> np.ndarray:
    """A zero point, or one for each index."""
    return np.array(values, np.int32).reshape(-1 if len(values) > 1 else ())


@dataclass(frozen=True)
class QnnCase:
    """An op on operands, of which the arrays are constants; `oracle` maps all of them to the expected result."""

    name: str
    op: type[Any]
    operands: Sequence[Any]
    oracle: Callable[..., Any]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def args(self) -> Sequence[Arg]:
        return [operand for operand in self.operands if isinstance(operand, Arg)]

    def inputs(self) -> list[Any]:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [arg.make(rng, self.sizes) for arg in self.args]

    def expected(self, inputs: Sequence[Any]) -> np.ndarray:
        given = iter(inputs)
        return np.asarray(
            self.oracle(*(next(given) if isinstance(operand, Arg) else operand for operand in self.operands))
        )


def module_of(cases: Sequence[QnnCase]) -> ModuleOp:
    """A module with the function `@case_<i>` for each case."""
    functions = []
    for index, case in enumerate(cases):
        block = Block(arg_types=[operand.type() for operand in case.operands if isinstance(operand, Arg)])
        given = iter(block.args)
        operands = []
        for operand in case.operands:
            if isinstance(operand, Arg):
                operands.append(next(given))
                continue
            constant = ConstantOp.build_from(value=dense_from_numpy(operand, element_from_numpy(operand.dtype)))
            block.add_op(constant)
            operands.append(constant.result)
        op = case.op.build_from(*operands, **case.attrs)
        op.verify()
        block.add_ops([op, func.ReturnOp(*op.results)])
        types = ([arg.type for arg in block.args], [result.type for result in op.results])
        functions.append(func.FuncOp(f"case_{index}", types, Region(block)))
    return ModuleOp(functions)


def data(element, *dims, values=None) -> Arg:
    """A tensor with numbers of the whole range of its type (i32: of 20 bits), its ends among them."""

    def make(rng, shape):
        limits = np.iinfo(numpy_dtype(element)) if element != i32 else np.iinfo(np.int16)
        result = rng.integers(limits.min, limits.max, shape, endpoint=True) * (16 if element == i32 else 1)
        result.reshape(-1)[: min(2, result.size)] = (limits.min, limits.max)[: min(2, result.size)]
        return result

    return Arg(dims, element, values or make)


def _dtype(element) -> str:
    return str(numpy_dtype(element))


def _requantized(target, axis, dtype, how):
    """Returns an oracle of the requantization to constants."""

    def oracle(q, s_in, z_in, s_out, z_out):
        function = partial(reference.requantize, **how, single=s_in.size == 1)
        rank = np.ndim(q)
        result = reference.per_element(
            lambda q, s, z: function(q, (s, z), (s_out.item(), z_out.item())),
            q,
            reference.along(s_in, axis % max(rank, 1), rank),
            reference.along(z_in, axis % max(rank, 1), rank),
        )
        return reference.per_element(lambda value: reference.clip(value, dtype), result).astype(dtype)

    return oracle


def _requantize(name, source, target, s_in, z_in, s_out, z_out, dims=(7, 5), axis=-1, values=None, **attrs):
    how = {"rounding": attrs.get("rounding", "UPWARD"), "compute": str(attrs.get("compute_dtype", "i64"))}
    return QnnCase(
        f"requantize-{name}",
        qnn.RequantizeOp,
        [data(source, *dims, values=values), s_in, z_in, s_out, z_out],
        _requantized(target, axis, _dtype(target), how),
        {**attrs, "out_dtype": target, **({} if axis == -1 else {"axis": axis})},
        {"n": 9},
    )


def _requantize_cases():
    how = [
        {"rounding": rounding, **compute}
        for rounding in ("UPWARD", "TONEAREST")
        for compute in ({}, {"compute_dtype": f32})
    ]
    for index, given in enumerate(how):
        label = f"{given['rounding']}-{given.get('compute_dtype', 'i64')}"
        for source in ELEMENTS:
            target = ELEMENTS[(ELEMENTS.index(source) + index + 1) % 5]
            yield _requantize(
                f"{label}-{source}", source, target, scale(0.37), zero(11), scale(0.25), zero(-3), **given
            )
        yield _requantize(f"{label}-up", i8, i32, scale(12.5), zero(-2), scale(0.011), zero(5), **given)
        yield _requantize(f"{label}-tiny", i32, i8, scale(1e-12), zero(0), scale(3.0), zero(7), **given)
        yield _requantize(f"{label}-halves", i8, i8, scale(0.5), zero(1), scale(1.0), zero(0), **given)
        yield _requantize(f"{label}-quarters", i32, i32, scale(0.25), zero(0), scale(1.0), zero(0), **given)
        yield _requantize(f"{label}-twice", i8, i16, scale(2.0), zero(0), scale(0.25), zero(9), **given)
        yield _requantize(f"{label}-equal", ui8, i8, scale(0.3), zero(128), scale(0.3), zero(0), **given)
        yield _requantize(f"{label}-same", i32, i32, scale(0.3), zero(0), scale(0.3), zero(0), **given)
        scales, zeros = scale(0.5, 0.013, 4.0, 0.3), zero(0, -4, 9, 100)
        yield _requantize(f"{label}-channels", i8, i8, scales, zeros, scale(0.3), zero(4), ("n", 4, 6), axis=1, **given)
        yield _requantize(f"{label}-last", i32, ui8, scales, zero(0), scale(0.7), zero(4), (3, 4), **given)
        yield _requantize(f"{label}-zeros", i8, i8, scale(0.7), zeros, scale(0.5), zero(0), (4, 3), axis=0, **given)
        yield _requantize(f"{label}-scalar", i8, i8, scale(0.7), zero(1), scale(0.5), zero(0), (), **given)
    ends = lambda rng, shape: np.array([-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 2, 2**31 - 1])  # noqa: E731
    for rounding in ("UPWARD", "TONEAREST"):
        for s_in in (0.25, 0.3, 2.0**-20):
            yield _requantize(f"ends-{rounding}-{s_in}", i32, i32, scale(s_in), zero(0), scale(1.0), zero(0), (7,),
                              values=ends, rounding=rounding)  # fmt: skip


def _wide(element, *dims):
    """Floats whose quotients are halves, infinities and NaN, among others."""

    def make(rng, shape):
        values, large = rng.standard_normal(shape) * 40, 6e4 if element == f16 else 1e30
        special = [0.125, 0.375, -0.125, -0.375, large, -large, np.inf, -np.inf, np.nan, 0.0]
        values.reshape(-1)[: len(special)] = special
        return values

    return Arg(dims, element, make)


def _quantized(axis, dtype):
    def oracle(x, s, z):
        rank = x.ndim
        s, z = (reference.along(parameter, axis % rank, rank) for parameter in (s, z))
        result = reference.per_element(
            lambda x, s, z: reference.quantize(x, s, z, dtype), x.astype(np.float64), s.astype(np.float64), z
        )
        return result.astype(dtype)

    return oracle


def _dequantized(axis, dtype):
    def oracle(q, s, z):
        rank = q.ndim
        s, z = (reference.along(parameter, axis % rank, rank) for parameter in (s, z))
        result = reference.per_element(reference.dequantize, q, s.astype(np.float64), z.astype(np.int64))
        result = result.astype(np.float32)
        return np.clip(result, -65504, 65504).astype(np.float16) if dtype == "float16" else result

    return oracle


def _quantize_cases():
    for op in (qnn.QuantizeOp, qnn.QnnQuantizeOp):
        for element in ELEMENTS:
            yield QnnCase(f"{op.name}-{element}", op, [_wide(f32, "n", 6), scale(0.25), zero(3)],
                          _quantized(-1, _dtype(element)), {"out_dtype": element}, {"n": 7})  # fmt: skip
        for element in (f16, bf16):
            yield QnnCase(f"{op.name}-of-{element}", op, [_wide(element, 8, 6), scale(0.25), zero(3)],
                          _quantized(-1, "int8"), {})  # fmt: skip
        yield QnnCase(f"{op.name}-axis", op, [_wide(f32, 4, 6), scale(0.25, 1.5, 0.1, 3.0), zero(3, 0, -7, 100)],
                      _quantized(0, "uint8"), {"axis": 0, "out_dtype": ui8})  # fmt: skip
        yield QnnCase(f"{op.name}-last", op, [_wide(f32, 6, 4), scale(0.25, 1.5, 0.1, 3.0), zero(0)],
                      _quantized(-1, "int8"), {})  # fmt: skip
    for zero_point in (np.array(200, np.uint8), np.array(-3, np.int8), np.array([2.0] * 6, np.float32)):
        parameters = [np.array([0.25], np.float16), zero_point]
        yield QnnCase(f"relax.quantize-zero-{zero_point.dtype}", qnn.QuantizeOp, [_wide(f32, 8, 6), *parameters],
                      _quantized(-1, "uint8"), {"out_dtype": ui8})  # fmt: skip
        yield QnnCase(f"relax.dequantize-zero-{zero_point.dtype}", qnn.DequantizeOp, [data(i8, 8, 6), *parameters],
                      _dequantized(-1, "float32"))  # fmt: skip
    for op in (qnn.DequantizeOp, qnn.QnnDequantizeOp):
        for element in ELEMENTS:
            for target in (f32, f16):
                yield QnnCase(f"{op.name}-{element}-{target}", op, [data(element, "n", 6), scale(3.7), zero(3)],
                              _dequantized(-1, _dtype(target)), {"out_dtype": target}, {"n": 7})  # fmt: skip
        yield QnnCase(f"{op.name}-axis", op, [data(i8, 4, 6), scale(0.25, 1.5, 0.1, 3.0), zero(3, 0, -7, 100)],
                      _dequantized(0, "float32"), {"axis": 0})  # fmt: skip


def _binary(kind):
    def oracle(dtype, how, axes, lhs, rhs, s_a, z_a, s_b, z_b, s_c, z_c):
        target = s_c.item(), z_c.item()
        s_a, z_a = (reference.along(parameter, axes[0] % lhs.ndim, lhs.ndim) for parameter in (s_a, z_a))
        s_b, z_b = (reference.along(parameter, axes[1] % rhs.ndim, rhs.ndim) for parameter in (s_b, z_b))
        single = s_a.size == 1, s_b.size == 1

        def number(a, b, s_a, z_a, s_b, z_b):
            if kind == "mul":
                exact = reference.wrap(reference.wrap(a - z_a) * reference.wrap(b - z_b))
                source = (np.float32(s_a) * np.float32(s_b)).item(), 0
                return reference.clip(reference.requantize(exact, source, target, **how, single=all(single)), dtype)
            x = reference.requantize(a, (s_a, z_a), target, **how, single=single[0])
            y = reference.requantize(b, (s_b, z_b), target, **how, single=single[1])
            return reference.clip(x + y - target[1] if kind == "add" else x - y + target[1], dtype)

        return reference.per_element(number, lhs, rhs, s_a, z_a, s_b, z_b).astype(dtype)

    return oracle


def _binary_cases():
    ops = {"add": qnn.QnnAddOp, "subtract": qnn.QnnSubtractOp, "mul": qnn.QnnMulOp}
    usual = scale(0.3), zero(4), scale(0.21), zero(-9), scale(0.5), zero(17)
    for kind, op in ops.items():

        def case(name, element, shapes, parameters, kind=kind, op=op, **attrs):
            how = {"rounding": attrs.get("rounding", "UPWARD"), "compute": str(attrs.get("compute_dtype", "i64"))}
            axes = attrs.get("lhs_axis", -1), attrs.get("rhs_axis", -1)
            operands = [data(element, *shape) for shape in shapes]
            oracle = partial(_binary(kind), _dtype(element), how, axes)
            return QnnCase(f"{kind}-{name}", op, [*operands, *parameters], oracle, attrs, {"n": 5})

        for element in (i8, ui8, i16):
            yield case(element, element, [("n", 7), ("n", 7)], usual)
        yield case("f32", i8, [(5, 7), (5, 7)], usual, compute_dtype=f32, rounding="TONEAREST")
        yield case("nearest", i8, [(5, 7), (5, 7)], usual, rounding="TONEAREST")
        yield case("broadcast", ui8, [(3, 1, 4), (5, 1)], usual)
        same = scale(0.5), zero(17), scale(0.5), zero(17), scale(0.5), zero(17)
        yield case("same", i8, [(5, 7), (5, 7)], same)
        zeros = scale(0.5), zero(0), scale(0.25), zero(0), scale(0.5), zero(0)
        yield case("zeros", i8, [(5, 7), (5, 7)], zeros)
        channels = scale(0.3, 0.5, 0.01), zero(4, 0, -5), scale(0.2), zero(1), scale(0.5), zero(17)
        yield case("channels", i8, [(2, 3, 4), (2, 3, 4)], channels, lhs_axis=1)
        per_axis = scale(0.3, 0.5, 0.01), zero(4, 0, -5), scale(0.2, 1.5, 0.7), zero(1), scale(0.5), zero(17)
        yield case("both", i8, [(2, 3, 4), (3, 4)], per_axis, lhs_axis=1, rhs_axis=0)


def _dense(x, w, z_x, z_w, s_x, s_w):
    x = x.astype(object) - z_x.item()
    w = w.astype(object) - reference.along(z_w, 0, 2).astype(object)
    return reference.product(x, w).astype(np.int32)


def _batch_matmul(x, y, z_x, z_y, s_x, s_y):
    return reference.product(x.astype(object) - z_x.item(), y.astype(object) - z_y.item()).astype(np.int32)


def _conv2d(layouts, strides, padding, dilation, groups, x, w, z_x, z_w, s_x, s_w):
    data_layout, kernel_layout, out_layout = layouts
    x = np.transpose(x, [data_layout.index(letter) for letter in "NCHW"]).astype(object) - z_x.item()
    w = np.transpose(w, [kernel_layout.index(letter) for letter in "OIHW"]).astype(object)
    result = reference.convolve(x, w - reference.along(z_w, 0, 4).astype(object), strides, padding, dilation, groups)
    return np.transpose(result, ["NCHW".index(letter) for letter in out_layout]).astype(np.int32)


_KERNELS = (("zero", 0, 0), ("lhs", 5, 0), ("rhs", 0, -3), ("both", 5, -3))


def _product_cases():
    scales = scale(0.1), scale(0.2)
    pairs = (i8, i8), (ui8, i8), (ui8, ui8), (i8, ui8), (i16, i8), (i16, i16)
    for lhs, rhs in pairs:
        for name, z_x, z_w in _KERNELS:
            label = f"{lhs}-{rhs}-{name}"
            parameters = [zero(z_x), zero(z_w), *scales]
            yield QnnCase(f"dense-{label}", qnn_contraction.QnnDenseOp,
                          [data(lhs, "n", 19), data(rhs, 6, 19), *parameters], _dense, {}, {"n": 4})  # fmt: skip
            yield QnnCase(f"batch_matmul-{label}", qnn_contraction.QnnBatchMatmulOp,
                          [data(lhs, 2, 3, 9), data(rhs, 2, 4, 9), *parameters], _batch_matmul)  # fmt: skip
            if i16 not in (lhs, rhs):
                yield _conv(label, (2, 3, 6, 5), (4, 3, 3, 2), zero(z_x), zero(z_w), lhs, rhs, padding=[1])
    channels = [zero(5), zero(1, 0, -7), scale(0.1), scale(0.2, 0.3, 0.4)]
    yield QnnCase("dense-channels", qnn_contraction.QnnDenseOp, [data(i8, 4, 9), data(i8, 3, 9), *channels], _dense)
    symbolic = [zero(5), zero(3), *scales]
    yield QnnCase("dense-symbolic", qnn_contraction.QnnDenseOp, [data(i8, 4, "k"), data(i8, 3, "k"), *symbolic],
                  _dense, {}, {"k": 11})  # fmt: skip
    yield QnnCase("dense-vector", qnn_contraction.QnnDenseOp, [data(i8, 9), data(i8, 3, 9), *symbolic],
                  lambda x, *rest: _dense(x[None], *rest)[0])  # fmt: skip
    yield QnnCase("batch_matmul-one", qnn_contraction.QnnBatchMatmulOp,
                  [data(i8, 3, 2, 5), data(i8, 1, 4, 5), *symbolic], _batch_matmul)  # fmt: skip


def _conv(
    name,
    shape,
    kernel,
    z_x,
    z_w,
    lhs: Attribute = i8,
    rhs: Attribute = i8,
    layouts=("NCHW", "OIHW", None),
    sizes=None,
    **attrs,
):
    data_layout, kernel_layout, out_layout = layouts
    padding = attrs.get("padding", [0])
    padding = {1: padding * 4, 2: padding * 2, 4: padding}[len(padding)]
    strides, dilation = ((value * 2)[:2] for value in (attrs.get("strides", [1]), attrs.get("dilation", [1])))
    oracle = partial(_conv2d, (data_layout, kernel_layout, out_layout or data_layout), strides, padding, dilation,
                     attrs.get("groups", 1))  # fmt: skip
    layout_attrs = {"data_layout": data_layout, "kernel_layout": kernel_layout, "out_layout": out_layout}
    return QnnCase(f"conv2d-{name}", qnn_contraction.QnnConv2DOp,
                   [data(lhs, *shape), data(rhs, *kernel), z_x, z_w, scale(0.1), scale(0.2)], oracle,
                   {**layout_attrs, **attrs}, sizes or {})  # fmt: skip


def _conv_cases():
    yield _conv("1x1", (2, 3, 4, 5), (4, 3, 1, 1), zero(5), zero(3))
    yield _conv("1x1-strides", (2, 3, 4, 5), (4, 3, 1, 1), zero(5), zero(3), strides=[2])
    yield _conv("1x1-padding", (2, 3, 4, 5), (4, 3, 1, 1), zero(0), zero(3), padding=[1, 2])
    yield _conv("strides", ("n", 3, "h", 8), (4, 3, 3, 3), zero(-5), zero(3), strides=[2, 1], padding=[1, 0, 2, 1],
                sizes={"n": 2, "h": 7})  # fmt: skip
    yield _conv("channels", (1, 3, 6, 5), (4, 3, 3, 3), zero(-5), zero(3, 0, -8, 1), padding=[1])
    yield _conv("dilation", (1, 3, 8, 8), (4, 3, 3, 3), zero(-5), zero(3), dilation=[2, 1], padding=[1])
    yield _conv("dilation-plain", (1, 3, 8, 8), (4, 3, 3, 3), zero(-5), zero(0), dilation=[2], padding=[2])
    yield _conv("groups", (1, 6, 6, 6), (4, 3, 3, 3), zero(-5), zero(3), groups=2, padding=[1])
    yield _conv("depthwise", (2, 4, 6, 6), (4, 1, 3, 3), zero(-5), zero(3), groups=4, padding=[1])
    yield _conv("depthwise-twice", (2, 3, 6, 6), (6, 1, 3, 3), zero(-5), zero(3), ui8, i8, groups=3, strides=[2])
    yield _conv("depthwise-channels", (1, 3, 6, 6), (3, 1, 3, 3), zero(4), zero(3, -2, 0), groups=3)
    yield _conv("nhwc", ("n", 6, 5, 3), (3, 2, 3, 4), zero(7), zero(-2), ui8, i8, ("NHWC", "HWIO", None), {"n": 2},
                padding=[1])  # fmt: skip
    yield _conv("nhwc-channels", (1, 6, 5, 3), (3, 2, 4, 3), zero(7), zero(-2, 1, 4, 0), i8, i8,
                ("NHWC", "HWOI", None))  # fmt: skip
    yield _conv("nhwc-depthwise", (1, 6, 5, 3), (6, 3, 3, 1), zero(7), zero(-2), i8, i8, ("NHWC", "OHWI", None),
                groups=3, padding=[1])  # fmt: skip
    yield _conv("out-layout", (1, 3, 5, 6), (4, 3, 3, 3), zero(7), zero(-2), i8, i8, ("NCHW", "OIHW", "NHWC"))
    yield _conv("far", (1, 2, 5, 5), (3, 2, 3, 3), zero(300), zero(-2), padding=[1])
    yield _conv("symbolic-channels", (1, "c", 5, 5), (3, "c", 3, 3), zero(3), zero(-2), sizes={"c": 4})
    yield _conv("large-windows", (1, 1, 64, 64), (1, 1, 64, 63), zero(3), zero(-2), ui8)


def _large_product_cases():
    """Products with enough work for panels and register tiles, of sizes that none of them divides."""
    scales = scale(0.1), scale(0.2)
    for lhs, rhs in ((ui8, i8), (i8, i8), (ui8, ui8), (i8, ui8)):
        parameters = [zero(5), zero(-3), *scales]
        yield QnnCase(f"large-dense-{lhs}-{rhs}", qnn_contraction.QnnDenseOp,
                      [data(lhs, "n", 131), data(rhs, 70, 131), *parameters], _dense, {}, {"n": 19})  # fmt: skip
        yield QnnCase(f"large-batch_matmul-{lhs}-{rhs}", qnn_contraction.QnnBatchMatmulOp,
                      [data(lhs, 2, 13, 70), data(rhs, 2, 37, 70), *parameters], _batch_matmul)  # fmt: skip
        yield _conv(f"large-{lhs}-{rhs}", (1, 5, 12, 11), (7, 5, 3, 3), zero(5), zero(-3), lhs, rhs, padding=[1])
    yield _conv("large-nhwc", (2, 9, 9, 6), (3, 3, 6, 20), zero(5), zero(0), ui8, i8, ("NHWC", "HWIO", None),
                padding=[1], strides=[2, 1])  # fmt: skip


def _concatenate_cases():
    for name, compute in (("i64", {}), ("f32", {"compute_dtype": f32})):

        def oracle(a, b, c, s_a, s_b, s_c, z_a, z_b, z_c, s, z, how=str(compute.get("compute_dtype", "i64"))):
            target = s.item(), z.item()
            parts = [
                reference.per_element(
                    lambda q, s=s, z=z: reference.clip(
                        reference.requantize(q, (s.item(), z.item()), target, compute=how), "int8"
                    ),
                    q,
                )
                for q, s, z in ((a, s_a, z_a), (b, s_b, z_b), (c, s_c, z_c))
            ]
            return np.concatenate(parts, axis=1).astype(np.int8)

        operands = [data(i8, 3, "n"), data(i8, 3, 4), data(i8, 3, 2), scale(0.3), scale(0.5), scale(0.7)]
        parameters = [zero(3), zero(-4), zero(0), scale(0.5), zero(-4)]
        yield QnnCase(f"concatenate-{name}", qnn.QnnConcatenateOp, [*operands, *parameters], oracle,
                      {"axis": 1, **compute}, {"n": 3})  # fmt: skip


_FUNCTIONS = {
    qnn_unary.QnnTanhOp: math.tanh,
    qnn_unary.QnnSigmoidOp: lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0,
    qnn_unary.QnnExpOp: math.exp,
    qnn_unary.QnnLogOp: lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    qnn_unary.QnnSqrtOp: lambda x: math.sqrt(x) if x >= 0 else math.nan,
    qnn_unary.QnnRsqrtOp: lambda x: 1 / math.sqrt(x) if x > 0 else math.inf if x == 0 else math.nan,
    qnn_unary.QnnErfOp: math.erf,
    qnn_unary.QnnAbsOp: abs,
    qnn_unary.QnnHardSwishOp: lambda x: x * min(max(x + 3, 0), 6) / 6,
}


def _unary(function, dtype, q, s, z, s_out, z_out):
    def number(q):
        y = function(float(reference.dequantize(q, s.item(), z.item())))
        return reference.quantize(y, s_out.item(), z_out.item(), dtype)

    return reference.per_element(number, q).astype(dtype)


def _all_values(element, *dims):
    limits = np.iinfo(numpy_dtype(element))
    return data(element, *dims, values=lambda rng, shape: np.arange(limits.min, limits.max + 1).reshape(shape))


def _unary_cases():
    for op, function in _FUNCTIONS.items():
        for element, z_in in ((i8, -3), (ui8, 100)):
            parameters = [scale(0.05), zero(z_in), scale(0.02), zero(3)]
            yield QnnCase(f"{op.name}-{element}", op, [_all_values(element, 4, 64), *parameters],
                          partial(_unary, function, _dtype(element)))  # fmt: skip
        yield QnnCase(f"{op.name}-i16", op, [data(i16, "n", 9), scale(0.0003), zero(4), scale(0.0001), zero(0)],
                      partial(_unary, function, "int16"), {}, {"n": 8})  # fmt: skip


def _leaky_relu(dtype, alpha, rounding, compute, q, s, z, s_out, z_out):
    source, target = (s.item(), z.item()), (s_out.item(), z_out.item())

    def number(q):
        whole = q if source == target else reference.requantize(q, source, target, rounding, compute)
        if q >= source[1]:
            return reference.clip(whole, dtype)
        sign = 1 if alpha <= 1 else -1
        rest = sign * reference.multiply(target[1], abs(1 - alpha), "UPWARD", True)
        return reference.clip(reference.multiply(whole, alpha, "UPWARD", True) + rest, dtype)

    return reference.per_element(number, q).astype(dtype)


def _leaky_relu_cases():
    for element in (i8, ui8, i16):
        for alpha in (0.01, 0.3, 0.5, 0.0, 1.0, 1.5):
            parameters = [scale(0.05), zero(10), scale(0.08), zero(100)]
            operands = [data(element, "n", 40), *parameters]
            oracle = partial(_leaky_relu, _dtype(element), alpha, "TONEAREST", "i64")
            yield QnnCase(f"leaky_relu-{element}-{alpha}", qnn_unary.QnnLeakyReluOp, operands, oracle,
                          {"alpha": alpha, "rounding": "TONEAREST"}, {"n": 3})  # fmt: skip
    same = [data(i8, 4, 40), scale(0.05), zero(-10), scale(0.05), zero(-10)]
    yield QnnCase("leaky_relu-same", qnn_unary.QnnLeakyReluOp, same,
                  partial(_leaky_relu, "int8", 0.2, "UPWARD", "i64"), {"alpha": 0.2})  # fmt: skip


def _softmax(axis, x, s, z, s_out, z_out):
    rows = np.moveaxis(x, axis, -1)
    result = np.empty(rows.shape, object)
    for index in np.ndindex(*rows.shape[:-1]):
        numbers = reference.softmax([int(q) for q in rows[index]], s.item(), z.item())
        target = s_out.item(), z_out.item()
        result[index] = [reference.clip(reference.requantize(q, (1 / 128, 0), target), "int8") for q in numbers]
    return np.moveaxis(result, -1, axis).astype(np.int8)


def _softmax_cases():
    for s in (0.01, 0.1, 0.7, 3.0):
        yield QnnCase(f"softmax-{s}", qnn_unary.QnnSoftmaxOp,
                      [data(i8, "n", 24), scale(s), zero(4), scale(1 / 256), zero(-128)], partial(_softmax, 1), {},
                      {"n": 5})  # fmt: skip
    yield QnnCase("softmax-axis", qnn_unary.QnnSoftmaxOp,
                  [data(i8, 3, 9, 4), scale(0.05), zero(0), scale(0.01), zero(0)], partial(_softmax, 1),
                  {"axis": 1})  # fmt: skip


CASES = (
    *_quantize_cases(),
    *_requantize_cases(),
    *_binary_cases(),
    *_product_cases(),
    *_conv_cases(),
    *_concatenate_cases(),
    *_unary_cases(),
    *_leaky_relu_cases(),
    *_softmax_cases(),
)


def assert_equal(case: QnnCase, result: Any, expected: np.ndarray) -> None:
    """Integers and floats alike are equal, bit by bit; NaN is in the same places."""
    assert result.dtype == expected.dtype, case.name
    np.testing.assert_array_equal(result, expected, err_msg=case.name)


LARGE_PRODUCTS: tuple[QnnCase, ...] = tuple(_large_product_cases())
