"""Ops that are spelled like others are read at once, as xDSL's parser reads them, and wrong ones are refused at their place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.upstream.known_form import KnownForm
from xdsl_relax.dialects.upstream.located_parser import LocatedParser, parse_module
from xdsl_relax.dialects.upstream.positions import position_of
from xdsl_relax.runtime.compiler import relax_context

TEXT = """
func.func @main(%x: tensor<4xf32> {relax.name = "a.b c"}, %y: tensor<4xf32> {relax.name = "esc\\22aped"}) -> tensor<4xf32> {
  %a = relax.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = relax.add %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> // a comment
  %0, %1 = relax.split %b {sections = 2 : i64, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c, %d = relax.split %a {sections = 2 : i64, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %p:2 = relax.split %a {sections = 2 : i64, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %e = relax.add %p#1, %p#0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = relax.add %0, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = relax.concat %e, %f {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("here")
  %h = relax.add %g, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

  %named_1 = relax.add %h, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %named_1 : tensor<4xf32>
}
"""


def test_the_module_is_that_of_the_parser_of_xdsl(monkeypatch):
    at_once: list[str] = []
    parse, make = LocatedParser.parse_operation, KnownForm.make

    def made(form: KnownForm, operands: Sequence[SSAValue]):
        op = make(form, operands)
        at_once.append(op.name)
        return op

    slowly: list[str] = []

    def parsed(parser: LocatedParser):
        op = parse(parser)
        slowly.append(op.name)
        return op

    monkeypatch.setattr(KnownForm, "make", made)
    monkeypatch.setattr(LocatedParser, "parse_operation", parsed)
    module = parse_module(relax_context(), TEXT)
    # Not the first of a kind, results that are numbered, and what a location follows; the third of a kind is read with its line.
    assert at_once == ["relax.split", "relax.split", "relax.add", "relax.add", "relax.add"]
    assert slowly.count("relax.add") == 5
    assert str(module) == str(Parser(relax_context(), TEXT).parse_module())
    positions = [position_of(op.location) for op in module.walk()]
    assert [position[1:] for position in positions if position][-2:] == [(13, 3), (14, 3)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("%z = relax.add %h, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "<string>:14:22"),
        ("%z = relax.add %h, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "<string>:14:22"),
        ("%z = relax.add %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "<string>:14:23"),
        ("%h = relax.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "<string>:14:3"),
        ("%z, %w = relax.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "<string>:14:3"),
    ],
)
def test_wrong_ops_are_refused_at_their_place(wrong: str, message: str):
    with pytest.raises(ParseError) as error:
        parse_module(relax_context(), TEXT.replace("  return", f"  {wrong}\n  return"))
    assert message in str(error.value)
