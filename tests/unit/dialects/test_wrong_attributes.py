"""Every op against every kind of attribute in place of each that it declares: a clean error, or an attribute of a declared kind."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    NoneType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    VectorType,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.dialects.relax.attribute_kinds import SAMPLES, accepts, kinds_of
from xdsl_relax.dialects.relax.attrs import HOST, ObjectType, ShapeType
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.relax.dtypes import ALL
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.vocabulary.verify_attributes import verify_op_attributes
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.runtime.compiler import relax_context

FILES = sorted((Path(__file__).parents[2] / "filecheck" / "dialects").glob("*.mlir"))

NUMBERS = tuple(IntegerAttr(value, i64) for value in (0, 1, -1, 3, -(2**63), 1000))
KINDS: tuple[Attribute, ...] = (
    UnitAttr(),
    *NUMBERS,
    *(IntegerAttr(1, kind) for kind in (i8, i16, i32, IndexType())),
    BoolAttr.from_bool(True),
    *(FloatAttr(value, f64) for value in (0.0, -1.5, float("nan"), float("inf"))),
    FloatAttr(1.0, f32),
    StringAttr(""),
    StringAttr("NHWC"),
    SymbolRefAttr("f"),
    *(DenseArrayBase.from_list(i64, values) for values in ([], [0], [-1], [0, 0], [1, 2, 3, 4, 5, 6, 7], [-(2**63)])),
    DenseArrayBase.from_list(i32, [1]),
    DenseArrayBase.from_list(i1, [True]),
    DenseArrayBase.from_list(f64, []),
    DenseArrayBase.from_list(f64, [1.5]),
    ArrayAttr([]),
    ArrayAttr([IntegerAttr(1, i64)]),
    ArrayAttr([StringAttr("a")]),
    DictionaryAttr({}),
    HOST,
    *(f32, i8, i1, IntegerType(7), IntegerType(128), IndexType(), NoneType(), ObjectType(), ShapeType((1,))),
    *(TensorType(f32, [1]), VectorType(f32, [4]), FunctionType.from_lists([], []), TupleType((f32,))),
)  # fmt: skip


@cache
def examples() -> dict[type[RelaxOp], list[RelaxOp]]:
    """Returns the ops of each class in the files of valid programs."""
    ops: dict[type[RelaxOp], list[RelaxOp]] = {}
    for path in FILES:
        if not path.stem.startswith("invalid"):
            for chunk in path.read_text().split("// -----"):
                for op in parse_module(relax_context(), chunk).walk():
                    if isinstance(op, RelaxOp):
                        ops.setdefault(type(op), []).append(op)
    return ops


def example_of(op_type: type[RelaxOp], name: str) -> RelaxOp:
    """Returns an op with an attribute, or one without it where no program gives it."""
    ops = examples()[op_type]
    return next((op for op in ops if name in op.properties), ops[0])


def is_of_kind(attr: Attribute, kind: str) -> bool:
    """Returns whether an attribute is what the kind says, with the same width of its numbers."""
    sample = SAMPLES[kind]
    if kind == "dtype":
        # `i4` and the like are refused by a numbered constraint of the op.
        return attr in ALL
    widths = [(getattr(value, "type", None), getattr(value, "elt_type", None)) for value in (attr, sample)]
    return type(attr) is type(sample) and widths[0] == widths[1]


@pytest.mark.sweep
@pytest.mark.parametrize("op_type", [op for op in OPS if issubclass(op, RelaxOp)], ids=lambda op: op.name)
def test_a_wrong_kind_of_attribute_is_an_error(op_type: type[RelaxOp]):
    definitions = op_type.get_irdl_definition().properties
    for name, definition in definitions.items():
        kinds = kinds_of(SAMPLES, lambda sample, definition=definition: accepts(definition, sample))
        assert kinds, name
        # Without the program around it, which errors would print.
        op = example_of(op_type, name).clone()
        for attr in KINDS:
            op.properties[name] = attr
            fits = any(is_of_kind(attr, kind) for kind in kinds)
            try:
                op.verify()
            except VerifyException as error:
                assert accepts(definition, attr) or str(error).startswith(f"{op.name}: {name} must be "), (
                    f"{attr}: {error}"
                )
            else:
                assert fits, f"{op.name} takes {name} = {attr}"


@pytest.mark.parametrize("op_type", OPS, ids=lambda op: op.name)
def test_an_attribute_that_is_not_declared_is_an_error(op_type: type[IRDLOperation]):
    names = list(op_type.get_irdl_definition().properties)
    op = op_type.create(attributes={"acme.cost": UnitAttr(), "op_pattern": IntegerAttr(0, i64)})
    verify_op_attributes(op)
    for name in (*(f"{name}s" for name in names), "eps", "dim"):
        op.attributes[name] = UnitAttr()
        near = rf", did you mean '{name[:-1]}'\?" if name[:-1] in names else ""
        with pytest.raises(VerifyException, match=rf"{op.name} has no attribute '{name}'{near}.* its attributes: "):
            verify_op_attributes(op)
        del op.attributes[name]


def verified(text: str):
    """Verifies a program."""
    verify_program(parse_module(relax_context(), text))


def softmax(attributes: str, *, properties: str = "") -> str:
    """Returns a program with an op in the generic form."""
    return (
        "func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {\n"
        f'  %y = "relax.nn.softmax"(%x) {properties} {attributes} : (tensor<2x4xf32>) -> tensor<2x4xf32>\n'
        "  return %y : tensor<2x4xf32>\n}"
    )


def test_the_generic_form_is_held_to_the_same():
    verified(softmax("{axis = 0 : i64, acme.cost = 3 : i64, op_pattern = 4 : i64, relax.compile_time}"))
    for text in (softmax("{dim = 0 : i64}"), softmax("", properties="<{dim = 0 : i64}>")):
        with pytest.raises(VerifyException, match=r"relax\.nn\.softmax has no attribute 'dim', its attributes: axis"):
            verified(text)


ON_FUNCTIONS = {
    "func.func private @f() attributes {relax.num_inputs = 1 : i64}": "did you mean 'relax.num_input'",
    "func.func private @f() attributes {relax.xyz}": "there is no attribute 'relax.xyz'",
    "func.func @f(%x: tensor<f32> {relax.nam = \"w\"}) { return }": "did you mean 'relax.name'",
    "func.func private @f() -> (tensor<f32> {relax.nmae = \"w\"})": "did you mean 'relax.name'",
    "module attributes {relax.vdevice_list = []} {}": "did you mean 'relax.vdevices'",
    "func.func @f(%x: tensor<f32> {relax.num_input = 1 : i64}) { return }": "relax.num_input stands on a function, found on argument 0",
    "func.func private @f() attributes {relax.name = \"w\"}": "relax.name stands on an argument or a result, found on func.func",
    "func.func private @f() attributes {relax.primitive = 1.0}": "relax.primitive must be a unit attribute or a boolean, got 1.0",
    "func.func @f(%x: tensor<f32> {relax.name = 1 : i64}) { return }": "relax.name must be a string, got 1 : i64",
    softmax("{relax.compile_tiem}"): "did you mean 'relax.compile_time'",
    softmax("{relax.workspace}"): "relax.workspace stands on an argument, found on relax.nn.softmax",
    softmax('{op_pattern = "opaque"}'): "op_pattern must be an integer",
    "%c = arith.constant {relax.workspace} 1 : i32": "relax.workspace stands on an argument, found on arith.constant",
}  # fmt: skip


@pytest.mark.parametrize("text", ON_FUNCTIONS)
def test_our_attributes_stand_where_they_belong(text: str):
    with pytest.raises(VerifyException, match=re.escape(ON_FUNCTIONS[text])):
        verified(text)


def test_attributes_of_other_dialects_stand_everywhere():
    verified(
        "module attributes {acme.a} { func.func private @f(tensor<f32> {acme.b}) -> (tensor<f32> {acme.c}) attributes {acme.d, plain} }"
    )
