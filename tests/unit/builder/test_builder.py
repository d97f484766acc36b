"""The public builder: what it writes, where ops are located, and how each wrong call is refused."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp, NameLoc, StringAttr, UnknownLoc, f32, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax.builder import (
    BlockBuilder,
    BuilderError,
    DataflowBuilder,
    FunctionBuilder,
    ModuleBuilder,
    UnknownOpError,
    device,
    element_type,
    shape,
    sizes_of,
    sym,
    tensor,
)
from xdsl_relax.builder.op_methods import op_types
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.relax.ops.binary import AddOp
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.upstream.func_ops import CallOp
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.compiler import relax_context

EXAMPLES = Path(__file__).parents[3] / "examples"


def line_of(op: Operation | Block) -> int:
    assert isinstance(op, Operation) and isinstance(op.location, FileLineColLoc)
    assert op.location.filename.data == __file__
    return op.location.line.data


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.fixture
def g() -> BlockBuilder:
    return BlockBuilder(Block())


@pytest.fixture
def x() -> SSAValue:
    return Block(arg_types=[tensor(["n", 8], "f32")]).args[0]


@pytest.fixture
def w() -> SSAValue:
    return Block(arg_types=[tensor([4, 8], "f32")]).args[0]


def linear() -> ModuleBuilder:
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["n", 8], "f32"))
        w = f.param("fc.weight", tensor([4, 8], "f32"))
        with f.dataflow() as g:
            transposed = g.permute_dims(w, axes=[1, 0], name="w_t")
            y = g.output(g.matmul(x, transposed, name="y"), name="r")
        f.returns(y)
    return m


def test_a_function_with_a_parameter():
    assert str(linear().build()) == (
        """\
