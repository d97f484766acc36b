"""Kernels of `nn.te`, run natively and in the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xdsl_relax
from xdsl_relax.frontend import nn
from xdsl_relax.interpreter.engine import Interpreter


def computed(kernel: Callable[..., Any], arrays: list[np.ndarray], dynamic: bool, kind: str, sizes: Any = ()) -> Any:
    """Returns what a kernel makes of arrays, whose sizes are known or symbols; `sizes` are further arguments."""

    class Model(nn.Module):
        def forward(self, xs: Any, ns: Any) -> Any:
            return nn.op.tensor_expr_op(kernel, "kernel", [*xs, *ns])

    names = {size: f"d{size}" for array in arrays for size in array.shape}
    shapes = [[names[size] if dynamic else size for size in array.shape] for array in arrays]
    tensors = tuple(nn.spec.Tensor(shape, array.dtype.name) for shape, array in zip(shapes, arrays, strict=True))
    module, _ = Model().export({"forward": {"xs": tensors, "ns": tuple(int for _ in sizes)}})
    arguments = (tuple(arrays), tuple((size,) for size in sizes))
    if kind == "native":
        return xdsl_relax.compile(module)["forward"](*arguments)
    return Interpreter(module).call("forward", *arguments)[0]
