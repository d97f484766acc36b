"""What TVM's own passes leave and its users write, both ways: ops without a counterpart, scalars, in-place kernels, inner functions."""

# TVM's script has types as expressions.
# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOptionalMemberAccess=false, reportUndefinedVariable=false

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import xdsl_relax

tvm = pytest.importorskip("tvm")

from tvm import relax  # noqa: E402
from tvm.script import ir as I  # noqa: E402
from tvm.script import relax as R  # noqa: E402
from tvm.script import tirx as T  # noqa: E402  # pyright: ignore[reportMissingModuleSource]
from xdsl.context import Context  # noqa: E402
from xdsl.utils.exceptions import PassFailedException  # noqa: E402
from xdsl_relax.frontend.tvm import UnsupportedError, from_relax, to_relax  # noqa: E402
from xdsl_relax.passes.cleanup.dead_code_elimination import DeadCodeEliminationPass  # noqa: E402


@I.ir_module
class Opaque:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        _p = R.print(x, format="{}")
        _a = R.assert_op(c, x, format="bad {}")
        _n = R.null_value()
        _k = R.call_packed("kind", x, R.dtype("float32"), ty_args=R.Tensor((4,), "float32"))
        storage = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"))
        _t = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        y = R.atan2(x, x)
        return y


@I.ir_module
class Scalars:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        with R.dataflow():
            a = R.add(x, R.prim_value(T.float32(1e-5)))
            b = R.multiply(a, R.prim_value(T.float32(2)))
            R.output(b)
        return b


@I.ir_module
class Quantized:
    @R.function
    def main(x: R.Tensor((4,), "float32"), s: R.Tensor((), "float32"), z: R.Tensor((), "int8")) -> R.Tensor(
        (4,), "float32"
    ):
        with R.dataflow():
            q = R.quantize(x, s, z, axis=0, out_dtype="int8")
            d = R.dequantize(q, s, z, axis=0, out_dtype="float32")
            R.output(d)
        return d


@I.ir_module
class Inplace:
    @T.prim_func(private=True, s_tir=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("x"):
                vi = T.axis.spatial(4, i)
                x[vi] = x[vi] * T.float32(2)
        for i in range(4):
            with T.sblock("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        with R.dataflow():
            z = R.add(x, x)
            r = R.call_tir_inplace(
                Inplace.double, (z,), [0, -1], [R.Tensor((4,), "float32"), R.Tensor((4,), "float32")]
            )
            R.output(r)
        return r


@I.ir_module
class Nested:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function
        def inner(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Composite": "add_exp"})
            with R.dataflow():
                a = R.add(y, y)
                b = R.exp(a)
                R.output(b)
            return b

        r = inner(x)
        return r


@I.ir_module
class Sizes:
    @R.function
    def main(x: R.Tensor((2,), "int64")) -> R.Shape(ndim=2):
        s = R.call_pure_packed("vm.builtin.tensor_to_shape", x, ty_args=R.Shape(ndim=2))
        return s


@I.ir_module
class Attributes:
    I.module_attrs({"label": "hello", "count": 3})

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y = R.exp(x)
            R.output(y)
        return y


@I.ir_module
class Calls:
    @T.prim_func(private=True, s_tir=True)
    def inner(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] * T.float32(2)

    @T.prim_func(private=True, s_tir=True)
    def outer(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        Calls.inner(x.data, y.data)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(Calls.outer, (x,), out_ty=R.Tensor((4,), "float32"))
        return y


@I.ir_module
class Devices:
    I.module_global_infos(
        {
            "vdevice": [
                I.vdevice({"kind": "cuda", "arch": "sm_80"}, 1),
                I.vdevice({"kind": "cuda", "arch": "sm_50"}, 1),
                I.vdevice({"kind": "cuda", "arch": "sm_50"}, 0),
                I.vdevice("llvm"),
            ]
        }
    )

    @R.function
    def main(x: R.Tensor((4,), "float32", "cuda:0"), y: R.Tensor((4,), "float32", "cuda:1")) -> R.Tensor(
        (4,), "float32", "cuda:1"
    ):
        a = R.add(y, y)
        b = R.to_vdevice(x, "cuda:1")
        c = R.hint_on_device(b, tvm.cuda(1))
        d = R.add(a, c)
        return d


@I.ir_module
class Numbers:
    @R.function
    def pair(s: R.Shape(ndim=1), n: R.Prim("int64")) -> R.Tuple(R.Shape(ndim=1), R.Prim("int64"), R.Shape(["n"])):
        n = T.int64()
        a = (s, n, R.shape([n]))
        return a

    @R.function
    def main(
        t: R.Tuple(R.Prim("int64"), R.Tensor((4,), "float32")),
        s: R.Shape(["n", "m"]),
        f: R.Prim("float32"),
        u: R.Tuple(R.Shape(ndim=1), R.Tuple(R.Prim("int64"), R.Shape(ndim=1), R.Shape(ndim=2))),
    ) -> R.Tuple(R.Prim("int64"), R.Shape(["n"])):
        n, m = T.int64(), T.int64()
        a = t[0]
        b = R.shape([n, m])
        c = R.shape([n])
        d = u[1]
        e = (d, a, c, f)
        g = R.call_pure_packed("numbers", e, b, ty_args=R.Tuple(R.Shape(ndim=1), R.Prim("int64")))
        h = g[1]
        i = (h, c)
        return i


@I.ir_module
class Unknown:
    @R.function(private=True)
    def inner(x: R.Tensor(("m", 4))) -> R.Tensor(("m", 4)):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), u: R.Tensor, w: R.Tensor(ndim=2), v: R.Tensor(("n", 4))) -> R.Tuple(
        R.Tensor(("n", 4)), R.Tensor(("n", 4), "bool"), R.Tensor, R.Tensor(("n", 4), "float32")
    ):
        n = T.int64()
        a = R.multiply(x, v)
        b = R.greater(a, v)
        c = Unknown.inner(a)
        d = R.match_cast(c, R.Tensor((n, 4), "float32"))
        e = R.matmul(u, w)
        return (c, b, e, d)


@I.ir_module
class FunctionValues:
    @T.prim_func(private=True, s_tir=True)
    def compare(n: T.int64) -> T.bool:
        T.func_attr({"tir.is_host_func": True})
        return n % T.int64(16) == T.int64(0)

    @T.prim_func(private=True, s_tir=True)
    def fill(heap: T.Buffer((2,), "int64")):
        heap[0] = T.int64(1)

    @R.function(private=True)
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.add(x, x)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), heap: R.Tensor((2,), "int64"), n: R.Prim("int64")) -> R.Tensor(
        (4,), "float32"
    ):
        cls = FunctionValues
        a = R.call_packed("apply", cls.twice, x, ty_args=R.Tensor((4,), "float32"))
        b = R.call_dps_packed("apply", (cls.twice, a), out_ty=R.Tensor((4,), "float32"))
        _f = cls.fill(heap)
        c = cls.compare(n)
        if c:
            d = R.exp(b)
        else:
            d = R.negative(b)
        _p = R.assert_op(n % 16 == 0, format="")
        return d


