"""Digests of modules: equal for modules of which the compiler makes the same, positions and names of values included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, DenseResourceAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.relax.resources import resource_data
from ..source import wrong_source


def digest_of_module(module: ModuleOp) -> str:
    """Returns the digest of a module that a caller has built; raises `TypeError` for anything else."""
    if not isinstance(module, ModuleOp):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_source(module)
    digest = sha256(b"module\0")
    _Walk(digest.update).operation(module)
    return digest.hexdigest()


class _Walk:
    """Feeds a digest with an operation and all that is inside.

    Invariant: the bytes of a piece tell where it ends, so that other pieces in another order are other bytes. Attributes and values are
    numbers: those of their first occurrence, at which an attribute is written out.
    """

    def __init__(self, update: Callable[[bytes], object]):
        self._update = update
        # By identity first, which is quick; then by text, as attributes that are equal need not be one object.
        self._known: dict[int, int] = {}
        self._attributes: dict[tuple[object, ...], int] = {}
        self._values: dict[SSAValue, int] = {}
        self._blocks: dict[Block, int] = {}

    def _write(self, *piece: object) -> None:
        self._update(repr(piece).encode("utf-8", "backslashreplace"))

    def operation(self, op: Operation) -> None:
        """Feeds an operation: its name, operands, results, attributes, successors, regions and location."""
        operands = [self._number(self._values, value) for value in op.operands]
        entries = [
            [(name, self._attribute(given[name])) for name in sorted(given)] for given in (op.properties, op.attributes)
        ]
        successors = [self._number(self._blocks, block) for block in op.successors]
        location = self._attribute(op.location)
        self._write(
            op.name,
            operands,
            self._defined(op.results),
            entries,
            successors,
            location,
            [len(region.blocks) for region in op.regions],
        )
        for region in op.regions:
            for block in region.blocks:
                self._write(self._number(self._blocks, block), self._defined(block.args), len([*block.ops]))
                for inner in block.ops:
                    self.operation(inner)

    def _defined(self, values: Sequence[SSAValue]) -> list[tuple[int, int, str | None]]:
        return [(self._number(self._values, value), self._attribute(value.type), value.name_hint) for value in values]

    def _number(self, numbers: dict[Any, int], item: object) -> int:
        return numbers.setdefault(item, len(numbers))

    def _attribute(self, attribute: Attribute) -> int:
        number = self._known.get(id(attribute))
        if number is None:
            text = self._text(attribute)
            number = self._attributes.get(text)
            if number is None:
                self._write(*text)
                number = self._attributes[text] = len(self._attributes)
            self._known[id(attribute)] = number
        return number

    def _text(self, attribute: Attribute) -> tuple[object, ...]:
        """Returns an attribute as its text; of data its digest, as data is long, and its text longer."""
        match attribute:
            case DenseIntOrFPElementsAttr():
                return "dense", str(attribute.type), sha256(attribute.data.data).digest()
            case DenseResourceAttr():
                return "resource", str(attribute.type), sha256(resource_data(attribute)).digest()
            case ArrayAttr():
                return "array", *map(self._attribute, attribute.data)
            case DictionaryAttr():
                return "dictionary", *((name, self._attribute(item)) for name, item in attribute.data.items())
            case _:
                return "text", type(attribute).__name__, str(attribute)
