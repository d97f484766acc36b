"""The container of MLIR's bytecode: its sections, and where in the file each attribute and type lies.

The format is https://mlir.llvm.org/docs/BytecodeFormat; what is in an attribute is the business of its dialect, and ops are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAGIC = b"ML\xefR"

MAX_VERSION = 6
"""The version of the container that is known; later ones may lie otherwise."""

_MAX_TEXT = 4096
_ALIGNED = 0x80
_PADDING = b"\xcb"
_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS = range(4)


class MalformedError(ValueError):
    """Bytes that are no such container."""


class Cursor:
    """A place in the file, from which values are read in order."""

    def __init__(self, file: memoryview, position: int, end: int):
        if not position <= end <= len(file):
            raise MalformedError("something that ends behind the file")
        self._file = file
        self.position = position
        self.end = end

    def take(self, count: int) -> bytes:
        """Returns the bytes that follow."""
        begin = self.position
        self.skip(count)
        return bytes(self._file[begin : self.position])

    def skip(self, count: int) -> None:
        """Goes on behind the bytes that follow."""
        if count > self.end - self.position:
            raise MalformedError("something that ends behind its section")
        self.position += count

    def varint(self) -> int:
        """Returns a number: the zeros at the end of its first byte tell how many bytes follow."""
        first = self.take(1)
        if first == b"\0":
            return int.from_bytes(self.take(8), "little")
        more = (first[0] & -first[0]).bit_length() - 1
        return int.from_bytes(first + self.take(more), "little") >> (more + 1)

    def signed(self) -> int:
        """Returns a number that may be negative, whose lowest bit is its sign."""
        value = self.varint()
        return -(value >> 1) - 1 if value & 1 else value >> 1

    def text(self) -> bytes:
        """Returns the bytes up to the next 0, which is skipped."""
        count = bytes(self._file[self.position : min(self.end, self.position + _MAX_TEXT)]).find(0)
        if count < 0:
            raise MalformedError("text that does not end")
        return self.take(count + 1)[:-1]

    def section(self) -> Section:
        """Returns the section that follows, and goes on behind it."""
        begin, number = self.position, self.take(1)[0]
        length = self.varint()
        alignment = self.varint() if number & _ALIGNED else 1
        if not 0 < alignment < 1 << 16 or alignment & (alignment - 1):
            raise MalformedError(f"an alignment of {alignment}")
        padding = -self.position % alignment
        if self.take(padding) != _PADDING * padding:
            raise MalformedError("padding that is none")
        section = Section(number & ~_ALIGNED, bool(number & _ALIGNED), alignment, begin, self.position, length)
        self.skip(length)
        return section


class Section(NamedTuple):
    """A section of the file."""

    number: int
    is_aligned: bool
    alignment: int
    header: int
    """Where what tells its length begins."""
    begin: int
    length: int

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.begin + self.length


class Entry(NamedTuple):
    """An attribute, or a type."""

    dialect: str
    is_text: bool
    """Whether it is the text that MLIR prints; others are encoded by the dialect."""
    begin: int
    end: int
    size: tuple[int, int]
    """Where its size is told."""


class Patch(NamedTuple):
    """Bytes in place of those of the file."""

    begin: int
    end: int
    replacement: bytes


@dataclass(frozen=True)
class Container:
    """The parts of a file."""

    file: memoryview
    sections: Sequence[Section]
    attributes: Sequence[Entry]
    types: Sequence[Entry]

    def cursor(self, entry: Entry) -> Cursor:
        """Returns the place where an entry begins."""
        return Cursor(self.file, entry.begin, entry.end)

    def patched(self, patches: Sequence[Patch]) -> bytes:
        """Returns the file with other bytes inside its sections, which become as long as they are then, at places that they may have."""
        parts: list[bytes | memoryview] = [self.file[: self.sections[0].header]]
        size = self.sections[0].header
        for section in self.sections:
            data = self._data(section, patches)
            header = bytes([section.number | _ALIGNED * section.is_aligned]) + encoded(sum(map(len, data)))
            if section.is_aligned:
                header += encoded(section.alignment)
                header += _PADDING * (-(size + len(header)) % section.alignment)
            parts += header, *data
            size += len(header) + sum(map(len, data))
        return b"".join(parts)

    def _data(self, section: Section, patches: Sequence[Patch]) -> list[bytes | memoryview]:
        parts: list[bytes | memoryview] = []
        position = section.begin
        for patch in sorted(patches):
            if section.begin <= patch.begin < section.end:
                parts += self.file[position : patch.begin], patch.replacement
                position = patch.end
        return [*parts, self.file[position : section.end]]


def read_container(file: memoryview) -> Container:
    """Returns the parts of a file. Raises `MalformedError` for one that is damaged, or in another version of the format."""
    cursor = Cursor(file, 0, len(file))
    if cursor.take(len(MAGIC)) != MAGIC:
        raise MalformedError("no bytecode")
    version = cursor.varint()
    if version > MAX_VERSION:
        raise MalformedError(f"version {version}")
    cursor.text()
    sections: list[Section] = []
    while cursor.position < cursor.end:
        sections.append(cursor.section())
    by_number = {section.number: section for section in sections}
    if len(by_number) < len(sections) or not {_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS} <= {*by_number}:
        raise MalformedError("a section that stands twice, or is missing")
    dialects = _dialects(file, by_number, version)
    attributes, types = _entries(file, by_number[_OFFSETS], by_number[_ATTRIBUTES], dialects)
    return Container(file, sections, attributes, types)


def _dialects(file: memoryview, sections: Mapping[int, Section], version: int) -> list[str]:
    names = _strings(Cursor(file, sections[_STRINGS].begin, sections[_STRINGS].end))
    cursor = Cursor(file, sections[_DIALECTS].begin, sections[_DIALECTS].end)
    dialects: list[str] = []
    for _ in range(cursor.varint()):
        name = cursor.varint()
        if version > 0:
            if name & 1:
                cursor.section()
            name >>= 1
        if name >= len(names):
            raise MalformedError("a dialect without a name")
        dialects.append(names[name])
    return dialects


def _strings(cursor: Cursor) -> list[str]:
    # The lengths of the strings are told from the last one to the first one.
    lengths = [cursor.varint() for _ in range(cursor.varint())]
    return [cursor.take(length).rstrip(b"\0").decode(errors="replace") for length in reversed(lengths)]


def _entries(
    file: memoryview, offsets: Section, data: Section, dialects: Sequence[str]
) -> tuple[list[Entry], list[Entry]]:
    # Invariant: `position` is where the next entry lies; attributes and types follow each other in groups of one dialect.
    cursor = Cursor(file, offsets.begin, offsets.end)
    counts = cursor.varint(), cursor.varint()
    position = data.begin
    kinds: tuple[list[Entry], list[Entry]] = ([], [])
    for count, entries in zip(counts, kinds, strict=True):
        while len(entries) < count:
            dialect, members = cursor.varint(), cursor.varint()
            if dialect >= len(dialects) or members > count - len(entries):
                raise MalformedError("a group of no dialect, or of too many members")
            for _ in range(members):
                begin = cursor.position
                size = cursor.varint()
                told = begin, cursor.position
                entries.append(Entry(dialects[dialect], not size & 1, position, position + (size >> 1), told))
                position += size >> 1
    if position != data.end or cursor.position != cursor.end:
        raise MalformedError("sizes that do not add up to the section")
    return kinds


def encoded(value: int) -> bytes:
    """Returns a number as `Cursor.varint` reads it."""
    for count in range(1, 9):
        if value < 1 << (7 * count):
            return (value << count | 1 << (count - 1)).to_bytes(count, "little")
    return b"\0" + value.to_bytes(8, "little")
