"""Reading and writing by index: take, slices, gather, scatter, one_hot.

An index from a tensor counts from 0, a negative one from the end. One that is out of range all the same never touches memory outside
of the tensor: a read takes the nearest element (`take` has modes), a write is left out. Reading a dim of size 0 yields 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..attrs import tensor_type
from ..base import (
    BOOL,
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
from ..dtypes import FLOATS, INTEGERS
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..rules.shape_rules import broadcast, shape_text
from ..rules.slice_rules import slice_range

TAKE_MODES = ("fast", "clip", "wrap", "nan")
REDUCTIONS = ("update", "add", "mul", "min", "max")


def _scalar_tensor_has_no_axis(shape: Sequence[Dim], constraint: str) -> None:
    if not shape:
        fail(constraint, "a scalar tensor has no axis")


@irdl_op_definition
class TakeOp(TensorOp):
    """Selects along `axis` the elements at `indices`, whose shape takes the place of that dim; a vector or a scalar has no need of one.

    A scalar tensor is taken as a vector of one element, as numpy does; TVM refuses it.

    `mode` rules the indices out of range: "clip" takes the nearest element, negative indices being out of range; "wrap" counts on from
    the other end; "nan" gives NaN, for negative indices too. "fast" (the default) lets negative indices count from the end, and clips
    the rest, where Relax leaves both undefined.

    take_c1: the indices are integers.
    take_c2: the axis is in range; it is left out for a vector or a scalar only.
    take_c3: `mode` is one of the four, and "nan" is for floating-point elements.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.take"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    mode = opt_prop_def(STRING)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "take_c1")
        mode = self.prop("mode", "fast")
        if mode not in TAKE_MODES:
            fail("take_c3", f"mode must be one of {', '.join(TAKE_MODES)}, got {mode}")
        if mode == "nan" and element(self.x) not in FLOATS:
            fail("take_c3", f'mode "nan" is for floating-point elements, got {element(self.x)}')
        shape, indices = dims(self.x), dims(self.indices)
        if shape is None:
            return [tensor_type(None, element(self.x))]
        axis = self.normalized_axis(len(shape))
        if indices is None:
            return [tensor_type(None, element(self.x))]
        return [tensor_type((*shape[:axis], *indices, *shape[axis + 1 :]), element(self.x))]

    def normalized_axis(self, rank: int) -> int:
        """Returns the axis, counted from 0; that of a scalar is the one it has as a vector."""
        axis = self.prop("axis")
        if axis is None:
            if rank > 1:
                fail("take_c2", f"without an axis the tensor must have at most one dim, got {rank}")
            return 0
        if rank == 0:
            fail("take_c2", "a scalar tensor has no axis")
        return normalized_axis(axis, rank, "take_c2")


