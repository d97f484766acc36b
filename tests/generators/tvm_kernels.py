"""Kernels of TVM: written by hand, one form each, and as TVM's own legalization makes them of op cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from harness.op_cases import Case, module_of
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_relax.dialects.relax.attrs import ShapeType
from xdsl_relax.dialects.relax.ops.core import ShapeOp
from xdsl_relax.frontend.tvm import to_relax

from generators.tvm_modules import read


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kernel:
    """A kernel: its inputs by name, what it computes of them, and what it becomes.

    It is written in TVM's script: the whole `body` that fills the result `y`, or the `element` of `y` at `vi` or `vi, vj`.
    """

    name: str = dataclasses.field(kw_only=False)
    inputs: Mapping[str, Any] = dataclasses.field(kw_only=False)
    expected: Callable[..., Any] = dataclasses.field(kw_only=False)
    body: str = ""
    element: str = ""
    holds: tuple[str, ...] = ("linalg.generic",)
    lacks: tuple[str, ...] = ("scf.for", "scf.if", "tensor.extract %")

    def text(self, sizes: Sequence[int]) -> str:
        """Returns the statements of the kernel, whose result has these sizes."""
        if not self.element:
            return self.body
        loops, places = ", ".join("ij"[: len(sizes)]), ", ".join(("vi", "vj")[: len(sizes)])
        kinds = "S" * len(sizes)
        return f"""
for {loops} in {"range" if len(sizes) == 1 else "T.grid"}({", ".join(map(str, sizes))}):
    with T.sblock("y"):
        {places} = T.axis.remap("{kinds}", [{loops}])
        y[{places}] = {self.element}
"""

    def module(self) -> Any:
        """Returns a module whose `@main` calls the kernel with its inputs."""
        result = np.asarray(self.expected(*self.inputs.values()))
        buffers = ", ".join(f"{name}: T.Buffer{_type(value)}" for name, value in {**self.inputs, "y": result}.items())
        params = ", ".join(f"{name}: R.Tensor{_type(value)}" for name, value in self.inputs.items())
        body = "\n".join(f"        {line}" for line in self.text(result.shape).strip("\n").splitlines())
        return read(f"""
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def kernel({buffers}):
        T.func_attr({{"op_pattern": 4}})
{body}

    @R.function
    def main({params}):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.kernel, ({"".join(f"{name}, " for name in self.inputs)}), out_ty=R.Tensor{_type(result)})
            R.output(gv)
        return gv
""")


def _type(value: Any) -> str:
    shape = ", ".join(map(str, np.shape(value)))
    return f'(({shape}{"," if np.ndim(value) == 1 else ""}), "{np.asarray(value).dtype}")'


def free_of_shapes(module: Any) -> Any:
    """Writes shape arguments where they are used: TVM legalizes no shapes that are variables."""
    for function in module.body.block.ops:
        assert isinstance(function, func.FuncOp)
        block = function.body.block
        for arg in list(block.args)[::-1]:
            if isinstance(arg.type, ShapeType):
                op = ShapeOp.build_from(result_types=[arg.type])
                Rewriter.insert_op(op, InsertPoint.at_start(block))
                arg.replace_all_uses_with(op.result)
                block.erase_arg(arg)
        inputs = [arg.type for arg in block.args]
        function.function_type = FunctionType.from_lists(inputs, function.function_type.outputs.data)
    return module


def without_symbols(case: Case) -> Case:
    """Returns a case with its symbols replaced by their sizes."""
    args = [
        dataclasses.replace(arg, dims=tuple(case.sizes[dim] if isinstance(dim, str) else dim for dim in arg.dims))
        for arg in case.args
    ]
    return dataclasses.replace(case, args=args)


def legalized(cases: list[Case]) -> Any:
    """Returns TVM's module of the functions `case_<i>`, with every op as a call of a kernel where TVM has one."""
    import tvm

    module = to_relax(free_of_shapes(module_of(cases)))
    return tvm.relax.transform.AnnotateTIROpPattern()(tvm.relax.transform.LegalizeOps()(module))


