"""Tensors that a model holds: in itself, or in files, which are mapped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import SparseTensorProto, TensorProto, external_data_helper, helper, numpy_helper

from ..model.problems import ModelImportError
from .types import SMALL_INTEGERS, kind_name


@dataclass(frozen=True)
class Origin:
    """Where a model was read from."""

    directory: Path
    """That of the files with data of its tensors."""
    file: Path | None = None
    """The file of the model itself."""

    def path(self, location: str) -> Path | None:
        """Returns the file of a location, which is empty for the file of the model; `None` for one outside of the directory."""
        if not location:
            return self.file
        path = self.directory / location
        return path if path.resolve().is_relative_to(self.directory.resolve()) else None


def tensor_shape(proto: TensorProto) -> tuple[int, ...]:
    """Returns the sizes of a stored tensor."""
    return tuple(proto.dims)


def read_tensor(proto: TensorProto, origin: Origin) -> np.ndarray[Any, Any]:
    """Returns the elements of a stored tensor; those in another file are mapped.

    Raises `ModelImportError` for data that is missing, outside of the directory of the model, or of another size than the shape says.
    """
    # Invariant: no byte outside of the directory of the model, or of the range that the model names, is read.
    if proto.data_type not in TensorProto.DataType.values() or not proto.data_type or min(proto.dims, default=0) < 0:
        sizes = list(proto.dims)
        raise ModelImportError(f"tensor '{proto.name}' has no type: {kind_name(proto.data_type)}, sizes {sizes}")
    if not external_data_helper.uses_external_data(proto):
        try:
            return np.asarray(numpy_helper.to_array(proto))
        except (ValueError, TypeError) as error:
            raise ModelImportError(f"the data of tensor '{proto.name}' does not fit its shape: {error}") from None
    entries = {entry.key: entry.value for entry in proto.external_data}
    location = entries.get("location", "")
    path = origin.path(location)
    if path is None:
        raise ModelImportError(
            f"the data of tensor '{proto.name}' is in {location!r}, outside of the directory of the model"
        )
    dtype, count = _stored_as(proto)
    offset, length = int(entries.get("offset", 0)), int(entries.get("length", count * dtype.itemsize))
    if not path.is_file():
        raise ModelImportError(f"the data of tensor '{proto.name}' is missing: there is no file {path}")
    available = path.stat().st_size - offset
    if length != count * dtype.itemsize or offset < 0 or available < length:
        raise ModelImportError(
            f"the data of tensor '{proto.name}' does not fit: expected {count * dtype.itemsize} bytes at {offset} of "
            f"{location!r}, got {max(min(length, available), 0)}"
        )
    if count == 0:
        return np.empty(tuple(proto.dims), dtype)
    if proto.data_type in SMALL_INTEGERS or proto.data_type == TensorProto.FLOAT4E2M1:
        packed = TensorProto(data_type=proto.data_type, dims=proto.dims)
        packed.raw_data = np.memmap(path, np.uint8, "r", offset, (length,)).tobytes()
        return np.asarray(numpy_helper.to_array(packed))
    return np.memmap(path, dtype, "r", offset, tuple(proto.dims))


def _stored_as(proto: TensorProto) -> tuple[np.dtype[Any], int]:
    """Returns the type and the number of the items in a file; small types share a byte."""
    count = int(np.prod(proto.dims, dtype=np.int64))
    if proto.data_type == TensorProto.STRING:
        raise ModelImportError(f"tensor '{proto.name}' of {kind_name(proto.data_type)} is in another file")
    per_byte = 8 // SMALL_INTEGERS[proto.data_type][0] if proto.data_type in SMALL_INTEGERS else 1
    per_byte = 2 if proto.data_type == TensorProto.FLOAT4E2M1 else per_byte
    if per_byte > 1:
        return np.dtype(np.uint8), -(-count // per_byte)
    return np.dtype(helper.tensor_dtype_to_np_dtype(proto.data_type)), count


def read_sparse(proto: SparseTensorProto, origin: Origin) -> np.ndarray[Any, Any]:
    """Returns a sparse tensor as a dense one."""
    values = read_tensor(proto.values, origin)
    indices = read_tensor(proto.indices, origin)
    dense = np.zeros(tuple(proto.dims), values.dtype)
    if indices.ndim == 1:
        dense.reshape(-1)[indices] = values
    else:
        dense[tuple(indices.T)] = values
    return dense
