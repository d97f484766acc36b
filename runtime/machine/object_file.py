"""Object files as the runtime checks them before LLVM reads them, which ends the process where one is broken."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...records import record

_ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
_WASM = b"\0asm\1\0\0\0"
_MACH_O_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}

_SECTION = np.dtype("<u4,<u4,<u8,<u8,<u8,<u8,<u4,<u4,<u8,<u8").newbyteorder("<")
_SECTION.names = ("name", "type", "flags", "address", "offset", "size", "link", "info", "alignment", "entry_size")
_SYMBOL = np.dtype("<u4,u1,u1,<u2,<u8,<u8")
_SYMBOL.names = ("name", "info", "other", "section", "value", "size")
_RELOCATION = np.dtype("<u8,<u8,<i8")
_RELOCATION.names = ("offset", "info", "addend")

_NULL, _SYMBOLS, _STRINGS, _RELOCATIONS, _NO_BITS = 0, 2, 3, 4, 8
_ALLOCATED, _KNOWN_FLAGS = 0x2, 0x10000077
"""Flags of sections: it is loaded; those that a compiler sets (written, loaded, executed, merged, strings, links, large)."""
_LINKED_X86 = frozenset((1, 2, 4, 9, 10, 11, 24, 41, 42))
"""The kinds of relocations in code for x86-64: addresses, distances, calls, and entries of the table of addresses."""
_FIRST_RESERVED = 0xFF00
_HEADER = 64

_Section = Mapping[str, int]


class ObjectFileError(ValueError):
    """Says why bytes are no object file."""


@record
class ObjectFile:
    """What an object file says of itself."""

    architecture: str
    functions: frozenset[str] | None
    """The functions that it defines for others; `None` for Mach-O and WebAssembly, of which the header alone is read."""
    undefined: tuple[str, ...]
    """The names that it takes from elsewhere; empty for Mach-O and WebAssembly."""


def read_object(code: bytes) -> ObjectFile:
    """Returns what a relocatable object file has; raises `ObjectFileError` for bytes that are none, or only a part of one."""
    if code[:4] == b"\xcf\xfa\xed\xfe" and len(code) >= 32:
        return ObjectFile(_machine(_MACH_O_MACHINES, *struct.unpack_from("<I", code, 4)), None, ())
    if code.startswith(_WASM):
        return ObjectFile("wasm32", None, ())
    if code[:4] != b"\x7fELF":
        raise ObjectFileError(f"expected an ELF, Mach-O or WebAssembly file, got bytes that start with {code[:4]!r}")
    if len(code) < _HEADER or code[4:6] != b"\x02\x01" or code[16:18] != b"\x01\0":
        raise ObjectFileError("expected the header of a 64-bit little-endian relocatable ELF file")
    architecture = _machine(_ELF_MACHINES, *struct.unpack_from("<H", code, 18))
    # Invariant: `_sections` has checked each section that is read below to lie in the file.
    sections = _sections(code)
    undefined: list[str] = []
    functions: set[str] = set()
    for index, section in enumerate(sections):
        if section["type"] == _RELOCATIONS:
            _verify_relocations(code, sections, index, _LINKED_X86 if architecture == "x86_64" else None)
        if section["type"] != _SYMBOLS:
            continue
        for name, is_function, is_defined in _symbols(code, sections, index):
            if not is_defined:
                undefined.append(name)
            elif is_function:
                functions.add(name)
    return ObjectFile(architecture, frozenset(functions), tuple(undefined))


def _machine(known: Mapping[int, str], number: int) -> str:
    if number not in known:
        raise ObjectFileError(f"expected code for {' or '.join(known.values())}, got machine {number}")
    return known[number]


def _sections(code: bytes) -> list[_Section]:
    """Returns the section table; all that its entries refer to lies in the file."""
    (table,) = struct.unpack_from("<Q", code, 0x28)
    size, count, names = struct.unpack_from("<HHH", code, 0x3A)
    if size != _SECTION.itemsize or not 0 <= names < count or table > len(code) or table + size * count > len(code):
        raise ObjectFileError(
            f"the section table at {table} of {count} entries does not fit a file of {len(code)} bytes"
        )
    # Invariant: a section before `index` lies in the file, and what its entry refers to exists.
    rows = np.frombuffer(code, _SECTION, count, table)
    sections: list[_Section] = [dict(zip(_SECTION.names or (), row, strict=True)) for row in rows.tolist()]
    for index, section in enumerate(sections):
        held = 0 if section["type"] in (_NULL, _NO_BITS) else section["size"]
        if section["offset"] > len(code) or held > len(code) - section["offset"]:
            raise ObjectFileError(f"section {index} at {section['offset']} does not fit a file of {len(code)} bytes")
        if section["alignment"].bit_count() != (section["type"] != _NULL) or section["size"] >= 1 << 48:
            raise ObjectFileError(f"section {index} has no alignment or size that a section can have")
        if section["flags"] & ~_KNOWN_FLAGS:
            raise ObjectFileError(f"section {index} has flags 0x{section['flags']:x} that a section of code has not")
        if section["link"] >= count:
            raise ObjectFileError(f"section {index} refers to section {section['link']} of {count}")
        _string(code, sections[names], section["name"])
    return sections


def _entries(code: bytes, section: _Section, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if section["entry_size"] != dtype.itemsize or section["size"] % dtype.itemsize:
        raise ObjectFileError(f"the table at {section['offset']} has entries of {section['entry_size']} bytes")
    return np.frombuffer(code, dtype, section["size"] // dtype.itemsize, section["offset"])


def _symbols(code: bytes, sections: list[_Section], index: int) -> list[tuple[str, bool, bool]]:
    """Returns name, whether it is a function, and whether it is defined, of each global symbol of a table."""
    table = _entries(code, sections[index], _SYMBOL)
    sizes = np.array([section["size"] for section in sections], np.uint64)
    places = table["section"]
    inside = places[places < _FIRST_RESERVED]
    if (inside >= len(sections)).any():
        raise ObjectFileError("a symbol lies in a section that there is not")
    if (table["value"][places < _FIRST_RESERVED] > sizes[inside]).any():
        raise ObjectFileError("a symbol lies outside of its section")
    strings = sections[sections[index]["link"]]
    named = [(_string(code, strings, name), info, place) for name, info, _, place, _, _ in table.tolist()]
    return [(name, info & 15 == 2, place != 0) for name, info, place in named if name and info >> 4]


def _verify_relocations(code: bytes, sections: list[_Section], index: int, kinds: frozenset[int] | None) -> None:
    section = sections[index]
    table = _entries(code, section, _RELOCATION)
    symbols = sections[section["link"]]
    if symbols["type"] != _SYMBOLS or section["info"] >= len(sections):
        raise ObjectFileError(f"section {index} relocates no section")
    if (table["info"] >> np.uint64(32) >= symbols["size"] // _SYMBOL.itemsize).any():
        raise ObjectFileError(f"section {index} relocates by a symbol that there is not")
    other = set((table["info"] & np.uint64(0xFFFFFFFF)).tolist()) - (kinds or frozenset())
    if kinds is not None and other:
        raise ObjectFileError(f"section {index} has relocations of the unknown kind {min(other)}")
    if (table["offset"] >= sections[section["info"]]["size"]).any():
        raise ObjectFileError(f"section {index} relocates outside of section {section['info']}")
    # The linker has no address for what is not loaded.
    loaded = np.array([bool(other["flags"] & _ALLOCATED) for other in sections])
    places = _entries(code, symbols, _SYMBOL)["section"][table["info"] >> np.uint64(32)]
    inside = places[(places > 0) & (places < _FIRST_RESERVED)]
    if not loaded[section["info"]] or not loaded[inside[inside < len(sections)]].all():
        raise ObjectFileError(f"section {index} relocates what is not loaded")


def _string(code: bytes, strings: _Section, start: int) -> str:
    end = strings["offset"] + strings["size"]
    place = strings["offset"] + start
    stop = code.find(b"\0", place, end)
    if strings["type"] != _STRINGS or stop < 0:
        raise ObjectFileError(f"no name ends in the string table at {strings['offset']}")
    return code[place:stop].decode("utf-8", "replace")
