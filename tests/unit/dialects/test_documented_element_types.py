"""The element types that docs/ops.md names for an op are those that its verifier takes."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import cases
import pytest
from harness.op_cases import Case
from xdsl.dialects.builtin import TensorType, UnrankedTensorType, f32, i32
from xdsl.ir import Attribute, Block
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.dialects.relax import dtypes
from xdsl_relax.dialects.relax.attrs import dims_of, element_type_of, tensor_type, vdevice_of
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.runtime.compiler import relax_context
from xdsl_relax.tools.op_table import GROUPS, element_types

FILES = sorted((Path(__file__).parents[2] / "filecheck" / "dialects").glob("*.mlir"))


@cache
def examples() -> dict[type[RelaxOp], list[RelaxOp]]:
    """Returns a few valid ops of each class, from the programs of the tests and the tables of cases."""
    ops: dict[type[RelaxOp], list[RelaxOp]] = {}
    for path in (path for path in FILES if not path.stem.startswith("invalid")):
        for chunk in path.read_text().split("// -----"):
            for op in parse_module(relax_context(), chunk).walk():
                if isinstance(op, RelaxOp) and len(ops.setdefault(type(op), [])) < 3:
                    ops[type(op)].append(op)
    for family in pkgutil.iter_modules(cases.__path__):
        of_family = [case for case in import_module(f"cases.{family.name}").CASES if isinstance(case, Case)]
        for case in of_family[::5]:
            ops[case.op].append(
                case.op.build_from(*Block(arg_types=[arg.type() for arg in case.args]).args, **case.attrs)
            )
    return ops


def of_element(value_type: Attribute, old: Attribute | None, new: Attribute) -> Attribute:
    """Returns a tensor type with another element type in place of one."""
    if not isinstance(value_type, TensorType | UnrankedTensorType) or element_type_of(value_type) != old:
        return value_type
    return tensor_type(dims_of(value_type), new, vdevice_of(value_type))


def accepted(ops: Sequence[RelaxOp]) -> set[Attribute]:
    """Returns the element types that can stand for that of some operand in one of the ops, or for the `dtype` of one without operands."""
    taken = set[Attribute]()
    for op in ops:
        types = [operand.type for operand in op.operands]
        of_operands = {element_type_of(t) for t in types if isinstance(t, TensorType | UnrankedTensorType)}
        for new in dtypes.ALL:
            for old in of_operands or {None}:
                changed = [of_element(value_type, old, new) for value_type in types] if of_operands else types
                properties = dict(op.properties) if of_operands else {**op.properties, "dtype": new}
                try:
                    arguments = Block(arg_types=changed).args
                    operands = [
                        given if given.type == made.type else made
                        for given, made in zip(op.operands, arguments, strict=True)
                    ]
                    type(op).build_from(*operands, result_types=None, **properties)
                except VerifyException:
                    continue
                taken.add(new)
    return taken


def documented(op_type: type[RelaxOp]) -> set[Attribute]:
    """Returns the element types that the table names for an op."""
    groups = {text: getattr(dtypes, name) for name, text in GROUPS.items()}
    named = {str(element): (element,) for element in dtypes.ALL}
    types = set[Attribute]()
    for part in element_types(op_type).split("; "):
        for words in [part] if part in groups else part.split(", "):
            types.update({**named, **groups}[words])
    return types | ({f32, i32} if op_type.name.startswith("relax.qnn.") else set())


@pytest.mark.parametrize("op_type", [op for op in OPS if issubclass(op, RelaxOp)], ids=lambda op: op.name)
def test_the_table_names_what_the_verifier_takes(op_type: type[RelaxOp]):
    ops = examples().get(op_type, [])
    has_tensors = any(isinstance(value.type, TensorType | UnrankedTensorType) for op in ops for value in op.operands)
    if not has_tensors and not any("dtype" in op.properties for op in ops):
        assert element_types(op_type) == "any"
        return
    assert {str(element) for element in accepted(ops)} == {str(element) for element in documented(op_type)}
