"""Named attributes with a type: each kind reads and writes its value on an op, or on an argument or a result of a function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from ....kinds import kind_test
from ..attrs import VDeviceAttr
from .place import Place

Holder: TypeAlias = Operation | Mapping[str, Attribute] | DictionaryAttr
"""What has attributes: an op, or the entry of one argument or result."""

Value = TypeVar("Value")
FunctionOp = TypeVar("FunctionOp", bound=Operation)

ALL: dict[str, AttributeName[Any]] = {}
"""Every attribute of the vocabulary by its name."""


def argument_entry(function: func.FuncOp, index: int) -> Mapping[str, Attribute]:
    """Returns the attributes of an argument."""
    return _entry(function.arg_attrs, index)


def _entry(entries: ArrayAttr[DictionaryAttr] | None, index: int) -> Mapping[str, Attribute]:
    return {} if entries is None or index >= len(entries.data) else entries.data[index].data


_is_op = kind_test(Operation)
_is_dictionary = kind_test(DictionaryAttr)


def _attributes(holder: Holder) -> Mapping[str, Attribute]:
    if _is_op(holder):
        return holder.attributes
    return holder.data if _is_dictionary(holder) else holder


class AttributeName(ABC, Generic[Value]):
    """The name of an attribute, where it may stand, and what it tells. A reader of a wrong value is a `VerifyException`."""

    expected: str
    """What the value must be, for errors."""

    def __init__(self, name: str, places: Place, meaning: str):
        assert name not in ALL
        self.name = name
        self.places = places
        self.meaning = meaning
        ALL[name] = self

    def __str__(self) -> str:
        return self.name

    @abstractmethod
    def read(self, attr: Attribute) -> Value | None:
        """Returns the value of an attribute, `None` where that has another type."""

    @abstractmethod
    def write(self, value: Value) -> Attribute:
        """Returns the attribute that holds a value."""

    def is_on(self, holder: Holder) -> bool:
        """Returns whether the attribute is there."""
        return self.name in _attributes(holder)

    def of(self, holder: Holder) -> Value | None:
        """Returns the value, `None` where the attribute is not there; raises `VerifyException` if it has the wrong type."""
        attr = _attributes(holder).get(self.name)
        return None if attr is None else self.value_of(attr)

    def value_of(self, attr: Attribute) -> Value:
        """Returns the value of an attribute; raises `VerifyException` if it has the wrong type."""
        value = self.read(attr)
        if value is None:
            raise VerifyException(f"{self.name} must be {self.expected}, got {attr}")
        return value

    def of_argument(self, function: func.FuncOp, index: int) -> Value | None:
        """Returns the value on an argument of a function."""
        return self.of(argument_entry(function, index))

    def is_on_argument(self, function: func.FuncOp, index: int) -> bool:
        """Returns whether an argument of a function has the attribute."""
        return self.is_on(argument_entry(function, index))

    def set(self, op: Operation, value: Value) -> None:
        """Gives an op the attribute."""
        op.attributes[self.name] = self.write(value)

    def clear(self, op: Operation) -> None:
        """Removes the attribute from an op that may have it."""
        op.attributes.pop(self.name, None)

    def entry(self, value: Value) -> dict[str, Attribute]:
        """Returns the attribute as an entry of the attributes of an op, an argument or a result."""
        return {self.name: self.write(value)}


class Flag(AttributeName[bool]):
    """Something that is said or not: a unit attribute, or a boolean."""

    expected = "a unit attribute or a boolean"

    def is_on(self, holder: Holder) -> bool:
        return bool(self.of(holder))

    def read(self, attr: Attribute) -> bool | None:
        if isinstance(attr, UnitAttr):
            return True
        return bool(attr.value.data) if isinstance(attr, IntegerAttr) else None

    def write(self, value: bool) -> Attribute:
        return UnitAttr() if value else BoolAttr.from_bool(False)

    def set(self, op: Operation, value: bool = True) -> None:
        super().set(op, value)

    def entry(self, value: bool = True) -> dict[str, Attribute]:
        return super().entry(value)


class Integer(AttributeName[int]):
    """A number."""

    expected = "an integer"

    def read(self, attr: Attribute) -> int | None:
        return attr.value.data if isinstance(attr, IntegerAttr) else None

    def write(self, value: int) -> Attribute:
        return IntegerAttr(value, i64)


class Integers(AttributeName[tuple[int, ...]]):
    """A list of numbers."""

    expected = "an array of integers (array<i64: ...>)"

    def read(self, attr: Attribute) -> tuple[int, ...] | None:
        return tuple(map(int, attr.iter_values())) if isinstance(attr, DenseArrayBase) else None

    def write(self, value: Iterable[int]) -> Attribute:
        return DenseArrayBase.from_list(i64, list(value))


class OneOrMore(AttributeName[tuple[int, ...]]):
    """A number, or a list of several."""

    expected = "an integer, or an array of integers (array<i64: ...>)"

    def read(self, attr: Attribute) -> tuple[int, ...] | None:
        if isinstance(attr, IntegerAttr):
            return (attr.value.data,)
        return tuple(map(int, attr.iter_values())) if isinstance(attr, DenseArrayBase) else None

    def write(self, value: Iterable[int]) -> Attribute:
        numbers = list(value)
        return IntegerAttr(numbers[0], i64) if len(numbers) == 1 else DenseArrayBase.from_list(i64, numbers)


class Places(AttributeName[tuple[int | None, ...]]):
    """A number, or for the fields of a tuple, also those of tuples in it, a list of numbers with -1 for a field that has none."""

    expected = "an integer, or an array of integers (array<i64: ...>)"

    def read(self, attr: Attribute) -> tuple[int | None, ...] | None:
        if isinstance(attr, IntegerAttr):
            return (attr.value.data,)
        if not isinstance(attr, DenseArrayBase):
            return None
        return tuple(None if value == -1 else int(value) for value in attr.iter_values())

    def write(self, value: Iterable[int | None]) -> Attribute:
        numbers = [-1 if number is None else number for number in value]
        return IntegerAttr(numbers[0], i64) if len(numbers) == 1 else DenseArrayBase.from_list(i64, numbers)


class IntegerPairs(AttributeName[tuple[tuple[int, int], ...]]):
    """A list of pairs of numbers."""

    expected = "a list of arrays of two integers ([array<i64: ...>])"

    def read(self, attr: Attribute) -> tuple[tuple[int, int], ...] | None:
        if not isinstance(attr, ArrayAttr):
            return None
        entries: list[tuple[int, int]] = []
        for item in attr.data:
            if not isinstance(item, DenseArrayBase) or len(item) != 2:
                return None
            first, second = item.iter_values()
            entries.append((int(first), int(second)))
        return tuple(entries)

    def write(self, value: Iterable[tuple[int, int]]) -> Attribute:
        return ArrayAttr(DenseArrayBase.from_list(i64, pair) for pair in value)


def text_of(attr: Attribute) -> str | None:
    """Returns the text of a string attribute, which xDSL's parser takes for bytes where a letter is not ASCII; `None` for any other."""
    match attr:
        case StringAttr():
            return attr.data
        case BytesAttr():
            try:
                return attr.data.decode()
            except UnicodeDecodeError:
                return None
        case _:
            return None


