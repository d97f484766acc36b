"""Convolutions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("convolution", "_convolution")
def _convolution(node: Node) -> SSAValue:
    """Converts a node; data may lack the batch."""
    g, transposed = node.g, bool(node["transposed"])
    data, weight = node.x("input"), node.x("weight")
    rank = len(sizes_of(weight)) - 2
    batched = len(sizes_of(data)) == rank + 2
    data = data if batched else g.expand_dims(data, axis=[0])
    if not 1 <= rank <= 3:
        raise Unsupported(f"convolves 1 to 3 spatial dims, got {rank}")
    if not all(isinstance(size, int) for size in sizes_of(weight)[2:]):
        raise Unsupported("the size of the kernel must be a number")
    strides, dilation, padding, extra = (
        spread(node.ints(name), rank) for name in ("stride", "dilation", "padding", "output_padding")
    )
    pads = [*padding, *padding]
    groups = node.int("groups")
    if not transposed:
        result = g.op(f"nn.conv{rank}d", data, weight, strides=strides, padding=pads, dilation=dilation, groups=groups)
    else:
        # Where more is added at the end than a stride has places for, zeros follow.
        surplus = [
            max(item - max(stride, dilated) + 1, 0)
            for item, stride, dilated in zip(extra, strides, dilation, strict=True)
        ]
        result = g.op(
            f"nn.conv{rank}d_transpose",
            data,
            weight,
            strides=strides,
            padding=pads,
            dilation=dilation,
            output_padding=[item - more for item, more in zip(extra, surplus, strict=True)],
            groups=groups,
        )
        if any(surplus):
            result = g.nn.pad(result, pad_width=[0] * 4 + [item for more in surplus for item in (0, more)])
    if node.has("bias"):
        bias = node.x("bias")
        result = g.add(result, g.expand_dims(bias, axis=list(range(1, rank + 1))))
    return result if batched else g.squeeze(result, axis=[0])


def spread(given: list[int], rank: int) -> list[int]:
    """Returns one integer for each spatial dim; one stands for all."""
    return given * rank if len(given) == 1 else given
