"""Modules and functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from xdsl.dialects import func
from xdsl.dialects.builtin import LocationAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from ..dialects.nearest_name import suggestion
from ..dialects.relax.base import drafts
from ..dialects.relax.function_signature import (
    Attributes,
    identifier,
    insert_argument,
    update_signature,
)
from ..dialects.relax.program import first_fault, verify_program
from ..dialects.relax.symbol_ranges import declared_ranges, function_symbols, range_attributes
from ..dialects.relax.vocabulary.attributes import DONATE, NAME, NAMES, NUM_INPUT
from ..dialects.symbolic.expressions import is_symbol_name
from ..dialects.symbolic.order import Ranges
from ..dialects.upstream.nesting import TOO_DEEP
from ..whole_file import write_text
from .block import BlockBuilder
from .calls import checked
from .errors import BuilderError, InvalidProgramError
from .locations import Location, Locations
from .scopes import verify_scopes
from .types import Size


class ModuleBuilder:
    """Builds a module of functions."""

    def __init__(self) -> None:
        with drafts():
            self.module = ModuleOp([])
        self._locations = Locations(module=self.module)
        self._block = BlockBuilder(self.module.body.block, locations=self._locations)
        self.functions: dict[str, FunctionBuilder] = {}
        """The functions, by name."""

    @checked
    def function(self, name: str, *, private: bool = False, location: Location | None = None) -> FunctionBuilder:
        """Adds a function. A private one is for calls inside the module alone."""
        where = self._locations.resolve(location)
        checked_name(name, "function", where)
        if name in self.functions:
            raise BuilderError(where, f"there is a function @{name} already")
        visibility = StringAttr("private") if private else None
        body = Block()
        op = func.FuncOp(name, ((), ()), Region(body), visibility)
        self._block.insert(op, location=where)
        self.functions[name] = FunctionBuilder(op, body, self._locations)
        return self.functions[name]

    @checked
    def remove(self, function: FunctionBuilder) -> None:
        """Removes a function that nothing calls."""
        if self.functions.get(function.name) is not function:
            raise BuilderError(
                self._locations.resolve(None), f"there is no such function @{function.name} in this module"
            )
        del self.functions[function.name]
        function.function.detach()
        function.function.erase()

    @checked
    def at(self, location: Location) -> Any:
        """Gives all ops that are inserted inside (`with m.at("layers.0"):`) a location, in place of the caller's lines."""
        return self._locations.at(location)

    @checked
    def build(self) -> ModuleOp:
        for function in self.functions.values():
            function.complete(function.function.location)
            function.verify_ranges()
        try:
            verify_scopes(self.module)
            verify_program(self.module)
        except RecursionError:
            raise BuilderError(self._locations.resolve(None), TOO_DEEP) from None
        except VerifyException as error:
            op, reason = first_fault(self.module) or (None, str(error))
            raise InvalidProgramError(self._locations.resolve(None) if op is None else op.location, reason) from None
        return self.module

    @checked
    def write(self, path: str | Path, comment: str = "") -> None:
        """Verifies the module and writes it to a file, behind the lines of a comment."""
        text = "".join(f"// {line}\n" for line in comment.splitlines()) + str(self.build()) + "\n"
        write_text(path, text)


