"""Tensors of a kernel as `linalg.generic`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IndexType, f32
from xdsl.ir import Attribute, SSAValue

from ....builder.types import dim, element_type
from ....dialects.relax.dtypes import is_unsigned
from ....dialects.symbolic.expressions import equal
from ....lowering.emit import scalar
from ....lowering.emit.op_builder import OpBuilder
from ....lowering.emit.tensor_builder import PARALLEL, REDUCTION, ScalarBuilder, projection
from ....lowering.relax_to_linalg.builder import LinalgBuilder, signless
from ....lowering.relax_to_linalg.ops import binary
from ....lowering.relax_to_linalg.ops.reduction import greatest, least
from ...tvm.tir.intrinsics import INTRINSICS
from .compute import Tensor, operands_of, walk
from .expressions import Apply, Axis, Constant, Expr, Load, Reduction, SizeValue

_ARITHMETIC: Mapping[str, Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]] = {
    "add": scalar.add,
    "sub": scalar.sub,
    "mul": scalar.mul,
    "and": OpBuilder.both,
    "or": OpBuilder.either,
}
_SIGNED: Mapping[str, Callable[[OpBuilder, SSAValue, SSAValue, bool], SSAValue]] = {
    "max": scalar.maximum,
    "min": scalar.minimum,
    "div": binary.divide,
    "floordiv": binary.floor_divide,
    "floormod": binary.floor_mod,
}
MAX_DEPTH = 32
"""How deep branches may be nested, each in the region of the one around it."""
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def emit_tensor(b: LinalgBuilder, tensor: Tensor, values: Mapping[Tensor, SSAValue]) -> SSAValue:
    """Returns a computed tensor; `values` are those that it is computed from.

    What is read at plain axes is an operand of the op; all else is read by `tensor.extract` in its body.
    """
    body = tensor.body
    assert body is not None
    reduced = body.axes if isinstance(body, Reduction) else ()
    inner = body.body if isinstance(body, Reduction) else body
    axes = [*tensor.axes, *reduced]
    inputs = _operands(inner, axes)
    # By identity: `==` of two expressions is a further one.
    place_of = {id(axis): place for place, axis in enumerate(axes)}
    maps = [projection(len(axes), [place_of[id(axis)] for axis in load.indices]) for load in inputs.values()]
    operands = [values[load.tensor] for load in inputs.values()]
    for axis in reduced:
        if not [load for load in inputs.values() if id(axis) in map(id, load.indices)]:
            # An op runs over the sizes of its operands.
            maps.append(projection(len(axes), [place_of[id(axis)]]))
            operands.append(b.empty([b.size(dim(axis.extent))], f32))
    sizes = b.sizes([dim(size) for size in tensor.shape])
    target = signless(element_type(tensor.dtype))
    result_map = projection(len(axes), range(len(tensor.axes)))
    iterators = [REDUCTION if axis.is_reduced else PARALLEL for axis in axes]
    places = dict(zip(inputs, range(len(inputs)), strict=True))
    computed = (item for item in walk(inner) if not isinstance(item, Load) or _key(item) not in inputs)
    read = {inner, *(operand for item in computed for operand in operands_of(item))}

    def evaluate(s: ScalarBuilder, given: Sequence[SSAValue]) -> SSAValue:
        indices = {axis: s.iteration(place) for place, axis in enumerate(axes) if axis in read}
        return _Scalars(b, s, values, {key: given[place] for key, place in places.items()}, indices).value(inner)

    if not isinstance(body, Reduction):
        output = b.empty(sizes, target)
        return b.generic(operands, [output], [*maps, result_map], iterators, evaluate)[0]

    wide = f32 if isinstance(target, AnyFloat) and target.bitwidth < 32 else target

    def accumulate(s: ScalarBuilder, given: Sequence[SSAValue]) -> SSAValue:
        item = scalar.cast(s, evaluate(s, given), wide)
        return _applied(s, body.op, [given[-1], item], is_unsigned(element_type(body.dtype)))

    output = b.fill(b.constant(_identity(body.op, body.dtype), wide), sizes)
    total = b.generic(operands, [output], [*maps, result_map], iterators, accumulate)[0]
    if wide == target:
        return total
    return b.elementwise([total], sizes, target, lambda s, given: scalar.cast(s, given[0], target))


def _identity(op: str, dtype: str) -> Any:
    if op in ("add", "mul"):
        return 0 if op == "add" else 1
    limit = least if op == "max" else greatest
    return limit(element_type(dtype), is_unsigned(element_type(dtype)))


def _key(load: Load) -> tuple[Any, ...]:
    return (load.tensor, *load.indices)


def _operands(body: Expr, axes: Sequence[Axis]) -> dict[tuple[Any, ...], Load]:
    """Returns the elements that are read at plain axes, each of the whole size of its dim."""
    loads: dict[tuple[Any, ...], Load] = {}
    own = set(map(id, axes))
    for load in walk(body):
        if not isinstance(load, Load) or len(set(load.indices)) != len(load.indices):
            continue
        if all(
            isinstance(index, Axis)
            and id(index) in own
            and index.low == 0
            and equal(dim(index.extent), dim(size)) is True
            for index, size in zip(load.indices, load.tensor.shape, strict=True)
        ):
            loads.setdefault(_key(load), load)
    return loads


class _Scalars:
    """Evaluates expressions in the body of an op."""

    def __init__(
        self,
        outer: LinalgBuilder,
        s: OpBuilder,
        tensors: Mapping[Tensor, SSAValue],
        loaded: Mapping[tuple[Any, ...], SSAValue],
        indices: Mapping[Axis, SSAValue],
        depth: int = 0,
    ):
        self._outer = outer
        self._s = s
        self._tensors = tensors
        self._loaded = loaded
        self._depth = depth
        self._values: dict[Expr, SSAValue] = {}
        self._plain: dict[Expr, bool] = {}
        self._indices = indices

    def value(self, expr: Expr) -> SSAValue:
        """Returns the value of an expression, which is evaluated once, after its operands."""
        waiting = [expr]
        while waiting:
            last = waiting[-1]
            missing = [operand for operand in self._needed(last) if operand not in self._values]
            if missing and last not in self._values:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if last not in self._values:
                self._values[last] = self._value(last)
        return self._values[expr]

    def _needed(self, expr: Expr) -> tuple[Expr, ...]:
        """Returns the operands of an expression whose values it needs where it stands: of a choice that branches, the condition."""
        if isinstance(expr, Load) and _key(expr) in self._loaded:
            return ()
        operands = operands_of(expr)
        return (
            operands[:1] if isinstance(expr, Apply) and expr.op == "select" and not self._is_plain(expr) else operands
        )

    def _is_plain(self, choice: Apply) -> bool:
        """Returns whether both sides of a choice can be evaluated: they read nothing that the op is not given as an operand."""
        if choice not in self._plain:
            loads = (load for side in choice.args[1:] for load in walk(side) if isinstance(load, Load))
            self._plain[choice] = all(_key(load) in self._loaded for load in loads)
        return self._plain[choice]

    def _value(self, expr: Expr) -> SSAValue:
        # Every value has the signless type of its dtype; what is of type `index`, axes and sizes, is converted where it comes in.
        s = self._s
        wanted = signless(element_type(expr.dtype))
        match expr:
            case Axis():
                value = scalar.cast(s, self._indices[expr], wanted)
                return value if expr.low == 0 else scalar.add(s, value, s.constant(expr.low, wanted))
            case Constant():
                return s.constant(expr.value, wanted)
            case SizeValue():
                size = self._outer.size(expr.size.dim)
                return s.constant(size, wanted) if isinstance(size, int) else scalar.cast(s, size, wanted)
            case Load():
                if _key(expr) in self._loaded:
                    return self._loaded[_key(expr)]
                places = [
                    scalar.cast(s, self._values[index], IndexType(), is_unsigned(element_type(index.dtype)))
                    for index in expr.indices
                ]
                return s.extract(self._tensors[expr.tensor], places)
            case Apply(op="select"):
                return self._select(expr)
            case Apply(op="cast"):
                (source,) = expr.args
                signs = (is_unsigned(element_type(item.dtype)) for item in (source, expr))
                return scalar.cast(s, self._values[source], wanted, *signs)
            case Apply():
                values = [self._values[arg] for arg in expr.args]
                return _applied(s, expr.op, values, is_unsigned(element_type(expr.args[0].dtype)))
            case _:
                raise AssertionError(f"{expr} stands inside of an expression")

    def _select(self, choice: Apply) -> SSAValue:
        condition, then, otherwise = choice.args
        holds = self._values[condition]
        if self._is_plain(choice):
            return scalar.select(self._s, holds, self._values[then], self._values[otherwise])
        return self._s.if_else(
            holds, lambda inner: [self._nested(inner).value(then)], lambda inner: [self._nested(inner).value(otherwise)]
        )[0]

    def _nested(self, s: OpBuilder) -> _Scalars:
        if self._depth == MAX_DEPTH:
            raise TypeError(
                f"expected te.if_then_else to be nested at most {MAX_DEPTH} deep around elements that are read"
            )
        inner = _Scalars(self._outer, s, self._tensors, self._loaded, self._indices, self._depth + 1)
        inner._values.update(self._values)
        return inner


def _applied(s: OpBuilder, op: str, values: Sequence[SSAValue], unsigned: bool) -> SSAValue:
    result: Attribute = values[0].type
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](s, values[0], values[1])
    if op in _SIGNED:
        wide = [scalar.widen(s, value) for value in values]
        return scalar.cast(s, _SIGNED[op](s, wide[0], wide[1], unsigned), result)
    if op in _COMPARISONS:
        return scalar.compare(s, op, values[0], values[1], unsigned)
    return INTRINSICS[op](s, values, result)
