"""The ops of the dialect as methods of a builder, found by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from xdsl.ir import Attribute

from ..dialects.nearest_name import suggestion
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.dialect import OPS
from ..extensions import combined, installed_universes
from ..records import record
from .arguments import signature_of
from .errors import BuilderError, UnknownOpError
from .locations import caller_location

PREFIX = "relax."

Insert: TypeAlias = Callable[..., Any]
"""Inserts an op of a class; see `BlockBuilder.op`."""


@cache
def op_types() -> Mapping[str, type[RelaxOp]]:
    """Returns our ops by the names that they have as methods of a builder: without `relax.`."""
    return MappingProxyType({op.name.removeprefix(PREFIX): op for op in OPS if issubclass(op, RelaxOp)})


@cache
def installed_ops() -> Mapping[str, type[RelaxOp]]:
    """Returns the ops of other packages that are built on `RelaxOp`, by name."""
    return combined(
        "op",
        (
            (package, {op.name: op for op in dialect().operations if issubclass(op, RelaxOp)})
            for package, universe in installed_universes()
            if package.partition(" ")[0] != "xdsl"
            for dialect in universe.all_dialects.values()
        ),
    )


def all_op_types() -> Mapping[str, type[RelaxOp]]:
    """Returns our ops and those of installed packages, `acme.swish_plus`."""
    return {**installed_ops(), **op_types()}


def method_names(namespace: str) -> list[str]:
    """Returns the ops and the inner namespaces of a namespace, `""` or `"nn."`."""
    return sorted({name.removeprefix(namespace).split(".")[0] for name in all_op_types() if name.startswith(namespace)})


def op_named(name: str, location: Attribute) -> type[RelaxOp]:
    """Returns the class of an op, with or without `relax.` in its name; raises `UnknownOpError` that names the nearest op."""
    op_type = op_types().get(name.removeprefix(PREFIX)) or installed_ops().get(name)
    if op_type is None:
        raise UnknownOpError(
            location, f"there is no op {name!r}{suggestion(name.removeprefix(PREFIX), all_op_types())}"
        )
    return op_type


def find_method(insert: Insert, name: str) -> OpMethod | OpNamespace:
    """Returns the op or the namespace of a name. Raises `UnknownOpError`, an `AttributeError`, that names the nearest op."""
    if name.startswith("_"):
        raise AttributeError(name)
    # Packages are looked for where no op of ours has the name.
    for op_types_of in (op_types, installed_ops):
        ops = op_types_of()
        if name in ops:
            return OpMethod(insert, ops[name])
        if any(known.startswith(f"{name}.") for known in ops):
            return OpNamespace(insert, f"{name}.")
    raise UnknownOpError(
        caller_location(), f"there is no op {name!r}{suggestion(name, {*all_op_types(), *method_names('')})}"
    )


class OpMethod:
    """One op as a method; `help` and `inspect.signature` show how it is called and what it computes."""

    def __init__(self, insert: Insert, op_type: type[RelaxOp]):
        self._insert = insert
        self._op_type = op_type
        self.__doc__ = f"{signature_of(op_type)}\n\n{inspect.getdoc(op_type) or ''}"

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_of(self._op_type).python()

    def __call__(self, *operands: Any, **arguments: Any) -> Any:
        """Inserts the op; see `BlockBuilder`."""
        return self._insert(self._op_type, *operands, **arguments)

    def __str__(self) -> str:
        """Returns how the op is called."""
        return str(signature_of(self._op_type))

    def __repr__(self) -> str:
        # `help` shows this in one line, cut where it is long.
        return f"<op {self._op_type.name.removeprefix(PREFIX)}>"


@record
class OpNamespace:
    """The ops whose names start with the same word: `g.nn`, `g.qnn`, `g.image`."""

    _insert: Insert
    _prefix: str

    def __getattr__(self, name: str) -> Any:
        return find_method(self._insert, f"{self._prefix}{name}")

    def __call__(self, *operands: object, **arguments: object) -> Any:
        """Raises `BuilderError`: a namespace has ops, and is none."""
        names = [f"{self._prefix}{name}" for name in method_names(self._prefix)]
        shown = ", ".join([*names[:3], "..."] if len(names) > 3 else names)
        raise BuilderError(caller_location(), f"{self._prefix[:-1]!r} is no op, but has some: {shown}")

    def __dir__(self) -> list[str]:
        return method_names(self._prefix)
