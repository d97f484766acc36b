"""The program of `relax-run`: as the cache has it, or read and compiled where it has none."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..collector import importing
from ..dialects.symbolic.order import Ranges
from ..frontend.model.files import format_of
from ..interpreter.host.errors import ArgumentError
from ..runtime.cache.lookup import Lookup, look_up
from ..runtime.executable.arguments import Signature
from ..runtime.executable.executable import Executable
from ..runtime.interface.json_form import plain_record, record_from_plain
from ..runtime.source import Source

if TYPE_CHECKING:
    from .parsed_program import ParsedProgram


@dataclass(frozen=True)
class SymbolRange:
    """The sizes that a function declares for a symbol."""

    symbol: str
    least: int | None
    most: int | None


@dataclass(frozen=True)
class FunctionRecord:
    """A function of the program as it was read."""

    signature: Signature
    ranges: tuple[SymbolRange, ...]


@dataclass(frozen=True)
class ProgramRecord:
    """What is kept of a program beside its code."""

    original: tuple[FunctionRecord, ...]
    transformed: tuple[Signature, ...]
    """The functions after the passes that run before compilation."""


class RunProgram:
    """The functions of a program, and what they are compiled to.

    `source` gets the text of the program, for errors to show lines of; sizes of a model are taken out of `sizes`.
    """

    def __init__(self, args: argparse.Namespace, source: list[str], sizes: dict[str, int]):
        self._args = args
        self._sizes = sizes
        self._source: Source | None = None
        self._lookup: Lookup | None = None
        self._record: ProgramRecord | None = None
        self.seconds = 0.0
        """How long it took to find the compiled program in the cache, and to link it."""
        if format_of(args.file) is not None:
            return
        if args.value:
            raise ArgumentError("--value fixes inputs of models that are imported; this is a program: use --input")
        data = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
        source.append(data.decode("utf-8", "replace"))
        self._source = Source(data, args.file)
        if args.backend == "native" and not args.bisect and args.report is None:
            # None of the passes that are given is not the same as the default ones.
            options = {"tool": "relax-run", "pipeline": args.passes, **self._options}
            start = time.perf_counter()
            self._lookup = look_up(self._source, options, args.target, None, explains=args.cache_info)
            self.seconds = time.perf_counter() - start
            if self._lookup.executable is not None:
                self._record = record_from_plain(json.loads(self._lookup.extra), ProgramRecord)

    @property
    def _options(self) -> Mapping[str, Any]:
        args = self._args
        return {
            "opt_level": args.opt_level,
            "threads": args.threads,
            "bounds_checks": args.bounds_checks,
            "profile": args.profile is not None,
        }

    @cached_property
    def parsed(self) -> ParsedProgram:
        """The program as modules; reading it takes as long as all the rest of a run that finds it in the cache."""
        with importing():
            from .parsed_program import ParsedProgram

        return ParsedProgram(self._args, self._source, self._sizes)

    @property
    def is_cached(self) -> bool:
        """Whether the cache had the compiled program."""
        return self._lookup is not None and self._lookup.executable is not None

    @property
    def cache_text(self) -> str:
        """What the cache had, and why not."""
        return "off" if self._lookup is None else self._lookup.text

    @property
    def state(self) -> Mapping[str, Any]:
        """The first values of what the model keeps from call to call, by the names of its inputs."""
        return self.parsed.state if self._source is None else {}

    @property
    def weights(self) -> Mapping[str, Any] | None:
        """The weights that come with the program."""
        return self.parsed.weights if self._source is None else None

    @cached_property
    def functions(self) -> dict[str, Signature]:
        """The functions of the program as it was read."""
        if self._record is not None:
            return {function.signature.name: function.signature for function in self._record.original}
        return self.parsed.functions

    @cached_property
    def transformed(self) -> dict[str, Signature]:
        """The functions after the passes that run before compilation."""
        if self._record is not None:
            return {function.name: function for function in self._record.transformed}
        return self.parsed.transformed

    def ranges(self, name: str) -> Ranges:
        """Returns the ranges of sizes that a function declares."""
        if self._record is None:
            return self.parsed.ranges(name)
        declared = next(function.ranges for function in self._record.original if function.signature.name == name)
        return Ranges({entry.symbol: (entry.least, entry.most) for entry in declared})

    def executable(self) -> Executable:
        """Returns the compiled program; one that is reported on is compiled anew, as remarks are not kept."""
        if self._args.report is not None:
            return self.parsed.compile()
        record = None
        if self._lookup is None:
            self._lookup = look_up(
                self.parsed.module, self._options, self._args.target, None, explains=self._args.cache_info
            )
        else:
            record = self._lookup.executable is None
        if self._lookup.executable is not None:
            return self._lookup.executable
        executable = self.parsed.compile()
        try:
            self._lookup.keep(executable, self._text() if record else "")
        except ValueError:
            # A type that native code takes and no record has, such as a tensor of unknown rank.
            self._lookup.text += "; not kept: the program has arguments that cannot be written down"
        return executable

    def _text(self) -> str:
        original = tuple(
            FunctionRecord(
                signature,
                tuple(SymbolRange(symbol, *interval) for symbol, interval in self.ranges(name).intervals.items()),
            )
            for name, signature in self.functions.items()
        )
        return json.dumps(plain_record(ProgramRecord(original, tuple(self.transformed.values())), ProgramRecord))
