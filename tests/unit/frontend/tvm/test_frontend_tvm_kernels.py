"""Kernels of TVM modules: what each form becomes, that it computes the same, that it comes back, and what stays opaque."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

import tvm
import xdsl_relax
from generators.tvm_kernels import KERNELS, X
from generators.tvm_modules import read
from xdsl.dialects import func
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.packed_functions import UnregisteredError
from xdsl_relax.passes.fusion.fuse_ops import FuseOpsPass
from xdsl_relax.passes.rewriting.kernel_functions import is_kernel
from xdsl_relax.runtime.compiler import relax_context


def functions(module):
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}


def compare(result, expected):
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.sweep
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_kernel_becomes_code(kernel):
    module = kernel.module()
    imported = from_relax(module)
    made = functions(imported)["kernel"]
    assert is_kernel(made)
    text = str(made)
    for part in kernel.holds:
        assert part in text, f"{part} is not in\n{text}"
    for part in kernel.lacks:
        assert part not in text, f"{part} is in\n{text}"
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    again = xdsl_relax.load(str(imported))
    tvm.ir.assert_structural_equal(to_relax(again), module)
    compare(Interpreter(imported).call("main", *kernel.inputs.values())[0], kernel.expected(*kernel.inputs.values()))


def test_kernels_become_machine_code():
    for kernel in KERNELS:
        compiled = xdsl_relax.compile(from_relax(kernel.module()), opt_level=0)
        compare(compiled["main"](*kernel.inputs.values()), kernel.expected(*kernel.inputs.values()))


SYMBOLIC = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(x: T.Buffer((n, m), "float32"), y: T.Buffer((m,), "float32"), z: T.Buffer((n, m), "float32")):
        T.func_attr({"op_pattern": 1})
        for i, j in T.grid(n, m):
            with T.sblock("z"):
                vi, vj = T.axis.remap("SS", [i, j])
                z[vi, vj] = x[vi, vj] + y[vj]

    @T.prim_func(private=True, s_tir=True)
    def iota(z: T.Buffer((n,), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(n):
            with T.sblock("z"):
                vi = T.axis.spatial(n, i)
                z[vi] = T.Cast("float32", vi * 2 + n)

    @T.prim_func(private=True, s_tir=True)
    def twice(x: T.Buffer((n,), "float32"), z: T.Buffer((n * 2,), "float32")):
        T.func_attr({"op_pattern": 2})
        for i in range(n * 2):
            with T.sblock("z"):
                vi = T.axis.spatial(n * 2, i)
                z[vi] = x[vi // 2]

    @R.function
    def main(x: R.Tensor(("a", "b"), "float32"), y: R.Tensor(("b",), "float32"), s: R.Tensor((3, 5), "float32"), t: R.Tensor((5,), "float32")):
        a = T.int64()
        b = T.int64()
        cls = Module
        with R.dataflow():
            p = R.call_tir(cls.add, (x, y), out_ty=R.Tensor((a, b), "float32"))
            q = R.call_tir(cls.add, (s, t), out_ty=R.Tensor((3, 5), "float32"))
            r = R.call_tir(cls.iota, (), out_ty=R.Tensor((a * b,), "float32"))
            u = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((b * 2,), "float32"))
            R.output(p, q, r, u)
        return (p, q, r, u)
"""


def test_sizes_are_symbols():
    """One kernel serves symbolic and known sizes; sizes that only the result tells are passed."""
    module = read(SYMBOLIC)
    imported = from_relax(module)
    assert {"add", "add_1", "iota", "twice"} <= set(functions(imported))
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    x, y, s, t = X[:3, :7], X[1, :7], X[:3, :5], X[2, :5]
    expected = [x + y, s + t, np.arange(21) * 2 + 21, np.repeat(y, 2)]
    for run in (Interpreter(imported).call, lambda name, *args: xdsl_relax.compile(imported)[name](*args)):
        results = run("main", *map(np.ascontiguousarray, (x, y, s, t)))
        results = results[0] if len(results) == 1 else results
        for result, reference in zip(results, expected, strict=True):
            compare(result, np.asarray(reference, np.float32))


OPAQUE = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def bessel(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(4):
            with T.sblock("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = T.call_pure_extern("float32", "j0f", x[vi])

    @T.prim_func(private=True, s_tir=True)
    def foreign(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        with T.sblock("y"):
            T.reads()
            T.writes()
            T.evaluate(T.call_extern("int32", "sort", x.data, y.data))

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.bessel, (x,), out_ty=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.foreign, (a,), out_ty=R.Tensor((4,), "float32"))
            R.output(b)
        return b
"""


def test_what_has_no_counterpart_is_listed_when_it_runs():
    module = read(OPAQUE)
    imported = from_relax(module)
    made = functions(imported)
    assert not is_kernel(made["bessel"]) and not is_kernel(made["foreign"])
    assert "op_pattern" not in str(made["main"])
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    compiled = xdsl_relax.compile(imported)
    for run in (lambda: Interpreter(imported).call("main", X[0, :4]), lambda: compiled["main"](X[0, :4])):
        with pytest.raises(UnregisteredError) as caught:
            run()
        assert sorted(str(caught.value).splitlines()) == [
            "no packed function is registered as 'bessel': a call of call_pure_extern has no counterpart",
            "no packed function is registered as 'foreign': a statement of kind Evaluate has no counterpart",
        ]


CHAIN = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def double(x: T.Buffer((4, 8), "float32"), y: T.Buffer((4, 8), "float32")):
        T.func_attr({"op_pattern": 0})
        for i, j in T.grid(4, 8):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] * T.float32(2)

    @T.prim_func(private=True, s_tir=True)
    def total(x: T.Buffer((4, 8), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 3})
        for i, k in T.grid(4, 8):
            with T.sblock("y"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vi, vk]

    @R.function
    def main(x: R.Tensor((4, 8), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((4, 8), "float32"))
            b = R.nn.relu(a)
            c = R.call_tir(cls.double, (b,), out_ty=R.Tensor((4, 8), "float32"))
            d = R.call_tir(cls.total, (c,), out_ty=R.Tensor((4,), "float32"))
            R.output(d)
        return d
"""


def test_kernels_are_fused_with_ops():
    imported = from_relax(read(CHAIN))
    before = Interpreter(imported).call("main", X)
    FuseOpsPass().apply(relax_context(), imported)
    verify_program(imported)
    assert list(functions(imported)) == ["main", "fused_double_relu_double_total"]
    np.testing.assert_array_equal(Interpreter(imported).call("main", X), before)
    compare(xdsl_relax.compile(imported)["main"](X), (np.maximum(X * 2, 0) * 2).sum(1))


def test_kernel_that_nothing_calls_is_kept():
    module = read(
        CHAIN.replace("cls.total, (c,)", "cls.double, (c,)").replace(
            'R.Tensor((4,), "float32"))', 'R.Tensor((4, 8), "float32"))'
        )
    )
    imported = from_relax(module)
    assert "relax.call_dps_packed" not in str(imported)
    assert functions(imported)["total"].function_type.inputs.data == ()
    tvm.ir.assert_structural_equal(to_relax(imported), module)
    compare(xdsl_relax.compile(imported)["main"](X), np.maximum(X * 2, 0) * 4)
