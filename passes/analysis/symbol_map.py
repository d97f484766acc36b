"""Maps the symbols of one function to those of another one that is given the same weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ShapeType, dims_of, type_dims
from ...dialects.relax.function_signature import fresh
from ...dialects.relax.type_dims import defined_symbols, map_dims, used_symbols
from ...dialects.symbolic.expressions import Dim, Known, Symbol, equal, substitute, symbols


@lru_cache(maxsize=16384)
def symbols_in(value_type: Attribute) -> frozenset[str]:
    """Returns all symbols of a type."""
    return frozenset(used_symbols(value_type))


def ordered_definitions(value_types: Sequence[Attribute]) -> list[str]:
    """Returns the symbols that stand alone in the types, in order."""
    return list(
        dict.fromkeys(
            dim.name for value_type in value_types for dim in type_dims(value_type) if isinstance(dim, Symbol)
        )
    )


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
        taken = {name for weight_type in weight_types for name in symbols_in(weight_type)}
        for stem, weight_type in zip(stems, weight_types, strict=True):
            for axis, dim in enumerate(type_dims(weight_type)):
                if isinstance(dim, int) or dim is None or dim in self.dims or set(symbols(dim)) <= self._definable:
                    continue
                name = fresh(f"{stem}_{axis}", taken)
                taken.add(name)
                self.dims[dim] = Symbol(name)
        mapped = [self.type(weight_type) for weight_type in weight_types]
        return [weight_type for weight_type in mapped if weight_type is not None]

    def unify(self, local: Sequence[Attribute], target: Sequence[Attribute], strict: bool) -> int | None:
        """Finds the global names of this function's symbols from its weights' types and the global ones.

        Returns the position of the first weight whose types do not agree up to renaming. Unless `strict`, one type may say more
        than the other, and a local symbol may stand for a global expression.
        """
        for position, (local_type, target_type) in enumerate(zip(local, target, strict=True)):
            if not self._unify_type(local_type, target_type, strict, bind=True):
                return position
        for position, (local_type, target_type) in enumerate(zip(local, target, strict=True)):
            if not self._unify_type(local_type, target_type, strict, bind=False):
                return position
        self._types.clear()
        return None

    def _unify_type(self, local: Attribute, target: Attribute, strict: bool, bind: bool) -> bool:
        # Types unify field by field; where they are of different kinds, they are equal or do not fit.
        if isinstance(local, TupleType) and isinstance(target, TupleType):
            fields = local.types.data, target.types.data
            return len(fields[0]) == len(fields[1]) and all(
                self._unify_type(a, b, strict, bind) for a, b in zip(*fields, strict=True)
            )
        if isinstance(local, ShapeType) and isinstance(target, ShapeType):
            return self._unify_dims(local.data, target.data, strict, bind)
        if isinstance(local, TensorType) and isinstance(target, TensorType):
            return local.element_type == target.element_type and self._unify_dims(
                dims_of(local) or (), dims_of(target) or (), strict, bind
            )
        if (
            not strict
            and isinstance(local, TensorType | UnrankedTensorType)
            and isinstance(target, TensorType | UnrankedTensorType)
        ):
            return local.element_type == target.element_type
        return local == target

    def _unify_dims(self, local: Sequence[Dim], target: Sequence[Dim], strict: bool, bind: bool) -> bool:
        return len(local) == len(target) and all(
            self._unify_dim(a, b, strict, bind) for a, b in zip(local, target, strict=True)
        )

    def _unify_dim(self, local: Dim, target: Dim, strict: bool, bind: bool) -> bool:
        # All symbols are bound before expressions of them are compared.
        if local is None or target is None:
            return local is target or not strict
        if isinstance(local, int):
            return local == target if strict else equal(local, target) is not False
        if isinstance(local, Symbol):
            return self._unify_symbol(local.name, target, strict) if bind else True
        if bind:
            return True
        if set(symbols(local)) <= set(self.names):
            same = equal(substitute(local, self.names), target)
            return same is True if strict else same is not False
        if strict and not isinstance(target, Symbol):
            return False
        return self.dims.setdefault(local, target) == target

    def _unify_symbol(self, name: str, target: Dim, strict: bool) -> bool:
        if name in self.names:
            same = equal(self.names[name], target)
            return same is True if strict else same is not False
        if strict and (not isinstance(target, Symbol) or target in self.names.values()):
            return False
        self.names[name] = target
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
    for name, target in symbols_of_function.names.items():
        if target == dim:
            return Symbol(name)
    return None