@I.ir_module
class Foreign:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((2, 2), "float32"):
        a = R.call_inplace_packed("double", x, inplace_indices=0, ty_args=R.Tensor((4,), "float32"))
        b = R.call_packed("apply", R.ExternFunc("visit"), a, ty_args=R.Tensor((4,), "float32"))
        c = R.memory.view(b, R.shape([2, 2]), "float32", R.prim_value(0))
        return c


@I.ir_module
class Conditions:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n, m = T.int64(), T.int64()
        if (n % 2 == 0 or m > 3) and n != m:
            y = R.exp(x)
        else:
            y = R.negative(x)
        return y


@I.ir_module
class NotInTheDialect:
    @R.function
    def main(
        x: R.Tensor((2, 1, 8, 8, 4), "float32"), w: R.Tensor((1, 1, 3, 3, 4, 4), "float32"), c: R.Tensor((4,), "bool")
    ) -> R.Tuple(R.Tensor((2, 1, 6, 6, 4), "float32"), R.Tensor((4,), "bool")):
        R.func_attr({"num_input": 7})
        with R.dataflow():
            y = R.nn.conv2d(x, w, data_layout="NCHW4c", kernel_layout="OIHW4i4o", out_layout="NCHW4c")
            d = R.add(c, c)
            s = R.split(y, 1, axis=0)
            R.output(d, s)
        return (s, d)


@I.ir_module
class ShapeOfUnknownRank:
    @R.function
    def main(s: R.Shape, x: R.Tensor((4,), "float32")) -> R.Shape(ndim=2):
        n, m = T.int64(), T.int64()
        t = R.match_cast(s, R.Shape([n, m]))
        return t


