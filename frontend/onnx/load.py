"""Reads a model from a file, and refuses what is none."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import ModelProto

from ..model.problems import ModelImportError
from .names import with_nodes_in_order
from .stored_data import without_stored_data
from .tensors import Origin

MIN_OPSET = 1
"""Exporters write 7 and newer ones; what older versions have is broadcast by an attribute, which is refused."""
MAX_OPSET = 28


def load_model(source: str | Path | bytes | ModelProto) -> tuple[ModelProto, Origin]:
    """Returns a model with its nodes in order, without the data that stay in files, and where those are.

    Raises `ModelImportError` for what is no model of ONNX, or one of an operator set that is not supported.
    """
    if isinstance(source, ModelProto):
        model, origin = source, Origin(Path())
    elif isinstance(source, bytes):
        model, origin = _parsed(source), Origin(Path())
    else:
        path = Path(source)
        model, origin = _mapped(path), Origin(path.parent, path)
    version = next((item.version for item in model.opset_import if item.domain in ("", "ai.onnx")), None)
    if version is not None and not MIN_OPSET <= version <= MAX_OPSET:
        raise ModelImportError(f"expected operator set {MIN_OPSET} to {MAX_OPSET}, got {version}")
    # Before version 3 models imported none, and all had the first one.
    if version is None and model.ir_version >= 3 and any(not node.domain for node in model.graph.node):
        raise ModelImportError("the model has ops of ONNX, but opset_import names no operator set of the domain ''")
    return with_nodes_in_order(model, owned=model is not source), origin


def _mapped(path: Path) -> ModelProto:
    """Returns the model in a file, which is mapped while it is parsed, without the data of its large tensors."""
    with path.open("rb") as stream:
        if not path.stat().st_size:
            return _parsed(b"")
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as pages, memoryview(pages) as view:
            data = without_stored_data(view)
    if data is None:
        raise _unparsed()
    return _parsed(data)


def _parsed(data: bytes) -> ModelProto:
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        raise _unparsed() from None
    if not model.HasField("graph") or not model.ir_version:
        raise ModelImportError("not a model of ONNX: it has no graph, or no version")
    _require_text(model)
    return model


def _require_text(message: Message) -> None:
    """Raises `ModelImportError` for a name that is no text: the library returns its bytes."""
    for field, value in message.ListFields():
        if field.type not in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_MESSAGE):
            continue
        for item in (value,) if isinstance(value, str | bytes | Message) else value:
            if isinstance(item, Message):
                _require_text(item)
            elif not isinstance(item, str):
                raise ModelImportError(f"not a model of ONNX: {field.full_name} {item!r} is no UTF-8")


def _unparsed() -> ModelImportError:
    return ModelImportError("not a model of ONNX: the file cannot be parsed")
