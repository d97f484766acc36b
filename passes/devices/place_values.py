"""Writes the device of each value into its type."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import FunctionType, TensorType, TupleType
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import VDeviceAttr, on_device, vdevice_of
from ...dialects.relax.placement import Path
from ...dialects.relax.program import uses_relax
from ...dialects.relax.type_dims import tuple_type
from ...dialects.walks import walk_values
from ..rewriting.value_types import retype
from .device_domains import Domains


def placed_type(value_type: Attribute, device_at: Callable[[Path], VDeviceAttr | None], path: Path = ()) -> Attribute:
    """Returns a type with each tensor in it on the device for its path; `None` leaves what the type says."""
    if isinstance(value_type, TupleType):
        fields = enumerate(value_type.types.data)
        return tuple_type(placed_type(field, device_at, (*path, index)) for index, field in fields)
    if not isinstance(value_type, TensorType):
        return value_type
    return on_device(value_type, device_at(path) or vdevice_of(value_type))


def place_values(domains: Domains) -> None:
    """Gives all values, arguments and results of functions the types that name their devices, where these are known."""
    for name, function in domains.functions.items():
        if not function.body.blocks or not uses_relax(function):
            continue
        for value in walk_values(function):
            _place(domains, value)
        outputs = [
            placed_type(output, lambda path, i=index: domains.result(name, i, path).device)
            for index, output in enumerate(function.function_type.outputs.data)
        ]
        function.function_type = FunctionType.from_lists([arg.type for arg in function.body.block.args], outputs)


def _place(domains: Domains, value: SSAValue) -> None:
    placed = placed_type(value.type, lambda path: domains.value(value, path).device)
    if placed != value.type:
        retype(value, placed)
