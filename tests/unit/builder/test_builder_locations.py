"""The public builder: where ops are located, and names."""

from __future__ import annotations

import inspect

import pytest
import xdsl_relax
from harness.linear_program import linear
from xdsl.dialects.builtin import FileLineColLoc, NameLoc, StringAttr, UnknownLoc
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.builder import (
    BlockBuilder,
    ModuleBuilder,
    tensor,
)


def line_of(op: Operation | Block) -> int:
    assert isinstance(op, Operation) and isinstance(op.location, FileLineColLoc)
    assert op.location.filename.data == __file__
    return op.location.line.data


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def test_an_op_is_located_at_the_callers_line(g: BlockBuilder, x: SSAValue):
    inner = g.add(x, x).owner
    assert line_of(inner) == here() - 1
    assert inner.location.column.data == 13

    def helper(value: SSAValue) -> SSAValue:
        return g.negative(value)

    assert line_of(helper(x).owner) == here() - 2


def test_every_op_of_a_module_has_a_location():
    module = linear().build()
    locations = [op.location for op in module.walk() if op is not module]
    assert {at.filename.data if isinstance(at, FileLineColLoc) else None for at in locations} == {
        inspect.getfile(linear)
    }


def test_a_location_can_be_given(g: BlockBuilder, x: SSAValue):
    location = NameLoc(StringAttr("layers.0"), UnknownLoc())
    assert g.add(x, x, location=location).owner.location == location
    named = g.add(x, x, location="layers.0").owner.location
    assert isinstance(named, NameLoc) and isinstance(named.location, FileLineColLoc)
    with g.at(location):
        assert g.add(x, x).owner.location == location
        assert line_of(g.add(x, x, location=FileLineColLoc(StringAttr(__file__), *inner_line(7))).owner) == 7
        with g.inner(Block()).at("inner"):
            assert g.add(x, x).owner.location.desc.data == "inner"
    assert line_of(g.add(x, x).owner) == here()


def inner_line(line: int):
    from xdsl.dialects.builtin import IntAttr

    return IntAttr(line), IntAttr(1)


def test_names_become_names_of_values(g: BlockBuilder, x: SSAValue):
    assert g.add(x, x, name="layers.0.out").name_hint == "layers_0_out"


def test_the_users_line_survives_to_errors_of_lowering():
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor([1, 4, "n"], "f32"))
        y = f.input("y", tensor([4, 3, "k"], "f32"))
        with f.dataflow() as g:
            doubled = g.add(x, x)
            total = g.nn.conv1d_transpose(doubled, y)
            line = here() - 1
            y = g.output(g.nn.relu(total))
        f.returns(y)
    with pytest.raises(PassFailedException) as error:
        xdsl_relax.compile(m.build())
    assert str(error.value).startswith(
        f"{__file__}:{line}:21: error: relax.nn.conv1d_transpose cannot be lowered to linalg: "
    )
