"""Tensors of a kernel: those that it is given, and those that it computes element by element."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ....builder.locations import caller_location
from ....builder.types import Size
from ..marks import PARAMETER
from ..symbols import IntExpr, dims_from, sizes_from
from .bounds import outside
from .expressions import INDEX, Apply, Axis, Expr, Load, Reduction, Scalar, const, expression


class Tensor:
    """A tensor of a kernel; `a[i, j]` is an element."""

    def __init__(self, shape: Sequence[IntExpr], dtype: str, axes: Sequence[Axis] = (), body: Expr | None = None):
        self.shape = list(shape)
        self.dtype = dtype
        self.axes = tuple(axes)
        self.body = body
        """What an element at `axes` is; `None` for a tensor that the kernel is given."""
        self.location = None if body is None else caller_location()
        """The line that computes it."""

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    def __getitem__(self, indices: Scalar | tuple[Scalar, ...]) -> Load:
        places = indices if isinstance(indices, tuple) else (indices,)
        if len(places) != self.ndim:
            raise TypeError(f"expected {self.ndim} indices of a tensor of shape {self.shape}, got {len(places)}")
        values = tuple(map(expression, places))
        for place in values:
            if "int" not in place.dtype:
                raise TypeError(f"expected integers as indices, got {place.dtype}")
        return Load(self, values, self.dtype)

    def __call__(self, *indices: Scalar) -> Load:
        return self[indices]

    def __add__(self, other: Tensor | Scalar) -> Tensor:
        return elementwise(operator.add, self, other)

    def __radd__(self, other: Scalar) -> Tensor:
        return elementwise(operator.add, other, self)

    def __sub__(self, other: Tensor | Scalar) -> Tensor:
        return elementwise(operator.sub, self, other)

    def __rsub__(self, other: Scalar) -> Tensor:
        return elementwise(operator.sub, other, self)

    def __mul__(self, other: Tensor | Scalar) -> Tensor:
        return elementwise(operator.mul, self, other)

    def __rmul__(self, other: Scalar) -> Tensor:
        return elementwise(operator.mul, other, self)

    def __truediv__(self, other: Tensor | Scalar) -> Tensor:
        return elementwise(operator.truediv, self, other)

    def __rtruediv__(self, other: Scalar) -> Tensor:
        return elementwise(operator.truediv, other, self)

    def __neg__(self) -> Tensor:
        return elementwise(operator.mul, -1, self)


def elementwise(function: Callable[..., Scalar], *operands: Tensor | Scalar) -> Tensor:
    """Returns what a function makes of the elements of tensors, which broadcast as in numpy, and of numbers."""
    shapes = [operand.shape for operand in operands if isinstance(operand, Tensor)]
    shape: list[IntExpr] = []
    for dims in zip_longest(*map(reversed, shapes), fillvalue=1):
        sizes = [dim for dim in dims if dim != 1]
        if any(size != sizes[0] for size in sizes):
            raise TypeError(f"expected tensors that broadcast, got the shapes {' and '.join(map(str, shapes))}")
        shape.insert(0, sizes[0] if sizes else 1)

    def element(*axes: Axis) -> Scalar:
        return function(*(_broadcast(operand, axes) for operand in operands))

    return compute(shape, element)


def _broadcast(operand: Tensor | Scalar, axes: Sequence[Axis]) -> Scalar:
    """Returns the element of a tensor that goes into one of a tensor of higher rank; a number goes into all."""
    if not isinstance(operand, Tensor):
        return operand
    last = axes[len(axes) - operand.ndim :]
    return operand[tuple(0 if size == 1 else axis for size, axis in zip(operand.shape, last, strict=True))]


def compute(shape: Sequence[IntExpr | str], fcompute: Callable[..., Scalar], name: str = "compute") -> Tensor:
    """Returns the tensor of a shape whose element at `i, j, ...` is `fcompute(i, j, ...)`."""
    sizes = sizes_from(dims_from([shape] if isinstance(shape, int | str | Size) else shape, PARAMETER))
    axes = [Axis(0, size, name=f"index {place}") for place, size in enumerate(sizes)]
    parameters = inspect.signature(fcompute).parameters.values()
    takes_any = bool([parameter for parameter in parameters if parameter.kind == parameter.VAR_POSITIONAL])
    if not takes_any and len(parameters) != len(axes):
        raise TypeError(f"{name}: expected a function of {len(axes)} indices, got one of {len(parameters)}")
    body = expression(fcompute(*axes), "float32")
    inside = list(walk(body))
    if [inner for inner in inside if isinstance(inner, Reduction) and inner is not body]:
        raise TypeError(f"{name}: a reduction is the whole of a computation, compute the rest from its result")
    owned = {*map(id, axes), *(id(axis) for axis in (body.axes if isinstance(body, Reduction) else ()))}
    stray = next((inner for inner in inside if isinstance(inner, Axis) and id(inner) not in owned), None)
    if stray is not None:
        raise TypeError(f"{name}: {stray.label} is read, which is of another computation or reduction")
    wrong = outside(body, tuple(axes))
    if wrong is not None:
        raise TypeError(f"{name}: {wrong}")
    return Tensor(sizes, body.dtype, axes, body)


def reduce_axis(dom: tuple[int, Any] | Any, name: str = "k") -> Axis:
    """Returns an index for a reduction, which runs over `(low, high)`; `high` may be a size."""
    if not isinstance(dom, tuple | list) or len(dom) != 2:
        raise TypeError(f"{name}: expected (low, high) as the range of a reduction, got {dom!r}")
    low, high = dom
    if not isinstance(low, int | np.integer) or isinstance(low, bool):
        raise TypeError(f"{name}: expected an integer as the lower bound of a reduction, got {low!r}")
    if not isinstance(high, int | np.integer | Size) or isinstance(high, bool):
        raise TypeError(f"{name}: expected an integer or a size as the upper bound of a reduction, got {high!r}")
    try:
        const(int(low), INDEX)
        (extent,) = sizes_from(dims_from([high - int(low)], PARAMETER))
    except ValueError:
        raise TypeError(
            f"{name}: expected the range of a reduction to be from 0 to 2^63 - 1 long, got ({low}, {high})"
        ) from None
    return Axis(int(low), extent, is_reduced=True, name=name)


def walk(value: Expr) -> Iterator[Expr]:
    """Yields an expression and all inside of it, those of its tensors' indices too; what is used twice comes once."""
    seen = {id(value)}
    waiting = [value]
    while waiting:
        item = waiting.pop()
        yield item
        for inner in reversed(operands_of(item)):
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting.append(inner)


def operands_of(value: Expr) -> tuple[Expr, ...]:
    """Returns what an expression is computed from."""
    match value:
        case Apply():
            return value.args
        case Load():
            return value.indices
        case Reduction():
            return (value.body,)
        case _:
            return ()


def tensors_of(results: Sequence[Tensor]) -> list[Tensor]:
    """Returns tensors with all that they are computed from, operands first."""
    ordered: dict[Tensor, None] = {}
    reads: dict[Tensor, list[Tensor]] = {}
    waiting = list(reversed(results))
    while waiting:
        item = waiting[-1]
        if item not in reads:
            inside = () if item.body is None else walk(item.body)
            reads[item] = [inner.tensor for inner in inside if isinstance(inner, Load)]
        missing = [read for read in reads[item] if read not in ordered]
        if missing:
            waiting += reversed(missing)
        else:
            ordered.setdefault(waiting.pop())
    return list(ordered)
