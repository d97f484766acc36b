"""Models whose products are quantized to 8 bits, as onnxruntime's quantizer writes them: `QuantizeLinear` and `DequantizeLinear`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np


def quantized(path: Path, arrays: Sequence[np.ndarray]) -> Path:
    """Writes the quantized form of a model beside it, with the ranges that the inputs give, and returns its path.

    Activations are unsigned with a zero point, weights signed with a scale for each channel.
    """
    tools = import_module("onnxruntime.quantization")
    shapes = import_module("onnxruntime.quantization.shape_inference")
    onnx = import_module("onnx")

    names = [value.name for value in onnx.load(path, load_external_data=False).graph.input]

    class Inputs(tools.CalibrationDataReader):
        def __init__(self) -> None:
            self.rest = iter([dict(zip(names, arrays, strict=True))])

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.rest, None)

    prepared, result = path.with_suffix(".prepared.onnx"), path.with_suffix(".quantized.onnx")
    shapes.quant_pre_process(path, prepared)
    tools.quantize_static(
        prepared,
        result,
        Inputs(),
        quant_format=tools.QuantFormat.QDQ,
        activation_type=tools.QuantType.QUInt8,
        weight_type=tools.QuantType.QInt8,
        per_channel=True,
    )
    return result
