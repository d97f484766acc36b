"""The files of a workload, which all that do not run modules of torch get."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import torch
from peers.compilers import FILE, INPUTS
from peers.quantized import quantized
from peers.workloads import Workload


def as_numpy(tensor: torch.Tensor) -> np.ndarray:
    """A numpy array of the memory of a tensor."""
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes

        return tensor.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def write_files(workload: Workload, folder: Path) -> tuple[torch.nn.Module, list[torch.Tensor]]:
    """Writes the ONNX file and the inputs, pickled, to a folder; returns the module with its random weights, and the inputs."""
    module, inputs = workload.made()
    path = folder / FILE
    torch.onnx.export(module, tuple(inputs), path, dynamo=True, verbose=False, opset_version=20)
    arrays = [as_numpy(tensor) for tensor in inputs]
    if workload.quantized:
        quantized(path, arrays).replace(path)
    (folder / INPUTS).write_bytes(pickle.dumps(arrays))
    return module, inputs
