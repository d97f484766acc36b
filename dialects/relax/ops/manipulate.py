"""Shape manipulation: reordering, reshaping, joining, splitting, repeating and padding of tensors."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim, add, apply, product
from ..attrs import tensor_type
from ..base import (
    F64,
    I64,
    INTS,
    SHAPE,
    STRING,
    TENSOR,
    RelaxOp,
    TensorOp,
    dims,
    element,
    fail,
    normalized_axes,
    normalized_axis,
    require_same_element,
    shape_value,
)
from ..dtypes import NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..layout_rule import LayoutRule
from ..rules.shape_rules import agreed, shape_text
from ..rules.slice_rules import ranges_of_indices, ranges_of_sections


class ManipulateOp(TensorOp, ABC):
    """An op from one tensor to one tensor of the same element type."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    x = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        return [tensor_type(None if shape is None else self.infer_shape(context, shape), element(self.x))]

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim] | None:
        """Returns the dims of the result for those of the operand."""
        raise AssertionError(f"{self.name} has no shape rule")


@irdl_op_definition
class PermuteDimsOp(ManipulateOp):
    """Dim i of the result is dim `axes[i]` of the operand; without `axes` the dims are reversed.

    permute_dims_c1: `axes` is a permutation of the operand's axes; negative ones count from the end.
    """

    name = "relax.permute_dims"
    axes = opt_prop_def(INTS)

    def permutation(self, rank: int) -> tuple[int, ...]:
        """Returns the axes, counted from 0."""
        axes = self.prop("axes")
        if axes is None:
            return tuple(reversed(range(rank)))
        if len(axes) != rank:
            fail("permute_dims_c1", f"axes must list {rank} dims, got {len(axes)}")
        return normalized_axes(axes, rank, "permute_dims_c1")

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        return [shape[axis] for axis in self.permutation(len(shape))]


@irdl_op_definition
class ReshapeOp(TensorOp):
    """Gives the elements, in row-major order, another shape; one entry `-1` of the shape stands for what is left.

    A `0` is a size like any other.

    reshape_c1: the shape has at most one `-1`, and no other negative entry.
    reshape_c2: the number of elements stays the same; the entries beside `-1` divide it.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.reshape"
    x = operand_def(TENSOR)
    shape = operand_def(SHAPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [tensor_type(reshaped(context, dims(self.x), shape_value(self.shape)), element(self.x))]


def reshaped(context: SizeContext, shape: Sequence[Dim] | None, target: Sequence[Dim]) -> tuple[Dim, ...]:
    """Returns the dims of a reshape's result, with `-1` replaced."""
    holes = [axis for axis, dim in enumerate(target) if dim == -1]
    if len(holes) > 1 or any(isinstance(dim, int) and dim < -1 for dim in target):
        fail("reshape_c1", f"the shape must have at most one -1 and no other negative entry, got {shape_text(target)}")
    total = None if shape is None else product(shape)
    if holes:
        rest = product(dim for dim in target if dim != -1)
        whole = rest if rest == 0 else apply("floordiv", total, rest)
        if rest == 0 or context.differ(apply("mod", total, rest), 0):
            fail("reshape_c2", f"{rest} elements do not divide those of {shape_text(shape)}")
        return tuple(whole if dim == -1 else dim for dim in target)
    if context.differ(total, product(target)):
        fail("reshape_c2", f"{shape_text(shape)} and {shape_text(target)} differ in their number of elements")
    return tuple(target)


@irdl_op_definition
class FlattenOp(ManipulateOp):
    """Joins all dims into one, in row-major order; a scalar tensor becomes `[1]`."""

    name = "relax.flatten"

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        return [product(shape)]


@irdl_op_definition
class ExpandDimsOp(ManipulateOp):
    """Inserts dims of size 1; `axis` lists their places in the result.

    expand_dims_c1: the places are in range and do not repeat; negative ones count from the end.
    """

    name = "relax.expand_dims"
    axis = prop_def(INTS)

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        axes = self.prop("axis")
        rank = len(shape) + len(axes)
        new_axes = normalized_axes(axes, rank, "expand_dims_c1")
        remaining = iter(shape)
        return [1 if axis in new_axes else next(remaining) for axis in range(rank)]


