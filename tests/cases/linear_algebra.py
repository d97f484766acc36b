"""Cases of linear algebra; oracles are numpy's einsum and matmul in float64 or int64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.dtypes import INTEGERS, NUMERIC, numpy_dtype, ui8, ui32
from xdsl_relax.dialects.relax.ops import linear_algebra as la


def wrapped(function, element):
    """Returns the function with its integer result reduced to the width of an element type."""
    if element not in INTEGERS:
        return function
    return lambda *args: function(*args).astype(numpy_dtype(element))


def einsum(name, subscripts, *dims, element: Attribute = f32, in_numpy: str = "", **sizes):
    """A case, with other subscripts for numpy where it does not take those."""
    return Case(f"einsum-{name}", la.EinsumOp, [Arg(shape, element) for shape in dims],
                wrapped(lambda *args: np.asarray(np.einsum(in_numpy or subscripts, *args)), element),
                {"subscripts": subscripts}, sizes)  # fmt: skip


def matmul(name, lhs, rhs, element: Attribute = f32, out=None, **sizes):
    return Case(f"matmul-{name}", la.MatmulOp, [Arg(lhs, element), Arg(rhs, element)],
                wrapped(lambda a, b: np.asarray(a @ b), out or element), {"out_dtype": out}, sizes)  # fmt: skip


def linear(name, data, weight, *bias, element: Attribute = f32, out=None, **sizes):
    args = [Arg(data, element), Arg(weight, element), *(Arg(shape, out or element) for shape in bias)]
    return Case(f"linear-{name}", la.LinearOp, args,
                wrapped(lambda x, w, *b: np.asarray(x @ w.T) + sum(b), out or element),
                {"out_dtype": out}, sizes)  # fmt: skip


CASES = (
    *(matmul(f"{e}", ("n", 7), (7, 5), e, n=3) for e in NUMERIC),
    matmul("vectors", (5,), (5,)),
    matmul("vector-matrix", (5,), (5, 3)),
    matmul("matrix-vector", ("n", 5), (5,), n=2),
    matmul("vector-batch", (5,), (2, 5, 3)),
    matmul("batch-vector", ("b", 2, 5), (5,), b=3),
    matmul("batch", ("b", 2, 5), ("b", 5, 3), b=3),
    matmul("broadcast", ("b", 1, 2, 5), (4, 5, 3), b=2),
    matmul("broadcast-one", (1, 2, 5), ("b", 5, 3), b=3),
    matmul("empty-k", (2, "k"), ("k", 3), k=0),
    matmul("empty", ("n", 3), (3, 2), n=0),
    matmul("i8-i32", (3, 9), (9, 4), i8, i32),
    matmul("ui8-i32", (3, 9), (9, 4), ui8, i32),
    matmul("ui8-ui32", (3, 9), (9, 4), ui8, ui32),
    matmul("i16-f32", (3, 9), (9, 4), i16, f32),
    matmul("f16-f32", (3, 9), (9, 4), f16, f32),
    matmul("bf16-f32", (3, 9), (9, 4), bf16, f32),
    matmul("f32-f16", (3, 9), (9, 4), f32, f16),
    matmul("f32-f64", (3, 9), (9, 4), f32, f64),
    *(linear(f"{e}", ("n", 6), (4, 6), (4,), element=e, n=3) for e in (*FLOATS, i8, i64)),
    linear("plain", (2, "n", 6), (4, 6), n=3),
    linear("vector", (6,), (4, 6), (4,)),
    linear("vector-weight", ("n", 6), (6,), n=3),
    linear("out", (2, 6), (4, 6), (4,), element=f16, out=f32),
    *(einsum(f"{e}", "ij,jk->ik", ("n", 4), (4, 3), element=e, n=2) for e in (*FLOATS, i8, i32, ui8)),
    einsum("batch", "bhqd,bhkd->bhqk", ("b", 2, 3, 4), ("b", 2, 5, 4), b=2),
    einsum("implicit", "ij,jk", (2, 3), (3, 4)),
    einsum("implicit-sorted", "ba", (2, 3)),
    einsum("transpose", "ijk->kij", (2, "n", 4), n=3),
    einsum("trace", "ii->", (3, 3), element=f16),
    einsum("diagonal", "ii->i", ("n", "n"), n=3),
    einsum("diagonal-batch", "bii->bi", ("b", 3, 3), b=2),
    einsum("sum", "ij->", ("n", 3), element=i32, n=2),
    einsum("row-sum", "ij->i", ("n", 3), element=bf16, n=2),
    einsum("ellipsis", "...ij,...jk->...ik", (5, 1, 2, 3), (4, 3, 2)),
    einsum("ellipsis-summed", "...ik,...j->ij", ("n", 4, 3), (2, 5), in_numpy="zik,zj->ij", n=2),
    einsum("ellipsis-implicit", "...ij,j", ("n", 2, 3), (3,), n=2),
    einsum("ellipsis-middle", "i...j->j...i", (2, 5, 3)),
    einsum("outer", "i,j->ij", ("n",), (3,), n=2),
    einsum("hadamard", "ij,ij->ij", (2, 3), (2, 3)),
    einsum("private", "ij,kl->il", (2, 3), (4, 5)),
    einsum("three", "ij,jk,kl->il", (2, "n"), ("n", 4), (4, 5), n=3),
    einsum("three-f16", "ij,jk,kl->il", (2, 3), (3, 4), (4, 5), element=f16),
    einsum("four", "i,ij,j,j->", (3,), (3, 4), (4,), (4,)),
    einsum("repeated", "iij,jk->ik", (3, 3, 2), (2, 2)),
    einsum("scalars", ",i->i", (), (3,)),
    einsum("ones", "ij,ij->ij", (1, 3), (2, 3)),
    *(Case(f"outer-{e}", la.OuterOp, [Arg(("n",), e), Arg((4,), e)], wrapped(np.multiply.outer, e), sizes={"n": 3})
      for e in NUMERIC),
)  # fmt: skip
