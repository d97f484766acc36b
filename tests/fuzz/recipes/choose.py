"""Choices that recipes share: axes, partners that broadcast, shape values, indices."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from xdsl.dialects.builtin import i8, i32, i64
from xdsl_relax.dialects.relax.attrs import ShapeType
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import ops_of
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops import core
from xdsl_relax.dialects.symbolic.expressions import Symbol

from ..scope import Scope, Value


def relax_ops_of(family: ModuleType) -> list[type[RelaxOp]]:
    """Returns the ops of a family of which results are inferred."""
    return [op for op in ops_of(family) if issubclass(op, RelaxOp)]


def maybe(s: Scope, value: Any, chance: float = 0.5) -> Any:
    """Returns the value, or `None`, which leaves an attribute out."""
    return value if s.rng.random() < chance else None


def axis_of(s: Scope, value: Value) -> int:
    """Returns an axis, counted from either end."""
    return s.rng.randrange(-value.rank, value.rank)


def axes_of(s: Scope, value: Value) -> list[int] | None:
    """Returns some axes; `None` stands for all."""
    chosen = s.rng.sample(range(value.rank), s.rng.randint(0, value.rank)) if value.rank else []
    return [axis - value.rank if s.rng.random() < 0.5 else axis for axis in chosen] or None


def partner(s: Scope, x: Value, elements: Any = None) -> Value | None:
    """Returns a tensor that broadcasts with another one."""
    element = elements or x.element
    for _ in range(4):
        other = s.pick(element)
        if other is not None and _broadcasts(x, other):
            return other
    dims = [1 if s.rng.random() < 0.25 else dim for dim in x.dims]
    if None in dims:
        return s.tensor([], element)
    return s.tensor(dims[s.rng.choice((0, 0, 0, 1, len(dims))) :], element)


def _broadcasts(a: Value, b: Value) -> bool:
    pairs = zip(reversed(a.dims), reversed(b.dims), strict=False)
    return all(x == y or x == 1 or y == 1 for x, y in pairs)


def shape_value(s: Scope, *dims: Any) -> Value | None:
    """Returns a shape value of known dims."""
    if None in dims:
        return None
    results = s.add(core.ShapeOp.create(result_types=[ShapeType(tuple(dims))]))
    return results[0] if results else None


def in_scope(s: Scope, dims: Any) -> list[Any]:
    """Replaces symbols that nothing defines by a number."""
    return [2 if isinstance(dim, Symbol) and dim.name not in s.defined() else dim for dim in dims]


def indices(s: Scope, size: int, dims: Any) -> Value | None:
    """Returns a tensor of indices, mostly in range."""
    top = max(size, 1) + (s.rng.random() < 0.2)
    return s.tensor(
        dims,
        s.rng.choice((i64, i64, i32, i8, ui8)),
        lambda rng, shape: rng.integers(-top if s.rng.random() < 0.2 else 0, top, shape),
    )