builtin.module {
  func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %fc_weight: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
    %r = relax.dataflow {
      %w_t = relax.permute_dims %fc_weight {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
      relax.output %y : tensor<?x4xf32, #relax.sym<n>>
    } : tensor<?x4xf32, #relax.sym<n>>
    func.return %r : tensor<?x4xf32, #relax.sym<n>>
  }
}"""
    )


def test_the_text_parses_to_the_same_text(tmp_path: Path):
    path = tmp_path / "linear.mlir"
    linear().write(path, "A product.\nTwo lines.")
    assert path.read_text().startswith("// A product.\n// Two lines.\nbuiltin.module {")
    assert str(xdsl_relax.load(path)) == str(linear().build())


def test_the_builder_is_a_name_of_the_package():
    assert xdsl_relax.builder.ModuleBuilder is ModuleBuilder


def test_importing_the_builder_loads_no_pass():
    code = "import sys, xdsl_relax.builder; print([m for m in sys.modules if m.startswith(('xdsl_relax.passes', 'xdsl_relax.lowering'))])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["bert_layer", "llama_decoder", "resnet18"])
def test_examples_are_what_their_scripts_write(name: str, tmp_path: Path):
    arguments = ["2"] if name == "llama_decoder" else []
    script = tmp_path / f"{name}.py"
    script.write_text((EXAMPLES / f"{name}.py").read_text())
    subprocess.run([sys.executable, script, *arguments], check=True)
    assert script.with_suffix(".mlir").read_text() == (EXAMPLES / f"{name}.mlir").read_text()


# Types


def test_types():
    assert str(tensor(["n", "2 * n + 1", 4], "f16")) == "tensor<?x?x4xf16, #relax.sym<n, 2 * n + 1>>"
    assert str(tensor([sym("n"), None], np.int8)) == "tensor<?x?xi8, #relax.sym<n, ?>>"
    n = sym("n")
    assert str(tensor([n, 2 * n + 1, n - 1, n // 2, n % 4], "i8")) == (
        "tensor<?x?x?x?x?xi8, #relax.sym<n, 2 * n + 1, n - 1, n floordiv 2, n mod 4>>"
    )
    assert str(tensor([1 + n, 8 - n, n * n], "i8")) == "tensor<?x?x?xi8, #relax.sym<n + 1, (-1) * n + 8, n * n>>"
    assert str(tensor(None, "float32")) == "tensor<*xf32>"
    assert str(tensor([2], f32, "cuda:1")) == 'tensor<2xf32, #relax.vdevice<"cuda", 1, "global">>'
    assert str(shape(["n", 4])) == "!relax.shape<[n, 4]>"
    assert device("cuda:1").label == "cuda:1"
    assert element_type("bool") == i1


def test_wrong_types():
    known = "f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, index"
    with pytest.raises(ValueError) as error:
        element_type("f33")
    assert str(error.value).endswith(f": error: expected an element type ({known}), got 'f33', did you mean 'f32'?")
    for code, element in {
        "i4": "i32",
        "i2": "i16",
        "f4": "f32",
        "f2": "f16",
        "f8": "f64",
        "u1": "ui8",
        "b1": "i1",
    }.items():
        with pytest.raises(ValueError) as error:
            element_type(code)
        assert str(error.value).endswith(f"({known}), got {code!r}, which is numpy's code of {element}")
    assert [str(element_type(name)) for name in ("i8", "i1", "bfloat16", "uint8", "<i4")] == [
        "i8",
        "i1",
        "bf16",
        "ui8",
        "i32",
    ]
    assert sizes_of(tensor(None, "f32")) is None
    with pytest.raises(ValueError) as error:
        sym("2 * n")
    assert str(error.value).endswith(": expected the name of a symbol (ASCII letters, digits and '_'), got '2 * n'")


# Ops


def test_every_op_is_a_method(g: BlockBuilder):
    assert {f"relax.{name}" for name in op_types()} == {op.name for op in OPS} - {"relax.dataflow", "relax.output"}
    for name in op_types():
        method = g
        for part in name.split("."):
            assert part in dir(method)
            method = getattr(method, part)
        assert callable(method)


@pytest.mark.parametrize("builder", [BlockBuilder, FunctionBuilder, DataflowBuilder])
def test_no_other_method_hides_an_op(builder: type[BlockBuilder]):
    hidden = {name for name in op_types() if name in dir(builder)}
    assert hidden == {"constant", "shape", "match_cast"}


def test_no_op_has_an_argument_that_the_builder_takes():
    for op in op_types().values():
        definition = op.get_irdl_definition()
        names = {*definition.properties, *(name for name, _ in definition.operands)}
        assert not names & {"name", "location", "result_types", "attributes", "op"}, op.name


def test_a_method_tells_how_it_is_called(g: BlockBuilder):
    assert str(g.nn.softmax) == "nn.softmax(x, *, axis: int = ...)"
    assert str(g.concat) == "concat(*tensors, axis: int = ...)"
    assert str(g.linear) == "linear(data, weight, bias=None, *, out_dtype: dtype = ...)"
    assert str(g.vm.kill_object) == "vm.kill_object(x)"
    assert "callee: str, pure: bool = ..." in str(g.call_packed)
    assert str(inspect.signature(g.astype)) == "(x, *, dtype: 'dtype')"
    assert (inspect.getdoc(g.astype) or "").startswith("astype(x, *, dtype: dtype)\n\n")
    assert "stop_lift_params" in dir(g.builtin)
    title, first, *_ = (line.strip() for line in pydoc.plain(pydoc.render_doc(g.nn.conv2d)).splitlines()[2:])
    assert (title, first) == ("<op nn.conv2d>", str(g.nn.conv2d))
    assert "strides: 'ints' = ..." in str(inspect.signature(g.nn.conv2d))
    for name in op_types():
        inspect.signature(eval(f"g.{name}", {"g": g}))


def test_operands_by_name_and_by_position(g: BlockBuilder, x: SSAValue, w: SSAValue):
    assert g.linear(x, w).type == tensor(["n", 4], "f32")
    bias = g.constant(np.zeros(4, np.float32))
    for call in (
        lambda: g.linear(x, w, bias),
        lambda: g.linear(x, w, bias=bias),
        lambda: g.linear(x, bias=bias, weight=w),
        lambda: g.linear(weight=w, data=x, bias=bias),
    ):
        assert list(call().owner.operands) == [x, w, bias]
    assert list(g.linear(x, w, None).owner.operands) == [x, w]
    assert list(g.concat(tensors=[x, x], axis=1).owner.operands) == [x, x]
    assert list(g.op("relax.concat", x, x, x, axis=1).owner.operands) == [x, x, x]
    assert list(g.op(AddOp, x, x).owner.operands) == [x, x]


def test_attributes_from_python_values(g: BlockBuilder, x: SSAValue):
    assert str(g.astype(x, dtype="f16").owner.dtype) == "f16"
    assert str(g.astype(x, dtype=np.float16).owner.dtype) == "f16"
    assert str(g.astype(x, dtype=f32).owner.dtype) == "f32"
    assert str(g.nn.leakyrelu(x, alpha=1).owner.alpha) == "1.000000e+00 : f64"
    assert str(g.sum(x, axis=1, keepdims=True).owner.axis) == "array<i64: 1>"
    assert str(g.sum(x, axis=np.arange(2)[1:].tolist()).owner.axis) == "array<i64: 1>"
    assert g.sum(x, axis=None).owner.properties == {}


def test_several_results_and_none(g: BlockBuilder, x: SSAValue):
    first, second = g.split(x, sections=2, axis=1, name=["left", "right"])
    assert (first.name_hint, second.name_hint) == ("left", "right")
    assert g.vm.kill_object(x) is None


def test_arrays_and_sizes_stand_for_operands(g: BlockBuilder, x: SSAValue):
    ones = g.add(x, np.ones(8, np.float32)).owner.rhs
    assert str(ones.owner.value) == "dense<1.000000e+00> : tensor<8xf32>"
    assert g.reshape(x, ["n", 2, 4]).type == tensor(["n", 2, 4], "f32")
    sizes = sizes_of(x)
    assert sizes is not None
    n, k = sizes
    assert g.reshape(x, [n * k]).type == tensor(["8 * n"], "f32")
    assert g.reshape(x, g.shape("n", 2, 4)).type == tensor(["n", 2, 4], "f32")
    assert g.constant([[1, 2]], "f16").type == tensor([1, 2], "f16")
    flags = g.constant([True, False])
    assert flags.type == tensor([2], "i1")


def test_match_cast_defines_symbols():
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor([None, 8], "f32"))
        named = f.match_cast(x, tensor(["n", 8], "f32"))
        f.returns(f.nn.relu(named))
    m.build()
    assert f.function.function_type.outputs.data == (tensor(["n", 8], "f32"),)


def test_tuples(g: BlockBuilder, x: SSAValue, w: SSAValue):
    pair = g.tuple(x, w)
    assert g.tuple_get_item(pair, index=1).type == w.type


def test_a_packed_function_is_called_with_its_result_types(g: BlockBuilder, x: SSAValue):
    assert g.call_packed(x, callee="f", result_types=[x.type]).type == x.type


def test_result_types_that_are_given_are_verified(g: BlockBuilder, x: SSAValue):
    with pytest.raises(BuilderError, match=r"relax.negative: result 0 has type tensor<3xf32>, but the op yields"):
        g.negative(x, result_types=[tensor([3], "f32")])
    assert g.block.last_op is None


def test_an_op_takes_attributes_that_its_definition_does_not_name(g: BlockBuilder, x: SSAValue):
    made = g.negative(x, attributes={"acme.tag": StringAttr("t")}).owner
    assert made.attributes == {"acme.tag": StringAttr("t")}


def test_all_ops_of_a_builder_have_its_location(x: SSAValue):
    block = Block(arg_types=[x.type])
    g = BlockBuilder(block, location=UnknownLoc())
    y = g.if_(g.constant(True), lambda g: g.negative(block.args[0]), lambda g: block.args[0])
    assert {op.location for op in (*block.walk(), y.owner)} == {UnknownLoc()}


def test_a_branch_has_a_dataflow_block(g: BlockBuilder, x: SSAValue):
    def branch(outer: BlockBuilder) -> SSAValue:
        with outer.dataflow() as inner:
            return inner.output(inner.negative(x))

    assert "relax.dataflow" in str(g.if_(g.constant(True), branch, lambda g: x).owner)


# Functions, calls, control flow


def test_a_call_names_sizes_as_the_caller_does():
    m = ModuleBuilder()
    with m.function("double", private=True) as double:
        y = double.input("y", tensor(["k", 4], "f32"))
        double.returns(double.concat(y, y, axis=0))
    with m.function("main") as f:
        x = f.input("x", tensor(["n", 4], "f32"))
        f.returns(f.call(double, x))
    module = m.build()
    assert m.functions["main"].function.function_type.outputs.data == (tensor(["2 * n", 4], "f32"),)
    (result,) = Interpreter(module).call("main", np.ones((3, 4), np.float32))
    assert result.shape == (6, 4)


def test_scf_if_and_while_around_ops():
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["n"], "f32"))
        limit = f.input("limit", tensor([], "f32"))
        (y,) = [
            f.while_(
                [x],
                lambda g, y: g.less(g.sum(y), limit),
                lambda g, y: g.add(y, y),
            )
        ]
        z = f.if_(f.greater(f.max(y), limit), lambda g: g.negative(y), lambda g: y)
        f.returns(z)
    module = m.build()
    interpreter = Interpreter(module)
    (doubled,) = interpreter.call("main", np.array([1, 2], np.float32), np.float32(20))
    assert doubled.tolist() == [8, 16]
    (negated,) = interpreter.call("main", np.array([1.0], np.float32), np.float32(0.5))
    assert negated.tolist() == [-1]
    exe = xdsl_relax.compile(module)
    assert exe["main"](np.array([1, 2], np.float32), np.array(20, np.float32)).tolist() == [8, 16]


def test_a_branch_without_results(g: BlockBuilder, x: SSAValue):
    flag = g.insert(arith.ConstantOp.from_int_and_width(1, 1))
    assert g.if_(flag, lambda g: g.vm.kill_object(x), lambda g: None) is None


# Locations and names


def test_an_op_is_located_at_the_callers_line(g: BlockBuilder, x: SSAValue):
    inner = g.add(x, x).owner
    assert line_of(inner) == here() - 1
    assert inner.location.column.data == 13

    def helper(value: SSAValue) -> SSAValue:
        return g.negative(value)

    assert line_of(helper(x).owner) == here() - 2


def test_every_op_of_a_module_has_a_location():
    module = linear().build()
    assert all(line_of(op) for op in module.walk() if op is not module)


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


# xDSL's builders


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


# Errors

BUILDERS = {"BlockBuilder": BlockBuilder, "ModuleBuilder": ModuleBuilder, "Block": Block, "tensor": tensor, "np": np}
MATMUL = "it is called matmul(lhs, rhs, *, out_dtype: dtype = ...)"
SOFTMAX = "it is called nn.softmax(x, *, axis: int = ...)"

REFUSED = {
    "tensor([2], 'f32', 5)": "tensor takes a string as 'device', got 5",
    "tensor(3, 'f32')": "tensor takes a list of sizes or an array or None as 'dims', got 3",
    "tensor([2])": "tensor: missing a required argument: 'element'; it is called tensor(dims, element, device=None)",
    "shape(None)": "shape takes a list of sizes as 'dims', got None",
    "sym('a b')": "expected the name of a symbol (ASCII letters, digits and '_'), got 'a b'",
    "sym(3)": "sym takes a string as 'name', got 3",
    "device(3)": "device takes a string as 'label', got 3",
    "sizes_of(3)": "sizes_of takes a value or a type or attribute as 'value', got 3",
    "BlockBuilder(3)": "a builder takes a Block or an InsertPoint or a Builder as 'place', got 3",
    "g.sum(x, axis={0: 1})": "relax.sum takes a list of integers as 'axis', got {0: 1}; "
    "it is called sum(x, *, axis: ints = ..., keepdims: bool = ...)",
    "g.concat(tensors=3)": "relax.concat takes a list of values as 'tensors', got 3; it is called concat(*tensors, axis: int = ...)",
    "g.op(None, x)": "op takes a string or a class derived from RelaxOp as 'op', got None",
    "g.op(int, x)": "op takes a string or a class derived from RelaxOp as 'op', got <class 'int'>",
    "g.results(int, x)": "results takes a string or a class derived from RelaxOp as 'op', got <class 'int'>",
    "g.insert('x')": "insert takes an op or a function as 'op', got 'x'",
    "g.image(x)": "'image' is no op, but has some: image.resize2d",
    "g.add(x, x, attributes={3: None})": "attributes takes a dict of types or attributes, got {3: None}",
    "g.inner(3)": "inner takes a Block as 'block', got 3",
    "g.if_(None, lambda g: x, lambda g: x)": "if_ takes a value as 'condition', got None",
    "g.if_(g.constant(True), None, lambda g: x)": "if_ takes a function as 'then', got None",
    "g.if_(g.constant(True))": "if_: missing a required argument: 'then'; "
    "it is called if_(condition, then, otherwise, *, name=None, location=None)",
    "g.if_(g.constant(True), lambda: x, lambda g: x)": "a branch of scf.if must take a builder: "
    "<lambda>() takes 0 positional arguments but 1 was given",
    "g.while_(x, lambda g, y: g.constant(True), lambda g, y: y)": "while_ takes a list of values as 'initial', "
    "got tensor<?x8xf32, #relax.sym<n>>",
    "g.while_([x], lambda g: g.constant(True), lambda g, y: y)": "the condition of scf.while must take a builder and values (1): "
    "<lambda>() takes 1 positional argument but 2 were given",
    "g.while_([x], lambda g, y: None, lambda g, y: y)": "the condition of scf.while must be an i1 or a tensor<i1>, got None",
    "g.matmul(x)": f"relax.matmul needs the operand 'rhs', a tensor; {MATMUL}",
    "g.matmul()": f"relax.matmul needs the operand 'lhs', a tensor; {MATMUL}",
    "g.matmul(rhs=x)": f"relax.matmul needs the operand 'lhs', a tensor; {MATMUL}",
    "g.matmul(x, x, x)": f"relax.matmul takes 2 operands, got 3; {MATMUL}",
    "g.matmul(x, x, lhs=x)": f"relax.matmul takes 1 operand beside 'lhs', got 2; {MATMUL}",
    "g.matmul(x, x, out_type='f32')": f"relax.matmul has no argument 'out_type', did you mean 'out_dtype'?; {MATMUL}",
    "g.matmul(x, x, zzz=1)": f"relax.matmul has no argument 'zzz'; {MATMUL}",
    "g.matmul(x, x, out_dtype='f33')": f"relax.matmul takes an element type as 'out_dtype', got 'f33'; {MATMUL}",
    "g.matmul(x, 1.0)": "relax.matmul: matmul_c3: operands must have rank 1 or more, got 2 and 0",
    "g.sofmax(x)": "there is no op 'sofmax', did you mean 'nn.softmax'?",
    "g.imag.resize2d(x)": "there is no op 'imag', did you mean 'image'?",
    "g.concat([x, x])": "relax.concat cannot take [<BlockArgument[tensor<?x8xf32, #relax.sym<n>>] name_hint: N... as 'tensors': "
    "expected a tensor; give each of them as an operand of its own; it is called concat(*tensors, axis: int = ...)",
    "tensor(['n+'], 'f32')": "expected a size such as 'n' or '2 * n + 1', got 'n+': "
    "expected a dimension: an integer, a symbol, '(' or '?'",
    "g.matmul(x, g.shape(8))": f"relax.matmul takes a tensor as 'rhs', got !relax.shape<[8]>; {MATMUL}",
    "g.matmul(x, w)": "relax.matmul: matmul_c2: contraction dimensions differ: lhs has 8, rhs has 4",
    "g.nn.softmax(x, axis='last')": f"relax.nn.softmax takes an integer as 'axis', got 'last'; {SOFTMAX}",
    "g.nn.softmax(x, axis=True)": f"relax.nn.softmax takes an integer as 'axis', got True; {SOFTMAX}",
    "g.nn.softmax(x, axis=2)": "relax.nn.softmax: softmax_c2: axis must be in [-2, 2) for rank 2, got 2",
    "g.nn.softmx(x)": "there is no op 'nn.softmx', did you mean 'nn.softmax'?",
    "g.softmax(x)": "there is no op 'softmax', did you mean 'nn.softmax'?",
    "g.op('relax.softmx', x)": "there is no op 'relax.softmx', did you mean 'nn.softmax'?",
    "g.zzz(x)": "there is no op 'zzz'",
    "g.add(x, x, name=3)": "name takes a string or a list of strings, got 3",
    "g.add(x, x, name=[3])": "name takes a string or a list of strings, got [3]",
    "g.add(x, x, nmae='y')": "relax.add has no argument 'nmae'; it is called add(lhs, rhs)",
    "g.add(x, x, location=3)": "location takes a location or a string, got 3",
    "g.add(x, x, result_types=3)": "result_types takes a list of types or attributes, got 3",
    "g.add(x, x, attributes=3)": "attributes takes a dict of types or attributes, got 3",
    "g.permute_dims(x, axes=[10**30, 0])": "relax.permute_dims takes a list of integers as 'axes', "
    "got [1000000000000000000000000000000, 0]; it is called permute_dims(x, *, axes: ints = ...)",
    "g.nn.softmax(x, axis=2**63)": f"relax.nn.softmax takes an integer as 'axis', got 9223372036854775808; {SOFTMAX}",
    "g.add(x, np.ma.masked_array(np.ones(8, 'f'), [1] + [0] * 7))": "relax.constant: the array has masked elements, "
    "fill them first (array.filled(0))",
    "g.dataflow().output(None)": "output takes values, got None",
    "g.call(3, x)": "call takes a function or a FuncOp as 'function', got 3",
    "g.astype(x)": "relax.astype needs the argument 'dtype', an element type; it is called astype(x, *, dtype: dtype)",
    "g.reshape(x, 3)": "relax.reshape cannot take 3 as 'shape': expected a shape; it is called reshape(x, shape)",
    "g.permute_dims(x, axes=[0.5])": "relax.permute_dims takes a list of integers as 'axes', got [0.5]; "
    "it is called permute_dims(x, *, axes: ints = ...)",
    "g.constant(np.zeros(2, complex))": "relax.constant: numpy dtype complex128 has no element type",
    "g.match_cast(x, tensor([4], 'f32'))": "relax.match_cast: match_cast_c1: a value of type "
    "tensor<?x8xf32, #relax.sym<n>> never has type tensor<4xf32>",
    "g.add(x, x, name=['a', 'b'])": "relax.add has 1 result, got 2 names",
    "BlockBuilder().add(x, x)": "there is no place to insert relax.add: give the builder a block, or use xDSL's ImplicitBuilder",
    "g.if_(x, lambda g: x, lambda g: x)": "the condition of scf.if must be an i1 or a tensor<i1>, "
    "got tensor<?x8xf32, #relax.sym<n>>",
    "g.if_(g.constant(True), lambda g: x, lambda g: w)": "the branches of scf.if yield "
    "(tensor<?x8xf32, #relax.sym<n>>) and (tensor<4x8xf32>)",
    "g.if_(g.constant(True), lambda g: 3, lambda g: w)": "a branch of scf.if must return values, got 3",
    "g.while_([w], lambda g, w: g.constant(True), lambda g, w: g.concat(w, w, axis=0))": "scf.while starts with "
    "(tensor<4x8xf32>), but its body yields (tensor<8x8xf32>)",
}


@pytest.mark.parametrize("call", REFUSED)
def test_a_wrong_call_is_refused_in_a_sentence(call: str, g: BlockBuilder, x: SSAValue, w: SSAValue):
    code = compile(f"\n\n{call}", "model.py", "exec")
    with pytest.raises(BuilderError) as error:
        exec(
            code,
            {"g": g, "x": x, "w": w, "shape": shape, "sym": sym, "device": device, "sizes_of": sizes_of, **BUILDERS},
        )
    position, _, message = str(error.value).partition(" error: ")
    assert message == REFUSED[call]
    assert position.startswith("model.py:3:") and position.endswith(":")


def test_parts_without_end_are_refused_at_once(g: BlockBuilder, x: SSAValue):
    with pytest.raises(BuilderError, match=r"relax.split: split_c2: sections must be from 1 to 4096, got 1000000000"):
        g.split(x, sections=10**9, axis=1)
    assert len(g.split(tensor_value := g.constant(np.zeros(4096)), sections=4096)) == 4096
    assert len(list(tensor_value.uses)) == 1


def test_an_error_inside_of_a_branch_stays(g: BlockBuilder, x: SSAValue):
    with pytest.raises(TypeError, match=r"object of type 'int' has no len"):
        g.if_(g.constant(True), lambda g: len(3), lambda g: x)  # type: ignore


def test_an_unknown_op_is_an_attribute_error(g: BlockBuilder):
    assert not hasattr(g, "softmax")
    with pytest.raises(UnknownOpError):
        _ = g.nn.softmx


def test_a_refused_op_leaves_nothing_behind(g: BlockBuilder, x: SSAValue):
    with pytest.raises(BuilderError):
        g.match_cast(x, tensor([4], "f32"))
    with pytest.raises(BuilderError):
        g.matmul(x, g.constant(np.zeros((3, 4), np.float32)))
    assert not list(x.uses)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        ("f.param('w', t); f.input('x', t)", "input 'x' of @main comes after parameters"),
        ("f.param('w', t); f.param('w', t)", "@main has a parameter 'w' already"),
        ("f.input('x', t); f.input('x', t)", "@main has an input 'x' already"),
        (
            "f.input('', t)",
            "the name of an input must be a string that is not empty and has no NUL and no lone surrogate, got ''",
        ),
        ("f.returns(); f.returns()", "@main has its results already"),
        ("f.input('x', t)\nm.build()", "@main has no results yet, end it with returns(...)"),
        ("f.call(f)", "@main has no results yet, end it with returns(...)"),
        ("m.function('main')", "there is a function @main already"),
        ("with f: pass", "@main has no results yet, end it with returns(...)"),
        ("with f.dataflow() as g: pass", "the dataflow block has no output, end it with output(...)"),
        ("g = f.dataflow(); g.output(); g.output()", "the dataflow block has its output already"),
        ("f.input('x', t); f.returns(None)", "returns takes values, got None"),
        (
            "m.function('')",
            "the name of a function must be a string that is not empty and has no NUL and no lone surrogate, got ''",
        ),
        (
            "m.function('a\\0b')",
            "the name of a function must be a string that is not empty and has no NUL and no lone surrogate, got 'a\\x00b'",
        ),
        (
            "m.function(3)",
            "function takes a string as 'name', got 3",
        ),
        (
            "f.param(3, t)",
            "param takes a string as 'name', got 3",
        ),
        ("f.input('x', 3)", "input takes a type or attribute as 'value_type', got 3"),
        ("f.input('x', StringAttr('t'))", "'x' of @main takes a type, such as tensor(...), got StringAttr(data='t')"),
        ("f.input('x', t, donate='y')", "input takes an integer or a list of integers as 'donate', got 'y'"),
        ("f.param('x', t, fields='ab')", "param takes a list of strings as 'fields', got 'ab'"),
        ("f.symbol_range(3)", "symbol_range takes a string or a size as 'symbol', got 3"),
        ("f.returns(names='ab')", "names takes a list of strings, got 'ab'"),
        ("f.returns(f.input('x', t), names=['a', 'b'])", "@main has 1 result, got 2 names"),
        ("f.returns(); f.input('y', t)", "@main has its results already"),
        ("f.returns(); f.param('y', t)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.add(x, x)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.add(x, 1)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.dataflow().output(x)", "@main has its results already"),
        ("g = f.dataflow(); g.output(); g.constant(1)", "the dataflow block has its output already"),
        (
            "inner = []; f.if_(f.constant(True), inner.append, lambda g: None); inner[0].constant(1)",
            "the block ends with scf.yield already",
        ),
        ("g = BlockBuilder(f.block); f.returns(); g.constant(1)", "the block ends with func.return already"),
        (
            "f.returns(); ModuleBuilder().function('g').call(f)",
            "call of @main: expected a function of this module, got one of another",
        ),
        (
            "m.function()",
            "function: missing a required argument: 'name'; it is called function(name, *, private=False, location=None)",
        ),
        ("m.remove(ModuleBuilder().function('g'))", "there is no such function @g in this module"),
        ("m.remove('main')", "remove takes a FunctionBuilder as 'function', got 'main'"),
        ("m.write(None)", "write takes a string or a path as 'path', got None"),
        ("m.at(3)", "at takes a location or a string as 'location', got 3"),
        ("f.symbol_range('n', 5, 2)", "@main: the range of n must be 0 <= least <= most < 2^63, got 5 and 2"),
        ("f.symbol_range('2 * n', 5)", "@main: the range is that of a symbol, got '2 * n'"),
        ("f.input('x', t); f.returns()\nm.function('g').call(f)", "call of @main: expected 1 operands, got 0"),
    ],
)
def test_a_wrong_function_is_refused_in_a_sentence(write: str, message: str):
    m = ModuleBuilder()
    with pytest.raises(BuilderError) as error:
        names = {"m": m, "f": m.function("main"), "t": tensor([4], "f32")}
        exec(compile(write, "model.py", "exec"), {**names, **BUILDERS, "StringAttr": StringAttr})
    assert str(error.value).partition(" error: ")[2] == message


FAULTS = {
    "f.insert(CallOp('g', [x], [t]))": "'@g' could not be found in symbol table",
    "f.reshape(x, [1] * 80 + [4])": "expected a tensor of at most 64 dims, got 81",
    "f.add(x, x, attributes={'relax.num_input': t})": "relax.num_input stands on a function, found on relax.add",
    "h = m.function('h'); h.returns(); f.call(h); m.remove(h)": "'@h' could not be found in symbol table",
}


@pytest.mark.parametrize("write", FAULTS)
def test_what_the_verifier_finds_has_the_line_of_its_op(write: str):
    m, t = ModuleBuilder(), tensor([4], "f32")
    f = m.function("main")
    x = f.input("x", t)
    exec(compile(f"\n\n{write}", "model.py", "exec"), {"m": m, "f": f, "x": x, "t": t, "CallOp": CallOp})
    f.returns(x)
    with pytest.raises(BuilderError, match=r"model.py:3:\d+: error: ") as error:
        m.build()
    assert str(error.value).partition(" error: ")[2] == FAULTS[write]
    assert isinstance(error.value, VerifyException)


SCOPES = {
    "other.returns(other.add(x, other_x))": "relax.add in @other reads %x, an argument of @main",
    "y = other.add(other_x, other_x, name='y'); other.returns(y); f.returns(y)": "func.return in @main reads %y, the result of relax.add of @other",
    "inner = []; f.if_(f.constant(True), lambda g: inner.append(g.add(x, x, name='y')), lambda g: None)\n"
    "f.returns(inner[0])": "func.return in @main reads %y, the result of relax.add inside of scf.if, which only that region sees",
    "g = f.dataflow(); y = g.add(x, x); g.output(y); f.returns(y)": "func.return in @main reads the result of relax.add "
    "inside of relax.dataflow, which only that region sees",
    "late = f.add(x, x); y = f.add(late, x); y.owner.detach(); late.owner.parent.insert_op_before(y.owner, late.owner)\n"
    "f.returns(y)": "relax.add in @main reads the result of relax.add, before it is made",
    "f.returns(BlockBuilder(Block()).constant([1.0]))": "func.return in @main reads the result of relax.constant "
    "in no function",
}


@pytest.mark.parametrize("write", SCOPES)
def test_a_value_that_cannot_be_seen_is_refused_by_build(write: str):
    m, t = ModuleBuilder(), tensor([4], "f32")
    f, other = m.function("main"), m.function("other")
    names = {"f": f, "other": other, "x": f.input("x", t), "other_x": other.input("x", t)}
    exec(write, {**names, "BlockBuilder": BlockBuilder, "Block": Block})
    for function in (f, other):
        try:
            function.complete(function.function.location)
        except BuilderError:
            function.returns()
    with pytest.raises(BuilderError) as error:
        m.build()
    assert SCOPES[write] in str(error.value)


def test_ranges_of_symbols():
    m, n = ModuleBuilder(), sym("n")
    with m.function("main") as f:
        f.symbol_range("m", 1)
        f.symbol_range(n, 2, 512)
        x = f.input("x", tensor([n, "m"], "f32"))
        y = f.reshape(x, f.shape("min(512, n)", "m"))
        assert y.type == x.type
        f.returns(y)
    text = str(m.build())
    assert "relax.sym_lower_bounds = {m = 1 : i64, n = 2 : i64}, relax.sym_upper_bounds = {n = 512 : i64}" in text


def test_a_range_of_no_symbol():
    m = ModuleBuilder()
    with m.function("main") as f:
        f.symbol_range("batc", 1, 8)
        f.returns(f.input("x", tensor(["batch"], "f32")))
    with pytest.raises(
        BuilderError,
        match=r"test_builder.py:\d+:\d+: error: @main has no symbol 'batc', did you mean 'batch'\?; its symbols: batch",
    ):
        m.build()


def test_names_of_functions_in_text():
    for name in ("", "a\\00b"):
        module = parse_module(relax_context(), f'func.func private @"{name}"() -> ()')
        with pytest.raises(VerifyException, match="the name of a function must not be empty nor have a NUL"):
            verify_program(module)


def test_an_error_in_a_block_is_not_hidden():
    m = ModuleBuilder()
    with pytest.raises(ZeroDivisionError), m.function("main") as f, f.dataflow():
        raise ZeroDivisionError
