"""Names of resources, which own their data, and the data of `dense_resource` constants.

xDSL keeps only the name of the resource in the attribute and the text of the data in one store of the process: a name that a
second file uses is renamed, and the data is never freed. Here the name in the attribute owns the data, and the store refers to it
for as long as the attribute lives.
"""

from __future__ import annotations

import re
from itertools import count
from weakref import ReferenceType, ref

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin, DenseResourceAttr

ALIGNMENT_BYTES = 4
"""What stands in front of the data in a file: the alignment, an unsigned integer."""
_BARE_NAME = re.compile(r"[A-Za-z_][\w$.]*")


class Blob:
    """The data of a resource: the bytes of the elements."""

    def __init__(self, data: bytes):
        self.data = data

    def digits(self) -> str:
        """Returns the data as the section of a file has it."""
        return f"0x{ALIGNMENT_BYTES:02X}000000{self.data.hex().upper()}"


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
    return bytes.fromhex(text[2 + 2 * ALIGNMENT_BYTES :])


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
