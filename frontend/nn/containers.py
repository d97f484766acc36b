"""Lists and dicts of modules and parameters; what they hold has its index or key in its path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .annotations import checked
from .errors import ModelTypeError
from .module import Module
from .tensor import Parameter

Item = TypeVar("Item")


class _List(Module, Generic[Item]):
    """A list that is a part of a model."""

    KIND: type[Any]

    @checked
    def __init__(self, items: Iterable[Item] = ()):
        self._items: list[Item] = []
        self.extend(items)

    def children(self) -> Iterator[tuple[str, Any]]:
        for index, item in enumerate(self._items):
            yield str(index), item

    def set_child(self, name: str, child: Any) -> None:
        self[int(name)] = child

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __getitem__(self, index: int) -> Item:
        return self._items[index]

    def __setitem__(self, index: int, item: Item) -> None:
        self._items[index] = _checked(item, self.KIND, self)

    def __len__(self) -> int:
        return len(self._items)

    def append(self, item: Item) -> None:
        """Adds an item at the end."""
        self._items.append(_checked(item, self.KIND, self))

    @checked
    def extend(self, items: Iterable[Item]) -> None:
        """Adds items at the end."""
        self._items += [_checked(item, self.KIND, self) for item in items]


class _Dict(Module, Generic[Item]):
    """A dict that is a part of a model."""

    KIND: type[Any]

    @checked
    def __init__(self, items: Mapping[str, Item] | None = None):
        self._items: dict[str, Item] = {}
        self.update(items or {})

    def children(self) -> Iterator[tuple[str, Any]]:
        yield from self._items.items()

    def set_child(self, name: str, child: Any) -> None:
        self[name] = child

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __getitem__(self, key: str) -> Item:
        return self._items[key]

    def __setitem__(self, key: str, item: Item) -> None:
        if not isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelTypeError(f"expected a string as a key of {type(self).__name__}, got {key!r}")
        self._items[key] = _checked(item, self.KIND, self)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def keys(self) -> Iterable[str]:
        """Returns the keys."""
        return self._items.keys()

    def values(self) -> Iterable[Item]:
        """Returns the items."""
        return self._items.values()

    def items(self) -> Iterable[tuple[str, Item]]:
        """Returns the keys with their items."""
        return self._items.items()

    def get(self, key: str, default: Item | None = None) -> Item | None:
        """Returns the item of a key, or the default."""
        return self._items.get(key, default)

    @checked
    def update(self, items: Mapping[str, Item]) -> None:
        """Sets the items of keys."""
        for key, item in items.items():
            self[key] = item

    def clear(self) -> None:
        """Removes all items."""
        self._items.clear()

    def pop(self, key: str) -> Item:
        """Removes a key and returns its item."""
        return self._items.pop(key)


def _checked(item: Any, kind: type[Any], container: Module) -> Any:
    if not isinstance(item, kind):
        raise ModelTypeError(f"expected nn.{kind.__name__} in {type(container).__name__}, got {type(item).__name__}")
    return item


class ModuleList(_List[Module]):
    """A list of modules; `forward` computes them one after the other."""

    KIND = Module

    def forward(self, x: Any) -> Any:
        """Returns what the last module makes of what the others made of `x`."""
        for module in self:
            x = module(x)
        return x


class ModuleDict(_Dict[Module]):
    """A dict of modules; iterating yields the modules."""

    KIND = Module

    def __iter__(self) -> Iterator[Module]:
        return iter(self.values())


class ParameterList(_List[Parameter]):
    """A list of parameters."""

    KIND = Parameter


class ParameterDict(_Dict[Parameter]):
    """A dict of parameters; iterating yields the keys."""

    KIND = Parameter
