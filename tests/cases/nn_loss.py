"""Cases of the loss functions; the oracle is torch in float64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import i8, i32, i64
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.nn import loss as nn


def _cross_entropy(predictions, labels):
    return -(predictions * labels).sum() / (len(predictions) if predictions.ndim > 1 else 1)


def _nll(reduction="mean", ignore_index=-100):
    def oracle(predictions, targets, weights=None):
        import torch

        return torch.nn.functional.nll_loss(
            torch.from_numpy(predictions),
            torch.from_numpy(np.asarray(targets)),
            None if weights is None else torch.from_numpy(weights),
            reduction=reduction,
            ignore_index=ignore_index,
        ).numpy()

    return oracle


def _with_ignored(rng, shape):
    targets = rng.integers(0, 5, shape)
    targets.flat[1] = 3
    targets.flat[2] = -100
    return targets


def _classes(rng, shape):
    return rng.integers(0, 5, shape)


def _wrong_targets(rng, shape):
    return [1, -1, 5, 0]


CASES = (
    *(
        Case(f"cross_entropy-{element}", nn.CrossEntropyWithLogitsOp, [Arg(("n", 7), element), Arg(("n", 7), element)],
             _cross_entropy, {}, {"n": 4})
        for element in FLOATS
    ),
    Case("cross_entropy-vector", nn.CrossEntropyWithLogitsOp, [Arg((9,)), Arg((9,))], _cross_entropy),
    Case("cross_entropy-3d", nn.CrossEntropyWithLogitsOp, [Arg((2, 3, 4)), Arg((2, 3, 4))], _cross_entropy),
    *(
        Case(f"nll_loss-{element}-{reduction}", nn.NLLLossOp,
             [Arg(("n", 5, 3), element), Arg(("n", 3), i64, _with_ignored), Arg((5,), element)],
             _nll(reduction), {"reduction": reduction}, {"n": 4})
        for element in FLOATS
        for reduction in ("mean", "sum", "none")
    ),
    Case("nll_loss-unweighted", nn.NLLLossOp, [Arg(("n", "c")), Arg(("n",), i32, _classes)], _nll(), {},
         {"n": 6, "c": 5}),
    Case("nll_loss-ignore", nn.NLLLossOp, [Arg((6, 5)), Arg((6,), i8, _classes), Arg((5,))],
              _nll(ignore_index=3), {"ignore_index": 3}),
    Case("nll_loss-ui8", nn.NLLLossOp, [Arg((6, 5, 2, 3)), Arg((6, 2, 3), ui8, _classes)], _nll("none"),
         {"reduction": "none"}),
    Case("nll_loss-vector", nn.NLLLossOp, [Arg((5,)), Arg((), i64, _classes), Arg((5,))], _nll("sum"),
         {"reduction": "sum"}),
    Case("nll_loss-vector-mean", nn.NLLLossOp, [Arg((5,)), Arg((), i64, _classes), Arg((5,))], _nll()),
    Case("nll_loss-all-ignored", nn.NLLLossOp, [Arg((2, 5)), Arg((2,), i64, lambda rng, shape: np.full(shape, -100))],
         _nll()),
    Case("nll_loss-no-class", nn.NLLLossOp, [Arg((4, 5)), Arg((4,), i64, _wrong_targets)],
         lambda p, t: np.array([-p[0, 1], np.nan, np.nan, -p[3, 0]]), {"reduction": "none"}),
)  # fmt: skip
