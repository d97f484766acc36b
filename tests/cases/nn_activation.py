"""Cases of the activations; the oracle is torch in float64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f32, i8, i64
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.nn import activation as nn

SPECIAL = np.array([0.0, -0.0, 1e-8, -1e-8, 0.3, -0.3, 3.0, -3.0, 30.0, -30.0, np.inf, -np.inf, np.nan])


def torch_of(name, **options):
    """Returns a function of torch.nn.functional as a function of numpy arrays."""

    def call(*arrays):
        import torch

        return getattr(torch.nn.functional, name)(*map(torch.from_numpy, arrays), **options).numpy()

    return call


def _special(rng, shape):
    return np.resize(SPECIAL, shape)


_PLAIN = (
    ("relu", nn.ReluOp, {}, torch_of("relu")),
    ("leaky_relu", nn.LeakyReluOp, {}, torch_of("leaky_relu")),
    ("leaky_relu_alpha", nn.LeakyReluOp, {"alpha": 0.2}, torch_of("leaky_relu", negative_slope=0.2)),
    ("gelu", nn.GeluOp, {}, torch_of("gelu")),
    ("gelu_tanh", nn.GeluTanhOp, {}, torch_of("gelu", approximate="tanh")),
    ("silu", nn.SiluOp, {}, torch_of("silu")),
    ("selu", nn.SeluOp, {}, torch_of("selu")),
    ("softplus", nn.SoftplusOp, {}, torch_of("softplus")),
    ("softplus_beta", nn.SoftplusOp, {"beta": 2.5, "threshold": 3.0}, torch_of("softplus", beta=2.5, threshold=3.0)),
)

CASES = (
    *(
        Case(f"{name}-{element}", op, [Arg(("n", 13), element, _special if element == f32 else None)], oracle, attrs,
             {"n": 3})
        for name, op, attrs, oracle in _PLAIN
        for element in FLOATS
    ),
    Case("relu-i8", nn.ReluOp, [Arg((7,), i8)], torch_of("relu")),
    Case("relu-i64", nn.ReluOp, [Arg((2, 3), i64)], torch_of("relu")),
    Case("relu-ui8", nn.ReluOp, [Arg((7,), ui8, lambda rng, shape: rng.integers(0, 256, shape))], lambda x: x),
    Case("relu-scalar", nn.ReluOp, [Arg(())], torch_of("relu")),
    *(
        Case(f"prelu-{element}", nn.PReluOp, [Arg(("n", "c", 5), element), Arg(("c",), element)], torch_of("prelu"),
             sizes={"n": 2, "c": 3})
        for element in FLOATS
    ),
    Case("prelu-last", nn.PReluOp, [Arg((2, 3, 5)), Arg((5,))],
         lambda x, a: np.where(x > 0, x, a * x), {"axis": -1}),
    Case("prelu-one", nn.PReluOp, [Arg((4, 3)), Arg((1,))], torch_of("prelu")),
    Case("prelu-vector", nn.PReluOp, [Arg((6,)), Arg((6,))], lambda x, a: np.where(x > 0, x, a * x)),
)  # fmt: skip