@irdl_op_definition
class SqueezeOp(ManipulateOp):
    """Removes dims of size 1: those in `axis`, or, without it, all whose size is known to be 1 when the op is made.

    These are written down as `axis` at once, so that nothing which is found out of sizes later changes what the op means.

    squeeze_c1: the axes are in range and do not repeat; negative ones count from the end.
    squeeze_c2: each removed dim is 1.
    """

    name = "relax.squeeze"
    axis = opt_prop_def(INTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if "axis" in self.properties or len(self.operands) != 1 or not isinstance(self.operands[0].type, TensorType):
            return
        # A type that contradicts itself is an error when the op is verified.
        with suppress(VerifyException):
            self.properties["axis"] = DenseArrayBase.from_list(i64, self.removed(dims(self.operands[0]) or ()))

    def removed(self, shape: Sequence[Dim]) -> tuple[int, ...]:
        """Returns the axes that disappear, counted from 0."""
        axes = self.prop("axis")
        if axes is None:
            return tuple(axis for axis, dim in enumerate(shape) if dim == 1)
        return normalized_axes(axes, len(shape), "squeeze_c1")

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        removed = self.removed(shape)
        for axis in removed:
            if context.differ(shape[axis], 1):
                fail("squeeze_c2", f"dim {axis} must be 1, got {shape[axis]}")
        return [dim for axis, dim in enumerate(shape) if axis not in removed]


@irdl_op_definition
class ConcatOp(TensorOp):
    """Joins tensors along `axis` (default 0); without dims but one, `axis` may be left out.

    concat_c1: there is at least one tensor, and all have the same element type.
    concat_c2: all tensors have the same rank, and the axis is in range.
    concat_c3: the other dims agree.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.JOIN
    name = "relax.concat"
    tensors = var_operand_def(TENSOR)
    axis = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.tensors:
            fail("concat_c1", "expected at least one tensor")
        element_type = require_same_element("concat_c1", *self.tensors)
        shapes = [dims(tensor) for tensor in self.tensors]
        known = [shape for shape in shapes if shape is not None]
        if not known:
            return [tensor_type(None, element_type)]
        rank = len(known[0])
        if any(len(shape) != rank for shape in known):
            fail("concat_c2", f"ranks must be equal, got {', '.join(shape_text(shape) for shape in known)}")
        axis = normalized_axis(self.prop("axis", 0), rank, "concat_c2")
        if rank == 0:
            fail("concat_c2", "tensors must have at least one dim, got scalar tensors")
        joined = add(*(None if shape is None else shape[axis] for shape in shapes))
        result = [
            joined if i == axis else agreed(context, [shape[i] for shape in known], "concat_c3") for i in range(rank)
        ]
        return [tensor_type(result, element_type)]


@irdl_op_definition
class StackOp(TensorOp):
    """Joins tensors of one shape along a new dim at `axis` (default 0).

    stack_c1: there is at least one tensor, and all have the same element type.
    stack_c2: the shapes are equal.
    stack_c3: the axis is in range of the result.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.stack"
    tensors = var_operand_def(TENSOR)
    axis = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.tensors:
            fail("stack_c1", "expected at least one tensor")
        element_type = require_same_element("stack_c1", *self.tensors)
        known = [shape for tensor in self.tensors if (shape := dims(tensor)) is not None]
        if not known:
            return [tensor_type(None, element_type)]
        if any(len(shape) != len(known[0]) for shape in known):
            fail("stack_c2", f"shapes must be equal, got {', '.join(shape_text(shape) for shape in known)}")
        result = [agreed(context, sizes, "stack_c2") for sizes in zip(*known, strict=True)]
        result.insert(normalized_axis(self.prop("axis", 0), len(result) + 1, "stack_c3"), len(self.tensors))
        return [tensor_type(result, element_type)]


_MOST_SECTIONS = 1 << 12
"""A part is a result: what has more of them is a mistake, and takes minutes."""


@irdl_op_definition
class SplitOp(RelaxOp):
    """Cuts a tensor along `axis` (default 0) into parts, one result each.

    `indices` lists where parts begin after the first one; indices past the end give empty parts. `sections` is the number of parts of
    `ceil(size / sections)`, of which the last ones may be smaller or empty. Relax has one argument `indices_or_sections` for both.

    split_c1: exactly one of `indices` and `sections` is given.
    split_c2: `sections` is from 1 to 4096; `indices` are not negative and ascend.
    split_c3: the axis is in range.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.split"
    x = operand_def(TENSOR)
    indices = opt_prop_def(INTS)
    sections = opt_prop_def(I64)
    axis = opt_prop_def(I64)
    parts = var_result_def(TENSOR)
    traits = traits_def(Pure())

    def ranges(self, size: Dim) -> list[tuple[Dim, Dim]]:
        """Returns begin and size of each part of a dim of that size."""
        indices, sections = self.prop("indices"), self.prop("sections")
        if (indices is None) == (sections is None):
            fail("split_c1", "expected exactly one of indices and sections")
        if sections is not None:
            if not 1 <= sections <= _MOST_SECTIONS:
                fail("split_c2", f"sections must be from 1 to {_MOST_SECTIONS}, got {sections}")
            return ranges_of_sections(size, sections)
        if any(a > b for a, b in zip((0, *indices), indices, strict=False)):
            fail("split_c2", f"indices must not be negative and must ascend, got {list(indices)}")
        return ranges_of_indices(size, indices)

    def number_of_results(self) -> int | None:
        self._axis(dims(self.x))
        return self.prop("sections") if self.prop("indices") is None else None

    def _axis(self, shape: Sequence[Dim] | None) -> int:
        if shape is None:
            return 0
        axis = normalized_axis(self.prop("axis", 0), len(shape), "split_c3")
        if not shape:
            fail("split_c3", "the tensor must have at least one dim, got a scalar tensor")
        return axis

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        axis = self._axis(shape)
        if shape is None:
            return [tensor_type(None, element(self.x))] * len(self.ranges(None))
        return [
            tensor_type((*shape[:axis], size, *shape[axis + 1 :]), element(self.x))
            for _, size in self.ranges(shape[axis])
        ]


@irdl_op_definition
class BroadcastToOp(TensorOp):
    """Repeats dims of size 1, and adds leading ones, so that the tensor gets a shape.

    broadcast_to_c1: the rank does not shrink.
    broadcast_to_c2: each dim, aligned right, is 1 or that of the shape.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.broadcast_to"
    x = operand_def(TENSOR)
    shape = operand_def(SHAPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape, target = dims(self.x), shape_value(self.shape)
        if shape is not None:
            if len(shape) > len(target):
                fail("broadcast_to_c1", f"{shape_text(shape)} has more dims than {shape_text(target)}")
            for dim, wanted in zip(shape, target[len(target) - len(shape) :], strict=True):
                if dim != 1 and context.differ(dim, wanted):
                    fail("broadcast_to_c2", f"{shape_text(shape)} does not broadcast to {shape_text(target)}")
        return [tensor_type(target, element(self.x))]


@irdl_op_definition
class CollapseSumToOp(TensorOp):
    """Sums over the dims that a broadcast from `shape` would have added or repeated; f16 and bf16 are summed in f32.

    collapse_sum_to_c1: the element type is numeric.
    collapse_sum_to_c2: the shape broadcasts to that of the tensor.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.collapse_sum_to"
    x = operand_def(TENSOR)
    shape = operand_def(SHAPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.x), NUMERIC, "collapse_sum_to_c1")
        shape, target = dims(self.x), shape_value(self.shape)
        if shape is not None and (
            len(target) > len(shape)
            or any(
                wanted != 1 and context.differ(dim, wanted)
                for dim, wanted in zip(shape[len(shape) - len(target) :], target, strict=True)
            )
        ):
            fail("collapse_sum_to_c2", f"{shape_text(target)} does not broadcast to {shape_text(shape)}")
        return [tensor_type(target, element(self.x))]


@irdl_op_definition
class RepeatOp(ManipulateOp):
    """Repeats each element `repeats` times along `axis`; without it the tensor is flattened first.

    repeat_c1: `repeats` is not negative.
    repeat_c2: the axis is in range.
    """

    name = "relax.repeat"
    repeats = prop_def(I64)
    axis = opt_prop_def(I64)

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        repeats, axis = self.prop("repeats"), self.prop("axis")
        if repeats < 0:
            fail("repeat_c1", f"repeats must not be negative, got {repeats}")
        if axis is None:
            return [apply("*", product(shape), repeats)]
        if not shape:
            fail("repeat_c2", "a scalar tensor has no axis")
        repeated = normalized_axis(axis, len(shape), "repeat_c2")
        return [apply("*", dim, repeats) if i == repeated else dim for i, dim in enumerate(shape)]


@irdl_op_definition
class TileOp(ManipulateOp):
    """Repeats the whole tensor `repeats[i]` times along dim i; the shorter of shape and `repeats` is extended by leading ones.

    tile_c1: no entry of `repeats` is negative.
    """

    name = "relax.tile"
    repeats = prop_def(INTS)

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        repeats = self.prop("repeats")
        if any(count < 0 for count in repeats):
            fail("tile_c1", f"repeats must not be negative, got {list(repeats)}")
        rank = max(len(shape), len(repeats))
        counts = (1,) * (rank - len(repeats)) + tuple(repeats)
        padded = (1,) * (rank - len(shape)) + shape
        return [apply("*", dim, count) for dim, count in zip(padded, counts, strict=True)]


@irdl_op_definition
class FlipOp(ManipulateOp):
    """Reverses the order of the elements along `axis`.

    flip_c1: the axis is in range.
    """

    name = "relax.flip"
    axis = prop_def(I64)

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        if not shape:
            fail("flip_c1", "a scalar tensor has no axis")
        normalized_axis(self.prop("axis"), len(shape), "flip_c1")
        return shape


@irdl_op_definition
class MeshgridOp(RelaxOp):
    """Spreads vectors over a grid: result i varies along the dim of vector i. With `indexing = "xy"` the first two dims are swapped.

    meshgrid_c1: there is at least one tensor, and all have the same element type.
    meshgrid_c2: the tensors are scalars or vectors; a scalar is a vector of one element.
    meshgrid_c3: `indexing` is "ij" (the default) or "xy".
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.meshgrid"
    tensors = var_operand_def(TENSOR)
    indexing = opt_prop_def(STRING)
    grids = var_result_def(TENSOR)
    traits = traits_def(Pure())

    def axis_of(self, index: int) -> int:
        """Returns the dim of the results along which a vector lies."""
        swapped = self.prop("indexing", "ij") == "xy" and len(self.tensors) > 1
        return 1 - index if swapped and index < 2 else index

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.tensors:
            fail("meshgrid_c1", "expected at least one tensor")
        element_type = require_same_element("meshgrid_c1", *self.tensors)
        if self.prop("indexing", "ij") not in ("ij", "xy"):
            fail("meshgrid_c3", f'indexing must be "ij" or "xy", got "{self.prop("indexing")}"')
        result: list[Dim] = [None] * len(self.tensors)
        for index, tensor in enumerate(self.tensors):
            shape = dims(tensor)
            if shape is not None:
                if len(shape) > 1:
                    fail("meshgrid_c2", f"tensors must have at most one dim, got {shape_text(shape)}")
                result[self.axis_of(index)] = shape[0] if shape else 1
        return [tensor_type(result, element_type)] * len(self.tensors)


PAD_MODES = ("constant", "reflect", "replicate", "circular")


@irdl_op_definition
class PadOp(ManipulateOp):
    """Adds elements around a tensor; `pad_width` lists before and after for each dim.

    `pad_mode` tells what they are: "constant" (the default) `pad_value` (default 0), "reflect" the elements mirrored at the edge, which is
    not repeated, "replicate" the nearest element, "circular" the elements of the other end. An index that leaves a dim whose size is only
    known at run time is taken at its nearest element.

    pad_c1: `pad_width` has two entries for each dim, none negative.
    pad_c2: `pad_mode` is one of the four.
    pad_c3: the dims are large enough for the mode: "reflect" needs more elements than are added at a side, "circular" as many,
        "replicate" one.
    """

    name = "relax.nn.pad"
    pad_width = prop_def(INTS)
    pad_mode = opt_prop_def(STRING)
    pad_value = opt_prop_def(F64)

    def widths(self, rank: int) -> list[tuple[int, int]]:
        """Returns before and after of each dim."""
        widths = self.prop("pad_width")
        if len(widths) != 2 * rank or any(width < 0 for width in widths):
            fail("pad_c1", f"pad_width must have {2 * rank} entries, none negative, got {list(widths)}")
        return list(zip(widths[::2], widths[1::2], strict=True))

    def infer_shape(self, context: SizeContext, shape: tuple[Dim, ...]) -> Sequence[Dim]:
        mode = self.prop("pad_mode", "constant")
        if mode not in PAD_MODES:
            fail("pad_c2", f"pad_mode must be one of {', '.join(PAD_MODES)}, got {mode}")
        widths = self.widths(len(shape))
        for dim, width in zip(shape, widths, strict=True):
            needed = {"reflect": max(width) + 1, "circular": max(width), "replicate": 1}.get(mode, 0)
            if max(width) > 0 and context.is_below(dim, needed):
                fail("pad_c3", f"{mode} padding by {max(width)} needs a dim of at least {needed}, got {dim}")
        return [add(before, dim, after) for dim, (before, after) in zip(shape, widths, strict=True)]
