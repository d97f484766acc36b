"""Which convolutions Winograd's algorithm is for, and why not the others."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import element
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.rules.winograd import TAPS
from ...dialects.symbolic.expressions import Dim
from ...records import record
from .weights import Weights

CHANNELS = 32
"""The least number of input and of output channels: with fewer, the transforms of the data cost more than the products that they save."""

PIXELS = 12
"""The least number of rows and of columns of a result: the last tile of an odd number of them costs little beside the others then."""

_PLAIN = (0, 1, 2, 3)


@record
class Candidate:
    """What is to be known of a convolution that Winograd's algorithm is for."""

    outputs: int
    inputs: int
    result: tuple[int, int]
    """The rows and columns of a result."""
    padding: tuple[int, ...]


def candidate(op: Conv2DOp, weights: Weights) -> Candidate | str:
    """Returns what is to be known of a convolution, or why it is computed directly."""
    # A weight first, then layouts, then sizes: each test relies on those before it.
    if op.kernel_block:
        return f"its kernel lies in blocks of {op.kernel_block} channels"
    if not weights.has(op.weight):
        return "its kernel is no weight, which would be transformed at every call"
    if weights.has(op.data):
        return "its data is a weight too, so that it is lifted as a whole"
    types = (element(op.data), element(op.weight), element(op.result))
    if any(type_ != f32 for type_ in types):
        return f"data, kernel and result are {', '.join(map(str, types))}, want f32"
    if op.group_count != 1:
        return f"it has {op.group_count} groups, want 1"
    if not op.data_positions() == op.kernel_positions() == op.out_positions() == _PLAIN:
        return "channels do not come first in data, kernel and result, want NCHW, OIHW, NCHW"
    return _of_sizes(op)


def _of_sizes(op: Conv2DOp) -> Candidate | str:
    # The window first, then what it costs: a reason is the first thing that a person would change.
    kernel, result = dims_of(op.weight.type), dims_of(op.result.type)
    if kernel is None or result is None:
        return "the rank of its kernel or result is not known"
    outputs, inputs, *taps = kernel
    windows = op.windows(taps)
    if any(window.size != TAPS for window in windows):
        return f"its kernel has {_shape(taps)} taps, want {TAPS}x{TAPS}"
    for name, steps in (
        ("moves", [each.stride for each in windows]),
        ("is dilated", [each.dilation for each in windows]),
    ):
        if any(step != 1 for step in steps):
            return f"its kernel {name} by {_shape(steps)}, want 1x1"
    if not isinstance(outputs, int) or not isinstance(inputs, int) or min(outputs, inputs) < CHANNELS:
        return f"it has {inputs} input and {outputs} output channels, want {CHANNELS} of each at least"
    _, _, rows, columns = result
    if not isinstance(rows, int) or not isinstance(columns, int) or min(rows, columns) < PIXELS:
        return (
            f"its result has {_shape((rows, columns))} pixels, want {PIXELS}x{PIXELS} at least, known before run time"
        )
    padding = (*(each.before for each in windows), *(each.after for each in windows))
    return Candidate(outputs, inputs, (rows, columns), padding)


def _shape(sizes: list[Dim] | list[int] | tuple[Dim, ...]) -> str:
    return "x".join("?" if size is None else str(size) for size in sizes)
