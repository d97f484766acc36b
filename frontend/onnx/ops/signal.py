"""Fourier transforms, as products with matrices of cosines and sines."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper
from xdsl.dialects.builtin import f64, i64
from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, at_least, converters, exactly
from ..values import Tensor

TABLE: Table = {}
op = converters(TABLE)


def _matrices(count: int, length: int, places: int, inverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns the real and the imaginary part of `exp(-2 pi i k n / length)`, for `count` items and `places` results."""
    # The product is reduced first: an angle of many turns would lose digits.
    turns = np.outer(np.arange(count), np.arange(places)) % length
    angles = 2 * np.pi * turns / length
    sign = 1 if inverse else -1
    factor = 1 / length if inverse else 1
    return np.cos(angles) * factor, sign * np.sin(angles) * factor


def transformed(
    node: Node, real: SSAValue, imaginary: SSAValue | None, size: int, length: int, onesided: bool, inverse: bool
) -> SSAValue:
    """Returns the transform over the last dim, with a new last dim for the real and the imaginary part."""
    g = node.g
    places = length // 2 + 1 if onesided else length
    if onesided and inverse:
        places = length
    cosines, sines = (g.constant(item, f64) for item in _matrices(min(size, length), length, places, inverse))

    def exact(item: SSAValue) -> SSAValue:
        # In f64: sums of so many products lose more digits than the sums of a fast transform.
        cut = g.strided_slice(item, axes=[-1], begin=[0], end=[length]) if size > length else item
        return node.cast(cut, f64)

    real, imaginary = exact(real), None if imaginary is None else exact(imaginary)
    out_real, out_imaginary = g.matmul(real, cosines), g.matmul(real, sines)
    if imaginary is not None:
        out_real = g.subtract(out_real, g.matmul(imaginary, sines))
        out_imaginary = g.add(out_imaginary, g.matmul(imaginary, cosines))
    return node.cast(g.stack(out_real, out_imaginary, axis=-1), node.element(0))


@op("DFT")
def _dft(node: Node) -> SSAValue:
    """Converts a node. The axis is an attribute before version 20, then an operand; the last dim has one or two parts."""
    g, shape, rank = node.g, node.shape(0), node.rank(0)
    axis = node.attr("axis", 1) if node.since < 20 else int(node.number(2, -2))
    axis = normalized(axis, rank)
    size, parts = shape[axis], shape[-1]
    onesided, inverse = bool(node.attr("onesided", 0)), bool(node.attr("inverse", 0))
    length = int(node.number(1, 0)) if node.has(1) else None
    if not isinstance(size, int):
        raise Unsupported(f"the size of the transformed dim must be known, got {size}")
    items = g.split(node.x(0), sections=2, axis=-1) if parts == 2 else (node.x(0),)
    order = [i for i in range(rank - 1) if i != axis] + [axis]
    moved = [g.permute_dims(g.squeeze(item, axis=[rank - 1]), axes=order) for item in items]
    back = [*(order.index(i) for i in range(rank - 1)), rank - 1]
    if onesided and inverse:
        return _real_again(node, moved, size, length or 2 * (size - 1), back)
    result = transformed(node, moved[0], moved[1] if len(moved) > 1 else None, size, length or size, onesided, inverse)
    return g.permute_dims(result, axes=back)


def _real_again(node: Node, moved: list[SSAValue], size: int, length: int, back: list[int]) -> SSAValue:
    """Returns the real numbers that a one-sided transform came from: what is left out is the conjugate of what is there."""
    g, element = node.g, node.element(0)
    cosines, sines = _matrices(min(size, length // 2 + 1), length, length, True)
    # Each item but the first, and the middle one of an even length, stands for two.
    twice = np.full(len(cosines), 2.0)
    twice[0] = 1
    if length % 2 == 0 and len(twice) == length // 2 + 1:
        twice[-1] = 1
    cut = [g.strided_slice(item, axes=[-1], begin=[0], end=[len(cosines)]) for item in moved]
    cut = [node.cast(item, f64) for item in cut]
    result = g.matmul(cut[0], g.constant(cosines * twice[:, None]))
    if len(cut) > 1:
        result = g.subtract(result, g.matmul(cut[1], g.constant(sines * twice[:, None])))
    result = node.cast(result, element)
    return g.permute_dims(g.expand_dims(result, axis=[-1]), axes=back)


@op("STFT", ranks={0: at_least(2), 2: exactly(1)})
def _stft(node: Node) -> SSAValue:
    """Converts a node. Frames are gathered, multiplied with the window, and transformed."""
    g, shape = node.g, node.shape(0)
    step = int(node.number(1, 0))
    length = int(node.number(3, 0)) if node.has(3) else None
    if length is None and node.has(2):
        window = node.shape(2)[0]
        length = window if isinstance(window, int) else None
    size = shape[1]
    if length is None or not isinstance(size, int):
        raise Unsupported("the lengths of the signal and of the frames must be known")
    if len(shape) == 3 and shape[2] == 2:
        parts = [g.squeeze(part, axis=[2]) for part in g.split(node.x(0), sections=2, axis=2)]
    else:
        parts = [g.squeeze(node.x(0), axis=[2]) if len(shape) == 3 else node.x(0)]
    count = (size - length) // step + 1
    places = np.arange(count)[:, None] * step + np.arange(length)
    frames = [g.take(part, g.constant(places, i64), axis=1) for part in parts]
    if node.has(2):
        frames = [g.multiply(frame, node.x(2)) for frame in frames]
    imaginary = frames[1] if len(frames) > 1 else None
    onesided = bool(node.attr("onesided", 1))
    return transformed(node, frames[0], imaginary, length, length, onesided, False)


@op("MelWeightMatrix")
def _mel_weight_matrix(node: Node) -> Tensor:
    """Converts a node. All operands say what the matrix is, so they must be known."""
    missing = sorted({name for index in range(5) if not node.is_known(index) for name in node.tensor(index).origin})
    if missing:
        raise Unsupported("needs the values of its operands before the program runs", missing)
    bins, length, rate = (int(node.number(index, 0)) for index in range(3))
    low, high = (float(node.number(index, 0)) for index in (3, 4))
    mels = [2595 * np.log10(1 + edge / 700) for edge in (low, high)]
    steps = mels[0] + np.arange(bins + 2) * (mels[1] - mels[0]) / (bins + 2)
    edges = (((length + 1) * (700 * (10 ** (steps / 2595) - 1))) // rate).astype(np.int64)
    places = np.arange(length // 2 + 1)[:, None]
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising = np.where(center > lower, (places - lower) / np.maximum(center - lower, 1), places == center)
    falling = (upper - places) / np.maximum(upper - center, 1)
    inside = (places >= lower) & (places <= upper) & ((places <= center) | (places < upper))
    weights = np.where(inside, np.where(places <= center, rising, falling), 0)
    kind = int(node.attr("output_datatype", TensorProto.FLOAT))
    return Tensor(known=weights.astype(helper.tensor_dtype_to_np_dtype(kind)), kind=kind)
