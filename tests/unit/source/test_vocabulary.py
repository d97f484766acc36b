"""Attributes are named in one place: the vocabulary; their readers return what their writers wrote, or say what is wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.dialects.relax.attrs import VDeviceAttr
from xdsl_relax.dialects.relax.dialect import Relax
from xdsl_relax.dialects.relax.vocabulary import attributes
from xdsl_relax.dialects.relax.vocabulary.attribute_name import (
    ALL,
    AttributeName,
    Devices,
    Flag,
    FunctionName,
    Integer,
    IntegerPairs,
    Integers,
    Sizes,
    Text,
    Texts,
)
from xdsl_relax.dialects.relax.vocabulary.dim_attribute import Checks, Dims, dim_from_attr, dim_to_attr
from xdsl_relax.dialects.symbolic.limits import Check
from xdsl_relax.dialects.symbolic.parser import dim_from_string

ROOT = Path(__file__).resolve().parents[3]
VOCABULARY = ROOT / "dialects" / "relax" / "vocabulary"
FOLDERS = ("dialects", "targets", "interpreter", "passes", "lowering", "runtime", "frontend", "tools", "examples")
FILES = sorted(
    path
    for path in {*ROOT.glob("[!s]*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))}
    if VOCABULARY not in path.parents
)

OPS = {
    *(op.name for op in Relax.operations),
    *(attr.name for attr in Relax.attributes),
}
OF_TVM = re.compile(r"relax\.(attrs(\.\w+)?|call_tir(_inplace)?|call_(pure|inplace)_packed)\Z")
"""Names of TVM, which the frontend spells."""
NAME = re.compile(r"(?<![\w.@/])relax\.[a-z]\w*(?:\.\w+)*")


def names_in(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each attribute that a string spells; docstrings and names of ops and types are no matter."""
    # The walk meets a statement before the docstring that it may be.
    docstrings: set[ast.expr] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            docstrings.add(node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            for match in NAME.finditer(node.value):
                name = match[0]
                if name in OPS or any(op.startswith(f"{name}.") for op in OPS) or OF_TVM.match(name):
                    continue
                yield node.lineno, name


def test_no_other_file_spells_an_attribute() -> None:
    assert len(FILES) > 200
    spelled = [
        f"{path.relative_to(ROOT)}:{line}: {name}" for path in FILES for line, name in names_in(path.read_text())
    ]
    assert spelled == []


@pytest.mark.parametrize(
    "source",
    [
        'X = "relax.workspace"',
        'op.attributes["relax.num_input"]',
        'raise ValueError(f"relax.checks of {x}")',
        'name = "relax.brand_new"',
    ],
)
def test_a_spelled_attribute_is_found(source: str) -> None:
    assert list(names_in(source))


@pytest.mark.parametrize(
    "source", ['"""Reads `relax.name`."""', 'op.name == "relax.dataflow"', '"relax.nn."', '"xrelax.name"']
)
def test_docstrings_and_ops_are_no_spelled_attributes(source: str) -> None:
    assert not list(names_in(source))


def test_every_attribute_is_described_and_no_op() -> None:
    assert len(ALL) > 35
    for attribute in ALL.values():
        assert re.match(r"On [a-z].*: .*\.\Z", attribute.meaning), attribute.name
        assert attribute.name not in {op.name for op in Relax.operations}
    constants = [value for value in vars(attributes).values() if isinstance(value, AttributeName)]
    assert sorted(value.name for value in constants) == sorted(ALL)


DIM = dim_from_string("min(2 * n, m floordiv 3) + 1")
assert DIM is not None

VALUES: dict[type[AttributeName[Any]], Any] = {
    Flag: True,
    Integer: -3,
    Integers: (0, 5),
    IntegerPairs: ((0, 1), (2, 3)),
    Text: 'a "b"',
    Texts: ("a", ""),
    FunctionName: "f.workspace",
    Sizes: {"n": 3},
    Devices: (VDeviceAttr.of("cpu", 1),),
    Dims: (None, 4, dim_from_string("n"), DIM),
    Checks: (Check(0, 1, 8), Check(3, 0, DIM)),
}


@pytest.mark.parametrize("attribute", [value for value in ALL.values() if type(value) in VALUES], ids=str)
def test_what_is_written_is_read(attribute: AttributeName[Any]) -> None:
    value = VALUES[type(attribute)]
    op = ModuleOp([])
    assert attribute.of(op) is None and not attribute.is_on(op)
    attribute.set(op, value)
    assert attribute.of(op) == value and attribute.is_on(op)
    assert attribute.of(attribute.entry(value)) == value
    attribute.clear(op)
    assert not op.attributes


@pytest.mark.parametrize("attribute", [value for value in ALL.values() if type(value) in VALUES], ids=str)
def test_a_wrong_value_is_refused(attribute: AttributeName[Any]) -> None:
    op = ModuleOp([])
    op.attributes[attribute.name] = ArrayAttr([ArrayAttr([StringAttr("?")])])
    with pytest.raises(VerifyException, match=rf"{re.escape(attribute.name)} must be|must be a device|a dim must be"):
        attribute.of(op)


@pytest.mark.parametrize(
    "attr", [StringAttr("2 * n"), ArrayAttr([StringAttr("*"), UnitAttr(), StringAttr("n")])], ids=str
)
def test_what_is_no_dim(attr: Any) -> None:
    with pytest.raises(VerifyException):
        dim_from_attr(attr)


@pytest.mark.parametrize("text", ["7", "-2", "n", "n$1", "2 * n - 3", "max(n mod 4, m)", "?"])
def test_dims_survive(text: str) -> None:
    dim = dim_from_string(text)
    assert dim_from_attr(dim_to_attr(dim)) == dim
