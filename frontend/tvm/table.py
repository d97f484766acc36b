"""How each op is written in Relax: one row per op, read by the importer and the exporter alike.

A row lists the arguments of Relax's call in order and the fields of its attribute node. Names of ops and attributes are the same on both
sides; a field with another name, or one that has to be given although the dialect lets its default away, is named in the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Operand:
    """An argument that is one operand; an optional one may be missing at the end."""

    optional: bool = False


@dataclass(frozen=True)
class Operands:
    """A tuple argument, whose fields are the operands."""


@dataclass(frozen=True)
class Number:
    """A number argument that is a property; `default` is what Relax gets when the property is left out."""

    name: str
    default: Any = None
    optional: bool = False
    typed: bool = False
    """Whether the type of the property is the dtype of the argument."""


@dataclass(frozen=True)
class Row:
    """An op: arguments, the type key of the attribute node, and what its fields are when the property is left out."""

    args: tuple[Operand | Operands | Number, ...]
    attrs: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """All fields of the attribute node; an upper-case string names another property whose value is the default."""


X = Operand()
V = Operands()

_UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp floor isfinite isinf isnan log logical_not negative
round rsqrt sigmoid sign sin sinh sqrt square tan tanh flatten nonzero shape_of shape_to_tensor tensor_to_shape
nn.relu nn.gelu nn.gelu_tanh nn.silu nn.selu builtin.stop_lift_params"""

_BINARY = """add subtract multiply divide floor_divide power mod floor_mod maximum minimum log_add_exp equal not_equal less less_equal
greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift outer
reshape broadcast_to collapse_sum_to nn.cross_entropy_with_logits"""


def _each(names: str, args: Iterable[Any], attrs: str | None = None, **defaults: Any) -> dict[str, Row]:
    return {f"relax.{name}": Row(tuple(args), attrs and f"relax.attrs.{attrs}", defaults) for name in names.split()}


_ELEMENTWISE = {
    **_each(_UNARY, [X]),
    **_each(_BINARY, [X, X]),
    **_each("where", [X, X, X]),
    **_each("clip", [X, Number("min"), Number("max")]),
    **_each("astype", [X], "AstypeAttrs", dtype=None),
    **_each("nn.leakyrelu", [X], "LeakyReluAttrs", alpha=0.01),
    **_each("nn.prelu", [X, X], "PReluAttrs", axis=1),
    **_each("nn.softplus", [X], "SoftplusAttrs", beta=1.0, threshold=20.0),
    **_each("nn.softmax nn.log_softmax", [X], "SoftmaxAttrs", axis=-1),
    **_each("nn.dropout", [X], "DropoutAttrs", rate=0.5),
}

_MANIPULATE = {
    **_each("matmul", [X, X], "MatmulAttrs", out_dtype=None),
    **_each("einsum", [V], "EinsumAttrs", subscripts=None),
    **_each("permute_dims", [X], "PermuteDimsAttrs", axes=None),
    **_each("expand_dims", [X], "ExpandDimsAttrs", axis=None),
    **_each("squeeze", [X], "SqueezeAttrs", axis=None),
    **_each("concat", [V], "ConcatAttrs", axis=0),
    **_each("stack", [V], "StackAttrs", axis=0),
    **_each("repeat", [X], "RepeatAttrs", repeats=None, axis=None),
    **_each("tile", [X], "TileAttrs", repeats=None),
    **_each("flip", [X], "FlipAttrs", axis=None),
    **_each("meshgrid", [V], "MeshgridAttrs", indexing="ij"),
    **_each("nn.pad", [X], "PadAttrs", pad_width=None, pad_value=0.0, pad_mode="constant"),
}

_INDEXING = {
    **_each("take", [X, X], "TakeAttrs", axis=None, mode="fast"),
    **_each("dynamic_strided_slice", [X, X, X, X]),
    **_each("gather_elements", [X, X], "GatherElementsAttrs", axis=0),
    **_each("gather_nd", [X, X], "GatherNDAttrs", batch_dims=0),
    **_each("scatter_elements", [X, X, X], "ScatterElementsAttrs", axis=0, reduction="update"),
    **_each("scatter_nd", [X, X, X], "ScatterNDAttrs", reduction="update"),
    **_each("index_tensor", [X, V]),
    **_each(
        "one_hot",
        [X, Number("on_value", typed=True), Number("off_value", typed=True)],
        "OneHotAttrs",
        depth=None,
        axis=-1,
    ),
}

_QUANTIZATION = {
    **_each("quantize", [X, X, X], "QuantizeAttrs", out_dtype="int8", axis=-1),
    **_each("dequantize", [X, X, X], "QuantizeAttrs", out_dtype="float32", axis=-1),
}

