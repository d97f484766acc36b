"""Import of TVM Relax, and export: every construct and every op comes back structurally equal."""

from __future__ import annotations

import importlib.util
from importlib import import_module

import numpy as np
import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import tvm
from generators.tvm_modules import FAMILIES, MODULES, kernels, read
from harness.op_cases import module_of
from harness.sampling import sampled
from oracles.normal_form import flaw_of
from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.parser import Parser
from xdsl_relax.dialects.relax.vocabulary.attributes import OP_PATTERN
from xdsl_relax.frontend.tvm import UnsupportedError, from_relax, to_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.tools.multiverse import tool_context

NOT_IN_RELAX = {
    "gather_nd-all": "indices that are not i64",
    "gather_nd-batch": "indices that are not i64",
    "slice_scatter-tail": "an end near the largest integer",
    "meshgrid-one": "a scalar",
    "meshgrid-xy": "Relax infers the shape of the other indexing",
    **{
        f"{mode}-scales": "coordinates that follow given factors"
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic")
    },
    **{f"take-of-scalar-{kind}": "a scalar" for kind in ("fast", "clip", "wrap", "nan", "by-scalar")},
    "conv1d_transpose-dilated-output-padding": "an output padding of the stride or more",
    "conv2d_transpose-strided-and-dilated": "an output padding of the stride or more",
    "topk-beyond": "more elements than there are",
    "prelu-bf16": "bf16",
    "prelu-vector": "one dim and no channels",
    "group_norm-bf16": "bf16",
    "strided_slice-backwards-empty": "TVM's simplifier changes the size",
}
"""Cases that Relax refuses, or whose types it cannot tell to be equal."""
OPS_NOT_IN_RELAX = {"bitcast", "l2_normalize"}
"""Ops of StableHLO and Relay that Relax does not have."""


def is_in_relax(case):
    return case.name not in NOT_IN_RELAX and case.name.partition("-")[0] not in OPS_NOT_IN_RELAX


def reparsed(module):
    """Returns the module after it was text."""
    return Parser(tool_context(), str(module)).parse_module()


@pytest.mark.parametrize("name", MODULES)
def test_construct_comes_back(name):
    module = read(MODULES[name])
    imported = from_relax(module)
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    tvm.ir.assert_structural_equal(to_relax(reparsed(imported)), module)


def test_kernels_come_back():
    module = kernels()
    imported = from_relax(module)
    kernel_functions = [
        op for op in imported.body.block.ops if isinstance(op, func.FuncOp) and "tvm.tir" in op.attributes
    ]
    assert {op.sym_name.data for op in kernel_functions} == {"transpose", "add", "sum", "split"}
    assert all(op.sym_visibility == StringAttr("private") for op in kernel_functions)
    patterns = {op.sym_name.data: OP_PATTERN.of(op) for op in kernel_functions}
    assert patterns["transpose"] == 2 and patterns["add"] in (0, 1) and patterns["sum"] == 3
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    tvm.ir.assert_structural_equal(to_relax(reparsed(imported)), module)


@pytest.mark.parametrize("family", FAMILIES)
def test_ops_come_back(family):
    """Ours to TVM to ours to TVM: the two in TVM are equal, and ours compute the same."""
    cases = [case for case in import_module(f"cases.{family}").CASES if is_in_relax(case)]
    for case in sampled(cases, lambda case: case.name):
        module = module_of([case])
        exported = to_relax(module)
        imported = from_relax(exported)
        again = to_relax(imported)
        tvm.ir.assert_structural_equal(again, exported)


LESS_KNOWN = """
func.func @main(%c: i1, %x: tensor<?x?xf32>, %a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %y = relax.dataflow {
    %s = relax.add %x, %a : (tensor<?x?xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.output %s : tensor<4x4xf32>
  } : tensor<4x4xf32>
  %z = scf.if %c -> (tensor<4x4xf32>) {
    scf.yield %a : tensor<4x4xf32>
  } else {
    %e = relax.exp %y : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %e : tensor<4x4xf32>
  }
  return %y, %z : tensor<4x4xf32>, tensor<4x4xf32>
}
"""


def test_types_that_relax_infers_less_of():
    """A variable of Relax says no more than what Relax infers of its value."""
    exported = to_relax(Parser(tool_context(), LESS_KNOWN).parse_module())
    assert flaw_of(exported) is None
    assert 'R.Tensor((4, 4), dtype="float32") = R.add' not in exported.script()
    tvm.ir.assert_structural_equal(to_relax(from_relax(exported)), exported)


def test_exceptions_are_cases():
    names = [case.name for family in FAMILIES for case in import_module(f"cases.{family}").CASES]
    assert set(NOT_IN_RELAX) <= set(names)
    assert {name.partition("-")[0] for name in names} >= OPS_NOT_IN_RELAX


def test_meaning_survives_the_round_trip():
    """Attributes that are left out and those that are written out mean the same."""
    for family in FAMILIES:
        for case in import_module(f"cases.{family}").CASES[::7]:
            if not is_in_relax(case) or case.name.startswith("tensor_to_shape"):
                continue
            module = module_of([case])
            inputs = case.inputs()
            wanted = Interpreter(module).call("case_0", *inputs)
            results = Interpreter(from_relax(to_relax(module))).call("case_0", *inputs)
            flat = results[0] if len(wanted) != 1 else results
            for result, expected in zip(flat, wanted, strict=True):
                is_whole = np.asarray(result).dtype.kind in "iub"
                wide = [np.asarray(value, np.int64 if is_whole else np.float64) for value in (result, expected)]
                np.testing.assert_array_equal(*wide, err_msg=case.name)


