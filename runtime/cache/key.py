"""What a cached program is found by: the program, what its caller chose, the target, and what compiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ...records import record
from ...targets.cpu import CpuTarget
from ..source import Source
from .identity import compiler_identity

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_DIGITS = 24
"""So many hexadecimal digits of each half of a key are in the name of its file; the file has all of both."""

_MOST_LISTED = 6
"""So many items of a list are said in a difference."""


@record
class Key:
    """Entries of equal keys hold the same; all parts are JSON."""

    program: str
    """The digest of the program before any pass."""
    options: Mapping[str, Any]
    target: Mapping[str, Any]
    compiler: Mapping[str, str]

    @property
    def parts(self) -> Mapping[str, Any]:
        """The key as entries have it."""
        return {"program": self.program, "options": self.options, "target": self.target, "compiler": self.compiler}

    @cached_property
    def name(self) -> str:
        """The name of the entry; what stands in front of `-` is that of the program."""
        return f"{self.prefix}-{sha256(_text(self.parts).encode()).hexdigest()[:_DIGITS]}"

    @property
    def prefix(self) -> str:
        """What the names of all entries of the program start with."""
        return self.program[:_DIGITS]

    def is_of(self, parts: Mapping[str, Any]) -> bool:
        """Returns whether an entry has this key."""
        return _text(parts) == _text(self.parts)


def key_of(program: ModuleOp | Source, options: Mapping[str, Any], target: CpuTarget) -> Key:
    """Returns the key of a program. Raises `UnknownCompilerError`, and `LookupError` for a constant whose file lacks its data."""
    return Key(digest_of_program(program), options, _plain_target(target), compiler_identity())


def digest_of_program(program: ModuleOp | Source) -> str:
    """Returns the digest of a program: of its text with the name of its file, or of the module that a caller has built."""
    if not isinstance(program, Source):
        from .module_digest import digest_of_module

        return digest_of_module(program)
    digest = sha256(f"text\0{program.file}\0".encode("utf-8", "surrogatepass"))
    text = program.text
    digest.update(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return digest.hexdigest()


def _plain_target(target: CpuTarget) -> Mapping[str, Any]:
    """Returns all that code depends on: not the processors that a process may use."""
    record = asdict(target)
    del record["cores"]
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in record.items()}


def differences(kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> Sequence[str]:
    """Returns how a part of a key differs from that of another, a text for each name."""
    names = [name for name in sorted({*kept, *wanted}) if kept.get(name) != wanted.get(name)]
    return [f"{name} {_difference(kept.get(name), wanted.get(name))}".lstrip() for name in names]


def _difference(kept: Any, wanted: Any) -> str:
    if isinstance(kept, list) and isinstance(wanted, list):
        more, less = sorted({*kept} - {*wanted}), sorted({*wanted} - {*kept})
        return " and ".join(f"{word} {_listed(items)}" for word, items in (("with", more), ("without", less)) if items)
    return f"{_shown(kept)}, not {_shown(wanted)}"


def _listed(items: Sequence[str]) -> str:
    more = len(items) - _MOST_LISTED
    return ", ".join(items) if more <= 1 else f"{', '.join(items[:_MOST_LISTED])} and {more} more"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else _text(value)
    return text if len(text) <= 40 else f"{text[:12]}..."


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
