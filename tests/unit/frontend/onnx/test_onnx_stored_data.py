"""Large tensors of a model of ONNX stay in its file: what is read is the same, and bytes that are no model are refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

import xdsl_relax  # noqa: E402
from onnx import ModelProto, TensorProto, helper, numpy_helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.frontend.onnx.stored_data import LARGE, without_stored_data  # noqa: E402
from xdsl_relax.tools import relax_import  # noqa: E402

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


def elsewhere(**place: str) -> TensorProto:
    """Returns a tensor whose data are in another file."""
    weight = TensorProto(name="w", dims=(ROWS, COLUMNS), data_type=1, data_location=TensorProto.EXTERNAL)
    for key, value in place.items():
        weight.external_data.add(key=key, value=value)
    return weight


@pytest.mark.parametrize("location", ["\0", "a\0b", "../outside.bin", "/dev/zero"])
def test_a_model_in_memory_has_no_file(location: str):
    with pytest.raises(ModelImportError, match="outside of the directory of the model"):
        import_onnx(product(elsewhere(location=location)))


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({"location": ""}, "the data of tensor 'w' is in another file, which has no name"),
        ({"location": "w.bin", "offset": "abc"}, "the offset of the data of tensor 'w' must be an integer, got 'abc'"),
        ({"location": "w.bin", "length": "1.0"}, "the length of the data of tensor 'w' must be an integer, got '1.0'"),
        ({"location": "nothing"}, "missing: there is no file '.*nothing'"),
        ({"location": "."}, "which is no regular file"),
        ({"location": "pipe"}, "which is no regular file"),
        ({"location": "a" * 5000}, r"missing: file name too long: '.{90,100}\.\.\.a{90,100}'$"),
    ],
)
def test_places_of_data_that_are_none_are_one_error(tmp_path: Path, place: dict[str, str], expected: str):
    (tmp_path / "w.bin").write_bytes(bytes(ROWS * COLUMNS * 4))
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "model.onnx"
    path.write_bytes(product(elsewhere(**place)).SerializeToString())
    with pytest.raises(ModelImportError, match=expected):
        import_onnx(path)


def test_what_is_read_is_not_written_over(tmp_path: Path, values: np.ndarray, capsys: pytest.CaptureFixture[str]):
    path, data, program = tmp_path / "model.onnx", tmp_path / "w.bin", tmp_path / "a.mlir"
    data.write_bytes(values.tobytes())
    path.write_bytes(product(elsewhere(location="w.bin")).SerializeToString())
    weights = tmp_path / "a.safetensors"
    for output, params, expected in (
        (program, data, f"{data}: error: is read, expected another file to write"),
        (data, weights, f"{data}: error: is read, expected another file to write"),
        (tmp_path / "nothing" / "a.mlir", weights, "no such file or directory"),
        (program, tmp_path / "nothing" / "a", "no such file or directory"),
        (program, program, f"-o and --params name the same file, {program}"),
    ):
        assert relax_import.main(["onnx", str(path), "-o", str(output), "--params", str(params)]) == 1
        error = capsys.readouterr().err
        assert expected in error and error.count("\n") == 1
        assert not program.exists() and not weights.exists() and data.read_bytes() == values.tobytes()
    assert relax_import.main(["onnx", str(path), "-o", str(program), "--params", str(weights)]) == 0
    assert program.exists() and weights.exists()


def test_an_imported_model_is_compiled_with_its_weights(values: np.ndarray):
    imported = import_onnx(product(numpy_helper.from_array(values, "w")))
    x = np.random.default_rng(1).standard_normal((3, ROWS)).astype(np.float32)
    compiled = xdsl_relax.compile(imported)
    assert (compiled.inputs, compiled.outputs) == (("x",), ("y",))
    np.testing.assert_allclose(compiled.run({"x": x})["y"], x @ values, rtol=2e-4, atol=1e-4)
    with pytest.raises(TypeError, match="dims and values are those of a model in a file"):
        xdsl_relax.compile(imported, dims={"batch": 3})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dims": {"batch": 1 << 62}}, "4611686018427387904 x 131 elements do not fit the memory of any machine"),
        ({"values": {"x": np.ones((2, ROWS))}}, "the value of 'x': expected element type float32, got float64"),
        (
            {"values": {"x": np.ones((2, 3), np.float32)}},
            r"the value of 'x': expected the shape \[\?, 131\], got \[2, 3\]",
        ),
        ({"values": {"x": np.ones(ROWS, np.float32)}}, r"expected the shape \[\?, 131\], got \[131\]"),
    ],
)
def test_sizes_and_values_that_an_input_cannot_have(values: np.ndarray, given: dict[str, Any], expected: str):
    with pytest.raises(ModelImportError, match=expected):
        import_onnx(product(numpy_helper.from_array(values, "w")), **given)


def test_a_size_of_more_than_64_bits_is_one_error(
    tmp_path: Path, values: np.ndarray, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "model.onnx"
    onnx.save(product(numpy_helper.from_array(values, "w")), path)
    assert relax_import.main(["onnx", str(path), "--dim", f"batch={10**20}"]) == 1
    assert "the size 'batch' must fit 64 bits, got 100000000000000000000" in capsys.readouterr().err


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