def test_symbols_of_one_name_are_told_apart():
    first, second = tvm.tirx.Var("n", "int64"), tvm.tirx.Var("n", "int64")
    x = tvm.ir.Var("x", tvm.relax.TensorType([first, second], "float32"))
    body = tvm.relax.SeqExpr([], x)
    module = tvm.ir.IRModule({"main": tvm.relax.Function([x], body, x.ty).with_attr("global_symbol", "main")})
    imported = from_relax(module)
    assert "#relax.sym<n, n_1>" in str(imported)
    tvm.ir.assert_structural_equal(to_relax(imported), tvm.relax.transform.Normalize()(module))


def test_parameters_keep_their_names():
    text = MODULES["dataflow with two outputs"]
    function = read(text)["main"]
    weight = tvm.ir.Var("layers.0.w", function.params[1].ty)
    renamed = tvm.relax.Function(
        [function.params[0], weight],
        tvm.relax.SeqExpr([], tvm.ir.Tuple([function.params[0], weight])),
        tvm.ir.TupleType([function.params[0].ty, weight.ty]),
        True,
        function.attrs,
    )
    imported = from_relax(tvm.relax.transform.Normalize()(tvm.ir.IRModule({"main": renamed})))
    assert '%layers_0_w: tensor<4x8xf32> {relax.name = "layers.0.w"}' in str(imported)
    assert [parameter.name for parameter in to_relax(imported)["main"].params] == ["x", "layers.0.w"]


def test_everything_unsupported_is_listed_at_once():
    module = read("""
@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.astype(x, "float8_e4m3fn")
            b = R.exp(x)
            c = R.call_pure_packed("f", b, ty_args=R.Shape(ndim=-1))
            d = R.call_pure_packed("f", b, ty_args=R.Shape(ndim=-1))
            R.output(b)
        return b

    @R.function
    def second(x: R.Tensor((4,), "float8_e4m3fn")):
        return x
""")
    with pytest.raises(UnsupportedError) as caught:
        from_relax(module)
    problems = caught.value.problems
    assert any("@first" in problem and "R.astype(x" in problem for problem in problems)
    assert any("type R.Shape(ndim=-1) of unknown rank" in problem for problem in problems)
    assert any("@second" in problem and "float8_e4m3fn" in problem for problem in problems)
    assert str(caught.value).startswith(f"cannot import {len(problems)} constructs:")
    assert " (2 times)" in str(caught.value)


def test_what_relax_does_not_have_is_refused():
    from xdsl.dialects import arith
    from xdsl.dialects.builtin import FunctionType, ModuleOp, i64
    from xdsl.ir import Block, Region

    block = Block(arg_types=[i64, i64])
    op = arith.AddiOp(block.args[0], block.args[1])
    block.add_ops([op, func.ReturnOp(op.result)])
    function = func.FuncOp("main", FunctionType.from_lists([i64, i64], [i64]), Region(block))
    with pytest.raises(UnsupportedError, match=r"@main: arith\.addi: Relax has no such op"):
        to_relax(ModuleOp([function]))


def test_json_and_python_files(tmp_path):
    from xdsl_relax.tools.relax_import import main

    module = read(MODULES["constants bound and in place"])
    (tmp_path / "m.json").write_text(tvm.ir.save_json(module))
    out = tmp_path / "m.mlir"
    assert main(["tvm", str(tmp_path / "m.json"), "-o", str(out)]) == 0
    assert out.read_text() == f"{from_relax(module)!s}\n"
    (tmp_path / "m.py").write_text("import tvm\nmod = tvm.ir.IRModule({})\nparams = {}\n")
    assert main(["tvm", str(tmp_path / "m.py"), "-o", str(out)]) == 0
    assert "builtin.module" in out.read_text()


def test_large_constants_become_parameters(tmp_path):
    from safetensors.numpy import load_file
    from xdsl_relax.tools.relax_import import main

    data = np.arange(128, dtype=np.float32).reshape(2, 64)
    builder = tvm.relax.BlockBuilder()
    x = tvm.relax.Var("x", tvm.relax.TensorType((2, 64), "float32"))  # pyright: ignore[reportArgumentType]
    with builder.function("main", [x]):
        y = builder.emit(tvm.relax.op.add(x, tvm.relax.const(data)))
        z = builder.emit(tvm.relax.op.multiply(y, tvm.relax.const(data)))
        builder.emit_func_output(z)
    (tmp_path / "m.json").write_text(tvm.ir.save_json(builder.get()))
    out, weights = tmp_path / "m.mlir", tmp_path / "w.safetensors"
    assert main(["tvm", str(tmp_path / "m.json"), "-o", str(out), "--params", str(weights)]) == 0
    stored = load_file(weights)
    assert list(stored) == ["constant_0"]
    np.testing.assert_array_equal(stored["constant_0"], data)
    text = out.read_text()
    assert "relax.constant" not in text and "relax.num_input = 1 : i64" in text


def test_bad_files_are_refused(tmp_path, capsys):
    from xdsl_relax.tools.relax_import import main

    (tmp_path / "m.py").write_text("x = 1\n")
    assert main(["tvm", str(tmp_path / "m.py")]) == 1
    assert "expected one global that is an IRModule, or one named mod, got none" in capsys.readouterr().err
    assert main(["tvm", str(tmp_path / "m.txt")]) == 1
    assert "m.txt: error: no such file or directory" in capsys.readouterr().err
    (tmp_path / "m.txt").write_text("x = 1\n")
    assert main(["tvm", str(tmp_path / "m.txt")]) == 1
    assert "expected a .json or .py file, got m.txt" in capsys.readouterr().err
