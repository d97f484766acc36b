"""Builds linalg on tensors at one insertion point, with sizes as ints or SSA values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, DenseArrayBase, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from ...dialects.new_op import new_op
from ...dialects.upstream.linalg_bodies import fill_op
from ...dialects.upstream.linalg_yield import verify_yield
from .emitter import Index
from .op_builder import OpBuilder

Size: TypeAlias = Index
Body: TypeAlias = "Callable[[ScalarBuilder, Sequence[SSAValue]], Sequence[SSAValue] | SSAValue]"

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()


class ScalarBuilder(OpBuilder):
    """The builder handed to the body of a `linalg.generic`."""

    def iteration(self, dim: int) -> SSAValue:
        """Returns the index of an iteration dim."""
        return self.insert(linalg.IndexOp(dim))


class TensorBuilder(OpBuilder):
    """Inserts ops of linalg and tensor."""

    def refined(self, value: SSAValue, expected: Attribute) -> SSAValue:
        """Returns a tensor with the static dims of an expected type; any other value as it is."""
        if value.type == expected or not isinstance(expected, TensorType):
            return value
        return self.insert(tensor.CastOp(value, expected))

    def dim(self, value: SSAValue, axis: int) -> Size:
        """Returns the size of a tensor value along an axis."""
        static = tensor_shape(value)[axis]
        return self.insert(tensor.DimOp(value, self.index(axis))) if static == DYNAMIC_INDEX else static

    def shape(self, value: SSAValue) -> list[Size]:
        """Returns the sizes of a tensor value."""
        return [self.dim(value, axis) for axis in range(len(tensor_shape(value)))]

    def empty(self, sizes: Sequence[Size], element_type: Attribute) -> SSAValue:
        """Returns a tensor of undefined content."""
        dynamic = [size for size in sizes if not isinstance(size, int)]
        return self.insert(new_op(tensor.EmptyOp, dynamic, [ranked(sizes, element_type)]))

    def fill(self, scalar: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Returns a tensor with one value everywhere."""
        return self.insert(fill_op(scalar, self.empty(sizes, scalar.type)))

    def filled(self, value: float | bool, element_type: Attribute, sizes: Sequence[Size]) -> SSAValue:
        """Returns a tensor with one constant everywhere."""
        return self.fill(self.constant(value, element_type), sizes)

    def generic(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        maps: Sequence[AffineMap],
        iterators: Sequence[IteratorTypeAttr],
        body: Body,
    ) -> Sequence[SSAValue]:
        """Inserts a `linalg.generic`; `maps` are those of inputs then outputs, `body` gets one scalar for each."""
        block = Block(arg_types=[element(value) for value in (*inputs, *outputs)])
        scalars = ScalarBuilder(InsertPoint.at_end(block))
        yielded = body(scalars, block.args)
        scalars.insert_op(new_op(linalg.YieldOp, [yielded] if isinstance(yielded, SSAValue) else yielded))
        op = linalg.GenericOp(
            inputs,
            outputs,
            Region(block),
            [AffineMapAttr(affine_map) for affine_map in maps],
            iterators,
            [output.type for output in outputs],
        )
        verify_yield(op)
        return self.insert_op(op)

    def elementwise(
        self,
        inputs: Sequence[SSAValue],
        sizes: Sequence[Size],
        element_type: Attribute,
        body: Body,
        maps: Sequence[AffineMap] | None = None,
    ) -> SSAValue:
        """Computes a tensor point by point; without `maps` the inputs are aligned right and a static dim 1 is broadcast."""
        rank = len(sizes)
        input_maps = [broadcast_map(value, sizes) for value in inputs] if maps is None else maps
        output = self.empty(sizes, element_type)
        return self.generic(inputs, [output], [*input_maps, AffineMap.identity(rank)], [PARALLEL] * rank, body)[0]

    def reduce(
        self, value: SSAValue, axes: Sequence[int], initial: SSAValue, body: Body, element_type: Attribute | None = None
    ) -> SSAValue:
        """Reduces a tensor over axes, which disappear; `body` gets (item, accumulator)."""
        sizes = self.shape(value)
        kept = [axis for axis in range(len(sizes)) if axis not in axes]
        output = self.fill(initial, [sizes[axis] for axis in kept])
        maps = [AffineMap.identity(len(sizes)), projection(len(sizes), kept)]
        iterators = [REDUCTION if axis in axes else PARALLEL for axis in range(len(sizes))]
        return self.generic([value], [output], maps, iterators, body)[0]

    def extract_slice(
        self, value: SSAValue, offsets: Sequence[Size], sizes: Sequence[Size], strides: Sequence[Size]
    ) -> SSAValue:
        """Returns a slice of the same rank."""
        operands, arrays = _split([offsets, sizes, strides])
        return self.insert(
            tensor.ExtractSliceOp.build(
                operands=[value, *operands],
                properties=_slice_properties(arrays),
                result_types=[ranked(sizes, element(value))],
            )
        )

    def insert_slice(
        self,
        source: SSAValue,
        destination: SSAValue,
        offsets: Sequence[Size],
        strides: Sequence[Size] | None = None,
        sizes: Sequence[Size] | None = None,
    ) -> SSAValue:
        """Returns the destination with a slice replaced by the source, of the same rank; `sizes` are those of the source."""
        sizes = self.shape(source) if sizes is None else sizes
        operands, arrays = _split([offsets, sizes, strides or [1] * len(sizes)])
        return self.insert(
            tensor.InsertSliceOp.build(
                operands=[source, destination, *operands],
                properties=_slice_properties(arrays),
                result_types=[destination.type],
            )
        )


def element(value: SSAValue) -> Attribute:
    """Returns the element type of a tensor value, or the type of a scalar."""
    value_type = value.type
    return value_type.element_type if isinstance(value_type, TensorType) else value_type


def tensor_shape(value: SSAValue) -> tuple[int, ...]:
    """Returns the static shape of a tensor value, `DYNAMIC_INDEX` where it is dynamic."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def ranked(sizes: Sequence[Size], element_type: Attribute) -> TensorType[Attribute]:
    """Returns the tensor type with these sizes."""
    return TensorType(element_type, [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes])


def projection(rank: int, axes: Sequence[int]) -> AffineMap:
    """Returns the map from `rank` dims to those in `axes`."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(axis) for axis in axes))


def broadcast_map(value: SSAValue, sizes: Sequence[Size]) -> AffineMap:
    """Returns the map that reads a value aligned right to `sizes`; its static dims 1 are read at 0."""
    if not isinstance(value.type, TensorType):
        return AffineMap(len(sizes), 0, ())
    shape = value.type.get_shape()
    offset = len(sizes) - len(shape)
    results = (
        AffineExpr.constant(0) if dim == 1 and sizes[offset + axis] != 1 else AffineExpr.dimension(offset + axis)
        for axis, dim in enumerate(shape)
    )
    return AffineMap(len(sizes), 0, tuple(results))


def _split(lists: Sequence[Sequence[Size]]) -> tuple[list[list[SSAValue]], list[list[int]]]:
    operands = [[size for size in sizes if not isinstance(size, int)] for sizes in lists]
    arrays = [[size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes] for sizes in lists]
    return operands, arrays


def _slice_properties(arrays: Sequence[Sequence[int]]) -> dict[str, Attribute]:
    names = ("static_offsets", "static_sizes", "static_strides")
    return {name: DenseArrayBase.from_list(i64, array) for name, array in zip(names, arrays, strict=True)}
