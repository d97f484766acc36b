"""Tensors that a model holds: in itself, or in files beside it, which are mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import SparseTensorProto, TensorProto, external_data_helper, helper, numpy_helper

from ..model.problems import ModelError
from .types import SMALL_INTEGERS, kind_name


def tensor_shape(proto: TensorProto) -> tuple[int, ...]:
    """Returns the sizes of a stored tensor."""
    return tuple(proto.dims)


def read_tensor(proto: TensorProto, directory: str) -> np.ndarray[Any, Any]:
    """Returns the elements of a stored tensor; those in another file are mapped.

    Raises `ModelError` for data that is missing, outside of the directory of the model, or of another size than the shape says.
    """
    # Invariant: no byte outside of the directory of the model, or of the range that the model names, is read.
    if not external_data_helper.uses_external_data(proto):
        try:
            return np.asarray(numpy_helper.to_array(proto))
        except (ValueError, TypeError) as error:
            raise ModelError(f"the data of tensor '{proto.name}' does not fit its shape: {error}") from None
    entries = {entry.key: entry.value for entry in proto.external_data}
    location = entries.get("location", "")
    path = Path(directory, location)
    if not path.resolve().is_relative_to(Path(directory).resolve()):
        raise ModelError(f"the data of tensor '{proto.name}' is in {location!r}, outside of the directory of the model")
    dtype, count = _stored_as(proto)
    offset, length = int(entries.get("offset", 0)), int(entries.get("length", count * dtype.itemsize))
    if not path.is_file():
        raise ModelError(f"the data of tensor '{proto.name}' is missing: there is no file {path}")
    available = path.stat().st_size - offset
    if length != count * dtype.itemsize or offset < 0 or available < length:
        raise ModelError(
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
        raise ModelError(f"tensor '{proto.name}' of {kind_name(proto.data_type)} is in another file")
    per_byte = 8 // SMALL_INTEGERS[proto.data_type][0] if proto.data_type in SMALL_INTEGERS else 1
    per_byte = 2 if proto.data_type == TensorProto.FLOAT4E2M1 else per_byte
    if per_byte > 1:
        return np.dtype(np.uint8), -(-count // per_byte)
    return np.dtype(helper.tensor_dtype_to_np_dtype(proto.data_type)), count


def read_sparse(proto: SparseTensorProto, directory: str) -> np.ndarray[Any, Any]:
    """Returns a sparse tensor as a dense one."""
    values = read_tensor(proto.values, directory)
    indices = read_tensor(proto.indices, directory)
    dense = np.zeros(tuple(proto.dims), values.dtype)
    if indices.ndim == 1:
        dense.reshape(-1)[indices] = values
    else:
        dense[tuple(indices.T)] = values
    return dense
