"""Numbers of Python as operands of the builder: constants of the element type of a tensor beside them, refused where that does not hold them."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue
from xdsl_relax.builder import BlockBuilder, BuilderError, element_type, tensor
from xdsl_relax.builder.numbers import number_array
from xdsl_relax.dialects.relax.dtypes import ALL, INTEGERS, numpy_dtype

TYPES = {"x": "f32", "h": "f16", "i": "i8", "u": "ui8", "l": "i64", "c": "i1"}


@pytest.fixture
def g() -> BlockBuilder:
    return BlockBuilder(Block())


@pytest.fixture
def values() -> dict[str, SSAValue]:
    block = Block(arg_types=[tensor([8], element) for element in TYPES.values()])
    return dict(zip(TYPES, block.args, strict=True))


@pytest.mark.parametrize(
    ("call", "constant"),
    [
        ("g.add(x, 1.0)", "dense<1.000000e+00> : tensor<f32>"),
        ("g.subtract(1, h)", "dense<1.000000e+00> : tensor<f16>"),
        ("g.add(lhs=i, rhs=2.0)", "dense<2> : tensor<i8>"),
        ("g.add(u, 255)", "dense<255> : tensor<ui8>"),
        ("g.equal(c, True)", "dense<true> : tensor<i1>"),
        ("g.maximum(x, float('-inf'))", "dense<0xff800000> : tensor<f32>"),
        ("g.where(c, x, 0.0)", "dense<0.000000e+00> : tensor<f32>"),
        ("g.where(c, 0, h)", "dense<0.000000e+00> : tensor<f16>"),
        ("g.take(l, 1, axis=0)", "dense<1> : tensor<i64>"),
    ],
)
def test_a_number_has_the_element_type_of_a_tensor_beside_it(
    call: str, constant: str, g: BlockBuilder, values: dict[str, SSAValue]
):
    eval(call, {"g": g, **values})
    made, op = g.block.ops
    assert str(made.properties["value"]) == constant
    assert made.results[0] in op.operands


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("g.add(i, 300)", "relax.add cannot take 300 as 'rhs': i8 does not hold 300; it is called add(lhs, rhs)"),
        ("g.add(i, 2.5)", "relax.add cannot take 2.5 as 'rhs': i8 does not hold 2.5; it is called add(lhs, rhs)"),
        ("g.add(u, -1)", "relax.add cannot take -1 as 'rhs': ui8 does not hold -1; it is called add(lhs, rhs)"),
        (
            "g.add(h, 1e6)",
            "relax.add cannot take 1000000.0 as 'rhs': f16 does not hold 1000000.0; it is called add(lhs, rhs)",
        ),
        (
            "g.where(c, i, 300)",
            "relax.where cannot take 300 as 'x2': i8 does not hold 300; it is called where(condition, x1, x2)",
        ),
        (
            "g.add(1, 2)",
            "relax.add cannot take 1 as 'lhs': expected a tensor; give a number an element type, such as np.float32(1); "
            "it is called add(lhs, rhs)",
        ),
        ("g.constant(300, 'i8')", "relax.constant: i8 does not hold 300"),
        ("g.constant([1, 300], 'i8')", "relax.constant: i8 does not hold integers from 1 to 300"),
    ],
)
def test_a_number_that_does_not_fit(call: str, message: str, g: BlockBuilder, values: dict[str, SSAValue]):
    with pytest.raises(BuilderError) as error:
        eval(call, {"g": g, **values})
    assert str(error.value).partition(" error: ")[2] == message
    assert not list(g.block.ops)


def test_a_refused_op_leaves_no_constant_behind(g: BlockBuilder, values: dict[str, SSAValue]):
    x = values["x"]
    for call in (
        lambda: g.add(x, np.ones(3, np.float32)),
        lambda: g.matmul(x, 1.0),
        lambda: g.reshape(x, [3, 3]),
        lambda: g.add(x, 1.0, name=3),
    ):
        with pytest.raises(BuilderError):
            call()
        assert not list(g.block.ops)
    assert not list(x.uses)


def test_numbers_inside_an_implicit_builder():
    block = Block(arg_types=[tensor([8], "i1"), tensor([8], "f32")])
    with ImplicitBuilder(block) as (c, x):
        BlockBuilder().where(c, x, 0.5)
    assert [op.name for op in block.ops] == ["relax.constant", "relax.where"]


@pytest.mark.parametrize("element", ALL, ids=str)
@pytest.mark.parametrize("number", [0, 1, -1, 7, 127, 128, 255, 256, 2**31, 2**63, 2**64, 10**400, 2.0, 2.5, 1e39])
def test_integers_are_held_exactly_or_refused(element, number):
    dtype = numpy_dtype(element)
    if element in INTEGERS:
        limits = np.iinfo(dtype)
        held = float(number).is_integer() if isinstance(number, float) else True
        held = held and limits.min <= number <= limits.max
    elif element == element_type("i1"):
        held = number in (0, 1) and isinstance(number, int)
    else:
        import ml_dtypes

        held = abs(number) <= float(ml_dtypes.finfo(dtype).max)
    if held:
        array = number_array(number, element)
        assert array.dtype == dtype
        assert element not in INTEGERS or array.item() == number
    else:
        with pytest.raises(ValueError, match=f"^{element} does not hold "):
            number_array(number, element)
