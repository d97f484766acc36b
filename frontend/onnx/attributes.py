"""Attributes of nodes as Python values."""

from __future__ import annotations

from typing import Any

from onnx import AttributeProto, helper

from .tensors import read_sparse, read_tensor


def attribute_value(attribute: AttributeProto, directory: str) -> Any:
    """Returns an attribute as a number, a string, an array, a graph, or a list of these."""
    value = helper.get_attribute_value(attribute)
    match attribute.type:
        case AttributeProto.STRING:
            return value.decode("utf-8", "replace")
        case AttributeProto.STRINGS:
            return [item.decode("utf-8", "replace") for item in value]
        case AttributeProto.TENSOR:
            return read_tensor(value, directory)
        case AttributeProto.SPARSE_TENSOR:
            return read_sparse(value, directory)
        case AttributeProto.INTS | AttributeProto.FLOATS:
            return list(value)
        case _:
            return value
