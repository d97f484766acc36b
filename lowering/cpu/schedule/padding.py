"""Padded images that convolutions leave out: they read what was copied into the middle, and no zeros.

linalg.fill 0 -> %p, or the borders of it                                padding
linalg.generic %p[.., 1:57, 1:57] = %x                                   padding
linalg.generic %y[o, y, x] += %p[c, y + i, x + j] * %w[o, c, i, j]       convolution: reads %x[c, y + i - 1, x + j - 1]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FloatAttr, IntegerAttr, MemRefType, f32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ....dialects.relax import schedule as schedules
from ....records import record
from ...sizes.op_sizes import VIEWS
from .access import Access, coefficient, is_collapsible, strides_of
from .convolution import Convolution
from .dependence import Buffers, sliced
from .nest import Nest, nest_of
from .windows import is_window
from .winograd import WinogradConvolution


@record
class PaddedImage:
    """A buffer that holds another one, and zeros around it."""

    image: Access
    """What was copied, as the convolution indexes the buffer."""
    starts: tuple[int, ...]
    """Where it begins on each axis of the buffer."""
    padded: tuple[bool, ...]
    """Whether there are zeros on either side of an axis."""
    ops: tuple[Operation, ...]
    """The fills and the copy."""


def padding_left_out(
    k: Convolution | WinogradConvolution,
    schedule: schedules.Schedule,
    ops: Sequence[Operation],
    places: tuple[int, int],
    buffers: Buffers,
) -> PaddedImage | None:
    """Returns the padded image that a convolution, with its schedule, does without; None if it needs the zeros, or others do.

    `places` are its position in consecutive ops, and that of the last op on its tiles.
    """
    padding = padding_of(ops, *places, k.image, buffers)
    return padding if padding is not None and leaves_out(k, schedule, padding) else None


def share_inside(k: Convolution, padding: PaddedImage) -> float:
    """Returns the share of the products of a convolution that are with elements of the image; 1 where it cannot leave the others out."""
    share = 1.0
    for axis in window_axes(k, padding) or []:
        pixels, steps = (1 if d is None else k.nest.sizes[d] for d in (axis.pixel, axis.step))
        if not pixels or not steps:
            return 1.0
        share *= sum(axis.has(p, s) for p in range(pixels) for s in range(steps)) / (pixels * steps)
    return share


def padding_of(
    ops: Sequence[Operation], position: int, last: int, image: Access, buffers: Buffers
) -> PaddedImage | None:
    """Returns what the image of a convolution, at a position of consecutive ops, was made of; None if others need it.

    `last` is the position of the last op that has the loops of the convolution: none of them writes what was copied.
    """
    # Invariant: `writers` are the ops before that write a part of the buffer, in order; nothing but the convolution reads it.
    buffer = image.value
    users = _users(buffer) if _is_own(buffer, buffers) else None
    if users is None or users.count(ops[position]) != 1:
        return None
    writers = [op for op in ops[:position] if op in users]
    if len(writers) < 2 or len(writers) + 1 != len(users):
        return None
    *fills, copy = writers
    if not all(isinstance(op, linalg.FillOp) and is_positive_zero(op.inputs[0]) for op in fills):
        return None
    if not isinstance(copy, linalg.GenericOp) or not _moves(copy):
        return None
    source, target = copy.operands
    whole, starts = sliced(target)
    after = ops[ops.index(copy) + 1 : last + 1]
    if (
        whole is not buffer
        or None in starts
        or not all(
            buffers.disjoint(source, value)
            for op in after
            if isinstance(op, linalg.FillOp | linalg.GenericOp)
            for value in op.outputs
        )
    ):
        return None
    return _in_view(source, image, [start or 0 for start in starts], (*fills, copy))


def _in_view(source: SSAValue, image: Access, starts: Sequence[int], ops: tuple[Operation, ...]) -> PaddedImage | None:
    """Returns a padded image whose axes are those that an access has; None where sizes are not known, or several are one axis of a view."""
    shape, whole = (cast(MemRefType, value.type).get_shape() for value in (source, image.value))
    if DYNAMIC_INDEX in (*shape, *whole) or not is_collapsible(cast(MemRefType, source.type)):
        return None
    groups = image.merged or [[axis] for axis in range(len(whole))]
    axes = [[axis for axis in group if whole[axis] != 1] or group[:1] for group in groups]
    # A collapsed view has an axis that is more than one element in each group.
    if any(len(group) > 1 for group in axes) or any(shape[group[0]] == 1 for group in axes if image.merged):
        return None
    kept = {axis for group in axes for axis in group}
    if any(shape[axis] != whole[axis] for axis in range(len(whole)) if axis not in kept):
        return None
    positions = [axis for (axis,) in axes]
    padded = tuple(shape[axis] != whole[axis] for axis in positions)
    return PaddedImage(replace(image, value=source), tuple(starts[axis] for axis in positions), padded, ops)


def is_positive_zero(value: SSAValue) -> bool:
    """Returns whether a scalar is the constant 0, and not -0.0."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    attr = owner.value
    if isinstance(attr, FloatAttr):
        return attr.value.data == 0 and math.copysign(1, attr.value.data) > 0
    return isinstance(attr, IntegerAttr) and attr.value.data == 0