class Text(AttributeName[str]):
    """A string."""

    expected = "a string"

    def read(self, attr: Attribute) -> str | None:
        return text_of(attr)

    def write(self, value: str) -> Attribute:
        return StringAttr(value)


def _texts_of(attr: Attribute) -> tuple[str, ...] | None:
    if not isinstance(attr, ArrayAttr):
        return None
    texts = [text for item in attr.data if (text := text_of(item)) is not None]
    return tuple(texts) if len(texts) == len(attr.data) else None


class Texts(AttributeName[tuple[str, ...]]):
    """A list of strings."""

    expected = "a list of strings"

    def read(self, attr: Attribute) -> tuple[str, ...] | None:
        return _texts_of(attr)

    def write(self, value: Iterable[str]) -> Attribute:
        return ArrayAttr(map(StringAttr, value))


class TextLists(AttributeName[tuple[tuple[str, ...], ...]]):
    """A list of lists of strings."""

    expected = "a list of lists of strings"

    def read(self, attr: Attribute) -> tuple[tuple[str, ...], ...] | None:
        if not isinstance(attr, ArrayAttr):
            return None
        lists = [texts for item in attr.data if (texts := _texts_of(item)) is not None]
        return tuple(lists) if len(lists) == len(attr.data) else None

    def write(self, value: Iterable[Iterable[str]]) -> Attribute:
        return ArrayAttr(ArrayAttr(map(StringAttr, texts)) for texts in value)


