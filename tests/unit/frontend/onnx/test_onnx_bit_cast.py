"""`BitCast` between all types of one width, those included that are kept in wider ones, and `relax.bitcast` out again."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

from onnx import ModelProto, TensorProto, helper  # noqa: E402
from xdsl.dialects.builtin import f32, i32  # noqa: E402
from xdsl.ir import Attribute  # noqa: E402
from xdsl_relax.builder import ModuleBuilder, tensor  # noqa: E402
from xdsl_relax.frontend.model.problems import UnsupportedModelError, UnsupportedProgramError  # noqa: E402
from xdsl_relax.frontend.onnx import from_onnx, import_onnx, to_onnx  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402

NIBBLES = {"INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4, "FLOAT4E2M1": ml_dtypes.float4_e2m1fn}
WIDTHS = (
    ("INT2", "UINT2"),
    tuple(NIBBLES),
    ("INT8", "UINT8", "FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E8M0"),
    ("INT16", "UINT16", "FLOAT16", "BFLOAT16"),
    ("INT32", "UINT32", "FLOAT"),
    ("INT64", "UINT64", "DOUBLE"),
)
PAIRS = [(source, target) for kinds in WIDTHS for source in kinds for target in kinds if source != target]


def bit_cast(source: str, target: str) -> ModelProto:
    node = helper.make_node("BitCast", ["x"], ["y"], to=TensorProto.DataType.Value(target))
    x = helper.make_tensor_value_info("x", TensorProto.DataType.Value(source), ["n"])
    y = helper.make_tensor_value_info("y", TensorProto.DataType.Value(target), ["n"])
    return helper.make_model(helper.make_graph([node], "test", [x], [y]), opset_imports=[helper.make_opsetid("", 26)])


def kept(kind: str, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns numbers of given bits as the dialect keeps them."""
    bits = next(2 << i for i, kinds in enumerate(WIDTHS) if kind in kinds)
    if kind.startswith("INT") and bits < 8:
        return np.where(codes >= 1 << (bits - 1), codes.astype(np.int64) - (1 << bits), codes).astype(np.int8)
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(kind))
    return codes.astype(np.uint8) if bits < 8 or kind.startswith("FLOAT8") else codes.view(dtype)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_bits_are_kept(source: str, target: str):
    bits = next(2 << i for i, kinds in enumerate(WIDTHS) if source in kinds)
    width = max(bits, 8)
    codes = np.array([0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 3], f"u{width // 8}")
    (result,) = interpret(import_onnx(bit_cast(source, target)).module)("main", kept(source, codes))
    expected = kept(target, codes)
    assert result.dtype == expected.dtype
    assert result.tobytes() == expected.tobytes()


def test_truth_values_are_bytes():
    (result,) = interpret(from_onnx(bit_cast("BOOL", "INT8")))("main", np.array([True, False]))
    assert result.dtype == np.int8 and result.tolist() == [1, 0]


@pytest.mark.parametrize(("source", "target"), [("FLOAT", "INT64"), ("UINT8", "BOOL"), ("UINT4", "UINT8")])
def test_what_no_type_reads(source: str, target: str):
    expected = f"the bits of {source.lower()} cannot be read as {target.lower()}"
    with pytest.raises(UnsupportedModelError, match=f"BitCast at 'y': {expected}"):
        from_onnx(bit_cast(source, target))


def bits_of(element: Attribute, dtype: Attribute) -> Any:
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["n"], element))
        with f.dataflow() as g:
            y = g.output(g.bitcast(x, dtype=dtype))
        f.returns(y)
    return m.build()


def test_the_op_comes_back():
    again = from_onnx(to_onnx(bits_of(f32, i32), opset=26))
    (result,) = interpret(again)("main", np.array([1.0, -0.0], np.float32))
    assert result.tolist() == [0x3F800000, -(2**31)]


def test_older_operator_sets_lack_it():
    with pytest.raises(UnsupportedProgramError, match=r"BitCast from operator set 26 on, got 25"):
        to_onnx(bits_of(f32, i32), opset=25)
