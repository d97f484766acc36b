"""Types as callers know them: their texts are those of the program, and their dtypes those of its element types."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import MemRefType, f32
from xdsl_relax.builder.types import tensor
from xdsl_relax.dialects.relax.attrs import UNKNOWN, ObjectType, ShapeType, VDeviceAttr, tensor_type
from xdsl_relax.dialects.relax.dtypes import ALL, numpy_dtype
from xdsl_relax.dialects.relax.type_dims import tuple_type
from xdsl_relax.dialects.symbolic.parser import dim_from_string
from xdsl_relax.interpreter.host.declared_types import value_type_of
from xdsl_relax.interpreter.host.device import HOST_DEVICE, Device, DeviceError, device_for
from xdsl_relax.interpreter.host.value_types import ScalarValue, TensorValue, TupleValue, flat_values

DIMS = (dim_from_string("2 * n + 1"), 4, None)
ONE = VDeviceAttr.of("cpu", 1)
DECLARED = [
    tensor_type((2, 3), f32),
    tensor_type((), f32),
    tensor_type(DIMS, f32),
    tensor_type((None, 2), f32),
    tensor_type((2,), f32, ONE),
    tensor_type(DIMS, f32, VDeviceAttr.of("cuda", 0, "shared")),
    tensor_type(None, f32),
    tensor_type((2,), UNKNOWN),
    ShapeType(DIMS),
    ShapeType(()),
    ObjectType(),
    tuple_type([tensor_type(DIMS, f32), tuple_type([ObjectType()])]),
    MemRefType(f32, (2,)),
    *ALL,
]


@pytest.mark.parametrize("declared", DECLARED, ids=str)
def test_the_text_is_that_of_the_program(declared):  # pyright: ignore
    assert str(value_type_of(declared)) == str(declared)  # pyright: ignore[reportUnknownArgumentType]


@pytest.mark.parametrize("element", ALL, ids=str)
def test_the_dtype_is_that_of_the_element_type(element):  # pyright: ignore
    value_type = value_type_of(tensor_type((2,), element))  # pyright: ignore[reportUnknownArgumentType]
    assert isinstance(value_type, TensorValue)
    assert value_type.dtype == numpy_dtype(element)  # pyright: ignore[reportUnknownArgumentType]


def test_what_is_no_value_has_no_dtype():
    value_type = value_type_of(MemRefType(f32, (2,)))
    assert isinstance(value_type, ScalarValue)
    with pytest.raises(ValueError, match="element type memref<2xf32> has no numpy dtype"):
        _ = value_type.dtype


def test_fields_of_tuples_are_flat():
    inner, leaf = TupleValue((ScalarValue("f32"),)), TensorValue((2,), "f32")
    assert [*flat_values([TupleValue((inner, leaf)), leaf])] == [ScalarValue("f32"), leaf, leaf]


def test_a_type_names_a_device_that_need_not_exist():
    assert device_for(value_type_of(tensor([2], f32, "cpu:1"))) == Device("cpu", 1)
    assert device_for(value_type_of(tensor([2], f32))) == HOST_DEVICE
    with pytest.raises(DeviceError, match="no device cuda:0; there are cpu:0"):
        device_for(value_type_of(tensor([2], f32, "cuda")))
