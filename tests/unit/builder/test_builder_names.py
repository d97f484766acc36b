"""Names of values in the text: of ASCII letters, digits and `_`, whatever the name of an argument, a parameter or a result is."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects import func
from xdsl.parser import Parser
from xdsl_relax.builder import BuilderError, ModuleBuilder, sym, tensor
from xdsl_relax.dialects.relax.vocabulary.attributes import NAME
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.frontend import nn
from xdsl_relax.runtime.compiler import relax_context

NAMES = [
    "é",
    "日本",
    "Ⅷ",
    "²",
    "a b",
    '"\\"',
    "a\nb",
    "1",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    ".",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_print_and_parse_back(name: str):
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input(name, tensor([2], "f32"))
        w = f.param(name, tensor([2], "f32"))
        f.returns(f.add(x, w, name=name))
    module = m.build()
    parsed = parse_module(relax_context(), str(module))
    assert str(parsed) == str(module) and parsed.is_structurally_equivalent(module)
    (function,) = parsed.ops
    assert isinstance(function, func.FuncOp)
    assert NAME.of_argument(function, 1) == name
    (function,) = Parser(relax_context(), str(module)).parse_module().ops
    assert isinstance(function, func.FuncOp) and NAME.of_argument(function, 1) == name
    assert all(re.fullmatch(r"[A-Za-z_]\w*", arg.name_hint or "_", re.ASCII) for arg in (x, w))


def test_names_of_a_model():
    class Model(nn.Module):
        def __init__(self) -> None:
            self.gewicht_ü = nn.Parameter([2])

        def forward(self, é: nn.Tensor) -> nn.Tensor:
            return nn.op.add(é, self.gewicht_ü, name="ö")

    module, parameters = Model().export({"forward": {"é": nn.spec.Tensor([2], "float32")}})
    assert [name for name, _ in parameters] == ["gewicht_ü"]
    assert 'relax.name = "gewicht_\\C3\\BC"' in str(module)
    assert str(parse_module(relax_context(), str(module))) == str(module)


@pytest.mark.parametrize("name", ["é", "2 * n", "", "min", "max", "n-1"])
def test_names_of_symbols(name: str):
    with pytest.raises(ValueError, match=r": expected the name of a symbol"):
        sym(name)
    with pytest.raises(nn.ModelError, match="expected the name of a symbol"):
        nn.SymbolicVar(name)
    m = ModuleBuilder()
    with pytest.raises(BuilderError, match="the range is that of a symbol"):
        m.function("main").symbol_range(name, 1, 2)
