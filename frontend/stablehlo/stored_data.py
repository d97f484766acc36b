"""Large constants stay in the file of a program: the bindings are given the bytecode with one element in place of the data of each.

The bindings would hold the data twice, as a constant of the format and as one of the dialect, as long as the import runs. A constant whose
elements are all equal is one element in the file: each that is left out becomes such a constant, of an element that no other constant of
its type has, by which `markers` finds it in the module that the bindings read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ...dialects.relax.dtypes import is_float
from .bytecode import Container, Cursor, Entry, MalformedError, Patch, encoded, read_container
from .types import ElementType, elements, has_counterpart, kept_as

LARGE = 1 << 16
"""The bytes from which the data of a constant stay in the file."""

Read = Callable[[], "np.ndarray[Any, Any]"]

BUILTIN, VHLO = "builtin", "vhlo"

DENSE = {BUILTIN: 18, VHLO: 15}
"""How the dialects number constants: builtin's `DenseIntOrFPElementsAttr` and VHLO's `TensorV1Attr`, each a type and the data."""

TENSORS = {BUILTIN: 13, VHLO: 20}
"""Types of tensors: the sizes and the type of the elements."""

ELEMENTS = {
    BUILTIN: {3: "bf16", 4: "f16", 5: "f32", 6: "f64"},
    VHLO: {
        **{0: "i1", 2: "bf16", 3: "f16", 4: "f32", 5: "f64"},
        **{31: "i2", 10: "i4", 11: "i8", 12: "i16", 13: "i32", 14: "i64"},
        **{32: "ui2", 15: "ui4", 16: "ui8", 17: "ui16", 18: "ui32", 19: "ui64"},
        **{36: "f8E3M4", 35: "f8E4M3", 29: "f8E4M3B11FNUZ", 6: "f8E4M3FN", 27: "f8E4M3FNUZ", 7: "f8E5M2"},
        **{28: "f8E5M2FNUZ", 40: "f8E8M0FNU", 37: "f4E2M1FN", 38: "f6E2M3FN", 39: "f6E3M2FN"},
    },
}
"""Types of elements; the integers of builtin tell their widths."""

BOOL = "i1"
"""Elements of one bit, of which the formats have 8 in a byte, or one."""

_INTEGER = 0
_SIGNS = {0: "i", 2: "ui"}


class Marked(NamedTuple):
    """A constant all of whose elements are equal."""

    shape: tuple[int, ...]
    element: str
    code: int
    """The bits of the element."""


@dataclass(frozen=True)
class StoredConstant:
    """A constant whose data are in the file."""

    marked: Marked
    """What stands in its place."""
    begin: int
    end: int

    @property
    def element(self) -> ElementType:
        """The type that its elements are kept in."""
        return kept_as(self.marked.element)

    def reader(self, file: Path | bytes) -> Read:
        """Returns what reads it from the file of the program."""
        size = self.end - self.begin

        def read() -> np.ndarray[Any, Any]:
            if isinstance(file, bytes):
                data = np.frombuffer(file, np.uint8, size, self.begin)
            else:
                data = np.memmap(file, np.uint8, "r", self.begin, (size,))
            return elements(data, self.marked.shape, self.element)

        return read


class _Dense(NamedTuple):
    """A constant in the file: its type, and where its data lie, behind a number that tells their size."""

    entry: Entry
    shape: tuple[int, ...]
    element: str
    size: int
    begin: int

    @property
    def kept(self) -> ElementType:
        """The type that its elements are kept in."""
        return kept_as(self.element)


def without_stored_data(file: memoryview) -> tuple[bytes, list[StoredConstant]] | None:
    """Returns the bytecode in a file without the data of its large constants, and these; `None` where there is nothing to leave out.

    That is also the answer for bytecode that is damaged or has anything that is not known: the bindings judge it as it is.
    """
    try:
        return _without_stored_data(read_container(file))
    except MalformedError:
        return None


def _without_stored_data(container: Container) -> tuple[bytes, list[StoredConstant]] | None:
    if all(entry.end - entry.begin < LARGE for entry in container.attributes):
        return None
    if any(_is_constant_in_text(container, entry) for entry in container.attributes):
        return None
    constants = [dense for entry in container.attributes if (dense := _dense(container, entry)) is not None]
    taken = {_splat(container, constant) for constant in constants}
    codes: dict[tuple[tuple[int, ...], str], Iterator[int]] = {}
    stored: list[StoredConstant] = []
    patches: list[Patch] = []
    for constant in constants:
        if constant.entry.end - constant.begin < LARGE or not _is_whole(constant):
            continue
        kind = constant.shape, constant.element
        left = (Marked(*kind, code) for code in codes.setdefault(kind, _codes(constant.element)))
        marked = next((item for item in left if item not in taken), None)
        if marked is None:
            continue
        stored.append(StoredConstant(marked, constant.begin, constant.entry.end))
        data = _marker(marked)
        data = encoded(len(data)) + data
        length = constant.size - constant.entry.begin + len(data)
        patches.append(Patch(constant.size, constant.entry.end, data))
        patches.append(Patch(*constant.entry.size, encoded(length << 1 | 1)))
    return (container.patched(patches), stored) if stored else None


def _is_constant_in_text(container: Container, entry: Entry) -> bool:
    """Returns whether an attribute is a constant whose elements are not seen here, so that no marker is free."""
    return entry.is_text and entry.dialect == BUILTIN and bytes(container.file[entry.begin :][:5]) == b"dense"


def _dense(container: Container, entry: Entry) -> _Dense | None:
    if entry.is_text or entry.dialect not in DENSE:
        return None
    cursor = container.cursor(entry)
    if cursor.varint() != DENSE[entry.dialect]:
        return None
    tensor = _tensor(container, cursor.varint())
    size = cursor.position
    count = cursor.varint()
    if count != cursor.end - cursor.position:
        raise MalformedError("data that are not as long as the attribute")
    return None if tensor is None else _Dense(entry, *tensor, size, cursor.position)


def _tensor(container: Container, index: int) -> tuple[tuple[int, ...], str] | None:
    """Returns the sizes and the element type of a type of tensors, `None` for one that is not known."""
    entry = _type(container, index)
    if entry.is_text or entry.dialect not in TENSORS:
        return None
    cursor = container.cursor(entry)
    if cursor.varint() != TENSORS[entry.dialect]:
        return None
    rank = cursor.varint()
    shape = tuple(cursor.signed() for _ in range(rank))
    element = _element(container, cursor.varint())
    return None if element is None or any(size < 0 for size in shape) else (shape, element)


def _element(container: Container, index: int) -> str | None:
    entry = _type(container, index)
    cursor = container.cursor(entry)
    if entry.is_text:
        name = cursor.text().decode(errors="replace")
    elif entry.dialect not in ELEMENTS:
        return None
    else:
        name = _encoded_element(cursor, entry.dialect)
    return name if has_counterpart(name) else None


def _encoded_element(cursor: Cursor, dialect: str) -> str:
    code = cursor.varint()
    if dialect == BUILTIN and code == _INTEGER:
        width = cursor.varint()
        return f"{_SIGNS[width & 3]}{width >> 2}" if width & 3 in _SIGNS else ""
    return ELEMENTS[dialect].get(code, "")


def _type(container: Container, index: int) -> Entry:
    if index >= len(container.types):
        raise MalformedError("a type that there is not")
    return container.types[index]


def _is_whole(constant: _Dense) -> bool:
    """Returns whether the data are those of all elements, as many as its type has."""
    count, size = prod(constant.shape), constant.entry.end - constant.begin
    if constant.element == BOOL:
        return count > 8 and size in (count, -(-count // 8))
    return count > 1 and size == count * constant.kept.stored.itemsize


def _splat(container: Container, constant: _Dense) -> Marked | None:
    """Returns a constant that is one element in the file, `None` for others."""
    if constant.entry.end - constant.begin != constant.kept.stored.itemsize:
        return None
    code = int.from_bytes(container.file[constant.begin : constant.entry.end], "little")
    return Marked(constant.shape, constant.element, min(code, 1) if constant.element == BOOL else code)


def _marker(marked: Marked) -> bytes:
    """Returns the data of a constant of equal elements."""
    if marked.element == BOOL:
        return b"\xff" if marked.code else b"\0"
    return marked.code.to_bytes(kept_as(marked.element).stored.itemsize, "little")


def _codes(name: str) -> Iterator[int]:
    """Yields the bits of elements that a constant may be marked by: of floats, those that all conversions keep."""
    element = kept_as(name)
    if element.small_float is not None:
        codes = np.arange(1 << ml_dtypes.finfo(element.stored).bits).astype(np.uint8)
        numbers = codes.view(element.stored).astype(np.float32)
        return map(int, codes[np.isfinite(numbers) & (numbers != 0)])
    if not is_float(element.kept):
        return iter(range(1 << element.bits))
    layout = ml_dtypes.finfo(element.stored)
    # From the smallest normal number to the largest one.
    return iter(range(1 << layout.nmant, (1 << layout.iexp) - 1 << layout.nmant))


def code_of(number: Any, element: ElementType) -> int:
    """Returns the bits of an element."""
    if element.small_float is None and not is_float(element.kept):
        return int(number) & ((1 << element.bits) - 1)
    return int(np.array(number).astype(element.stored).view(f"u{element.stored.itemsize}"))
