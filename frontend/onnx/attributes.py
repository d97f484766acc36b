"""Attributes of nodes as Python values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from onnx import AttributeProto, NodeProto, helper

from ..model.problems import Unsupported
from .tensors import Origin, read_sparse, read_tensor


def attribute_value(attribute: AttributeProto, origin: Origin) -> Any:
    """Returns an attribute as a number, a string, an array, a graph, or a list of these."""
    value = helper.get_attribute_value(attribute)
    match attribute.type:
        case AttributeProto.STRING:
            return value.decode("utf-8", "replace")
        case AttributeProto.STRINGS:
            return [item.decode("utf-8", "replace") for item in value]
        case AttributeProto.TENSOR:
            return read_tensor(value, origin)
        case AttributeProto.SPARSE_TENSOR:
            return read_sparse(value, origin)
        case AttributeProto.INTS | AttributeProto.FLOATS:
            return list(value)
        case _:
            return value


def require_once(attributes: Iterable[AttributeProto]) -> None:
    """Raises `Unsupported` for an attribute that a node gives more than once."""
    for name, count in Counter(item.name for item in attributes).items():
        if count > 1:
            raise Unsupported(f"attribute '{name}' must be given once, got {count}")


def require_declared(schema: Any, attributes: Iterable[AttributeProto]) -> None:
    """Raises `Unsupported` for attributes that an op does not declare, of other types than it declares, and those that it lacks."""
    declared = schema.attributes
    given = {attribute.name: attribute for attribute in attributes}
    for name, attribute in given.items():
        if name not in declared:
            raise Unsupported(f"the op declares no attribute '{name}', it has {', '.join(declared) or 'none'}")
        expected, actual = int(declared[name].type), attribute.type
        if expected != actual:
            names = [AttributeProto.AttributeType.Name(kind).lower() for kind in (expected, actual)]
            raise Unsupported(f"expected attribute '{name}' of type {names[0]}, got {names[1]}")
    missing = next((name for name, item in declared.items() if item.required and name not in given), None)
    if missing is not None:
        raise Unsupported(f"attribute '{missing}' is missing")


def require_count(proto: NodeProto, operands: tuple[int, int], results: int) -> None:
    """Raises `Unsupported` for a node with fewer or more operands than its op has, or more results."""
    least, most = operands
    if not least <= len(proto.input) <= most:
        expected = f"{least} to {most}" if least < most else str(least)
        raise Unsupported(f"the op has {expected} operands, got {len(proto.input)}")
    if len(proto.output) > results:
        raise Unsupported(f"the op has {results} results, got {len(proto.output)}")
