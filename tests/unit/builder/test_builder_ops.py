"""The public builder: ops, their operands and attributes."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr, UnknownLoc, f32
from xdsl.ir import Block, SSAValue
from xdsl_relax.builder import (
    BlockBuilder,
    BuilderError,
    DataflowBuilder,
    FunctionBuilder,
    ModuleBuilder,
    sizes_of,
    tensor,
)
from xdsl_relax.builder.op_methods import op_types
from xdsl_relax.dialects.relax.dialect import OPS
from xdsl_relax.dialects.relax.ops.binary import AddOp


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
