"""The pass `relax-pack-weights`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f16, f32, f64, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.attrs import dims_of, known_sizes
from ...dialects.relax.base import dtype_attr, element
from ...dialects.relax.dtypes import is_narrower_float, ui8
from ...dialects.relax.ops.linear_algebra import MatmulOp
from ...dialects.relax.ops.manipulate import ConcatOp, PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.conv import ConvOp, ConvTransposeOp
from ...dialects.relax.ops.packing import PANEL, PackedMatmulOp, PackWeightOp, group_of, panel_option
from ...dialects.relax.ops.unary import AsTypeOp
from ...dialects.relax.rules.window import spatial_letters
from ...dialects.symbolic.expressions import Dim
from ..analysis.remarks import Topic, function_of, remark
from ..options import PassWithOptions
from ..rewriting.emitter import Emitter
from ..rewriting.rooted_walker import RootedWalker, of_types
from .kernels_of_bytes import BLOCK, WIDE_BLOCK, bytes_refusal, kernel_refusal, makes_blocks
from .unfold_windows import UnfoldWindows
from .weights import Weights, name_as_packed, weights_of_functions

EMPTY_PANEL = 4
"""How many times as many columns as there are a panel may not have: it would be so many times as large as what is packed."""

EMPTY_PART = 8
"""The part of panels, 1 / 8, that pixels may leave empty."""

MOST_ROWS = 2048
"""Rows up to which few columns are packed all the same: the panel fits in a second-level cache."""


BLOCKS = (BLOCK, 8)
"""The output channels of a block of f32, the first that divides those of a group. Vectors of 8 lanes may have half the speed of vectors of
16, but pixels that vectors would hold otherwise are collected first, for each group."""


class PackRightOperand(RewritePattern):
    """Replaces `matmul(x, w)` by `packed_matmul(x, pack_weight(w))`.

    Where `w` is converted to a wider float type, what is packed has the narrower one: a call reads fewer bytes.

    Declines unless `w` is a matrix of known size that depends on parameters alone, and while `x` does so too: such a product is lifted
    as it is. Declines many rows of few columns, but of narrow types, which kernels take in groups.
    """

    def __init__(self, weights: Weights, widen_f16: bool, panel: int):
        self.weights = weights
        self.widen_f16 = widen_f16
        self.columns_of_panel = panel

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        narrow = narrow_type(op.rhs)
        columns = self._columns(op, narrow)
        if isinstance(columns, str):
            remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} is not packed: {columns}")
            return
        emit = Emitter(op, rewriter)
        keeps = narrow is None or (narrow == f16 and self.widen_f16)
        weight = op.rhs if keeps else _narrowed(op.rhs, emit)
        packed = emit.op(PackWeightOp, weight, panel=panel_option(self.columns_of_panel))
        name_as_packed(packed, op.rhs)
        out_dtype: Attribute | None = None if op.out_dtype is None else dtype_attr(op.out_dtype)
        remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} has a packed weight: {PackedMatmulOp.name}")
        emit.replace(op, [emit.op(PackedMatmulOp, op.lhs, packed, columns=columns, out_dtype=out_dtype)])

    def _columns(self, op: MatmulOp, narrow: Attribute | None) -> int | str:
        """Returns the columns of a weight that is packed, or why it is not."""
        # Weights first, then sizes, then types: each test relies on those before it.
        if not self.weights.has(op.rhs):
            return "its right operand is no weight, which would be packed at every call"
        if self.weights.has(op.lhs):
            return "its left operand is a weight too, so that it is lifted as a whole"
        shape = dims_of(op.rhs.type)
        rows, columns = shape if shape is not None and len(shape) == 2 else (None, None)
        if not isinstance(columns, int):
            return f"its weight is {op.rhs.type}, want a matrix with a known number of columns"
        fewest = self.columns_of_panel // EMPTY_PANEL
        if _is_narrow_matrix(rows, columns, fewest) and narrow is None and element(op.rhs) in (f32, f64):
            return f"its weight has {columns} columns, want more than {fewest}, or {MOST_ROWS} rows at most, not {rows}"
        return columns


def _is_narrow_matrix(rows: Dim, columns: int, fewest: int) -> bool:
    """Returns whether panels would have mostly what is beyond the columns, and much of it."""
    return columns <= fewest and (not isinstance(rows, int) or rows > MOST_ROWS)


def narrow_type(value: SSAValue) -> Attribute | None:
    """Returns the float type that a value has before it is converted to a wider one; None where something computes in between."""
    match value.owner:
        case AsTypeOp(x=operand):
            return element(operand) if is_narrower_float(element(operand), element(value)) else None
        case PermuteDimsOp(x=operand):
            return narrow_type(operand)
        case ConcatOp(tensors=operands):
            types = {narrow_type(operand) for operand in operands}
            return types.pop() if len(types) == 1 else None
        case _:
            return None


def _narrowed(value: SSAValue, emit: Emitter) -> SSAValue:
    """Computes a value that has a narrow type in that type."""
    op = value.owner
    if isinstance(op, AsTypeOp):
        return op.x
    assert isinstance(op, PermuteDimsOp | ConcatOp)
    (result,) = emit.like(op, *(_narrowed(operand, emit) for operand in op.operands))
    result.name_hint = value.name_hint
    return result


class PackKernel(RewritePattern):
    """Replaces the kernel of a convolution by one in blocks of 16 output channels, or of 8.

    Declines unless it is a weight of known size whose channels make whole blocks in each group, and channels come first in data and result.
    A window of one item has blocks of 16 alone.
    A window of one item that moves by one is left alone where pixels fill panels of 64: such a convolution is a product of matrices,
    whose vectors are pixels. Of 7 x 7 or 14 x 14 pixels, a part of the last panel would have nothing to do. A single pixel is a
    row of a matrix.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvOp, rewriter: PatternRewriter) -> None:
        shape = self._shape(op)
        if isinstance(shape, str):
            if element(op.weight) not in (i8, ui8):
                remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} has no kernel in blocks: {shape}")
            return
        outputs, *others = op.kernel_positions()
        count = shape[outputs]
        emit = Emitter(op, rewriter)
        block = next(n for n in BLOCKS if count % (n * op.group_count) == 0)
        split = [*shape[:outputs], count // block, block, *shape[outputs + 1 :]]
        blocks = emit.op(ReshapeOp, op.weight, emit.shape(*split))
        axes = [outputs, *(axis + (axis > outputs) for axis in others), outputs + 1]
        packed = emit.op(PermuteDimsOp, blocks, axes=axes)
        name_as_packed(packed, op.weight)
        layout = f"OI{spatial_letters(op.SPATIAL_RANK)}{block}o"
        remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} has a kernel in blocks: {layout}")
        emit.replace(op, emit.like(op, op.data, packed, kernel_layout=layout))

    def _shape(self, op: ConvOp) -> tuple[int, ...] | str:
        """Returns the sizes of a kernel that is packed, or why it is not."""
        # A weight first, then layouts, then sizes: each test relies on those before it.
        refusal = kernel_refusal(op, self.weights)
        if refusal:
            return refusal
        types, shape = (element(op.weight), element(op.result)), known_sizes(op.weight.type)
        if any(type_ != f32 for type_ in types):
            return f"kernel and result are {', '.join(map(str, types))}, want f32"
        plain = tuple(range(op.SPATIAL_RANK + 2))
        if op.data_positions() != plain or op.out_positions() != plain:
            return "channels do not come first in data and result"
        if shape is None:
            return f"its kernel is {op.weight.type}, want sizes that are known and not 0"
        outputs, *others = op.kernel_positions()
        is_product = all(w.size == w.stride == 1 for w in op.windows([shape[axis] for axis in others[1:]]))
        pixels = _pixels_of_panels(dims_of(op.result.type))
        if is_product and pixels:
            return f"its window has one tap and moves by one, of {pixels}: it is a product of matrices, whose vectors are pixels"
        least = BLOCK if is_product else BLOCKS[-1]
        if shape[outputs] % (least * op.group_count):
            groups = "" if op.group_count == 1 else f" in {op.group_count} groups"
            return f"it has {shape[outputs]} output channels{groups}, want a multiple of {least} in each group"
        return shape


