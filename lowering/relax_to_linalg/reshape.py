"""Reshapes as `tensor.collapse_shape` and `tensor.expand_shape`, which are views."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from ...dialects.symbolic.expressions import Dim, equal, product
from ...dialects.upstream.tensor_ops import ExpandShapeOp
from ..emit.op_builder import OpBuilder
from ..emit.tensor_builder import Size, element, ranked, tensor_shape
from .builder import LinalgBuilder

Groups = list[tuple[list[int], list[int]]]


def reshape(
    b: LinalgBuilder, x: SSAValue, source: Sequence[Dim], target: Sequence[Dim], sizes: Sequence[Size]
) -> SSAValue:
    """Returns a tensor with the shape `target`, whose sizes are `sizes`.

    Runs of dims with provably equal products are collapsed and expanded as views. Where even the whole shapes are not provably
    equal, the elements are copied, with an index that is held inside of the operand.
    """
    if not target or not source:
        return _through_scalar(b, x, source, target, sizes)
    if equal(product(source), product(target)) is not True:
        return _copied(b, x, sizes)
    if product(target) == 0:
        return b.empty(sizes, element(x))
    groups = group(source, target)
    collapsed = collapse(b, x, [dims for dims, _ in groups])
    return expand(b, collapsed, [dims for _, dims in groups], sizes)


def group(source: Sequence[Dim], target: Sequence[Dim]) -> Groups:
    """Returns the shortest runs of dims whose products are provably equal, in order; the whole shapes at worst."""
    groups: Groups = []
    i = j = 0
    for stop in range(1, len(source) + 1):
        run = product(source[i:stop])
        match = next((k for k in range(j + 1, len(target) + 1) if equal(run, product(target[j:k])) is True), None)
        if match is not None:
            groups.append((list(range(i, stop)), list(range(j, match))))
            i, j = stop, match
    if i == len(source) and j == len(target):
        return groups
    if groups and all(dim == 1 for dim in (*source[i:], *target[j:])):
        groups[-1][0].extend(range(i, len(source)))
        groups[-1][1].extend(range(j, len(target)))
        return groups
    return [(list(range(len(source))), list(range(len(target))))]


def collapse(b: LinalgBuilder, x: SSAValue, groups: Sequence[Sequence[int]]) -> SSAValue:
    """Joins runs of dims."""
    shape = tensor_shape(x)
    if len(groups) == len(shape):
        return x
    sizes: list[int] = []
    for axes in groups:
        dynamic = any(shape[axis] == DYNAMIC_INDEX for axis in axes)
        sizes.append(DYNAMIC_INDEX if dynamic else prod(shape[axis] for axis in axes))
    return b.insert(
        tensor.CollapseShapeOp.create(
            operands=[x],
            properties={"reassociation": _reassociation(groups)},
            result_types=[TensorType(element(x), sizes)],
        )
    )


def expand(b: LinalgBuilder, x: SSAValue, groups: Sequence[Sequence[int]], sizes: Sequence[Size]) -> SSAValue:
    """Cuts dims into runs of dims with these sizes."""
    static = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    # A dim is static exactly if all dims that it is cut into are.
    inner: list[int] = []
    for axes in groups:
        dynamic = any(static[axis] == DYNAMIC_INDEX for axis in axes)
        inner.append(DYNAMIC_INDEX if dynamic else prod(static[axis] for axis in axes))
    x = cast(b, x, inner)
    if len(groups) == len(sizes):
        return x
    return b.insert(
        ExpandShapeOp(
            x,
            [size for size in sizes if not isinstance(size, int)],
            _reassociation(groups),
            static,
            ranked(sizes, element(x)),
        )
    )


def cast(b: LinalgBuilder, x: SSAValue, shape: Sequence[int]) -> SSAValue:
    """Returns a tensor with the static sizes that it is known to have."""
    expected = TensorType(element(x), shape)
    return x if x.type == expected else b.insert(tensor.CastOp(x, expected))


def _reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(axis, i64) for axis in axes) for axes in groups)


def flatten(b: LinalgBuilder, x: SSAValue) -> SSAValue:
    """Joins all dims into one; a scalar tensor becomes one element."""
    rank = len(tensor_shape(x))
    return collapse(b, x, [list(range(rank))]) if rank else expand(b, x, [], [1])


def insert_dim(b: LinalgBuilder, x: SSAValue, axis: int) -> SSAValue:
    """Inserts a dim of size 1."""
    sizes = b.shape(x)
    sizes.insert(axis, 1)
    return with_ones(b, x, sizes, [axis])


def with_ones(b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size], ones: Sequence[int]) -> SSAValue:
    """Inserts dims of size 1, so that the result has `sizes`; `ones` are their places."""
    kept = [axis for axis in range(len(sizes)) if axis not in ones]
    return expand(b, x, _attached(kept, len(sizes)), sizes)


def without_ones(b: LinalgBuilder, x: SSAValue, ones: Sequence[int]) -> SSAValue:
    """Removes dims of size 1."""
    rank = len(tensor_shape(x))
    kept = [axis for axis in range(rank) if axis not in ones]
    return collapse(b, x, _attached(kept, rank)) if ones else x


def _attached(kept: Sequence[int], rank: int) -> list[list[int]]:
    """Returns runs of dims, each with one kept dim and the others up to the next one."""
    if not kept:
        return []
    starts = [0, *kept[1:], rank]
    return [list(range(start, stop)) for start, stop in itertools.pairwise(starts)]


def _through_scalar(
    b: LinalgBuilder, x: SSAValue, source: Sequence[Dim], target: Sequence[Dim], sizes: Sequence[Size]
) -> SSAValue:
    ones = source or target
    if any(dim != 1 for dim in ones):
        return _copied(b, x, sizes)
    return collapse(b, x, []) if not target and source else expand(b, x, [], sizes) if target else x


def _copied(b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """Copies elements in row-major order, holding the index inside of the operand."""
    flat = flatten(b, x)
    count = b.dim(flat, 0)

    def copy(b: LinalgBuilder) -> SSAValue:
        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            linear: Size = 0
            for axis, size in enumerate(sizes):
                linear = s.add(s.mul(linear, size), s.insert(linalg.IndexOp(axis)))
            return s.extract(flat, [s.minimum(linear, s.sub(count, 1))])

        return b.elementwise([], sizes, element(x), body)

    return b.nonempty([count], sizes, element(x), copy)