def _is_own(buffer: SSAValue, buffers: Buffers) -> bool:
    """Returns whether a value is the only one for its memory while that is the buffer: an allocation, or a part of the workspace."""
    owner = buffer.owner
    if isinstance(owner, memref.ViewOp):
        views = (use.operation for use in owner.source.uses)
        return not any(
            view is not owner and isinstance(view, memref.ViewOp) and buffers.same(view.results[0], buffer)
            for view in views
        )
    return isinstance(owner, memref.AllocOp | memref.AllocaOp)


def _users(buffer: SSAValue) -> list[Operation] | None:
    """Returns the ops that use a buffer, or a slice of it; None where it has other views."""
    users: list[Operation] = []
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, memref.SubviewOp):
            users += [inner.operation for inner in op.result.uses]
        elif isinstance(op, VIEWS):
            return None
        else:
            users.append(op)
    return users


def _moves(op: linalg.GenericOp) -> bool:
    """Returns whether an op copies a memref to another one of its shape, as it is."""
    nest = nest_of(op)
    if not nest.moves or not all(nest.parallel):
        return False
    identity = [AffineDimExpr(d) for d in range(len(op.iterator_types))]
    return all(list(each.data.results) == identity for each in op.indexing_maps.data)


def leaves_out(k: Convolution | WinogradConvolution, schedule: schedules.Schedule, image: PaddedImage) -> bool:
    """Returns whether a convolution, with its schedule, can do without the zeros around its image."""
    if isinstance(k, WinogradConvolution):
        return isinstance(schedule, schedules.Winograd) and not any(image.padded[:2])
    if not isinstance(schedule, schedules.Convolution) or schedule.joined > 1 or schedule.staged or schedule.span:
        return False
    if image.image.static_step(k.pixel) is None:
        return False
    axes = window_axes(k, image)
    # Steps of a chunk are those of the kernel, all of which are there.
    return axes is not None and not (schedule.chunk and any(axis.step == k.nest.reduced[0] for axis in axes))


def padding_of_window(
    ops: Sequence[Operation], position: int, nest: Nest, along: int, buffers: Buffers
) -> tuple[int, PaddedImage] | None:
    """Returns the input of a nest that is a padded image, and what it was made of, if windows that are written out can do without.

    The nest is that of an op at a position of consecutive ops, with vectors along a loop. Lanes outside of the image are masked.
    """
    if not is_window(nest, along):
        return None
    for number, image in enumerate(nest.inputs):
        if not image.is_memref or image.type.element_type != f32 or not image.dims() & set(nest.reduced):
            continue
        padding = padding_of(ops, position, len(ops) - 1, image, buffers)
        if padding is None or strides_of(padding.image.type)[-1] != 1:
            continue
        # What lies along the vectors is the last axis, of which masks say what is inside.
        last = coefficient(image.exprs[-1], along)
        if last and (last == 1 or padding.padded[-1]) and all(not coefficient(e, along) for e in image.exprs[:-1]):
            return number, padding
    return None


@record
class WindowAxis:
    """An axis of an image along which a window moves: element `first + stride * pixel + dilation * step`, of `size`."""

    first: int
    stride: int
    pixel: int | None
    """The parallel loop; None for none."""
    dilation: int
    step: int
    """The reduction."""
    size: int

    def has(self, pixel: int, step: int) -> bool:
        """Returns whether the element at a pixel and a step of the window is one of the image."""
        return 0 <= self.first + self.stride * pixel + self.dilation * step < self.size


def window_axes(k: Convolution, image: PaddedImage) -> list[WindowAxis] | None:
    """Returns the axes with padding, that of the pixels of a tile last; None where one is no window of one loop and one reduction.

    The steps of a window along pixels must be written out, as zeros are left out of the code.
    """
    # Invariant: each axis has a reduction of its own, and its element is linear in that and in one parallel loop at most.
    axes: list[WindowAxis] = []
    for axis, (expr, start) in enumerate(zip(k.image.exprs, image.starts, strict=True)):
        if not image.padded[axis]:
            continue
        terms = {d: coefficient(expr, d) or 0 for d in range(k.nest.rank())}
        moving = [d for d, factor in terms.items() if factor]
        pixels, steps = ([d for d in moving if k.nest.parallel[d] is parallel] for parallel in (True, False))
        if len(pixels) > 1 or len(steps) != 1 or min(terms.values()) < 0:
            return None
        pixel = pixels[0] if pixels else None
        size = image.image.type.get_shape()[axis]
        first = expr.eval([0] * k.nest.rank(), []) - start
        axes.append(WindowAxis(first, terms[pixel] if pixel is not None else 0, pixel, terms[steps[0]], steps[0], size))
    if len({axis.step for axis in axes}) != len(axes):
        return None
    along = [axis for axis in axes if axis.pixel == k.pixel]
    last = k.nest.reduced[-1]
    if any(axis.step != last or k.taps != k.nest.sizes[last] or k.nest.sizes[k.pixel] is None for axis in along):
        return None
    if any(axis.step == last for axis in axes if axis.pixel != k.pixel):
        return None
    return [*(axis for axis in axes if axis.pixel != k.pixel), *along]
