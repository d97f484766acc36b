"""Tensors that a model holds: in itself, or in files, which are mapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np
from onnx import SparseTensorProto, TensorProto, external_data_helper, helper, numpy_helper

from ..model.problems import ModelImportError
from .stored_data import MODEL_FILE
from .types import SMALL_INTEGERS, kind_name

MAX_SHOWN = 200
"""Longer names of files are cut in errors."""


@dataclass(frozen=True)
class Origin:
    """Where a model was read from."""

    directory: Path
    """That of the files with data of its tensors."""
    file: Path | None = None
    """The file of the model itself."""

    files: set[Path] = field(default_factory=set[Path])
    """The other files with data that were read."""

    def path(self, location: str) -> Path | None:
        """Returns the file of a location; `None` for one outside of the directory."""
        if location == MODEL_FILE:
            return self.file
        path = self.directory / location
        if "\0" in location or not path.resolve().is_relative_to(self.directory.resolve()):
            return None
        self.files.add(path)
        return path


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
    if not location:
        raise ModelImportError(f"the data of tensor '{proto.name}' is in another file, which has no name")
    path = origin.path(location)
    if path is None:
        raise ModelImportError(
            f"the data of tensor '{proto.name}' is in {_shortened(location)}, outside of the directory of the model"
        )
    dtype, count = _stored_as(proto)
    offset, length = (
        _integer(proto, entries, key, value) for key, value in (("offset", 0), ("length", count * dtype.itemsize))
    )
    available = _file_size(proto, path) - offset
    if length != count * dtype.itemsize or offset < 0 or available < length:
        raise ModelImportError(
            f"the data of tensor '{proto.name}' does not fit: expected {count * dtype.itemsize} bytes at {offset} of "
            f"{_shortened(location)}, got {length if length != count * dtype.itemsize else max(available, 0)}"
        )
    if count == 0:
        return np.empty(tuple(proto.dims), dtype)
    if proto.data_type in SMALL_INTEGERS or proto.data_type == TensorProto.FLOAT4E2M1:
        packed = TensorProto(data_type=proto.data_type, dims=proto.dims)
        packed.raw_data = np.memmap(path, np.uint8, "r", offset, (length,)).tobytes()
        return np.asarray(numpy_helper.to_array(packed))
    return np.memmap(path, dtype, "r", offset, tuple(proto.dims))


def _integer(proto: TensorProto, entries: Mapping[str, str], key: str, default: int) -> int:
    try:
        return int(entries.get(key, default))
    except ValueError:
        raise ModelImportError(
            f"the {key} of the data of tensor '{proto.name}' must be an integer, got {_shortened(entries[key])}"
        ) from None


def _file_size(proto: TensorProto, path: Path) -> int:
    """Returns the size of a file with data; raises `ModelImportError` for what is no file."""
    try:
        status = path.stat()
    except OSError as error:
        reason = "there is no file" if error.errno == ENOENT else (error.strerror or str(error)).lower() + ":"
        raise ModelImportError(
            f"the data of tensor '{proto.name}' is missing: {reason} {_shortened(str(path))}"
        ) from None
    if not S_ISREG(status.st_mode):
        raise ModelImportError(
            f"the data of tensor '{proto.name}' is in {_shortened(str(path))}, which is no regular file"
        )
    return status.st_size


def _shortened(text: str) -> str:
    """Returns a text of a model in quotes, its middle left out if it is long."""
    return repr(text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN // 2]}...{text[-MAX_SHOWN // 2 :]}")


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