class FunctionBuilder(BlockBuilder):
    """Builds a function: `input`s, then `param`s, then ops, then `returns`. Leaving it without `returns` is an error.

    Ops may stand in the function itself, or in dataflow blocks (`with f.dataflow() as g`), which most passes look at.
    """

    def __init__(self, op: func.FuncOp, body: Block, locations: Locations):
        super().__init__(body, locations=locations)
        self.function = op
        """The function; its type is complete after `returns`."""
        self._body = body
        self._attributes: list[Attributes] = []
        self._range_locations: dict[str, LocationAttr] = {}
        self._is_complete = False
        self._input_names: set[str] = set()
        self.params: dict[str, SSAValue] = {}
        """The parameters, by their external names."""

    @checked
    def input(self, name: str, value_type: Attribute, donate: int | Sequence[int | None] | None = None) -> SSAValue:
        """Adds an argument; all inputs come before the parameters. With `donate` a result takes its memory (docs/memory.md).

        A tuple has a list of results, `None` for a field that stays.
        """
        checked_name(name, "input", self._locations.resolve(None))
        if self.params:
            raise BuilderError(self._locations.resolve(None), f"input {name!r} of @{self.name} comes after parameters")
        if name in self._input_names:
            raise BuilderError(self._locations.resolve(None), f"@{self.name} has an input {name!r} already")
        self._input_names.add(name)
        results = (donate,) if donate is None or isinstance(donate, int) else tuple(donate)
        return self._argument(name, value_type, {} if donate is None else DONATE.entry(results))

    @checked
    def param(self, name: str, value_type: Attribute, fields: Sequence[str] | None = None) -> SSAValue:
        """Adds a model parameter by its external name, such as its key in a checkpoint.

        A tuple that stands for all parameters has the external names of its `fields`.
        """
        checked_name(name, "parameter", self._locations.resolve(None))
        if name in self.params:
            raise BuilderError(self._locations.resolve(None), f"@{self.name} has a parameter {name!r} already")
        entry = NAME.entry(name) if fields is None else NAMES.entry(tuple(fields))
        self.params[name] = self._argument(name, value_type, entry)
        return self.params[name]

    def _argument(self, name: str, value_type: Attribute, attributes: Attributes) -> SSAValue:
        if self._is_complete:
            raise BuilderError(self._locations.resolve(None), self._ended_by(self.function))
        if not isinstance(value_type, TypeAttribute):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuilderError(
                self._locations.resolve(None),
                f"{name!r} of @{self.name} takes a type, such as tensor(...), got {value_type!r}",
            )
        argument = insert_argument(self._body, len(self._body.args), value_type, identifier(name))
        self._attributes.append(attributes)
        return argument

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.sym_name.data

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The inputs, in order."""
        return tuple(self._body.args[: len(self._body.args) - len(self.params)])

    @checked
    def symbol_range(self, symbol: str | Size, least: int = 0, most: int | None = None) -> None:
        """Declares the sizes that a symbol stands for, from `least` to `most`; calls with others are refused.

        What it says is known to the types of all ops that are inserted after it.
        """
        where, name = self._locations.resolve(None), str(symbol)
        if not is_symbol_name(name):
            raise BuilderError(where, f"@{self.name}: the range is that of a symbol, got {name!r}")
        limits = (least,) if most is None else (least, most)
        if any(type(limit) is not int for limit in limits) or not 0 <= least <= limits[-1] < 1 << 63:
            raise BuilderError(
                where,
                f"@{self.name}: the range of {name} must be 0 <= least <= most < 2^63, got {least!r} and {most!r}",
            )
        declared = {**declared_ranges(self.function).intervals, name: (least, most)}
        self.function.attributes.update(range_attributes(Ranges(declared)))
        self._range_locations[name] = where

    def verify_ranges(self) -> None:
        """Raises `BuilderError` for the range of a symbol that the function does not have, at the line that declares it."""
        known = function_symbols(self.function)
        for symbol, where in self._range_locations.items():
            if symbol not in known:
                reason = f"@{self.name} has no symbol {symbol!r}{suggestion(symbol, known)}"
                raise BuilderError(where, f"{reason}; its symbols: {', '.join(sorted(known)) or 'none'}")

    @checked
    def returns(self, *values: SSAValue, names: Sequence[str] = (), location: Location | None = None) -> None:
        """Ends the function and completes its type; `names` are the external names of its results, if they have any."""
        where = self._locations.resolve(location)
        if names and len(names) != len(values):
            results = f"{len(values)} result{'' if len(values) == 1 else 's'}"
            raise BuilderError(where, f"@{self.name} has {results}, got {len(names)} names")
        self.insert(lambda: func.ReturnOp(*values), location=where)
        results = [NAME.entry(name) for name in names] or None
        update_signature(self.function, self._attributes, results)
        NUM_INPUT.set(self.function, len(self.inputs))
        self._is_complete = True

    def _ended_by(self, last: Operation) -> str:
        return f"@{self.name} has its results already"

    def complete(self, where: LocationAttr) -> func.FuncOp:
        """Returns the function. Raises `BuilderError` if it does not have its results yet."""
        if not self._is_complete:
            raise BuilderError(where, f"@{self.name} has no results yet, end it with returns(...)")
        return self.function

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.complete(self.function.location)


def checked_name(name: object, what: str, where: LocationAttr) -> None:
    """Raises `BuilderError` for what is no name: no string, an empty one, or one with a NUL or a lone surrogate."""
    if (
        not isinstance(name, str)
        or not name
        or any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in name)
    ):
        expected = "a string that is not empty and has no NUL and no lone surrogate"
        raise BuilderError(
            where, f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} must be {expected}, got {name!r}"
        )