@irdl_op_definition
class StridedSliceOp(TensorOp):
    """Takes `begin[i]`, `begin[i] + strides[i]`, ... up to before `end[i]` along `axes[i]`, as numpy does.

    Negative entries count from the end; indices out of range are clipped. With `assume_inbound` the size of the result is that of the
    range as it is written, and a read that is out of range all the same takes the nearest element, where Relax leaves it undefined.
    Expressions are given as two shape operands instead of the properties `begin` and `end`; they are not negative. Relax has all four
    lists as arguments.

    strided_slice_c1: the axes are in range and do not repeat.
    strided_slice_c2: begin, end and strides have an entry for each axis, and begin and end are given once.
    strided_slice_c3: no stride is 0.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.strided_slice"
    x = operand_def(TENSOR)
    bounds = var_operand_def(SHAPE)
    axes = prop_def(INTS)
    begin = opt_prop_def(INTS)
    end = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    assume_inbound = opt_prop_def(BOOL)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        if shape is None:
            return [tensor_type(None, element(self.x))]
        return [tensor_type([size for _, size, _ in self.ranges(shape)], element(self.x))]

    def ranges(self, shape: Sequence[Dim], clipped: bool = False) -> list[tuple[Dim, Dim, int]]:
        """Returns first index, size and stride along each dim of the operand; `clipped` in spite of `assume_inbound`."""
        axes = normalized_axes(self.prop("axes"), len(shape), "strided_slice_c1")
        begin, end = bounds_of(self, "strided_slice_c2")
        strides = self.prop("strides", (1,) * len(axes))
        if not len(axes) == len(begin) == len(end) == len(strides):
            fail(
                "strided_slice_c2",
                f"expected {len(axes)} entries each, got begin {len(begin)}, end {len(end)}, strides {len(strides)}",
            )
        inbound = not clipped and self.prop("assume_inbound", False)
        result: list[tuple[Dim, Dim, int]] = [(0, dim, 1) for dim in shape]
        for axis, first, last, stride in zip(axes, begin, end, strides, strict=True):
            if stride == 0:
                fail("strided_slice_c3", f"strides must not be 0, got {list(strides)}")
            result[axis] = (*slice_range(shape[axis], first, last, stride, inbound), stride)
        return result


def bounds_of(op: StridedSliceOp | SliceScatterOp, constraint: str) -> tuple[Sequence[Dim], Sequence[Dim]]:
    """Returns the two lists that are given as properties or as shape operands."""
    names = ("begin", "end") if isinstance(op, StridedSliceOp) else ("start", "end")
    given = [op.prop(name) for name in names]
    if len(op.bounds) == 2 and given == [None, None]:
        return shape_value(op.bounds[0]), shape_value(op.bounds[1])
    if op.bounds or None in given:
        fail(constraint, f"{names[0]} and {names[1]} must be given as two properties or as two shape operands")
    return tuple((value,) if isinstance(value, int) else value for value in given)  # pyright: ignore[reportReturnType]


@irdl_op_definition
class DynamicStridedSliceOp(TensorOp):
    """Takes a slice whose begin, end and strides, one entry for each dim, are tensors; the result's dims are unknown.

    The entries mean what they mean for strided_slice, out of range ones being clipped; a stride of 0 is taken as 1.

    dynamic_strided_slice_c1: begin, end and strides are vectors of i64.
    dynamic_strided_slice_c2: they have an entry for each dim.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.dynamic_strided_slice"
    x = operand_def(TENSOR)
    begin = operand_def(TENSOR)
    end = operand_def(TENSOR)
    strides = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        for value in (self.begin, self.end, self.strides):
            entries = dims(value)
            if str(element(value)) != "i64" or (entries is not None and len(entries) != 1):
                fail("dynamic_strided_slice_c1", f"begin, end and strides must be vectors of i64, got {value.type}")
            if shape is not None and entries is not None and context.differ(entries[0], len(shape)):
                fail("dynamic_strided_slice_c2", f"expected {len(shape)} entries, got {entries[0]}")
        return [tensor_type(None if shape is None else [None] * len(shape), element(self.x))]


@irdl_op_definition
class GatherElementsOp(TensorOp):
    """`result[i, j] = data[indices[i, j], j]` for `axis = 0` (the default), and so on.

    gather_elements_c1: the indices are integers.
    gather_elements_c2: data and indices have the same rank, and the axis is in range.
    gather_elements_c3: outside of the axis, no dim of the indices is larger than that of the data.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.gather_elements"
    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "gather_elements_c1")
        shape, indices = dims(self.data), dims(self.indices)
        if shape is not None and indices is not None:
            check_elements(context, shape, indices, self.prop("axis", 0), "gather_elements")
        return [tensor_type(indices, element(self.data))]


def check_elements(context: SizeContext, shape: Sequence[Dim], indices: Sequence[Dim], axis: int, op: str) -> None:
    """Checks data against indices that have their rank: `<op>_c2` and `<op>_c3`."""
    if len(shape) != len(indices) or not shape:
        fail(f"{op}_c2", f"data and indices must have the same rank of at least 1, got {len(shape)} and {len(indices)}")
    dim = normalized_axis(axis, len(shape), f"{op}_c2")
    for i, (size, count) in enumerate(zip(shape, indices, strict=True)):
        if i != dim and context.is_below(size, count):
            fail(f"{op}_c3", f"dim {i} of the indices must be at most {size}, got {count}")


def tuple_length(indices: Sequence[Dim] | None, constraint: str) -> int | None:
    """Returns how many indices each entry of an nd index tensor holds; `None` for an unknown rank."""
    if indices is None:
        return None
    if not indices or not isinstance(indices[-1], int):
        fail(constraint, f"the last dim of the indices must be known, got {shape_text(indices)}")
    return indices[-1]


@irdl_op_definition
class GatherNDOp(TensorOp):
    """Each vector along the last dim of the indices selects a part of the data; the first `batch_dims` dims are common to both.

    gather_nd_c1: the indices are integers.
    gather_nd_c2: the last dim of the indices is known, and with `batch_dims` at most the rank of the data.
    gather_nd_c3: the batch dims agree, and both operands have them.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.gather_nd"
    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    batch_dims = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "gather_nd_c1")
        shape, indices = dims(self.data), dims(self.indices)
        count = tuple_length(indices, "gather_nd_c2")
        if shape is None or indices is None or count is None:
            return [tensor_type(None, element(self.data))]
        batch = self.prop("batch_dims", 0)
        if batch + count > len(shape):
            fail(
                "gather_nd_c2",
                f"{batch} batch dims and {count} indices are more than the {len(shape)} dims of the data",
            )
        if not 0 <= batch < len(indices) or any(
            context.differ(a, b) for a, b in zip(shape[:batch], indices[:batch], strict=True)
        ):
            fail("gather_nd_c3", f"{shape_text(shape)} and {shape_text(indices)} have no {batch} batch dims in common")
        return [tensor_type((*indices[:-1], *shape[batch + count :]), element(self.data))]


