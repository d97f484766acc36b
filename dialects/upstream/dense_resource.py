"""The `dialect_resources` section of a file, where the data of `dense_resource` constants stands, as torch-mlir prints weights.

For upstream: "A `dense_resource` attribute owns its data; two files may use one name."
"""

from __future__ import annotations

import re

from ..relax.resources import ALIGNMENT_BYTES, Blob

_START = re.compile(r"\{-#\s*dialect_resources\s*:\s*\{")
_DIALECT = re.compile(r"\s*,?\s*([A-Za-z_][\w$.-]*)\s*:\s*\{")
_ENTRY = re.compile(r'\s*,?\s*(?:([A-Za-z_][\w$.-]*)|"([^"\\\n]*)")\s*:\s*"0[xX]')
_BRACE = re.compile(r"\s*\}")
_END = re.compile(r"\s*\}\s*#-\}")


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
            header = 2 * ALIGNMENT_BYTES
            if end - start < header:
                raise ValueError(
                    f"resource {name}: expected at least {ALIGNMENT_BYTES} bytes, got {(end - start) // 2}"
                )
            try:
                bytes.fromhex(self._text[start : start + header])
                self._bytes[name] = Blob(bytes.fromhex(self._text[start + header : end]))
            except ValueError:
                raise ValueError(f"resource {name}: expected an even number of hexadecimal digits") from None
        return self._bytes[name]
