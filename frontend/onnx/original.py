"""What onnxruntime computes for a model: the original that a compiled model is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from ..model.problems import OriginalModelError


def run_original(path: Path, inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of a model for inputs by their names; the tensors of a sequence are results of their own.

    Raises `OriginalModelError` for what onnxruntime does not run.
    """
    options = onnxruntime.SessionOptions()
    # What it warns of is no fault of the caller.
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        wanted = [item.name for item in session.get_inputs()]
        missing = [name for name in wanted if name not in inputs]
        if missing:
            raise OriginalModelError(f"onnxruntime takes '{missing[0]}', which is no tensor, and cannot be compared")
        results = session.run(None, {name: inputs[name] for name in wanted})
    except OriginalModelError:
        raise
    except Exception as error:
        # Its errors have classes of their own without a common base.
        raise OriginalModelError(f"onnxruntime does not run the model: {str(error).splitlines()[0]}") from None
    return [tensor for result in results for tensor in _tensors(result)]


def _tensors(result: Any) -> list[np.ndarray[Any, Any]]:
    """Returns the tensors of a result: those of a sequence, none of an optional that is empty."""
    if isinstance(result, list):
        return [np.asarray(item) for item in result]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return [] if result is None else [np.asarray(result)]
