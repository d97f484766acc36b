"""The pass `relax-hoist-padding`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i8, i64
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.relax.attrs import dims_of, known_sizes
from ...dialects.relax.base import element
from ...dialects.relax.dtypes import ui8
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.ops.indexing import StridedSliceOp, TakeOp
from ...dialects.relax.ops.manipulate import PadOp
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.nn.pool import MaxPoolOp
from ...dialects.relax.rules.window import channels_last, pad_widths
from ...dialects.relax.vocabulary.attributes import CALL_OP_PATTERN
from ...records import record
from ..analysis.op_pattern import op_pattern
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from .pixel_rows import fills_tiles

ELEMENT_WISE = (FusionPattern.ELEM_WISE, FusionPattern.BROADCAST)


@dataclass(frozen=True)
class HoistPaddingPass(PassWithOptions):
    """Pads what a convolution of 8 bits, or a maximum of windows, reads where it is computed: rows are written inside of what is padded.

    ```mlir
    %y = relax.quantize %c, %scale, %zero {out_dtype = ui8} : (tensor<1x28x28x64xf32>, ...) -> tensor<1x28x28x64xui8>
    %z = relax.nn.conv2d %y, %w {padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC", ...} : (tensor<1x28x28x64xui8>, ...) -> ...
    ```
    becomes
    ```mlir
    %y = relax.quantize %c, %scale, %zero {out_dtype = ui8} : (tensor<1x28x28x64xf32>, ...) -> tensor<1x28x28x64xui8>
    %p = relax.nn.pad %y {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>} : (tensor<1x28x28x64xui8>) -> tensor<1x30x30x64xui8>
    %z = relax.nn.conv2d %p, %w {data_layout = "NHWC", ...} : (tensor<1x30x30x64xui8>, ...) -> ...
    ```

    of which `relax-fuse-ops` makes one kernel up to `%p`. Element-wise readers of `%y`, such as those of a residual, read a slice of `%p`.

    *Requires* `relax-infer-shapes`. *Leaves* what no kernel of a product or of windows computes, results of a function, values that
    other ops read or that are padded in several ways, and images whose rows of pixels fill less than three quarters of tiles.
    """

    name = "relax-hoist-padding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            for block in list(function.walk_blocks()):
                if isinstance(block.parent_op(), DataflowOp):
                    for image in _computed(block):
                        _pad_once(image)


def _computed(block: Block) -> Iterator[SSAValue]:
    """Yields the images of 8 bits that windows and products, and element-wise ops and lookups behind them, compute.

    Ops behind an image may be replaced before the next is asked for.
    """
    behind: set[SSAValue] = set()
    op = block.first_op
    while op is not None:
        reads = any(operand in behind for operand in _image_operands(op))
        if reads or op_pattern(op) == FusionPattern.OUT_ELEM_WISE_FUSABLE:
            behind.update(op.results)
            if len(op.results) == 1 and element(op.results[0]) in (i8, ui8):
                yield op.results[0]
        op = op.next_op


def _image_operands(op: Operation) -> Sequence[SSAValue]:
    """Returns the operands of which each point of an op's results depends on the same point."""
    if isinstance(op, TakeOp):
        return [op.indices] if len(dims_of(op.x.type) or ()) == 1 else []
    return op.operands if op_pattern(op) in ELEMENT_WISE else []


@record
class _Padding:
    """What is around an image: the elements before and after along each axis, and their value."""

    widths: tuple[int, ...]
    value: float


def _pad_once(image: SSAValue) -> None:
    """Pads an image where it is computed, if all that read it want the same padding, or may read a slice."""
    op = cast(Operation, image.owner)
    shape, block = known_sizes(image.type), op.parent
    users = list(dict.fromkeys(use.operation for use in image.uses))
    if shape is None or block is None or not _fills_tiles(shape) or any(user.parent is not block for user in users):
        return
    paddings = {user: padding for user in users if (padding := _padding(user, image)) is not None}
    others = [user for user in users if user not in paddings]
    if len(set(paddings.values())) != 1 or not all(map(_may_slice, others)):
        return
    (padding,) = set(paddings.values())
    emit = Emitter(min(users, key=block.get_operation_index))
    padded = emit.op(
        PadOp,
        image,
        pad_width=padding.widths,
        pad_value=padding.value,
        attributes={CALL_OP_PATTERN.name: IntegerAttr(FusionPattern.ELEM_WISE, i64)},
        name=image.name_hint,
        location=op.location,
    )
    if others:
        ends = [before + size for before, size in zip(padding.widths[::2], shape, strict=True)]
        inside = emit.op(StridedSliceOp, padded, axes=[*range(len(shape))], begin=padding.widths[::2], end=ends)
        image.replace_uses_with_if(inside, lambda use: use.operation in others)
    for user in paddings:
        _read_padded(user, padded)


def _read_padded(op: Operation, image: SSAValue) -> None:
    """Gives an op that pads an image the padded one."""
    emit = Emitter(op)
    if isinstance(op, PadOp):
        emit.replace(op, [image])
    elif isinstance(op, ConvOp | MaxPoolOp):
        emit.replace(op, emit.like(op, image, *op.operands[1:], padding=None))


def _padding(op: Operation, image: SSAValue) -> _Padding | None:
    """Returns what an op adds around an image with channels last before anything else; None where that is nothing, or it is no such op."""
    rank = len(dims_of(image.type) or ())
    last = channels_last(rank)
    match op:
        case ConvOp(data=data, weight=weight) if data is image and weight is not image and op.data_positions() == last:
            padding = _Padding(pad_widths(op.windows([None] * op.SPATIAL_RANK)), 0.0)
        case MaxPoolOp() if op.positions() == last and not op.prop("ceil_mode", False):
            # What padding counts as in a maximum.
            padding = _Padding(pad_widths(op.windows()), 0.0 if element(image) == ui8 else -128.0)
        case PadOp() if op.prop("pad_mode", "constant") == "constant":
            widths = tuple(width for pair in op.widths(rank) for width in pair)
            padding = _Padding(widths, float(op.prop("pad_value", 0.0)))
        case _:
            return None
    return padding if any(padding.widths) else None


def _fills_tiles(shape: Sequence[int]) -> bool:
    """Returns whether the rows of pixels of an image, inside of a padded one, fill the tiles that compute it."""
    return len(shape) > 2 and fills_tiles(prod(shape[1:-2]), shape[-2], shape[-2] + 2)


def _may_slice(op: Operation) -> bool:
    """Returns whether an op is as fast on a slice."""
    return isinstance(op, StridedSliceOp) or op_pattern(op) in ELEMENT_WISE