Tree: TypeAlias = "int | str | tuple[Tree, ...]"
"""A number, a string, or a list of such."""


class Nested(AttributeName[tuple[Tree, ...]]):
    """A list of numbers, strings, and lists of them."""

    expected = "a list of integers, strings and lists of them"

    def read(self, attr: Attribute) -> tuple[Tree, ...] | None:
        items = self._read(attr)
        return items if isinstance(items, tuple) else None

    def _read(self, attr: Attribute) -> Tree | None:
        match attr:
            case IntegerAttr():
                return attr.value.data
            case StringAttr():
                return attr.data
            case ArrayAttr():
                items = [self._read(item) for item in attr.data]
                return None if None in items else tuple(item for item in items if item is not None)
            case _:
                return None

    def write(self, value: Tree) -> Attribute:
        match value:
            case int():
                return IntegerAttr(value, i64)
            case str():
                return StringAttr(value)
            case _:
                return ArrayAttr(map(self.write, value))


class FunctionName(AttributeName[str]):
    """The symbol of a function."""

    expected = "the name of a function (@name)"

    def read(self, attr: Attribute) -> str | None:
        return attr.string_value() if isinstance(attr, SymbolRefAttr) else None

    def write(self, value: str) -> Attribute:
        return SymbolRefAttr(value)

    def owners(self, functions: Iterable[FunctionOp]) -> dict[str, FunctionOp]:
        """Returns the functions that have the attribute, by the function that it names."""
        return {name: function for function in functions if (name := self.of(function)) is not None}


class Sizes(AttributeName[dict[str, int]]):
    """A size for each of some symbols."""

    expected = "a dictionary of sizes"

    def __init__(self, name: str, places: Place, meaning: str, least: int):
        super().__init__(name, places, meaning)
        self.least = least

    def read(self, attr: Attribute) -> dict[str, int] | None:
        if not isinstance(attr, DictionaryAttr):
            return None
        sizes: dict[str, int] = {}
        for symbol, size in attr.data.items():
            if not isinstance(size, IntegerAttr) or size.value.data < self.least:
                raise VerifyException(
                    f"{self.name}: the bound of {symbol} must be an integer of at least {self.least}, got {size}"
                )
            sizes[symbol] = size.value.data
        return sizes

    def write(self, value: Mapping[str, int]) -> Attribute:
        return DictionaryAttr({symbol: IntegerAttr(size, i64) for symbol, size in value.items()})


class Devices(AttributeName[tuple[VDeviceAttr, ...]]):
    """A list of devices."""

    expected = "a list of devices"

    def read(self, attr: Attribute) -> tuple[VDeviceAttr, ...] | None:
        if not isinstance(attr, ArrayAttr):
            return None
        for index, item in enumerate(attr.data):
            if not isinstance(item, VDeviceAttr):
                raise VerifyException(f"entry {index} of {self.name} must be a device, got {item}")
        return attr.data

    def write(self, value: Sequence[VDeviceAttr]) -> Attribute:
        return ArrayAttr(value)


class Elements(AttributeName[DenseIntOrFPElementsAttr]):
    """The elements of a constant."""

    expected = "dense elements"

    def read(self, attr: Attribute) -> DenseIntOrFPElementsAttr | None:
        return attr if isinstance(attr, DenseIntOrFPElementsAttr) else None

    def write(self, value: DenseIntOrFPElementsAttr) -> Attribute:
        return value
