"""Inserts ops at one place of a program, with names and locations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, TypeAlias

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from ..dialects.relax.base import has_implicit_builder
from ..dialects.relax.function_signature import identifier
from .calls import checked
from .errors import BuilderError
from .locations import Location, Locations

Names: TypeAlias = str | Sequence[str | None] | None
"""The name of a result in the text, or those of several."""


class Inserter(ABC):
    """A place where ops are inserted: the end of a block, an insertion point, one of xDSL's builders, or its implicit one."""

    @checked
    def __init__(
        self,
        place: Block | InsertPoint | Builder | None = None,
        *,
        location: LocationAttr | None = None,
        locations: Locations | None = None,
    ) -> None:
        if isinstance(place, Block):
            place = InsertPoint.at_end(place)
        self._builder = Builder(place) if isinstance(place, InsertPoint) else place
        self._locations = Locations(location) if locations is None else locations

    @property
    def block(self) -> Block:
        """The block that ops go into. Raises `BuilderError` for a builder without a place of its own."""
        if self._builder is None:
            raise BuilderError(self._locations.resolve(None), "the builder has no place of its own")
        return self._builder.insertion_point.block

    @abstractmethod
    def inner(self, block: Block) -> Inserter:
        """Returns a builder at the end of another block, with the locations of this one."""

    @checked
    def insert(
        self, op: Operation | Callable[[], Operation], *, name: Names = None, location: Location | None = None
    ) -> Any:
        """Inserts any op, or the one that a function makes, and returns its result, a tuple of several, or `None`."""
        return self._insert(op, name, self._locations.resolve(location))

    def _insert(self, op: Operation | Callable[[], Operation], name: Names, where: LocationAttr) -> Any:
        inserted = self._inserted(op, where)
        inserted.location = where
        results = inserted.results
        names = [name] * len(results) if isinstance(name, str) or name is None else name
        if len(names) != len(results):
            count = f"{len(results)} result{'' if len(results) == 1 else 's'}"
            raise BuilderError(where, f"{inserted.name} has {count}, got {len(names)} names")
        for result, hint in zip(results, names, strict=True):
            result.name_hint = result.name_hint if hint is None else identifier(hint)
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def _inserted(self, op: Operation | Callable[[], Operation], where: LocationAttr) -> Operation:
        """Inserts an op. An implicit builder around us has inserted what was made before, and would insert what is made here."""
        builder = self._builder
        if builder is None:
            made = op if isinstance(op, Operation) else op()
            if made.parent is None:
                hint = "give the builder a block, or use xDSL's ImplicitBuilder"
                raise BuilderError(where, f"there is no place to insert {made.name}: {hint}")
            return made
        self._verify_open(builder.insertion_point, where)
        if isinstance(op, Operation) and op.parent is not None:
            op.detach()
        with ImplicitBuilder(builder) if has_implicit_builder() else nullcontext():
            made = op if isinstance(op, Operation) else op()
            return builder.insert(made) if made.parent is None else made

    def _verify_open(self, place: InsertPoint, where: LocationAttr) -> None:
        """Raises `BuilderError` for the end of a block that has its end already."""
        last = place.block.last_op
        if place.insert_before is None and last is not None and _ends_block(type(last)):
            raise BuilderError(where, self._ended_by(last))

    def _ended_by(self, last: Operation) -> str:
        """Returns what is wrong with an op behind the last one of a block."""
        return f"the block ends with {last.name} already"

    @checked
    @contextmanager
    def at(self, location: Location) -> Generator[None, None, None]:
        """Gives all ops that the builders of this module insert inside a location, in place of the caller's lines."""
        with self._locations.at(location):
            yield


@cache
def _ends_block(op_type: type[Operation]) -> bool:
    return op_type.has_trait(IsTerminator, value_if_unregistered=False)
