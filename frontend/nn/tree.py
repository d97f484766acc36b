"""The tree of a model: modules, what they hold, and dotted paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from .errors import ModelError

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

    What can be reached on several paths is there once for each. A node that holds itself raises `ModelError`, and so do two things
    of one path (`a.b` as an attribute beside the `b` of `a`).
    """
    # Invariant: `open_nodes` has the nodes from the root to the one whose children are looked at, `stack` what is left of each.
    yielded: dict[str, Kind] = {}
    open_nodes = {id(root)}
    stack = [(root, prefix, root.children())]
    while stack:
        node, path, children = stack[-1]
        entry = next(children, None)
        if entry is None:
            stack.pop()
            open_nodes.remove(id(node))
            continue
        name, child = entry
        if isinstance(child, kind):
            if yielded.setdefault(f"{path}{name}", child) is not child:
                raise ModelError(f"two parts of the model have the path {f'{path}{name}'!r}: rename one")
            yield f"{path}{name}", child
        if isinstance(child, Node):
            if id(child) in open_nodes:
                raise ModelError(f"module {f'{path}{name}'!r} contains itself")
            open_nodes.add(id(child))
            stack.append((child, f"{path}{name}.", child.children()))
