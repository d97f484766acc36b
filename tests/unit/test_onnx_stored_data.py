"""Large tensors of a model of ONNX stay in its file: what is read is the same, and bytes that are no model are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

import xdsl_relax  # noqa: E402
from onnx import ModelProto, TensorProto, helper, numpy_helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.frontend.onnx.stored_data import LARGE, without_stored_data  # noqa: E402

ROWS, COLUMNS = 131, 127


def product(weight: TensorProto, name: str = "big") -> ModelProto:
    """Returns `x @ weight`; the length of its name moves the data in the file."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", ROWS])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], name, [x], [y], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float32)


@pytest.mark.parametrize("name", ["n", "na", "nam", "name"])
def test_data_are_mapped_at_any_byte_of_the_file(tmp_path: Path, values: np.ndarray, name: str):
    path = tmp_path / "model.onnx"
    onnx.save(product(numpy_helper.from_array(values, "w"), name), path)
    assert len(without_stored_data(memoryview(path.read_bytes())) or b"") < LARGE < values.nbytes
    weight = import_onnx(path).params["w"]
    assert isinstance(weight, np.memmap) and np.array_equal(weight, values)
    x = np.random.default_rng(1).standard_normal((3, ROWS)).astype(np.float32)
    np.testing.assert_allclose(xdsl_relax.compile(path)(x), x @ values, rtol=2e-4, atol=1e-4)


def test_what_is_not_one_piece_of_bytes_stays_in_the_model(tmp_path: Path, values: np.ndarray):
    for weight in (
        helper.make_tensor("w", TensorProto.FLOAT, values.shape, values.reshape(-1)),
        numpy_helper.from_array(values[:1, :1], "w"),
    ):
        data = product(weight).SerializeToString()
        kept = without_stored_data(memoryview(data))
        assert kept is not None and ModelProto.FromString(kept) == ModelProto.FromString(data)


def test_data_that_do_not_fit_the_shape_are_refused(tmp_path: Path, values: np.ndarray):
    path = tmp_path / "model.onnx"
    onnx.save(product(TensorProto(name="w", dims=(ROWS, COLUMNS + 1), data_type=1, raw_data=values.tobytes())), path)
    with pytest.raises(ModelImportError, match=f"does not fit: expected {ROWS * (COLUMNS + 1) * 4} bytes at"):
        import_onnx(path)


def test_a_model_in_memory_has_no_file(values: np.ndarray):
    weight = TensorProto(name="w", dims=values.shape, data_type=1, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="")
    with pytest.raises(ModelImportError, match="outside of the directory of the model"):
        import_onnx(product(weight))


def test_cut_and_changed_bytes_are_a_model_or_refused(tmp_path: Path, values: np.ndarray):
    data = product(numpy_helper.from_array(values, "w")).SerializeToString()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(120):
        changed = bytearray(data[: rng.integers(1, len(data))] if rng.random() < 0.3 else data)
        for position in rng.integers(0, min(len(changed), 200), 3):
            changed[position] = rng.integers(0, 256)
        path = tmp_path / "changed.onnx"
        path.write_bytes(changed)
        try:
            import_onnx(path)
        except (ModelImportError, ValueError):
            refused += 1
    assert 12 < refused < 120
    assert without_stored_data(memoryview(data[:-1])) is None