def _pixels_of_panels(dims: Sequence[Dim] | None) -> str | None:
    """Returns the pixels of an image in words if they fill panels of 64 but for a small part, are not known in number, or a single one."""
    if dims is None or any(not isinstance(size, int) for size in dims[2:]):
        return "an unknown number of pixels"
    pixels = prod(cast("Sequence[int]", dims[2:]))
    if pixels == 1:
        return "one pixel"
    return f"{pixels} pixels, which fill panels of {PANEL}" if EMPTY_PART * (-pixels % PANEL) <= pixels else None


class PackKernelInGroups(RewritePattern):
    """Replaces the kernel of a convolution of 8 bits by one in blocks of output channels, in which four input channels lie together.

    Declines unless it is a weight of known size whose channels make whole blocks and groups, and channels come last in data and result.
    Without a `block` it says of all why they are not packed.
    """

    def __init__(self, weights: Weights, block: int | None):
        self.weights = weights
        self.block = block

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvOp, rewriter: PatternRewriter) -> None:
        shape, rank = self._shape(op), op.SPATIAL_RANK
        if isinstance(shape, str):
            if element(op.weight) in (i8, ui8):
                remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} has no kernel in blocks: {shape}")
            return
        outputs, inputs, *spatial = op.kernel_positions()
        count, channels, block = shape[outputs], shape[inputs], self.block
        assert block is not None
        group = group_of(element(op.weight))
        emit = Emitter(op, rewriter)
        moved = emit.op(PermuteDimsOp, op.weight, axes=[outputs, *spatial, inputs])
        sizes = [shape[axis] for axis in spatial]
        blocks = emit.op(ReshapeOp, moved, emit.shape(count // block, block, *sizes, channels // group, group))
        packed = emit.op(PermuteDimsOp, blocks, axes=[0, *range(2, rank + 3), 1, rank + 3])
        name_as_packed(packed, op.weight)
        layout = f"O{spatial_letters(rank)}I{block}o{group}i"
        remark(Topic.REWRITE, function_of(op), op.location, f"{op.name} has a kernel in blocks: {layout}")
        emit.replace(op, emit.like(op, op.data, packed, kernel_layout=layout))

    def _shape(self, op: ConvOp) -> tuple[int, ...] | str:
        """Returns the sizes of a kernel that is packed, or why it is not."""
        refusal, shape = bytes_refusal(op, self.weights), known_sizes(op.weight.type)
        if refusal:
            return refusal
        if shape is None:
            return f"its kernel is {op.weight.type}, want sizes that are known and not 0"
        if self.block is None:
            return "the target multiplies no four bytes at once"
        outputs, inputs, *_ = op.kernel_positions()
        if not makes_blocks(shape[outputs], shape[inputs], self.block):
            wanted = f"multiples of {self.block} and of {group_of(element(op.weight))}"
            return f"it has {shape[outputs]} output and {shape[inputs]} input channels, want {wanted}"
        return shape


class TransposeKernel(RewritePattern):
    """Replaces the kernel of a transposed convolution by one whose input channels lie together.

    Declines unless it is a weight of known rank whose input channels are not last yet, and channels are not last in the result: products
    of an item with all taps are a product of matrices, of which the kernel is the left one then.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvTransposeOp, rewriter: PatternRewriter) -> None:
        if not self.weights.has(op.weight) or self.weights.has(op.data) or dims_of(op.weight.type) is None:
            return
        last = op.SPATIAL_RANK + 1
        inputs, *others = op.kernel_positions()
        if inputs == last or op.out_positions()[1] == last:
            return
        emit = Emitter(op, rewriter)
        moved = emit.op(PermuteDimsOp, op.weight, axes=[*others, inputs])
        name_as_packed(moved, op.weight)
        layout = f"O{spatial_letters(op.SPATIAL_RANK)}I"
        emit.replace(op, emit.like(op, op.data, moved, kernel_layout=layout))


@dataclass(frozen=True)
class PackWeightsPass(PassWithOptions):
    """Packs the weights of matrix products into panels of 64 (`panel`) columns, and those of convolutions into blocks of 16 channels or 8.

    ```mlir
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x100xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    ```
    becomes
    ```mlir
    %p = relax.pack_weight %w_t : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
    %y = relax.packed_matmul %x, %p {columns = 100 : i64} : (tensor<?x8xf32, #relax.sym<n>>, tensor<2x8x64xf32>) -> ...
    ```

    A weight in f16 that is converted to f32 for the product is packed in f16. Four rows of an 8-bit weight lie together. Of an f32
    kernel `[O, I, H, W]` where 16 divides the output channels of each group (or 8, of which blocks are then),
    ```mlir
    %p = relax.permute_dims %blocks {axes = array<i64: 0, 2, 3, 4, 1>}
        : (tensor<4x16x3x3x3xf32>) -> tensor<4x3x3x3x16xf32>
    %y = relax.nn.conv2d %x, %p {kernel_layout = "OIHW16o"} : (tensor<1x3x34x34xf32>, tensor<4x3x3x3x16xf32>) -> tensor<1x64x32x32xf32>
    ```
    are what remains of a convolution, `%blocks` being the kernel as `[O / 16, 16, I, H, W]`. A convolution of 8 bits with channels last
    becomes a product with its kernel as a matrix, packed, of its pixels or, where these are few, of copies of its windows; for targets that
    multiply four bytes at once (`tiles` or `dots`) the kernels of others become ones of layout `OHWI16o4i` or `OHWI64o4i`. The kernel of
    a transposed convolution becomes one of layout `OHWI`.

    *Requires* `relax.num_input`. *Leaves* `pack_weight` on weights alone, for `relax-lift-transform-params` to move into the transform;
    without lifting the weights are packed at every call, which costs more than it saves.
    """

    name = "relax-pack-weights"
    widen_f16: bool = False
    """Packs what is converted from f16 after the conversion: for targets without an instruction for it."""
    tiles: bool = False
    """Packs kernels of 8 bits that no product of matrices takes, in blocks of 16 channels: for targets with registers for such tiles."""
    dots: bool = False
    """The same in blocks of 64 channels: for targets whose vectors are multiplied four bytes at a time."""
    panel: Literal[16, 32, 64] = PANEL
    """The columns of a panel: fewer than 64 for targets whose register tiles are narrow, so that what a tile reads lies together."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        roots = of_types(MatmulOp, ConvOp, ConvTransposeOp)
        block = BLOCK if self.tiles else WIDE_BLOCK if self.dots else None
        for function, weights in weights_of_functions(op, self.name, roots):
            patterns = [
                PackRightOperand(weights, self.widen_f16, self.panel),
                PackKernel(weights),
                UnfoldWindows(weights, self.tiles, self.panel),
                PackKernelInGroups(weights, block),
                TransposeKernel(weights),
            ]
            RootedWalker(patterns, roots, apply_recursively=False).rewrite_region(function.body)