@irdl_op_definition
class ScatterElementsOp(TensorOp):
    """`result[indices[i, j], j] = reduction(result[indices[i, j], j], updates[i, j])` for `axis = 0` (the default), and so on.

    The result starts as the data; the updates are applied in row-major order. `reduction` is "update" (the default), which replaces,
    "add", "mul", "min" or "max". Relax's "mean" is not offered: it depends on the order of the updates.

    scatter_elements_c1: the indices are integers; data and updates have the same element type.
    scatter_elements_c2: data and indices have the same rank, and the axis is in range.
    scatter_elements_c3: outside of the axis, no dim of the indices is larger than that of the data.
    scatter_elements_c4: indices and updates have the same shape.
    scatter_elements_c5: `reduction` is one of the five, and "update" for i1.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.scatter_elements"
    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    reduction = opt_prop_def(STRING)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "scatter_elements_c1")
        require_same_element("scatter_elements_c1", self.data, self.updates)
        shape, indices, updates = dims(self.data), dims(self.indices), dims(self.updates)
        if shape is not None and indices is not None:
            check_elements(context, shape, indices, self.prop("axis", 0), "scatter_elements")
        check_same_shape(context, indices, updates, "scatter_elements_c4")
        check_reduction(self, self.data, "scatter_elements_c5")
        return [self.data.type]


def check_same_shape(
    context: SizeContext, expected: Sequence[Dim] | None, actual: Sequence[Dim] | None, constraint: str
) -> None:
    """Checks that the shape of the updates is not provably another one."""
    if expected is None or actual is None:
        return
    if len(expected) != len(actual) or any(context.differ(a, b) for a, b in zip(expected, actual, strict=True)):
        fail(constraint, f"updates must have shape {shape_text(expected)}, got {shape_text(actual)}")


def check_reduction(op: RelaxOp, data: SSAValue, constraint: str) -> None:
    """Checks the name of a reduction against the element type."""
    reduction = op.prop("reduction", "update")
    if reduction not in REDUCTIONS:
        fail(constraint, f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction}")
    if reduction != "update" and str(element(data)) == "i1":
        fail(constraint, f'reduction must be "update" for i1, got "{reduction}"')


@irdl_op_definition
class ScatterNDOp(TensorOp):
    """Each vector along the last dim of the indices selects a part of the data that the updates change, in row-major order.

    `reduction` as in scatter_elements.

    scatter_nd_c1: the indices are integers; data and updates have the same element type.
    scatter_nd_c2: the last dim of the indices is known, and at most the rank of the data.
    scatter_nd_c3: the updates have the shape of the indices without the last dim, then the rest of the data's.
    scatter_nd_c4: `reduction` is one of the five, and "update" for i1.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.scatter_nd"
    data = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    reduction = opt_prop_def(STRING)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "scatter_nd_c1")
        require_same_element("scatter_nd_c1", self.data, self.updates)
        shape, indices = dims(self.data), dims(self.indices)
        count = tuple_length(indices, "scatter_nd_c2")
        if shape is not None and indices is not None and count is not None:
            if count > len(shape):
                fail("scatter_nd_c2", f"{count} indices are more than the {len(shape)} dims of the data")
            check_same_shape(context, (*indices[:-1], *shape[count:]), dims(self.updates), "scatter_nd_c3")
        check_reduction(self, self.data, "scatter_nd_c4")
        return [self.data.type]


