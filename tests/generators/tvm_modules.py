"""Relax modules in TVM's script, one construct each, and how to read them."""

from __future__ import annotations

from typing import Any, TypeVar

FAMILIES = """binary collective create data_dependent image indexing linear_algebra manipulate nn_activation nn_attention nn_conv nn_loss nn_norm
nn_pool nn_softmax reduction scan shape sorting unary""".split()
"""The modules of op cases."""

MODULES: dict[str, str] = {
    "dataflow with two outputs": """
@R.function
def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 8), "float32")):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        y = R.matmul(x, w)
        z = R.add(y, R.const(1.0, "float32"))
        R.output(y, z)
    return (z, y)
""",
    "bindings outside of a dataflow block": """
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.exp(x)
    with R.dataflow():
        z = R.add(y, x)
        R.output(z)
    t = R.multiply(z, y)
    return t
""",
    "alias leaves a dataflow block": """
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        y = R.exp(x)
        gv = y
        R.output(gv)
    return gv
""",
    "argument leaves a dataflow block": """
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        gv = x
        R.output(gv)
    return gv
""",
    "sizes written in several ways": """
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n + n",), "float32"), z: R.Tensor(("n * 2",), "float32")):
    n = T.int64()
    with R.dataflow():
        a = R.call_dps_packed("halves", (x,), [R.Tensor(((n + 1) // 2,), "float32"), R.Tensor((n + 1 - (n + 1) // 2 - 1 + n % 2,), "float32")])
        b = a[0]
        c = a[1]
        d = R.call_dps_packed("double", (x,), R.Tensor((n * 3 - n,), "float32"))
        e = R.match_cast(R.call_pure_packed("any", x, ty_args=R.Tensor(ndim=2, dtype="float32")), R.Tensor((n - 1 + 1, (n + 2) // 2), "float32"))
        R.output(b, c, d, e)
    return (b, c, d, e)
""",
    "sizes that depend on conditions": """
@R.function
def main(x: R.Tensor(("n", "m"), "float32")):
    n, m = T.int64(), T.int64()
    with R.dataflow():
        a = R.call_dps_packed("f", (x,), R.Tensor((T.if_then_else(n < m, n + m, m), T.Select(n == m, T.int64(1), n)), "float32"))
        b = R.call_dps_packed("f", (x,), R.Tensor((T.if_then_else(n % 2 == 0, n // 2, n // 2 + 1),), "float32"))
        c = R.call_dps_packed("f", (x,), R.Tensor((T.if_then_else(n >= 4 and not (m > n), n, T.int64(4)),), "float32"))
        d = R.call_dps_packed("f", (x,), R.Tensor((T.if_then_else(n <= 4 or n != m, n, T.int64(4)),), "float32"))
        R.output(a, b, c, d)
    return (a, b, c, d)
""",
    "nested tuples": """
@R.function
def main(x: R.Tensor((4,), "float32"), t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Shape(["n"]), R.Tensor(("n",), "int8")))):
    with R.dataflow():
        a = t[0]
        b = t[1]
        c = b[1]
        u = (a, (x, c))
        v = u[1]
        w = v[0]
        gv = ((w, u), R.shape([3]), ())
        R.output(gv)
    return gv
""",
    "constants bound and in place": """
@R.function
def main(x: R.Tensor((2,), "float32")):
    with R.dataflow():
        c = R.const([1.0, 2.0], "float32")
        y = R.add(x, c)
        z = R.add(y, R.const([3.0, 4.0], "float32"))
        R.output(z)
    return z
""",
    "sizes are expressions": """
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), s: R.Shape(["k"])):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    with R.dataflow():
        y = R.reshape(x, R.shape([n * m]))
        z = R.zeros(R.shape([n * 2 + m, T.min(n, m), T.max(k, n), k // 3, k % 5]), "float32")
        R.output(y, z)
    return (y, z)
""",
    "match_cast defines a symbol": """
@R.function
def main(x: R.Tensor(ndim=2, dtype="float32"), o: R.Any):
    n = T.int64()
    m = T.int64()
    with R.dataflow():
        y = R.match_cast(x, R.Tensor((n, m), "float32"))
        z = R.match_cast(o, R.Tensor((m, n), "float32"))
        p = R.matmul(y, z)
        R.output(p)
    return p
""",
    "unknown shapes and ranks": """
@R.function
def main(x: R.Tensor("float32"), y: R.Tensor(ndim=3, dtype="int64"), s: R.Shape(ndim=2)):
    with R.dataflow():
        a = R.exp(x)
        b = R.permute_dims(y, [2, 0, 1])
        R.output(a, b)
    return (a, b, s)
""",
    "if": """
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    if c:
        a = R.exp(x)
        r = R.add(a, x)
    else:
        b = R.multiply(x, R.const(2.0, "float32"))
        r = b
    y = R.negative(r)
    return y
""",
    "split read in order": """
@R.function
def main(x: R.Tensor((6, 4), "float32")):
    with R.dataflow():
        s = R.split(x, 3, axis=0)
        a = s[0]
        b = s[2]
        c = R.add(a, b)
        R.output(c)
    return c
""",
    "split read out of order": """
@R.function
def main(x: R.Tensor((6, 4), "float32")):
    with R.dataflow():
        s = R.split(x, [2, 4], axis=0)
        b = s[2]
        n = R.negative(b)
        a = s[0]
        a2 = s[0]
        c = R.add(a, n)
        d = R.add(c, a2)
        R.output(d, s)
    return (d, s)
""",
    "split joined again": """
@R.function
def main(x: R.Tensor((6, 4), "float32"), t: R.Tuple(R.Tensor((6, 4), "float32"), R.Tensor((6, 4), "float32"))):
    with R.dataflow():
        s = R.split(x, 2, axis=1)
        c = R.concat(s, axis=0)
        d = R.concat(t, axis=0)
        s1 = R.split(x, 2, axis=1)
        a = s1[0]
        b = s1[1]
        e = R.concat((a, b), axis=1)
        R.output(c, d, e)
    return (c, d, e)
""",
    "extern calls": """
@R.function(pure=False)
def main(x: R.Tensor(("n", 4), "float32")):
    n = T.int64()
    a = R.call_pure_packed("f", x, R.prim_value(3), R.str("k"), ty_args=R.Tensor((n, 2), "float32"))
    b = R.call_dps_packed("g", (x, a), out_ty=R.Tensor((n, 3), "float32"))
    c = R.call_dps_packed("h", (x,), out_ty=[R.Tensor((n, 3), "float32"), R.Tensor((2,), "int32")])
    d = c[0]
    e = R.call_packed("i", b, ty_args=R.Any)
    u = R.call_packed("j", e, d, ty_args=R.Tuple(R.Tensor((n,), "float32"), R.Any))
    return (d, u)
""",
    "functions as arguments": """
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32"), f: R.Callable([R.Prim("int64"), R.Any], R.Any), g: R.Callable([R.Any], R.Tuple([]), False)):
    a = f(R.prim_value(1), x)
    b = R.match_cast(a, R.Tensor((4,), "float32"))
    c = g(b)
    return b
""",
    "scalars": """
@R.function
def main(n: R.Prim("int64"), f: R.Prim("float32"), x: R.Tensor((4,), "float32")):
    with R.dataflow():
        z = R.add(x, x)
        R.output(z)
    return z
""",
    "attributes": """
@R.function(private=True)
def main(x: R.Tensor((4,), "float32")):
    R.func_attr({"num_input": 0, "Composite": "a.b", "relax.force_pure": True, "level": 3, "list": [1, "a"]})
    with R.dataflow():
        z = R.add(x, x)
        R.output(z)
    return z
""",
    "functions that call each other": """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: R.Tensor(("a", "b"), "float32")) -> R.Tuple(R.Tensor(("b", "a"), "float32"), R.Tensor(("a", "b"), "float32")):
        with R.dataflow():
            y = R.permute_dims(x)
            R.output(y)
        return (y, x)

    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 3), "float32")):
        cls = Module
        R.func_attr({"num_input": 1})
        with R.dataflow():
            p = cls.inner(x)
            q = p[0]
            r = cls.inner(w)
            R.output(q, r)
        return (q, r)
""",
}