def virtual_machine(module: Any) -> Any:
    """Returns TVM's machine for a module, on the CPU."""
    import tvm

    return tvm.relax.VirtualMachine(tvm.relax.build(module, target="llvm"), tvm.cpu())  # pyright: ignore[reportArgumentType]


def call(machine: Any, name: str, inputs: list[Any]) -> list[Any]:
    """Returns the arrays that TVM computes."""
    import tvm

    return leaves(machine[name](*[tvm.runtime.tensor(np.asarray(value, order="C")) for value in inputs]))


def leaves(value: Any) -> list[Any]:
    """Returns the arrays in nested tuples of results, TVM's or ours."""
    if isinstance(value, np.ndarray | np.generic):
        return [np.asarray(value)]
    if hasattr(value, "numpy"):
        return [value.numpy()]
    return [leaf for item in value for leaf in leaves(item)]


X = np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8)
W = np.cos(np.arange(48, dtype=np.float32)).reshape(6, 8)
I = np.array([2, 0, 3], dtype=np.int64)  # noqa: E741
B = np.arange(0, 250, 10, dtype=np.uint8)

KERNELS = (
    Kernel(
        "element-wise",
        {"x": X},
        lambda x: np.tanh(x) * 2 + np.maximum(x, 0),
        element="T.tanh(x[vi, vj]) * T.float32(2) + T.max(x[vi, vj], T.float32(0))",
    ),
    Kernel(
        "ties are rounded to even",
        {"k": I},
        lambda k: np.array([2, 0, 4], np.float32),
        element='T.round(T.Cast("float32", k[vi]) + T.float32(0.5))',
        holds=("math.roundeven",),
    ),
    Kernel(
        "matmul",
        {"x": X, "w": W},
        lambda x, w: x @ w.T,
        body="""
for i, j, k in T.grid(4, 6, 8):
    with T.sblock("y"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            y[vi, vj] = T.float32(0)
        y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vj, vk]
""",
        holds=("linalg.fill", "linalg.generic", '"parallel", "parallel", "reduction"', "arith.mulf", "arith.addf"),
    ),
    Kernel(
        "reduction that starts from a tensor",
        {"x": X, "w": W},
        lambda x, w: np.maximum(x.max(1), w[:4, 0]),
        body="""
for i, k in T.grid(4, 8):
    with T.sblock("y"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            y[vi] = w[vi, 0]
        y[vi] = T.max(y[vi], x[vi, vk])
""",
        holds=("arith.maximumf", '["parallel", "reduction"]', '["parallel"]'),
    ),
    Kernel(
        "two outputs of one block",
        {"x": np.sin(X * 7)},
        lambda x: x.argmax(1),
        body="""
at = T.sblock_alloc_buffer((4,), "int64")
best = T.sblock_alloc_buffer((4,), "float32")
for i, k in T.grid(4, 8):
    with T.sblock("best"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            at[vi] = T.int64(-1)
            best[vi] = T.float32(-1e30)
        nat: T.let[T.int64] = T.Select(best[vi] >= x[vi, vk], at[vi], T.Cast("int64", vk))
        nbest: T.let[T.float32] = T.Select(best[vi] >= x[vi, vk], best[vi], x[vi, vk])
        at[vi] = nat
        best[vi] = nbest
for i in range(4):
    with T.sblock("y"):
        vi = T.axis.spatial(4, i)
        y[vi] = at[vi]
""",
        holds=("arith.select", "outs(%"),
    ),
    Kernel(
        "window",
        {"x": X},
        lambda x: np.stack([x[:, 2 * j : 2 * j + 4].sum(1) for j in range(3)], 1),
        body="""
for i, j, k in T.grid(4, 3, 4):
    with T.sblock("y"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            y[vi, vj] = T.float32(0)
        y[vi, vj] = y[vi, vj] + x[vi, vj * 2 + vk]
""",
        holds=("((d1 * 2) + d2)", "tensor.empty() : tensor<4xf32>"),
    ),
    Kernel(
        "slice",
        {"x": X},
        lambda x: x[:2, 5:] - x[:2, :4:-1],
        element="x[vi, vj + 5] - x[vi, 7 - vj]",
        holds=("tensor.extract_slice", "(d1 + 5)"),
    ),
    Kernel(
        "condition that keeps from reading out of bounds",
        {"x": X},
        lambda x: np.pad(x, ((0, 0), (1, 1))),
        element="T.if_then_else(1 <= vj and vj < 9, x[vi, vj - 1], T.float32(0))",
        holds=("linalg.generic", "scf.if", "tensor.extract %"),
        lacks=("scf.for",),
    ),
    Kernel(
        "condition that keeps from nothing",
        {"x": X},
        np.tril,
        element="T.if_then_else(vj <= vi, x[vi, vj], T.float32(0))",
        holds=("linalg.index", "arith.select"),
    ),
    Kernel(
        "element at a place that is data",
        {"x": X, "k": I},
        lambda x, k: x[k],
        element="x[k[vi], vj]",
        holds=("linalg.generic", "tensor.extract"),
        lacks=("scf.for",),
    ),
    Kernel(
        "sequential loop",
        {"x": X},
        lambda x: np.cumsum(x, 1),
        body="""
for i in T.parallel(4):
    for j in range(8):
        y[i, j] = x[i, j]
        if j > 0:
            y[i, j] = y[i, j] + y[i, j - 1]
""",
        holds=("scf.for", "scf.if", "tensor.insert"),
        lacks=("linalg.generic",),
    ),
    Kernel(
        "writes at places that are data",
        {"x": X, "k": I},
        lambda x, k: x + np.isin(np.arange(4), k)[:, None],
        body="""
for i, j in T.grid(4, 8):
    with T.sblock("copy"):
        vi, vj = T.axis.remap("SS", [i, j])
        y[vi, vj] = x[vi, vj]
for i, j in T.grid(3, 8):
    with T.sblock("write"):
        vi, vj = T.axis.remap("SS", [i, j])
        y[k[vi], vj] = y[k[vi], vj] + T.float32(1)
""",
        holds=("linalg.generic", "scf.for", "tensor.insert"),
        lacks=("scf.if",),
    ),
    Kernel(
        "loop until data says so",
        {"k": I},
        lambda k: np.ceil(np.sqrt(k)).astype(np.int64) + k * (k - 1) // 2,
        body="""
for i in range(3):
    with T.sblock("y"):
        vi = T.axis.spatial(3, i)
        y[vi] = T.int64(0)
        while y[vi] * y[vi] < k[vi]:
            y[vi] = y[vi] + T.int64(1)
        for j in range(k[vi]):
            y[vi] = y[vi] + j
""",
        holds=("scf.while", "scf.for"),
        lacks=("linalg.generic",),
    ),
    Kernel(
        "block that is not entered everywhere",
        {"x": X},
        lambda x: 3 * x,
        body="""
for i, j, k in T.grid(4, 2, 5):
    with T.sblock("y"):
        T.where(j * 5 + k < 8)
        vi = T.axis.spatial(4, i)
        vj = T.axis.spatial(8, j * 5 + k)
        y[vi, vj] = x[vi, vj] * T.float32(3)
""",
        holds=("scf.for", "scf.if"),
        lacks=("linalg.generic",),
    ),
    Kernel(
        "unsigned integers",
        {"x": B},
        lambda x: np.maximum(x, 100) // 3 + x // 2,
        element='T.max(x[vi], T.uint8(100)) // T.uint8(3) + T.Cast("uint8", T.Cast("float32", x[vi]) / T.float32(2))',
        holds=("arith.maxui", "arith.divui", "arith.uitofp"),
    ),
    Kernel(
        "division by zero",
        {"k": I},
        lambda k: np.array([3 - 1, 0, 2 - 1]),
        element="T.int64(7) // k[vi] + T.truncmod(T.int64(-7), k[vi])",
    ),
    Kernel(
        "nothing but a constant",
        {},
        lambda: np.full((4, 2), 3, np.float32),
        element="T.float32(3)",
        holds=("linalg.fill",),
        lacks=("linalg.generic",),
    ),
)
