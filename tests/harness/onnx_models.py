"""Small models of ONNX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

Shape = Sequence[int | str | None] | None


def info(name: str, shape: Shape, kind: int = TensorProto.FLOAT) -> ValueInfoProto:
    """Returns an input or an output."""
    return helper.make_tensor_value_info(name, kind, shape)


def model(
    nodes: Sequence[Any],
    inputs: Sequence[Any],
    outputs: Sequence[str],
    weights: Mapping[str, Any] | None = None,
    opset: int = 21,
    **more: Any,
) -> ModelProto:
    """Returns a model with weights; it may have nodes of the domain `own`."""
    stored = [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()]
    results = [info(name, None) for name in outputs]
    graph = helper.make_graph(list(nodes), "test", list(inputs), results, stored)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("own", 1)], **more
    )
