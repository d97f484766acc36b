"""Kernels of convolutions of 8 bits: which are packed, and in what blocks."""

from __future__ import annotations

from xdsl.dialects.builtin import i8

from ...dialects.relax.base import element
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.packing import group_of
from ...dialects.relax.rules.window import channels_last
from .weights import Weights

BLOCK = 16
"""Output channels of a convolution that lie together: a multiple of the lanes of every target, so that packed parameters that were saved
can be read on another machine."""

WIDE_BLOCK = 64
"""The same where products are in vector registers, whose tiles are wider: what vectors of a step read follows one another then."""


def multiplies_bytes(op: ConvOp, weights: Weights) -> bool:
    """Returns whether a convolution without groups multiplies data of 8 bits with a weight that is not packed, and channels come last in
    data and result.
    """
    return (
        not op.kernel_block
        and op.group_count == 1
        and weights.has(op.weight)
        and not weights.has(op.data)
        and all(element(value) in (i8, ui8) for value in (op.data, op.weight))
        and op.data_positions() == op.out_positions() == channels_last(op.SPATIAL_RANK + 2)
    )


def makes_blocks(outputs: int, inputs: int, block: int = BLOCK) -> bool:
    """Returns whether so many output channels make whole blocks, and input channels whole groups."""
    return outputs % block == 0 and inputs % group_of(i8) == 0
