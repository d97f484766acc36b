"""Tuples of many fields, such as all parameters of a model: printed and parsed in time that grows with the text, and with each use as any type."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.utils.mlir_lexer import MLIRLexer
from xdsl_relax.dialects.relax.ops.core import TupleGetItemOp
from xdsl_relax.runtime.compiler import load


def program(fields: int) -> str:
    """A function that takes a tuple apart."""
    bundle = f"tuple<{', '.join(f'tensor<{index + 1}xf32>' for index in range(fields))}>"
    items = [
        f"    %{index} = relax.tuple_get_item %w {{index = {index} : i64}} : ({bundle}) -> tensor<{index + 1}xf32>"
        for index in range(fields)
    ]
    lines = [f"  func.func @main(%w: {bundle}) {{", *items, "    func.return", "  }"]
    return "\n".join(["builtin.module {", *lines, "}"])


def test_text_is_as_ever():
    text = program(20)
    module = load(text)
    assert str(module) == text
    types = {id(op.tuple_value.type) for op in module.walk() if isinstance(op, TupleGetItemOp)}
    assert len(types) == 1


@pytest.mark.parametrize("parses", [False, True])
def test_a_tuple_is_spelled_once(parses: bool, monkeypatch: pytest.MonkeyPatch):
    """Counts the tensor types that are printed, or the tokens that are read."""

    def cost(fields: int) -> int:
        module, counted = load(program(fields)), []
        owner, name = (MLIRLexer, "lex") if parses else (TensorType, "print_builtin")
        plain = getattr(owner, name)
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, lambda *given: (counted.append(1), plain(*given))[1])
            if parses:
                load(program(fields))
            else:
                str(module)
        return len(counted)

    small, large = cost(40), cost(160)
    assert 0 < large < 5 * small


def test_types_that_begin_alike():
    text = """
func.func @f(%a: tuple<tensor<2xf32>>, %b: tuple<tensor<2xf32>, tensor<3xf32>>, %c: tuple<tuple<tensor<2xf32>>>, %d: tuple<>) {
  %0 = relax.tuple_get_item %a {index = 0 : i64} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  %1 = relax.tuple_get_item %b {index = 1 : i64} : (tuple<tensor<2xf32>, tensor<3xf32>> // tuple<i32>
  ) -> tensor<3xf32>
  %2 = relax.tuple_get_item %b {index = 1 : i64} : (tuple<tensor<2xf32>, tensor<3xf32>> // tuple<i32>, not this
  ) -> tensor<3xf32>
  %3 = relax.tuple_get_item %c {index = 0 : i64} : (tuple<tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>>
  %4 = relax.tuple %0, %1 : (tensor<2xf32>, tensor<3xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
  %5 = relax.tuple : () -> tuple<>
  return
}
"""
    module = load(text)
    assert str(load(str(module))) == str(module)
    assert str(module).count("(tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>") == 2
    assert "(tuple<tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>>" in str(module)