MODULES = {
    "unknown": Unknown,
    "function values": FunctionValues,
    "foreign functions": Foreign,
    "conditions": Conditions,
    "not in the dialect": NotInTheDialect,
    "shape of unknown rank": ShapeOfUnknownRank,
    "calls": Calls,
    "devices": Devices,
    "numbers": Numbers,
    "opaque": Opaque,
    "scalars": Scalars,
    "quantized": Quantized,
    "inplace": Inplace,
    "sizes": Sizes,
    "attributes": Attributes,
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_comes_back_as_it_was(name: str) -> None:
    imported = from_relax(MODULES[name])
    exported = to_relax(imported)
    tvm.ir.assert_structural_equal(exported, MODULES[name], map_free_vars=True)
    tvm.ir.assert_structural_equal(to_relax(from_relax(exported)), exported, map_free_vars=True)


def test_kernels_that_kernels_call_are_kept() -> None:
    imported = from_relax(Calls)
    DeadCodeEliminationPass().apply(Context(), imported)
    tvm.ir.assert_structural_equal(to_relax(imported), Calls, map_free_vars=True)
    main = next(op for op in imported.body.block.ops if op.sym_name.data == "main")
    main.body.block.args[0].owner.last_op.operands = [main.body.block.args[0]]
    DeadCodeEliminationPass().apply(Context(), imported)
    assert [op.sym_name.data for op in imported.body.block.ops] == ["main"]


def _vm(module: Any, *arguments: Any) -> list[Any]:
    executable = relax.build(relax.transform.LegalizeOps()(module), "llvm")
    result = relax.VirtualMachine(executable, tvm.cpu())["main"](*map(tvm.runtime.tensor, arguments))
    return (
        [item.numpy() for item in result]
        if hasattr(result, "__len__") and not hasattr(result, "numpy")
        else [result.numpy()]
    )


_X = np.array([1.5, -2, 0.25, 3], np.float32)
RUN = {
    "scalars": (Scalars, [_X.reshape(1, 4)], [(_X.reshape(1, 4) + np.float32(1e-5)) * 2]),
    "quantized": (
        Quantized,
        [_X, np.array(0.5, np.float32), np.array(3, np.int8)],
        [np.array([1.5, -2, 0, 3], np.float32)],
    ),
    "inplace": (Inplace, [_X], [_X * 4, _X * 4 + 1]),
    "nested": (Nested, [_X], [np.exp(_X + _X)]),
}


@pytest.mark.parametrize("name", RUN)
def test_results_are_those_of_numpy_and_of_the_exported_module(name: str) -> None:
    module, arguments, expected = RUN[name]
    imported = from_relax(module)
    results = xdsl_relax.compile(imported)["main"].call(*arguments)
    leaves = results[0] if isinstance(results[0], tuple | list) else results
    for result, wanted in zip(leaves, expected, strict=True):
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-5, atol=1e-6)
    for result, wanted in zip(_vm(to_relax(from_relax(module)), *arguments), expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (2, 3), (3, 3), (3, 4), (0, 5)])
def test_conditions_on_sizes_are_computed(shape: tuple[int, int]) -> None:
    n, m = shape
    x = np.arange(n * m, dtype=np.float32).reshape(shape)
    expected = np.exp(x) if (n % 2 == 0 or m > 3) and n != m else -x
    np.testing.assert_allclose(_conditions()["main"](x), expected, rtol=1e-6)


@cache
def _conditions() -> Any:
    return xdsl_relax.compile(from_relax(Conditions))


def test_an_op_that_ours_is_too_narrow_for_says_why_it_does_not_run() -> None:
    imported = from_relax(NotInTheDialect)
    assert "relax.num_input" not in str(imported)
    with pytest.raises(
        Exception, match=r"'relax\.nn\.conv2d'.*: data_layout must be a permutation of NCHW, got 'NCHW4c'"
    ):
        xdsl_relax.compile(imported)["main"](
            np.zeros((2, 1, 8, 8, 4), "f"), np.zeros((1, 1, 3, 3, 4, 4), "f"), np.zeros(4, bool)
        )


def test_functions_that_are_values_are_kept() -> None:
    imported = from_relax(FunctionValues)
    DeadCodeEliminationPass().apply(Context(), imported)
    tvm.ir.assert_structural_equal(to_relax(imported), FunctionValues, map_free_vars=True)


def test_element_types_are_bound_after_import() -> None:
    imported = from_relax(Unknown)
    with pytest.raises(PassFailedException, match=r"the element type of .* is unknown"):
        xdsl_relax.compile(imported)


def test_inner_functions_become_private_functions() -> None:
    module = from_relax(Nested)
    text = str(module)
    assert text.count("func.func") == 2 and 'relax.composite = "add_exp"' in text.replace("Composite", "composite")
    again = to_relax(module)
    assert str(from_relax(again)) == text


def test_calls_of_what_is_missing_name_the_op() -> None:
    executable = xdsl_relax.compile(from_relax(Opaque))
    with pytest.raises(Exception, match=r"no packed function is registered as 'relax\.print'"):
        executable["main"](_X, np.array(True))


def _function(attributes: dict[str, Any]) -> Any:
    return tvm.IRModule({"main": Scalars["main"].with_attrs(attributes)})


@pytest.mark.parametrize("label", ["tir_var_upper_bound", "tir_var_lower_bound"])
@pytest.mark.parametrize("bounds", [{"n": "many"}, {"n": -1}, {"n": [4]}, 3, "n"])
def test_malformed_bounds_are_the_documented_error(label: str, bounds: Any) -> None:
    with pytest.raises(UnsupportedError, match=f"{label}: expected sizes by the names of variables"):
        from_relax(_function({label: bounds}))


def test_types_that_are_missing_are_inferred_or_the_documented_error() -> None:
    x = tvm.ir.Var("x", relax.TensorType([4], "float32"))
    body = relax.SeqExpr([], relax.op.exp(x))
    module = tvm.IRModule({"main": relax.Function([x], body, relax.TensorType([4], "float32"))})
    assert "relax.exp" in str(from_relax(module))
