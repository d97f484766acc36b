"""The public builder: ops inside of xDSL's builders."""

from __future__ import annotations

import pytest
from harness.linear_program import linear
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl_relax.builder import (
    BlockBuilder,
    BuilderError,
)
from xdsl_relax.dialects.relax.ops.binary import AddOp


def test_ops_are_built_inside_an_implicit_builder(x: SSAValue):
    block = Block()
    with ImplicitBuilder(block):
        total = AddOp.build_from(x, x)
        doubled = BlockBuilder().add(total.result, x)
    assert list(block.ops) == [total, doubled.owner]
    assert [operand.type for operand in total.operands] == [x.type, x.type]
    assert total.result.type == x.type


def test_drafts_leave_no_uses_inside_an_implicit_builder(x: SSAValue):
    with ImplicitBuilder(Block()):
        op = AddOp.build_from(x, x)
        assert len(op.conditions()) == 0
    assert {use.operation for use in x.uses} == {op}


def test_a_refused_op_is_not_inserted_by_an_implicit_builder(x: SSAValue, w: SSAValue):
    block = Block()
    with ImplicitBuilder(block), pytest.raises(BuilderError, match="matmul_c2"):
        BlockBuilder().matmul(x, w)
    assert not list(block.ops) and not list(x.uses)


def test_a_place_goes_before_an_implicit_builder(g: BlockBuilder, x: SSAValue):
    outer = Block()
    with ImplicitBuilder(outer):
        value = g.add(x, x)
        made = arith.ConstantOp.from_int_and_width(1, 1)
        g.insert(made)
        module = linear().build()
    assert list(outer.ops) == [] and value.owner.parent is made.parent is not outer
    assert isinstance(module, ModuleOp) and str(module) == str(linear().build())


def test_ops_are_inserted_through_a_builder_of_xdsl(x: SSAValue):
    block = Block()
    BlockBuilder(block).add(x, x)
    seen: list[Operation] = []
    builder = Builder(InsertPoint.at_start(block))
    builder.operation_insertion_handler.append(seen.append)
    negative = BlockBuilder(builder).negative(x)
    assert seen == [negative.owner] == [block.first_op]
