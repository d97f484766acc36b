"""Which convolutions Winograd's algorithm is for, and why not the others."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i8, i32

from ...dialects.relax.attrs import dims_of
from ...dialects.relax.base import element
from ...dialects.relax.ops.nn.conv import Conv2DOp
from ...dialects.relax.rules.window import canonical_dims
from ...dialects.relax.rules.winograd import MOST_INTEGER_INPUTS, TAPS, TWO
from ...dialects.symbolic.expressions import Dim
from ...records import record
from .kernels_of_bytes import bytes_refusal
from .weights import Weights

CHANNELS = 32
"""The least number of input and of output channels: with fewer, the transforms of the data cost more than the products that they save."""

PIXELS = 12
"""The least number of rows and of columns of a result: the last tile of an odd number of them costs little beside the others then."""

MOST_PRODUCTS = 0.7
"""The most products for bytes, of those of the direct convolution: last tiles of a small result are mostly outside, and the transforms
take their time."""

BYTES_OF_LINE = 32
"""What divides the input channels of convolutions of bytes: lines of data that are transformed to i16, whole vectors on every target."""

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
    known = _of_window(op)
    if isinstance(known, str):
        return known
    outputs, inputs, rows, columns, padding = known
    if not isinstance(outputs, int) or not isinstance(inputs, int) or min(outputs, inputs) < CHANNELS:
        return f"it has {inputs} input and {outputs} output channels, want {CHANNELS} of each at least"
    if not isinstance(rows, int) or not isinstance(columns, int) or min(rows, columns) < PIXELS:
        return (
            f"its result has {_shape((rows, columns))} pixels, want {PIXELS}x{PIXELS} at least, known before run time"
        )
    return Candidate(outputs, inputs, (rows, columns), padding)


def candidate_of_bytes(op: Conv2DOp, weights: Weights, panel: int) -> Candidate | str:
    """Returns what is to be known of a convolution of bytes, or why it is computed directly.

    `panel` output channels lie together in the transformed kernel.
    """
    # What multiplies bytes by a weight at all first, then types, then sizes: each test relies on those before it.
    refusal = bytes_refusal(op, weights)
    if refusal:
        return refusal
    if (element(op.weight), element(op.result)) != (i8, i32):
        return f"kernel and result are {element(op.weight)} and {element(op.result)}, want i8 and i32"
    known = _of_window(op)
    if isinstance(known, str):
        return known
    outputs, inputs, rows, columns, padding = known
    if not isinstance(outputs, int) or outputs < 1 or outputs % panel:
        return f"it has {outputs} output channels, want a multiple of {panel}"
    if not isinstance(inputs, int) or not 1 <= inputs <= MOST_INTEGER_INPUTS or inputs % BYTES_OF_LINE:
        return f"it has {inputs} input channels, want a multiple of {BYTES_OF_LINE}, {MOST_INTEGER_INPUTS} at most"
    if not isinstance(rows, int) or not isinstance(columns, int) or not rows * columns:
        return f"its result has {_shape((rows, columns))} pixels, want numbers that are known before run time"
    products = TWO.products * -(-rows // TWO.size) * -(-columns // TWO.size)
    if products > MOST_PRODUCTS * TAPS * TAPS * rows * columns:
        return (
            f"its result has {_shape((rows, columns))} pixels, which tiles of {TWO.size}x{TWO.size} exceed by too many"
        )
    return Candidate(outputs, inputs, (rows, columns), padding)


def _of_window(op: Conv2DOp) -> tuple[Dim, Dim, Dim, Dim, tuple[int, ...]] | str:
    """Returns output and input channels, rows and columns of the result, and the padding of a convolution by 3x3 taps that move by one."""
    kernel, result = dims_of(op.weight.type), dims_of(op.result.type)
    if kernel is None or result is None:
        return "the rank of its kernel or result is not known"
    outputs, inputs, *taps = canonical_dims(kernel, op.kernel_positions())
    windows = op.windows(taps)
    if any(window.size != TAPS for window in windows):
        return f"its kernel has {_shape(taps)} taps, want {TAPS}x{TAPS}"
    for name, steps in (
        ("moves", [each.stride for each in windows]),
        ("is dilated", [each.dilation for each in windows]),
    ):
        if any(step != 1 for step in steps):
            return f"its kernel {name} by {_shape(steps)}, want 1x1"
    _, _, rows, columns = canonical_dims(result, op.out_positions())
    padding = (*(each.before for each in windows), *(each.after for each in windows))
    return outputs, inputs, rows, columns, padding


def _shape(sizes: list[Dim] | list[int] | tuple[Dim, ...]) -> str:
    return "x".join("?" if size is None else str(size) for size in sizes)
