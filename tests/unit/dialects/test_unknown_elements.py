"""Tensors of unknown element type: what ops yield for them, the pass that binds them, and what is refused until then."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import xdsl_relax
from generators.tvm_modules import FAMILIES
from harness.op_cases import Case, module_of
from xdsl.context import Context
from xdsl.ir import Block
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.dialects.relax.attrs import UNKNOWN, element_type_of
from xdsl_relax.dialects.relax.base import RelaxOp, compatible_types, implied_type
from xdsl_relax.dialects.relax.ops.binary import AddOp, GreaterOp, WhereOp
from xdsl_relax.dialects.relax.ops.unary import AsTypeOp, ExpOp
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.unknown_elements import is_unknown, with_element
from xdsl_relax.dialects.symbolic.conditions import SizeContext
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.passes.cleanup.bind_element_types import BindElementTypesPass
from xdsl_relax.tools.multiverse import tool_context

PROGRAM = """
func.func @main(%x: tensor<?x4x!relax.unknown, #relax.sym<n>>, %w: tensor<4x3x!relax.unknown>, %s: tensor<f32>) -> tensor<*x!relax.unknown> {
  %y = relax.matmul %x, %w : (tensor<?x4x!relax.unknown, #relax.sym<n>>, tensor<4x3x!relax.unknown>) -> tensor<?x3x!relax.unknown, #relax.sym<n>>
  %c = relax.greater %y, %s : (tensor<?x3x!relax.unknown, #relax.sym<n>>, tensor<f32>) -> tensor<?x3xi1, #relax.sym<n>>
  %z = relax.where %c, %y, %s : (tensor<?x3xi1, #relax.sym<n>>, tensor<?x3x!relax.unknown, #relax.sym<n>>, tensor<f32>) -> tensor<?x3x!relax.unknown, #relax.sym<n>>
  %u = relax.match_cast %z : (tensor<?x3x!relax.unknown, #relax.sym<n>>) -> tensor<*x!relax.unknown>
  return %u : tensor<*x!relax.unknown>
}
"""


def parsed(text: str = PROGRAM):
    module = Parser(tool_context(), text).parse_module()
    verify_program(module)
    return module


def unknown_operands(op: RelaxOp, chosen) -> RelaxOp:
    """Returns an op like another one, with the elements of some operands unknown."""
    types = [
        with_element(v.type, UNKNOWN) if chosen(i) and hasattr(v.type, "element_type") else v.type
        for i, v in enumerate(op.operands)
    ]
    return type(op).create(operands=Block(arg_types=types).args, properties=dict(op.properties))


CASES = {case.op: case for family in FAMILIES for case in import_module(f"cases.{family}").CASES}


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_what_an_op_yields_contradicts_no_element_type_that_an_unknown_one_may_be(case: Case) -> None:
    ops = [op for op in module_of([case]).walk() if isinstance(op, case.op) and isinstance(op, RelaxOp)]
    for op in ops:
        expected = op.infer(SizeContext())
        for chosen in (lambda i: True, lambda i: i == 0, lambda i: i > 0):
            inferred = unknown_operands(op, chosen).infer_known(SizeContext())
            for open_type, known in zip(inferred, expected, strict=True):
                assert compatible_types(known, open_type, SizeContext()), (open_type, known)
                assert implied_type(open_type, known), (open_type, known)


def test_element_types_that_do_not_depend_on_unknown_ones_are_known() -> None:
    x, y = Block(
        arg_types=[with_element(t, UNKNOWN) for t in (_tensor("tensor<4xf32>"), _tensor("tensor<1xf32>"))]
    ).args
    known = Block(arg_types=[_tensor("tensor<4xi8>"), _tensor("tensor<4xi1>")]).args
    assert is_unknown(AddOp.build_from(x, y).result.type)
    assert str(AddOp.build_from(x, known[0]).result.type) == "tensor<4xi8>"
    assert str(GreaterOp.build_from(x, y).result.type) == "tensor<4xi1>"
    assert str(AsTypeOp.build_from(x, dtype=element_type_of(known[0].type)).result.type) == "tensor<4xi8>"
    assert is_unknown(WhereOp.build_from(x, y, y).result.type)
    assert str(WhereOp.build_from(x, known[0], y).result.type) == "tensor<4xi8>"
    assert is_unknown(ExpOp.build_from(x).result.type)
    with pytest.raises(VerifyException, match="element type"):
        AddOp.build_from(x, known[1])


def _tensor(text: str):
    return Parser(tool_context(), text).parse_type()


def test_a_result_may_not_have_an_element_type_that_no_choice_gives() -> None:
    with pytest.raises(VerifyException, match=r"has type tensor<\?x3xf32, #relax.sym<n>>, but the op yields"):
        parsed(
            PROGRAM.replace("-> tensor<?x3xi1, #relax.sym<n>>", "-> tensor<?x3xf32, #relax.sym<n>>").replace(
                "(tensor<?x3xi1", "(tensor<?x3xf32"
            )
        )


def test_bound_element_types_reach_all_that_follows() -> None:
    module = parsed()
    BindElementTypesPass(types=("x=f32", "w=f32")).apply(Context(), module)
    module.verify()
    assert "-> tensor<*xf32>" in str(module) and "unknown" not in str(module)
    x, w = np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)
    ready = parsed(PROGRAM.replace("tensor<*x!relax.unknown>", "tensor<?x3x!relax.unknown>"))
    BindElementTypesPass(types=("x=f32", "w=f32")).apply(Context(), ready)
    expected = np.full((2, 3), 4, np.float32)
    np.testing.assert_array_equal(Interpreter(ready).call("main", x, w, np.float32(1))[0], expected)
    np.testing.assert_array_equal(xdsl_relax.compile(ready)["main"](x, w, np.float32(1)), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": ("s=f32",)}, "@main has no argument s of unknown element type; it has x, w"),
        ({"types": ("x=f33",)}, 'an element type is written "argument=type", of f64, .*, got "x=f33"'),
        ({"types": ("x=f32", "w=i8")}, "@main: matmul_c1: element types must be equal, got f32 and i8"),
        ({"types": ("x=f32",), "function": "f"}, "no function @f"),
    ],
)
def test_what_cannot_be_bound_is_one_line(options, message) -> None:
    with pytest.raises(PassFailedException, match=message) as caught:
        BindElementTypesPass(**options).apply(Context(), parsed())
    assert "\n" not in str(caught.value)


def test_unknown_element_types_are_neither_compiled_nor_run() -> None:
    message = "the element type of %x is unknown; relax-bind-element-types gives arguments one"
    with pytest.raises(PassFailedException, match=message):
        xdsl_relax.compile(PROGRAM)
    with pytest.raises(PassFailedException, match=message):
        Interpreter(parsed())
    exe = xdsl_relax.compile(
        PROGRAM.replace("tensor<*x!relax.unknown>", "tensor<?x3x!relax.unknown>"),
        passes='relax-bind-element-types{types="x=f32","w=f32"}',
    )
    assert exe["main"](np.ones((1, 4), "f"), np.ones((4, 3), "f"), np.float32(9)).tolist() == [[9.0] * 3]
