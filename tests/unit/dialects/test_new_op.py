"""`new_op` makes what xDSL's `create` makes, with each field that an op has."""

from __future__ import annotations

import dataclasses

import pytest
import xdsl_relax
from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import IntegerAttr, f32, i64
from xdsl.ir import Block, Operation
from xdsl.irdl import IRDLOperation
from xdsl_relax.dialects.new_op import new_op
from xdsl_relax.dialects.relax.attrs import tensor_type
from xdsl_relax.dialects.relax.ops.manipulate import SqueezeOp

FIELDS = [field.name for field in dataclasses.fields(Operation)]


@pytest.mark.parametrize("op_type", [arith.AddiOp, llvm.AddOp, arith.XOrIOp, vector.FMAOp])
@pytest.mark.parametrize("properties", [{}, {"overflowFlags": IntegerAttr(1, i64)}])
def test_an_op_is_what_create_makes(op_type: type[IRDLOperation], properties: dict[str, IntegerAttr]):
    x, y = Block(arg_types=(i64, i64)).args
    new = new_op(op_type, (x, y), (i64,), properties)
    uses = [(use.operation, use.index) for value in (x, y) for use in value.uses]
    assert uses == [(new, 0), (new, 1)]
    created = op_type.create(operands=(x, y), result_types=(i64,), properties=properties)
    assert new.is_structurally_equivalent(created) and new.name == created.name
    assert list(new.result_types) == list(created.result_types) and new.results[0].op is new
    assert {type(getattr(new, name)) for name in FIELDS} == {type(getattr(created, name)) for name in FIELDS}
    for name in ("properties", "attributes", "location", "regions", "parent"):
        assert getattr(new, name) == getattr(created, name)


def test_ops_share_no_fields_that_change():
    x, y = Block(arg_types=(i64, i64)).args
    given = {"overflowFlags": arith.IntegerOverflowAttr("none")}
    first, second = (new_op(arith.AddiOp, (x, y), (i64,), given) for _ in range(2))
    first.properties.clear()
    first.attributes["changed"] = i64
    assert second.properties == given and not second.attributes


def test_an_op_with_several_uses_of_a_value_is_erased():
    block = Block(arg_types=(i64,))
    op = new_op(arith.AddiOp, (block.args[0], block.args[0]), (i64,))
    block.add_op(op)
    block.erase_op(op)
    assert not list(block.args[0].uses)


def test_an_op_that_completes_what_is_said_does_so():
    """`relax.squeeze` writes down the axes that it removes."""
    block = Block(arg_types=[tensor_type((2, 1, 3), f32)])
    op = new_op(SqueezeOp, block.args, (tensor_type((2, 3), f32),))
    assert op.prop("axis") == (1,)
    assert op.properties == SqueezeOp.create(operands=block.args, result_types=[tensor_type((2, 3), f32)]).properties


def test_an_op_that_is_spelled_as_one_before_completes_what_is_said():
    line = "%{} = relax.squeeze %x : (tensor<2x1x3xf32>) -> tensor<2x3xf32>"
    text = "\n".join(["func.func @main(%x: tensor<2x1x3xf32>) {", *map(line.format, "abc"), "return", "}"])
    printed = str(xdsl_relax.load(text))
    assert printed.count("{axis = array<i64: 1>}") == 3
    assert str(xdsl_relax.load(printed)) == printed