_KERNELS = """
def build():
    builder = relax.BlockBuilder()
    n = tvm.tirx.Var("n", "int64")
    x = relax.Var("x", relax.TensorType((n, 4), "float32"))
    w = relax.Var("w", relax.TensorType((8, 4), "float32"))
    with builder.function("main", [x, w], attrs={"num_input": 1}):
        with builder.dataflow():
            t = builder.emit_te(topi.transpose, w)
            y = builder.emit(relax.op.matmul(x, t))
            z = builder.emit_te(topi.add, y, y)
            s = builder.emit_te(topi.sum, z, 1)
            p = builder.emit_te(topi.split, w, 2, 1)
            gv = builder.emit_output(relax.Tuple([z, s, p]))
        builder.emit_func_output(gv)
    return relax.transform.AnnotateTIROpPattern()(builder.get())
"""


def read(text: str) -> Any:
    """Returns the IRModule of a script: a module, or one function `main`."""
    import tvm
    from tvm.script import ir as I
    from tvm.script import relax as R
    from tvm.script import tirx as T

    parsed = tvm.script.from_source(text, {"R": R, "T": T, "I": I, "TypeVar": TypeVar})
    return parsed if isinstance(parsed, tvm.ir.IRModule) else tvm.ir.IRModule({"main": parsed})


def kernels() -> Any:
    """Returns a module with kernels made by TVM's operator inventory."""
    import tvm
    from tvm import relax, topi

    names: dict[str, Any] = {"tvm": tvm, "relax": relax, "topi": topi}
    exec(_KERNELS, names)
    return names["build"]()
