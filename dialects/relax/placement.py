"""Where values live as types and ops tell it: the tensors inside of a type, the ops of the host, the names of values in messages."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute, BlockArgument, SSAValue

from ...kinds import kind_test
from ..walks import ops_inside
from .attrs import vdevice_of
from .ops.core import PythonCallOp
from .ops.shape import TensorToShapeOp
from .ops.vdevice import DeviceCopyOp, HintOnDeviceOp, ToVDeviceOp

Path = tuple[int, ...]
"""The way to a tensor inside of nested tuples; empty for a tensor itself."""

ON_HOST = (TensorToShapeOp, PythonCallOp)
"""Ops that the host runs: what makes sizes of tensors, and calls of Python."""


def leaves(value_type: Attribute, path: Path = ()) -> Iterator[tuple[Path, Attribute]]:
    """Yields the tensors of known rank in a type."""
    if isinstance(value_type, TensorType):
        yield path, value_type
    elif isinstance(value_type, TupleType):
        for index, field in enumerate(value_type.types.data):
            yield from leaves(field, (*path, index))


_is_placement = kind_test(HintOnDeviceOp, ToVDeviceOp, DeviceCopyOp)
_is_function = kind_test(func.FuncOp)


def mentions_devices(module: ModuleOp) -> bool:
    """Returns whether a module says of any value where it lives."""
    # By where they are: the values of a model have few types.
    types: dict[int, Attribute] = {}
    for op in ops_inside(module):
        if _is_placement(op):
            return True
        types.update((id(result.type), result.type) for result in op.results)
        if _is_function(op):
            signature = op.function_type
            types.update((id(value_type), value_type) for value_type in (*signature.inputs, *signature.outputs))
    return any(vdevice_of(leaf) is not None for value_type in types.values() for _, leaf in leaves(value_type))


def label(value: SSAValue) -> str:
    """Returns how messages call a value."""
    if value.name_hint is not None:
        return f"'{value.name_hint}'"
    return f"argument {value.index}" if isinstance(value, BlockArgument) else f"the result of {value.owner.name}"  # pyright: ignore[reportAttributeAccessIssue]
