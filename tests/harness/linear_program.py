"""A program of one product, as the public builder writes it."""

from __future__ import annotations

from xdsl_relax.builder import ModuleBuilder, tensor


def linear() -> ModuleBuilder:
    """Returns the builder of `y = x @ w.T`."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["n", 8], "f32"))
        w = f.param("fc.weight", tensor([4, 8], "f32"))
        with f.dataflow() as g:
            transposed = g.permute_dims(w, axes=[1, 0], name="w_t")
            y = g.output(g.matmul(x, transposed, name="y"), name="r")
        f.returns(y)
    return m
