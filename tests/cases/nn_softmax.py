"""Cases of softmax, log-softmax and dropout; the oracle is torch in float64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32
from xdsl_relax.dialects.relax.ops.nn import softmax as nn

from .nn_activation import torch_of


def _with_special_rows(rng, shape):
    x = rng.standard_normal(shape) * 50
    x[0, 0] = np.nan
    x[1, 1] = np.inf
    x[2] = -np.inf
    x[3, :2] = -np.inf
    return x


CASES = (
    *(
        Case(f"{name}-{element}-{axis}", op, [Arg(("n", 5, 7), element)], torch_of(name, dim=axis), {"axis": axis},
             {"n": 3}, tolerance)
        for name, op in (("softmax", nn.SoftmaxOp), ("log_softmax", nn.LogSoftmaxOp))
        for element, axis, tolerance in (*((element, -1, None) for element in FLOATS), (f32, 0, None), (f16, 1, None))
    ),
    Case("softmax-default", nn.SoftmaxOp, [Arg((4, 33))], torch_of("softmax", dim=1)),
    Case("softmax-vector", nn.SoftmaxOp, [Arg(("n",))], torch_of("softmax", dim=0), {}, {"n": 17}),
    Case("softmax-special", nn.SoftmaxOp, [Arg((5, 4), f32, _with_special_rows)], torch_of("softmax", dim=1)),
    Case("log_softmax-special", nn.LogSoftmaxOp, [Arg((5, 4), f32, _with_special_rows)], torch_of("log_softmax", dim=1)),
    *(Case(f"softmax-special-{axis}", nn.SoftmaxOp, [Arg((5, "n"), f32, _with_special_rows)], torch_of("softmax", dim=axis),
           {"axis": axis}, {"n": 131}) for axis in (0, 1)),
    Case("softmax-large", nn.SoftmaxOp, [Arg((2, 1000), f16, lambda rng, shape: rng.uniform(-1, 1, shape))],
         torch_of("softmax", dim=1)),
    Case("dropout", nn.DropoutOp, [Arg(("n", 3), f16)], lambda x: (x, np.ones_like(x)), {"rate": 0.3}, {"n": 4}),
)  # fmt: skip
