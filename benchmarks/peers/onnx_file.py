"""The ONNX file of a workload, which all that read files get."""

from __future__ import annotations

from pathlib import Path

import torch
from peers.compilers import as_numpy
from peers.quantized import quantized
from peers.workloads import Workload


def write_onnx(workload: Workload, folder: Path) -> tuple[torch.nn.Module, list[torch.Tensor], Path]:
    """Writes the file to a folder; returns the module with its random weights, the inputs and the path."""
    torch.manual_seed(0)
    module, inputs = workload.module().eval(), workload.inputs()
    path = folder / "model.onnx"
    torch.onnx.export(module, tuple(inputs), path, dynamo=True, verbose=False, opset_version=20)
    if workload.quantized:
        path = quantized(path, [as_numpy(tensor) for tensor in inputs])
    return module, inputs, path
