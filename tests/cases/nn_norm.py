"""Cases of the normalizations; the oracle is torch in float64, or the formula where torch differs."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.ops.nn import norm as nn


def _torch(name, *args):
    import torch

    given = [torch.from_numpy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    return getattr(torch.nn.functional, name)(*given).numpy()


def _layer_norm(x, gamma, beta):
    return _torch("layer_norm", x, gamma.shape, gamma, beta, 1e-5)


def _rms_norm(x, weight):
    return _torch("rms_norm", x, weight.shape, weight, 1e-5)


def _l2_normalize(axis, eps=1e-12):
    return lambda x: x / np.sqrt(np.maximum((x * x).sum(axis, keepdims=True), eps))


def _group_norm(groups, epsilon):
    return lambda x, gamma, beta: _torch("group_norm", x, groups, gamma, beta, epsilon)


def _instance_norm(x, gamma, beta):
    return _torch("instance_norm", x, None, None, gamma, beta)


def _batch_norm(training, momentum=0.1, axis=1):
    def formula(x, gamma, beta, moving_mean, moving_var):
        others = tuple(dim for dim in range(x.ndim) if dim != axis)
        shape = [-1 if dim == axis else 1 for dim in range(x.ndim)]
        mean, var = (x.mean(others), x.var(others)) if training else (moving_mean, moving_var)
        y = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + 1e-5) * gamma.reshape(shape) + beta.reshape(shape)
        if not training:
            return y, moving_mean, moving_var
        return y, (1 - momentum) * moving_mean + momentum * mean, (1 - momentum) * moving_var + momentum * var

    return formula


def _shifted(rng, shape):
    return rng.standard_normal(shape) + 30


def _positive(rng, shape):
    return rng.uniform(0.5, 2, shape)


def _batch_args(dims, axis, element):
    vector = (dims[axis],)
    return [Arg(dims, element), Arg(vector, element), Arg(vector, element), Arg(vector, element),
            Arg(vector, element, _positive)]  # fmt: skip


def _affine(dims, parameter, element: Attribute = f32, values=None):
    return [Arg(dims, element, values), Arg(parameter, element), Arg(parameter, element)]


# What relax-simplify-inference puts in the place of batch_norm rounds each op in the element type.
INFERENCE_ERROR = {f16: 0.01, bf16: 0.08}

CASES = (
    *(
        Case(f"layer_norm-{element}", nn.LayerNormOp, _affine(("n", 5, 33), (33,), element), _layer_norm,
             {"axes": [-1]}, {"n": 3})
        for element in FLOATS
    ),
    Case("layer_norm-two", nn.LayerNormOp, _affine((2, "s", 6), ("s", 6)), _layer_norm, {"axes": [1, 2]}, {"s": 5}),
    Case("layer_norm-shifted", nn.LayerNormOp, _affine((3, 64), (64,), f32, _shifted), _layer_norm, {"axes": [1]},
         tolerance=3e-4),
    Case("layer_norm-swapped", nn.LayerNormOp, _affine((2, 3, 4), (4, 3)),
         lambda x, g, b: _layer_norm(x.transpose(0, 2, 1), g, b).transpose(0, 2, 1), {"axes": [2, 1]}),
    Case("layer_norm-middle", nn.LayerNormOp, _affine((2, 3, 4), (3,)),
         lambda x, g, b: _layer_norm(x.transpose(0, 2, 1), g, b).transpose(0, 2, 1), {"axes": [1]}),
    Case("layer_norm-bare", nn.LayerNormOp, _affine((3, 8), (8,)),
         lambda x, g, b: _layer_norm(x, np.ones_like(g), np.zeros_like(b)),
         {"axes": [1], "center": False, "scale": False}),
    *(
        Case(f"rms_norm-{element}", nn.RMSNormOp, [Arg(("n", 5, 33), element), Arg((33,), element)], _rms_norm,
             {"axes": [-1]}, {"n": 3})
        for element in FLOATS
    ),
    *(
        Case(f"l2_normalize-{element}", nn.L2NormalizeOp, [Arg(("n", 5, 33), element)],
             lambda x: _torch("normalize", x, 2.0, -1), {"axis": [-1], "eps": 1e-12}, {"n": 3})
        for element in FLOATS
    ),
    Case("l2_normalize-axes", nn.L2NormalizeOp, [Arg((2, "d", 4))], _l2_normalize((0, 2)), {"axis": [2, 0], "eps": 1e-6},
         {"d": 7}),
    Case("l2_normalize-all", nn.L2NormalizeOp, [Arg((3, 4))], _l2_normalize((0, 1)), {"eps": 1e-6}),
    Case("l2_normalize-small", nn.L2NormalizeOp, [Arg((3, 4))], _l2_normalize(1, 100.0), {"axis": [1], "eps": 100.0}),
    Case("rms_norm-symbolic", nn.RMSNormOp, [Arg((2, "d")), Arg(("d",))], _rms_norm, {"axes": [1]}, {"d": 9}),
    *(
        Case(f"group_norm-{element}", nn.GroupNormOp, _affine(("n", 6, 5, 3), (6,), element), _group_norm(3, 1e-5),
             {"num_groups": 3, "channel_axis": 1, "axes": [2, 3]}, {"n": 2})
        for element in FLOATS
    ),
    Case("group_norm-symbolic", nn.GroupNormOp, _affine((2, "c", "s"), ("c",)), _group_norm(2, 1e-3),
         {"num_groups": 2, "channel_axis": 1, "axes": [2], "epsilon": 1e-3}, {"c": 8, "s": 3}),
    Case("group_norm-last", nn.GroupNormOp, _affine((2, 5, 4), (4,)),
         lambda x, g, b: _group_norm(2, 1e-5)(x.transpose(0, 2, 1), g, b).transpose(0, 2, 1),
         {"num_groups": 2, "channel_axis": -1, "axes": [1]}),
    *(
        Case(f"instance_norm-{element}", nn.InstanceNormOp, _affine((2, "c", 5, 3), ("c",), element), _instance_norm,
             {"channel_axis": 1, "axes": [2, 3]}, {"c": 4})
        for element in (f32, bf16)
    ),
    *(
        Case(f"batch_norm-{element}-{training}", nn.BatchNormOp, _batch_args(("n", 4, 5, 3), 1, element),
             _batch_norm(training), {"axis": 1, "training": training}, {"n": 3},
             native_error=0 if training else INFERENCE_ERROR.get(element, 0))
        for element in FLOATS
        for training in (True, False)
    ),
    Case("batch_norm-last", nn.BatchNormOp, _batch_args((3, 5, "c"), 2, f32), _batch_norm(True, 0.3, 2),
         {"axis": -1, "momentum": 0.3}, {"c": 4}),
    Case("batch_norm-bare", nn.BatchNormOp, _batch_args((3, 5), 1, f16),
         lambda x, g, b, m, v: ((x - m) / np.sqrt(v + 1e-5), m, v),
         {"axis": 1, "training": False, "center": False, "scale": False}, native_error=INFERENCE_ERROR[f16]),
)  # fmt: skip