_REDUCTION = {
    **_each("sum prod mean max min variance std", [X], "StatisticalAttrs", axis=None, keepdims=False),
    **_each("argmax argmin", [X], "ArgmaxArgminAttrs", axis=None, keepdims=False),
    **_each("cumsum cumprod", [X], "ScanopAttrs", axis=None, dtype=None, exclusive=False),
    **_each("sort", [X], "SortAttrs", axis=-1, descending=False),
    **_each("argsort", [X], "ArgsortAttrs", axis=-1, descending=False, dtype="int32"),
    **_each("topk", [X], "TopKAttrs", k=1, axis=-1, ret_type="both", largest=True, dtype="int32"),
    **_each(
        "unique",
        [
            X,
            Number("sorted", True),
            Number("return_index", False),
            Number("return_inverse", False),
            Number("return_counts", False),
            Number("axis", optional=True),
        ],
    ),
}

_CREATE = {
    **_each("zeros ones", [X], "InitAttrs", dtype=None),
    **_each("full", [X, X], "InitAttrs", dtype=None),
    **_each("zeros_like ones_like", [X], "InitAttrs", dtype=None),
    **_each("full_like", [X, X], "InitAttrs", dtype=None),
    **_each("eye_like", [X, Number("k", 0)], "InitAttrs", dtype=None),
    **_each("tril triu", [X, Number("k", 0)]),
}

_NORM: dict[str, Any] = {"epsilon": 1e-5, "center": True, "scale": True}

_NN = {
    **_each("nn.layer_norm", [X, X, X], "LayerNormAttrs", axes=None, **_NORM),
    **_each("nn.rms_norm", [X, X], "RMSNormAttrs", axes=None, epsilon=1e-5),
    **_each("nn.group_norm", [X, X, X], "GroupNormAttrs", num_groups=None, channel_axis=None, axes=None, **_NORM),
    **_each("nn.instance_norm", [X, X, X], "InstanceNormAttrs", channel_axis=None, axes=None, **_NORM),
    **_each("nn.batch_norm", [X] * 5, "BatchNormAttrs", axis=None, **_NORM, momentum=0.1, training=True),
    **_each("nn.attention", [X, X, X], "AttentionAttrs", scale=None, causal_mask=None, window_size=None),
    **_each("nn.attention_bias", [X] * 4, "AttentionAttrs", scale=None, causal_mask=None, window_size=None),
    **_each("nn.nll_loss", [X, X, Operand(optional=True)], "NLLLossAttrs", reduction="mean", ignore_index=-100),
    **_each("ccl.allreduce", [X], "AllReduceAttrs", op_type="sum", in_group=True),
    **_each("ccl.allgather", [X], "AllGatherAttrs", num_workers=None, in_group=True),
    **_each("ccl.broadcast_from_worker0", [X]),
    **_each(
        "image.resize2d",
        [X, X],
        "Resize2DAttrs",
        roi=(0.0, 0.0, 0.0, 0.0),
        layout="NCHW",
        method="linear",
        coordinate_transformation_mode="half_pixel",
        rounding_method="round",
        cubic_alpha=-0.75,
        cubic_exclude=0,
        extrapolation_value=0.0,
        out_dtype=None,
    ),
}


def _windows() -> dict[str, Row]:
    """Convolutions and pooling of one to three spatial dims."""
    rows: dict[str, Row] = {}
    for rank, spatial in ((1, "W"), (2, "HW"), (3, "DHW")):
        ones, zeros, layout = (1,) * rank, (0,) * (2 * rank), f"NC{spatial}"
        common: dict[str, Any] = {"strides": ones, "padding": zeros, "dilation": ones}
        conv = {**common, "groups": 1, "data_layout": layout, "out_layout": "DATA_LAYOUT", "out_dtype": None}
        rows |= _each(f"nn.conv{rank}d", [X, X], f"Conv{rank}DAttrs", **conv, kernel_layout=f"OI{spatial}")
        rows |= _each(
            f"nn.conv{rank}d_transpose",
            [X, X],
            f"Conv{rank}DTransposeAttrs",
            **conv,
            kernel_layout=f"IO{spatial}",
            output_padding=(0,) * rank,
        )
        pool = {**common, "pool_size": ones, "ceil_mode": False, "layout": layout, "out_layout": "LAYOUT"}
        rows |= _each(f"nn.max_pool{rank}d", [X], f"Pool{rank}DAttrs", **pool, count_include_pad=False)
        rows |= _each(f"nn.avg_pool{rank}d", [X], f"Pool{rank}DAttrs", **pool, count_include_pad=rank != 2)
        rows |= _each(
            f"nn.adaptive_avg_pool{rank}d",
            [X],
            f"AdaptivePool{rank}DAttrs",
            output_size=None,
            layout=layout,
            out_layout="LAYOUT",
        )
    return rows


TABLE: dict[str, Row] = {
    **_ELEMENTWISE,
    **_MANIPULATE,
    **_INDEXING,
    **_QUANTIZATION,
    **_REDUCTION,
    **_CREATE,
    **_NN,
    **_windows(),
}
"""Every op that a row describes; `importer/calls.py` and `exporter/ops.py` have the rest."""
