"""Kernels of convolutions: why they are not packed, and in what blocks those of 8 bits are."""

from __future__ import annotations

from xdsl.dialects.builtin import i8

from ...dialects.relax.base import element
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.packing import group_of
from ...dialects.relax.rules.window import channels_last
from .weights import Weights

BYTES = (i8, ui8)
"""The element types of 8 bits."""

BLOCK = 16
"""Output channels of a convolution that lie together: a multiple of the lanes of every target, so that packed parameters that were saved
can be read on another machine."""

WIDE_BLOCK = 64
"""The same where products are in vector registers, whose tiles are wider: what vectors of a step read follows one another then."""


def kernel_refusal(op: ConvOp, weights: Weights) -> str:
    """Returns why the kernel of a convolution, of any type, is not packed where it is known before the data; empty if it may be."""
    if op.kernel_block:
        return f"it lies in blocks of {op.kernel_block} channels already"
    if not weights.has(op.weight):
        return "its kernel is no weight, which would be packed at every call"
    return "its data is a weight too, so that it is lifted as a whole" if weights.has(op.data) else ""


def bytes_refusal(op: ConvOp, weights: Weights) -> str:
    """Returns why a convolution does not multiply data of 8 bits with a weight as packed kernels need it; empty if it does.

    It has no groups, a kernel that is not packed yet, and channels that come last in data and result.
    """
    types = element(op.data), element(op.weight)
    if any(type_ not in BYTES for type_ in types):
        return f"data and kernel are {types[0]} and {types[1]}, want 8 bits"
    if op.group_count != 1:
        return f"it has {op.group_count} groups, want 1"
    if not op.data_positions() == op.out_positions() == channels_last(op.SPATIAL_RANK + 2):
        return "channels do not come last in data and result"
    return kernel_refusal(op, weights)


def makes_blocks(outputs: int, inputs: int, block: int = BLOCK) -> bool:
    """Returns whether so many output channels make whole blocks, and input channels whole groups."""
    return outputs % block == 0 and inputs % group_of(i8) == 0
