"""Dense constants whose data stands in the `dialect_resources` section of the file, as torch-mlir prints weights.

xDSL keeps only the name of the resource in the attribute and the text of the data in one store of the process: a name that a
second file uses is renamed, and the data is never freed. Here the name in the attribute owns the data, and the store refers to it
for as long as the attribute lives.

For upstream: "A `dense_resource` attribute owns its data; two files may use one name."
"""

from __future__ import annotations

import re
from itertools import count
from weakref import ReferenceType, ref

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin, DenseResourceAttr

_ALIGNMENT = 4
"""Bytes in front of the data: the alignment, an unsigned integer."""
_START = re.compile(r"\{-#\s*dialect_resources\s*:\s*\{")
_DIALECT = re.compile(r"\s*,?\s*([A-Za-z_][\w$.-]*)\s*:\s*\{")
_ENTRY = re.compile(r'\s*,?\s*(?:([A-Za-z_][\w$.-]*)|"([^"\\\n]*)")\s*:\s*"0[xX]')
_BRACE = re.compile(r"\s*\}")
_END = re.compile(r"\s*\}\s*#-\}")
_BARE_NAME = re.compile(r"[A-Za-z_][\w$.]*")


class ResourceSection:
    """The `dialect_resources` section of a text, which stands behind what reads it: where the digits of each resource are."""

    def __init__(self, text: str):
        self._text = text
        self._digits: dict[str, tuple[int, int]] = {}
        self._bytes: dict[str, Blob] = {}
        self.start = text.rfind("{-#")
        """Where the section begins, -1 if there is none."""
        match = _START.match(text, self.start) if self.start >= 0 else None
        position = match.end() if match is not None else len(text)
        while (dialect := _DIALECT.match(text, position)) is not None:
            position = self._entries(dialect[1], dialect.end())
        end = _END.match(text, position)
        self.end = None if end is None else end.end()
        """Where the section ends, `None` if it is malformed, or holds something else."""

    def _entries(self, dialect: str, position: int) -> int:
        """Reads the entries of a dialect; returns the position behind them."""
        while (entry := _ENTRY.match(self._text, position)) is not None:
            end = self._text.find('"', entry.end())
            if end < 0:
                return len(self._text)
            if dialect == "builtin":
                self._digits[entry[1] or entry[2]] = (entry.end(), end)
            position = end + 1
        brace = _BRACE.match(self._text, position)
        return len(self._text) if brace is None else brace.end()

    def blob(self, name: str) -> Blob | None:
        """Returns the data of a resource, `None` if there is none of this name; raises `ValueError` if it is malformed."""
        if name not in self._bytes:
            if name not in self._digits:
                return None
            start, end = self._digits[name]
            header = 2 * _ALIGNMENT
            if end - start < header:
                raise ValueError(f"resource {name}: expected at least {_ALIGNMENT} bytes, got {(end - start) // 2}")
            try:
                bytes.fromhex(self._text[start : start + header])
                self._bytes[name] = Blob(bytes.fromhex(self._text[start + header : end]))
            except ValueError:
                raise ValueError(f"resource {name}: expected an even number of hexadecimal digits") from None
        return self._bytes[name]


class Blob:
    """The data of a resource: the bytes of the elements."""

    def __init__(self, data: bytes):
        self.data = data

    def digits(self) -> str:
        """Returns the data as the section of a file has it."""
        return f"0x{_ALIGNMENT:02X}000000{self.data.hex().upper()}"


class ResourceName(str):
    """The name of a resource that owns its data; of all that live, two with different data have different names."""

    blob: Blob

    @classmethod
    def of(cls, name: str, blob: Blob) -> ResourceName:
        """Returns a name that is close to the given one, under which xDSL's printer finds the data."""
        store = Builtin.get_interface(OpAsmDialectInterface)
        assert store is not None
        for number in count():
            label = _spelled(name if number == 0 else f"{name}_{number}")
            known = store.lookup(label)
            owner = known.owner() if isinstance(known, _Digits) else None
            if not known or (isinstance(known, _Digits) and owner is None):
                if known is None:
                    store.declare_resource(label)
                store.parse_resource(label, _Digits.of(blob))
                owner = blob
            if owner is not None and owner.data == blob.data:
                made = cls(label)
                made.blob = owner
                return made
        raise AssertionError


def resource_data(value: DenseResourceAttr) -> bytes:
    """Returns the bytes of the elements of a constant; raises `LookupError` if the file has no such resource."""
    name = value.resource_handle.data
    if isinstance(name, ResourceName):
        return name.blob.data
    store = Builtin.get_interface(OpAsmDialectInterface)
    # xDSL's own parser keeps text.
    text = f"{store.lookup(name) or ''}" if store is not None else ""
    if not text:
        raise LookupError(f"the file has no dense_resource named {name!r}")
    return bytes.fromhex(text[2 + 2 * _ALIGNMENT :])


class _Digits(str):
    """The hexadecimal text of a resource, made when it is printed: xDSL's store, which lives as long as the process, holds strings."""

    owner: ReferenceType[Blob]

    @classmethod
    def of(cls, blob: Blob) -> _Digits:
        """Returns the text of data, which it does not keep alive."""
        made = cls("0x")
        made.owner = ref(blob)
        return made

    def __format__(self, spec: str) -> str:
        blob = self.owner()
        return "" if blob is None else blob.digits()


def _spelled(name: str) -> str:
    return name if _BARE_NAME.fullmatch(name) else f'"{name}"'
