"""Large tensors stay in the file of a model: the library is given the model without their data, and where in the file these are.

The library copies a file once to read it and once more to keep it; of what is left here it sees a reference, as to data in another file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from onnx import GraphProto, ModelProto, StringStringEntryProto, TensorProto

MODEL_FILE = "\0"
"""The location of data in the file of the model itself; no file is called so."""

LARGE = 1 << 16
"""The bytes from which the data of a tensor stay in the file."""

_VARINT, _BYTES = 0, 2
_FIXED = {1: 8, 5: 4}


class _MalformedError(ValueError):
    """Bytes that are no message."""


class Field(NamedTuple):
    """One field of a message: its number, and where in the file the field and its value lie."""

    number: int
    is_bytes: bool
    begin: int
    value: int
    end: int


def without_stored_data(file: memoryview) -> bytes | None:
    """Returns the model in a file without the data of its large tensors, which refer to the file by the location `MODEL_FILE`.

    `None` for what is not encoded as a model: an error would keep parts of the file in use.
    """
    try:
        return _model(file)
    except _MalformedError:
        return None


def _model(file: memoryview) -> bytes:
    graph = ModelProto.DESCRIPTOR.fields_by_name["graph"].number
    parts = [
        _encoded(graph, _graph(file, field))
        if field.number == graph and field.is_bytes
        else file[field.begin : field.end]
        for field in _fields(file, 0, len(file))
    ]
    return b"".join(parts)


def _graph(file: memoryview, graph: Field) -> bytes:
    stored = GraphProto.DESCRIPTOR.fields_by_name["initializer"].number
    parts: list[bytes | memoryview] = []
    for field in _fields(file, graph.value, graph.end):
        tensor = _tensor(file, field) if field.number == stored and field.is_bytes else None
        parts.append(file[field.begin : field.end] if tensor is None else _encoded(stored, tensor))
    return b"".join(parts)


def _tensor(file: memoryview, tensor: Field) -> bytes | None:
    """Returns a tensor with a reference in place of its data; `None` for one that is small, or whose data is not in one piece."""
    if tensor.end - tensor.value < LARGE:
        return None
    numbers = {field.name: field.number for field in TensorProto.DESCRIPTOR.fields}
    fields = list(_fields(file, tensor.value, tensor.end))
    data = [field for field in fields if field.number == numbers["raw_data"]]
    if len(data) != 1 or any(field.number in (numbers["external_data"], numbers["data_location"]) for field in fields):
        return None
    place = {"location": MODEL_FILE, "offset": data[0].value, "length": data[0].end - data[0].value}
    entries = [StringStringEntryProto(key=key, value=str(value)) for key, value in place.items()]
    reference = TensorProto(external_data=entries, data_location=TensorProto.EXTERNAL)
    kept = [file[field.begin : field.end] for field in fields if field is not data[0]]
    return b"".join((*kept, reference.SerializeToString()))


def _fields(file: memoryview, position: int, end: int) -> Iterator[Field]:
    """Yields the fields of a message (https://protobuf.dev/programming-guides/encoding)."""
    # Invariant: `position` is where a field begins, and nothing behind `end` is read.
    while position < end:
        begin = position
        tag, position = _varint(file, position, end)
        kind, value = tag & 7, position
        if kind == _VARINT:
            _, position = _varint(file, position, end)
        elif kind == _BYTES:
            size, value = _varint(file, position, end)
            position = value + size
        elif kind in _FIXED:
            position += _FIXED[kind]
        else:
            raise _MalformedError(f"a field of kind {kind}")
        if position > end:
            raise _MalformedError("a field that ends behind its message")
        yield Field(tag >> 3, kind == _BYTES, begin, value, position)


def _varint(file: memoryview, position: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= end:
            break
        byte = file[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
    raise _MalformedError("a number that does not end")


def _encoded(number: int, value: bytes) -> bytes:
    """Returns a field whose value are bytes."""
    return _encoded_varint(number << 3 | _BYTES) + _encoded_varint(len(value)) + value


def _encoded_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
