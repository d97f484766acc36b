"""Reads a model from a file, and refuses what is none."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto

from ..model.problems import ModelError

MIN_OPSET = 1
"""Exporters write 7 and newer ones; what older versions have is broadcast by an attribute, which is refused."""
MAX_OPSET = 28


def load_model(source: str | Path | bytes | ModelProto) -> tuple[ModelProto, str]:
    """Returns a model, without the data that lies in other files, and the directory of those files.

    Raises `ModelError` for what is no model of ONNX, or one of an operator set that is not supported.
    """
    if isinstance(source, ModelProto):
        model, directory = source, "."
    elif isinstance(source, bytes):
        model, directory = _parsed(source), "."
    else:
        path = Path(source)
        model, directory = _mapped(path), str(path.parent)
    version = next((item.version for item in model.opset_import if item.domain in ("", "ai.onnx")), None)
    if version is not None and not MIN_OPSET <= version <= MAX_OPSET:
        raise ModelError(f"expected operator set {MIN_OPSET} to {MAX_OPSET}, got {version}")
    return model, directory


def _mapped(path: Path) -> ModelProto:
    """Returns the model in a file, which is mapped while it is parsed: it is never in memory besides the model."""
    with path.open("rb") as stream:
        if not path.stat().st_size:
            return _parsed(b"")
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as pages, memoryview(pages) as view:
            return _parsed(view)


def _parsed(data: bytes | memoryview) -> ModelProto:
    model = ModelProto()
    try:
        model.ParseFromString(data)  # pyright: ignore[reportArgumentType]
    except DecodeError:
        raise ModelError("not a model of ONNX: the file cannot be parsed") from None
    if not model.HasField("graph") or not model.ir_version:
        raise ModelError("not a model of ONNX: it has no graph, or no version")
    return model
