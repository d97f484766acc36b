"""The file of a compiled program: a digest, a line of JSON, and the interface record, the object code and the constants behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from ...interpreter.host.errors import ArgumentError
from ...records import record
from ..interface.json_form import from_json, to_json
from ..interface.record import Constant, Interface

FORMAT = 1
"""The version of the form of entries."""

_MAGIC = f"relax-cache {FORMAT}\n".encode()
_DIGEST = 64


class DamagedEntryError(ValueError):
    """Says why a file is no entry."""


@record
class Header:
    """What an entry says of itself."""

    key: Mapping[str, Any]
    """The parts of its key."""
    source: str
    """The file of the program, for people; empty for a module."""
    version: str
    """The version of xdsl-relax that made it, for people."""
    symbols: Sequence[str]
    """The names of the constants."""
    sizes: Sequence[int]
    """The bytes of the record, of `extra`, of the code, and of each constant."""


@record
class Entry:
    """A compiled program."""

    interface: Interface
    code: bytes
    extra: str
    """What the tool that made the entry wants to know of the program, as JSON; empty for `compile`."""


def packed(key: Mapping[str, Any], source: str, entry: Entry) -> list[bytes]:
    """Returns an entry as pieces of its file."""
    constants = entry.interface.constants
    # Constants are not inside of the record: there they would be text.
    record = to_json(replace(entry.interface, constants=())).encode()
    sections = [record, entry.extra.encode(), entry.code, *(constant.data for constant in constants)]
    header = {
        "key": key,
        "source": source,
        "version": entry.interface.version,
        "symbols": [constant.symbol for constant in constants],
        "sizes": [len(section) for section in sections],
    }
    pieces = [json.dumps(header, sort_keys=True).encode() + b"\n", *sections]
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return [_MAGIC, digest.hexdigest().encode() + b"\n", *pieces]


def unpacked(data: bytes) -> tuple[Header, Entry]:
    """Returns the entry that a file holds; raises `DamagedEntryError` unless it is as it was written, to the last bit."""
    header, start = read_header(data)
    require_digest(data)
    sections: list[bytes] = []
    for size in header.sizes:
        sections.append(data[start : start + size])
        start += size
    record, extra, code, *contents = sections
    constants = [Constant(symbol, content) for symbol, content in zip(header.symbols, contents, strict=True)]
    try:
        interface = from_json(record.decode(), tuple(constants))
    except ArgumentError as error:
        raise DamagedEntryError(str(error)) from None
    return header, Entry(interface, code, extra.decode())


def require_digest(data: bytes) -> None:
    """Raises `DamagedEntryError` for a file that is not as it was written, of which nothing is to be believed."""
    content = memoryview(data)[len(_MAGIC) + _DIGEST + 1 :]
    if sha256(content).hexdigest().encode() != data[len(_MAGIC) : len(_MAGIC) + _DIGEST]:
        raise DamagedEntryError("its digest differs")


def read_header(data: bytes) -> tuple[Header, int]:
    """Returns the header of a file, or of the start of one, and where it ends; raises `DamagedEntryError` where there is none."""
    start = len(_MAGIC) + _DIGEST + 1
    end = data.find(b"\n", start)
    if not data.startswith(_MAGIC) or data[start - 1 : start] != b"\n" or end < 0:
        raise DamagedEntryError("it does not start as an entry does")
    try:
        header = Header(**cast("dict[str, Any]", json.loads(data[start:end])))
    except (ValueError, TypeError, RecursionError):
        raise DamagedEntryError("its header is damaged") from None
    if not isinstance(header.key, dict) or not isinstance(header.source, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DamagedEntryError("its header is damaged")
    return header, end + 1
