"""Cases of modules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from harness.nn_arguments import IMAGE, SIGNAL, STEPS, VOLUME, X, by_torch, floats, indices, module_case
from harness.nn_cases import Case

from cases.frontend_nn.linear_algebra import attention
from cases.frontend_nn.norm import timesteps


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return by_torch("linear")(x, weight, bias)


def _attended(x: Any, states: Any = None, mask: Any = None, scale: float | None = None, **p: Any) -> Any:
    if "group_norm_weight" in p:
        x = by_torch("group_norm")(x.transpose(1, 2), 2, p["group_norm_weight"], p["group_norm_bias"]).transpose(1, 2)
    states = x if states is None else states
    query, key, value = (
        _linear(given, p[f"{name}_weight"], p.get(f"{name}_bias")).unflatten(-1, (2, -1))
        for name, given in (("to_q", x), ("to_k", states), ("to_v", states))
    )
    return _linear(
        attention(query, key, value, mask, scale=scale).flatten(-2), p["to_out_0_weight"], p.get("to_out_0_bias")
    )


def _time_embedded(x: Any, condition: Any = None, *, cond_proj_weight: Any = None, **p: Any) -> Any:
    if condition is not None:
        x = x + _linear(condition, cond_proj_weight)
    hidden = by_torch("silu")(_linear(x, p["linear_1_weight"], p["linear_1_bias"]))
    return _linear(hidden, p["linear_2_weight"], p["linear_2_bias"])


def _multi_linear(x: Any, weight: Any, bias: Any, sizes: Sequence[int]) -> Any:
    bounds = pairwise(np.cumsum([0, *sizes]).tolist())
    return tuple(_linear(x, weight[low:high], bias[low:high]) for low, high in bounds)


_SYMBOLS = [
    module_case("Linear-symbols", lambda nn: nn.modules.Linear(4, "k"), [X], dtypes=[]),
    module_case(
        "Linear-two-symbols", lambda nn: nn.modules.Linear("k", "d", bias=False), [floats("n", "k")], dtypes=[]
    ),
    module_case("Embedding-symbols", lambda nn: nn.modules.Embedding("k", "d"), [indices(6, "n")], dtypes=[]),
]
"""Exported alone: a parameter has no data before its sizes are known."""

CASES = [
    *_SYMBOLS,
    module_case("ReLU", lambda nn: nn.modules.ReLU(), [X], lambda x: x.relu()),
    module_case("SiLU", lambda nn: nn.modules.SiLU(), [X], lambda x: by_torch("silu")(x)),
    module_case("GELU", lambda nn: nn.modules.GELU(), [X], lambda x: by_torch("gelu")(x)),
    module_case("Identity", lambda nn: nn.modules.Identity(), [X], lambda x: x),
    module_case("Linear", lambda nn: nn.modules.Linear(4, 5), [X], _linear),
    module_case("Linear-plain", lambda nn: nn.modules.Linear(4, 5, bias=False), [floats(2, "n", 4)], _linear),
    module_case("Linear-f32", lambda nn: nn.modules.Linear(4, 5, out_dtype="float32"), [X], _linear),
    module_case(
        "MultiLinear",
        lambda nn: nn.modules.MultiLinear(4, [3, 1, 2]),
        [X],
        lambda x, weight, bias: _multi_linear(x, weight, bias, [3, 1, 2]),
        differs="TVM dropped the module",
    ),
    module_case(
        "Conv1D",
        lambda nn: nn.modules.Conv1D(4, 6, 3, stride=2, padding=1, groups=2),
        [SIGNAL],
        lambda x, weight, bias: by_torch("conv1d")(x, weight, bias, 2, 1, 1, 2),
    ),
    module_case(
        "Conv2D",
        lambda nn: nn.modules.Conv2D(4, 3, 3, padding=1),
        [IMAGE],
        lambda x, weight, bias: by_torch("conv2d")(x, weight, bias, padding=1),
    ),
    module_case(
        "Conv2D-groups",
        lambda nn: nn.modules.Conv2D(4, 6, [2, 3], groups=2, bias=False),
        [IMAGE],
        lambda x, weight: by_torch("conv2d")(x, weight, groups=2),
    ),
    module_case(
        "Conv3D",
        lambda nn: nn.modules.Conv3D(2, 3, 2, stride=2),
        [VOLUME],
        lambda x, weight, bias: by_torch("conv3d")(x, weight, bias, stride=2),
    ),
    module_case(
        "Conv3D-groups",
        lambda nn: nn.modules.Conv3D(2, 4, [1, 2, 3], groups=2),
        [VOLUME],
        lambda x, weight, bias: by_torch("conv3d")(x, weight, bias, groups=2),
        differs="TVM does not divide the channels of the weight by the groups",
    ),
    module_case(
        "ConvTranspose1D",
        lambda nn: nn.modules.ConvTranspose1D(4, 3, 3, stride=2, padding=1, output_padding=1),
        [SIGNAL],
        lambda x, weight, bias: by_torch("conv_transpose1d")(x, weight, bias, 2, 1, 1),
    ),
    module_case(
        "LayerNorm",
        lambda nn: nn.modules.LayerNorm(4),
        [X],
        lambda x, weight, bias: by_torch("layer_norm")(x, (4,), weight, bias),
    ),
    module_case(
        "LayerNorm-plain",
        lambda nn: nn.modules.LayerNorm(4, elementwise_affine=False),
        [X],
        lambda x: by_torch("layer_norm")(x, (4,)),
    ),
    module_case(
        "RMSNorm",
        lambda nn: nn.modules.RMSNorm(4, -1),
        [X],
        lambda x, weight, bias: by_torch("rms_norm")(x, (4,), weight, 1e-5) + bias,
    ),
    module_case(
        "RMSNorm-plain",
        lambda nn: nn.modules.RMSNorm(4, [-1], bias=False),
        [X],
        lambda x, weight: by_torch("rms_norm")(x, (4,), weight, 1e-5),
    ),
    module_case(
        "GroupNorm",
        lambda nn: nn.modules.GroupNorm(2, 4),
        [IMAGE],
        lambda x, weight, bias: by_torch("group_norm")(x, 2, weight, bias),
    ),
    module_case(
        "GroupNorm-plain",
        lambda nn: nn.modules.GroupNorm(2, 4, affine=False),
        [IMAGE],
        lambda x: by_torch("group_norm")(x, 2),
        differs="TVM needs weight and bias",
    ),
    module_case(
        "BatchNorm",
        lambda nn: nn.modules.BatchNorm(4),
        [IMAGE],
        lambda x, weight, bias, running_mean, running_var: by_torch("batch_norm")(
            x, running_mean, running_var, weight, bias
        ),
        differs="TVM has no such module",
    ),
    module_case("Embedding", lambda nn: nn.modules.Embedding(6, 4), [indices(6, "n")], lambda x, weight: weight[x]),
    module_case(
        "Embedding-rows",
        lambda nn: nn.modules.Embedding(6, 4),
        [indices(6, 2, "n", dtype="int32")],
        lambda x, weight: weight[x.long()],
    ),
    module_case("TimestepEmbedding", lambda nn: nn.modules.TimestepEmbedding(4, 6), [X], _time_embedded),
    module_case(
        "TimestepEmbedding-condition",
        lambda nn: nn.modules.TimestepEmbedding(4, 6, out_dim=3, cond_proj_dim=5),
        [X, floats("n", 5)],
        _time_embedded,
    ),
    module_case(
        "TimestepEmbedding-post",
        lambda nn: nn.modules.TimestepEmbedding(4, 6, post_act_fn="silu"),
        [X],
        lambda x, **p: by_torch("silu")(_time_embedded(x, **p)),
        differs="TVM reads post_act before it is set",
    ),
    module_case(
        "Timesteps",
        lambda nn: nn.modules.Timesteps(8, flip_sin_to_cos=True, downscale_freq_shift=0),
        [STEPS],
        lambda x: timesteps(x, 8, True, 0),
        dtypes=["float32"],
        tolerance={"float32": 2e-5},
    ),
    module_case("Attention", lambda nn: nn.modules.Attention(6, heads=2, dim_head=4), [floats(2, 3, 6)], _attended),
    module_case(
        "Attention-cross",
        lambda nn: nn.modules.Attention(6, 5, heads=2, dim_head=4, bias=True, norm_num_groups=2, out_bias=False),
        [floats(2, 3, 6), floats(2, 4, 5)],
        _attended,
    ),
    module_case(
        "Attention-unscaled",
        lambda nn: nn.modules.Attention(6, heads=2, dim_head=4, scale_qk=False),
        [floats(2, 3, 6)],
        lambda x, **p: _attended(x, scale=1.0, **p),
        differs="TVM scales all the same",
        tolerance={"float32": 1e-5, "float16": 1e-2, "bfloat16": 1e-1},
    ),
    Case(
        "Attention-mask",
        [floats(2, 3, 6), floats(2, 2, 3, 3)],
        lambda nn, layer, x, mask: layer(x, attention_mask=mask),
        lambda x, mask, **p: _attended(x, mask=mask, **p),
        lambda nn: nn.modules.Attention(6, heads=2, dim_head=4),
        "TVM takes no mask",
    ),
]
