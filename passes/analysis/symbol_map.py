"""How the symbols of one function are called in another one that is given the same weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ShapeType, dims_of, type_dims
from ...dialects.relax.function_signature import fresh
from ...dialects.relax.scope import defined_symbols, map_dims, used_symbols
from ...dialects.symbolic.expressions import Dim, Known, Symbol, equal, substitute, symbols


@lru_cache(maxsize=16384)
def symbols_in(value_type: Attribute) -> frozenset[str]:
    """Returns all symbols of a type."""
    return frozenset(used_symbols(value_type))


def ordered_definitions(value_types: Sequence[Attribute]) -> list[str]:
    """Returns the symbols that stand alone in the types, in order."""
    return list(dict.fromkeys(dim.name for one in value_types for dim in type_dims(one) if isinstance(dim, Symbol)))


class _UnmappedError(Exception):
    """A dim has no counterpart."""


class SymbolMap:
    """Maps the types of one function (local) to those of the transform (global).

    A symbol that stands alone in a weight's type has a global name. A dim of a weight's type that only run-time arguments give a meaning
    to (`2 * n`, where no weight has `n` alone) has a global symbol of its own, as the transform sees the weight and not `n`.
    """

    def __init__(self, weight_types: Sequence[Attribute]) -> None:
        self.names: dict[str, Dim] = {}
        self.dims: dict[Dim, Dim] = {}
        self._definable: set[str] = set().union(*map(defined_symbols, weight_types)) if weight_types else set()
        self._types: dict[Attribute, Attribute | None] = {}

    def adopt(self, weight_types: Sequence[Attribute], stems: Sequence[str]) -> list[Attribute]:
        """Maps each symbol to itself and returns the global types of the weights; `stems` name new symbols."""
        self.names = {name: Symbol(name) for name in sorted(self._definable)}
        taken = {name for one in weight_types for name in symbols_in(one)}
        for stem, one in zip(stems, weight_types, strict=True):
            for axis, dim in enumerate(type_dims(one)):
                if isinstance(dim, int) or dim is None or dim in self.dims or set(symbols(dim)) <= self._definable:
                    continue
                name = fresh(f"{stem}_{axis}", taken)
                taken.add(name)
                self.dims[dim] = Symbol(name)
        mapped = [self.type(one) for one in weight_types]
        return [one for one in mapped if one is not None]

    def unify(self, local: Sequence[Attribute], target: Sequence[Attribute], strict: bool) -> int | None:
        """Finds the global names of this function's symbols from its weights' types and the global ones.

        Returns the position of the first weight whose types do not agree up to renaming. Unless `strict`, one type may say more
        than the other, and a local symbol may stand for a global expression.
        """
        for position, (mine, other) in enumerate(zip(local, target, strict=True)):
            if not self._unify_type(mine, other, strict, bind=True):
                return position
        for position, (mine, other) in enumerate(zip(local, target, strict=True)):
            if not self._unify_type(mine, other, strict, bind=False):
                return position
        self._types.clear()
        return None

    def _unify_type(self, mine: Attribute, other: Attribute, strict: bool, bind: bool) -> bool:
        if isinstance(mine, TupleType) and isinstance(other, TupleType):
            fields = mine.types.data, other.types.data
            return len(fields[0]) == len(fields[1]) and all(
                self._unify_type(a, b, strict, bind) for a, b in zip(*fields, strict=True)
            )
        if isinstance(mine, ShapeType) and isinstance(other, ShapeType):
            return self._unify_dims(mine.data, other.data, strict, bind)
        if isinstance(mine, TensorType) and isinstance(other, TensorType):
            return mine.element_type == other.element_type and self._unify_dims(
                dims_of(mine) or (), dims_of(other) or (), strict, bind
            )
        if (
            not strict
            and isinstance(mine, TensorType | UnrankedTensorType)
            and isinstance(other, TensorType | UnrankedTensorType)
        ):
            return mine.element_type == other.element_type
        return mine == other

    def _unify_dims(self, mine: Sequence[Dim], other: Sequence[Dim], strict: bool, bind: bool) -> bool:
        return len(mine) == len(other) and all(
            self._unify_dim(a, b, strict, bind) for a, b in zip(mine, other, strict=True)
        )

    def _unify_dim(self, mine: Dim, other: Dim, strict: bool, bind: bool) -> bool:
        if mine is None or other is None:
            return mine is other or not strict
        if isinstance(mine, int):
            return mine == other if strict else equal(mine, other) is not False
        if isinstance(mine, Symbol):
            return self._unify_symbol(mine.name, other, strict) if bind else True
        if bind:
            return True
        if set(symbols(mine)) <= set(self.names):
            same = equal(substitute(mine, self.names), other)
            return same is True if strict else same is not False
        if strict and not isinstance(other, Symbol):
            return False
        return self.dims.setdefault(mine, other) == other

    def _unify_symbol(self, name: str, other: Dim, strict: bool) -> bool:
        if name in self.names:
            same = equal(self.names[name], other)
            return same is True if strict else same is not False
        if strict and (not isinstance(other, Symbol) or other in self.names.values()):
            return False
        self.names[name] = other
        return True

    def define(self, name: str, dim: Dim) -> None:
        """Gives a further local symbol a counterpart."""
        self.names[name] = dim
        self._types.clear()

    def type(self, local: Attribute) -> Attribute | None:
        """Returns the global type, `None` if it has a dim without a counterpart."""
        if local not in self._types:
            try:
                self._types[local] = map_dims(local, self._dim) if symbols_in(local) else local
            except _UnmappedError:
                self._types[local] = None
        return self._types[local]

    def _dim(self, dim: Dim) -> Dim:
        if isinstance(dim, int) or dim is None:
            return dim
        if dim in self.dims:
            return self.dims[dim]
        used = set(symbols(dim))
        if not used <= set(self.names):
            raise _UnmappedError
        if all(self.names[name] == Symbol(name) for name in used):
            return dim
        return substitute(dim, self.names)

    def missing(self, local: Attribute) -> list[str]:
        """Returns the symbols of a type that have no counterpart."""
        return sorted(name for name in symbols_in(local) if name not in self.names)

    def local_type(self, value_type: Attribute, taken: set[str]) -> Attribute:
        """Returns the local form of a global type; a symbol that has none gets a name that is not taken."""
        back: dict[str, Dim] = {dim.name: Symbol(name) for name, dim in self.names.items() if isinstance(dim, Symbol)}
        back |= {dim.name: local for local, dim in self.dims.items() if isinstance(dim, Symbol)}

        def change(dim: Dim) -> Dim:
            if isinstance(dim, int) or dim is None:
                return dim
            for name in dict.fromkeys(symbols(dim)):
                if name not in back:
                    local = fresh(name, taken)
                    taken.add(local)
                    self.define(local, Symbol(name))
                    back[name] = Symbol(local)
            return substitute(dim, back)

        return map_dims(value_type, change)


def local_dim(symbols_of_function: SymbolMap, dim: Dim) -> Known | None:
    """Returns the local symbol that stands for a global dim, if there is one."""
    for name, other in symbols_of_function.names.items():
        if other == dim:
            return Symbol(name)
    return None
