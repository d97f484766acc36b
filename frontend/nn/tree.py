"""The tree of a model: modules, what they hold, and dotted paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

Kind = TypeVar("Kind")


class Node:
    """A part of a model that holds others: parameters, effects, and further nodes, in order."""

    def children(self) -> Iterator[tuple[str, Any]]:
        """Yields what the node holds, by name: its attributes, in the order in which they were set."""
        yield from self.__dict__.items()

    def set_child(self, name: str, child: Any) -> None:
        """Replaces what the node holds under a name."""
        setattr(self, name, child)


def walk(root: Node, kind: type[Kind], prefix: str = "") -> Iterator[tuple[str, Kind]]:
    """Yields what is of a kind below a node, depth first, with dotted paths.

    What can be reached on several paths is there once for each. A node that holds itself raises `ValueError`.
    """
    yield from _walk(root, kind, prefix, ())


def _walk(node: Node, kind: type[Kind], prefix: str, outer: tuple[Node, ...]) -> Iterator[tuple[str, Kind]]:
    if any(node is ancestor for ancestor in outer):
        raise ValueError(f"module {prefix.rstrip('.')!r} contains itself")
    for name, child in node.children():
        if isinstance(child, kind):
            yield f"{prefix}{name}", child
        if isinstance(child, Node):
            yield from _walk(child, kind, f"{prefix}{name}.", (*outer, node))