@irdl_op_definition
class IndexTensorOp(TensorOp):
    """`data[indices[0], indices[1], ...]` in numpy's sense: the index tensors are broadcast and select along the leading dims.

    index_tensor_c1: there is at least one index tensor, and all hold integers.
    index_tensor_c2: there are at most as many as the data has dims.
    index_tensor_c3: the index tensors broadcast.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.index_tensor"
    data = operand_def(TENSOR)
    indices = var_operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.indices:
            fail("index_tensor_c1", "expected at least one index tensor")
        common: Sequence[Dim] | None = ()
        for indices in self.indices:
            require_element(element(indices), INTEGERS, "index_tensor_c1")
            common = broadcast(context, common, dims(indices), "index_tensor_c3")
        shape = dims(self.data)
        if shape is not None and len(self.indices) > len(shape):
            fail("index_tensor_c2", f"{len(self.indices)} index tensors for {len(shape)} dims")
        if shape is None or common is None:
            return [tensor_type(None, element(self.data))]
        return [tensor_type((*common, *shape[len(self.indices) :]), element(self.data))]


@irdl_op_definition
class SliceScatterOp(TensorOp):
    """Replaces `start`, `start + step`, ... up to before `end` along `axis` (default 0) of the input by `src`.

    Negative bounds count from the end; bounds out of range are clipped. Expressions are given as two shape operands of one entry
    each, after `src`, instead of the properties `start` and `end`; they are not negative.

    slice_scatter_c1: input and src have the same element type.
    slice_scatter_c2: start and end are given once, with one entry each; the step is positive (default 1).
    slice_scatter_c3: the axis is in range.
    slice_scatter_c4: src has the shape of the slice.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.slice_scatter"
    input = operand_def(TENSOR)
    src = operand_def(TENSOR)
    bounds = var_operand_def(SHAPE)
    axis = opt_prop_def(I64)
    start = opt_prop_def(I64)
    end = opt_prop_def(I64)
    step = opt_prop_def(I64)

    def slice_along(self, shape: Sequence[Dim]) -> tuple[int, Dim, Dim, int]:
        """Returns axis, first index, size and step of the slice."""
        start, end = bounds_of(self, "slice_scatter_c2")
        step = self.prop("step", 1)
        if len(start) != 1 or len(end) != 1 or step < 1:
            fail("slice_scatter_c2", f"expected one start, one end, step > 0; got {len(start)}, {len(end)}, {step}")
        _scalar_tensor_has_no_axis(shape, "slice_scatter_c3")
        axis = normalized_axis(self.prop("axis", 0), len(shape), "slice_scatter_c3")
        return axis, *slice_range(shape[axis], start[0], end[0], step), step

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_same_element("slice_scatter_c1", self.input, self.src)
        shape = dims(self.input)
        if shape is not None:
            axis, _, size, _ = self.slice_along(shape)
            check_same_shape(context, (*shape[:axis], size, *shape[axis + 1 :]), dims(self.src), "slice_scatter_c4")
        return [self.input.type]


@irdl_op_definition
class OneHotOp(TensorOp):
    """Gives each index a new dim of size `depth` at `axis` (default last), `on_value` at the index and `off_value` elsewhere.

    An index that is not in `[0, depth)` gives `off_value` everywhere. The type of the two values is that of the result's elements.

    one_hot_c1: the indices are integers.
    one_hot_c2: `on_value` and `off_value` have the same type.
    one_hot_c3: the depth is positive, and the axis in range of the result.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.INJECTIVE
    name = "relax.one_hot"
    indices = operand_def(TENSOR)
    on_value = prop_def(base(IntegerAttr) | base(FloatAttr))
    off_value = prop_def(base(IntegerAttr) | base(FloatAttr))
    depth = prop_def(I64)
    axis = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.indices), INTEGERS, "one_hot_c1")
        element_type = self.on_value.type
        if self.off_value.type != element_type:
            fail(
                "one_hot_c2", f"on_value and off_value must have one type, got {element_type} and {self.off_value.type}"
            )
        depth = self.depth.value.data
        if depth < 1:
            fail("one_hot_c3", f"depth must be positive, got {depth}")
        shape = dims(self.indices)
        if shape is None:
            return [tensor_type(None, element_type)]
        axis = self.normalized_axis(len(shape))
        return [tensor_type((*shape[:axis], depth, *shape[axis:]), element_type)]

    def normalized_axis(self, rank: int) -> int:
        """Returns the new dim for indices of that rank."""
        return normalized_axis(self.prop("axis", -1), rank + 1, "one_hot_c3")
