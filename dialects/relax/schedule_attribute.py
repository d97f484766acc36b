"""The attribute that holds the schedule of a `linalg` op:

    #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512, grain = 4>>

The word after `<` is the class of the kernel, a record of `schedule`; the fields of the record follow by name, in any order. A field
that has its default is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, cast, get_args

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...records import record
from .schedule import (
    CLASSES,
    Filled,
    Instruction,
    LookupInstruction,
    Loops,
    Packing,
    Schedule,
    Scratch,
    Skinny,
    Stored,
    Sums,
    TileInstruction,
    Tiles,
    word_of,
)
from .schedule_rules import problem_of


@irdl_attr_definition
class ScheduleAttr(Data[Schedule]):
    """How loops are written for a `linalg` op on memrefs."""

    name = "relax.schedule"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Schedule:
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier(" as the class of a schedule")
            kind = CLASSES.get(word)
            if kind is None:
                parser.raise_error(f"schedule class is {word!r}, want {_choices(list(CLASSES))}", start, parser.pos)
            more = parser.parse_optional_punctuation(",") is not None
            return _parse_fields(parser, kind, word, more)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(word_of(self.data))
            printed = _print_fields(self.data)
            printer.print_string(f", {printed}" if printed else "")

    def verify(self) -> None:
        problem = problem_of(self.data)
        if problem is not None:
            raise VerifyException(problem)


def _choices(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _parse_fields(parser: AttrParser, record: type[Any], word: str, more: bool) -> Any:
    """Parses `name = value` pairs separated by commas (`more`: at least one follows) and makes the record of them."""
    codecs = {f.name: _CODECS[str(f.type)] for f in fields(record)}
    values: dict[str, object] = {}
    places: dict[str, tuple[int, int]] = {}
    start = parser.pos
    while more:
        start = parser.pos
        name = parser.parse_identifier(f" as a field of schedule {word}")
        if name not in codecs or name in values:
            reason = (
                "is there twice"
                if name in values
                else f"is none of {word}, want {_choices(list(codecs)) if codecs else 'no field'}"
            )
            parser.raise_error(f"field {name!r} {reason}", start, parser.pos)
        parser.parse_punctuation("=")
        values[name] = codecs[name].parse(parser, name)
        places[name] = start, parser.pos
        more = parser.parse_optional_punctuation(",") is not None
    missing = [f.name for f in fields(record) if f.name not in values and f.default is MISSING]
    if missing:
        parser.raise_error(f"schedule {word} lacks {', '.join(missing)}", start, parser.pos)
    made = record(**values)
    if record in CLASSES.values():
        problem = problem_of(made)
        if problem is not None:
            parser.raise_error(problem, *_place_of(problem, places, (start, parser.pos)))
    return made


def _place_of(problem: str, places: Mapping[str, tuple[int, int]], last: tuple[int, int]) -> tuple[int, int]:
    """Returns where the field is that a problem names first, as `tiles: shape = [0, 8]` or `rows = 3`; the last where it names none."""
    names = re.findall(r"\b(\w+)(?:: | = )", problem)
    return next((places[name] for name in names if name in places), last)


def _print_fields(record: Any) -> str:
    """Returns the text of the fields that do not have their defaults."""
    parts: list[str] = []
    for f in cast("tuple[Field[object], ...]", fields(record)):
        value = getattr(record, f.name)
        if f.default is MISSING or value != f.default:
            parts.append(f"{f.name} = {_CODECS[str(f.type)].print(value)}")
    return ", ".join(parts)


@record
class _Codec:
    """How the values of a field are parsed, with the name of the field for errors, and printed."""

    parse: Callable[[AttrParser, str], object]
    print: Callable[[Any], str]


def _parse_size(parser: AttrParser, name: str) -> int:
    start = parser.pos
    size = parser.expect(
        lambda: parser.parse_optional_integer(allow_boolean=False, allow_negative=False),
        f"number expected as field {name!r}",
    )
    if size >= 1 << 31:
        parser.raise_error(f"field {name!r} has {size}, want a number below 2^31", start, parser.pos)
    return size


def _parse_list(
    parser: AttrParser, name: str, parse: Callable[[AttrParser, str], Any] = _parse_size
) -> tuple[Any, ...]:
    delimiter = parser.Delimiter.SQUARE
    return tuple(parser.parse_comma_separated_list(delimiter, lambda: parse(parser, name), f" as field {name!r}"))


def _parse_pair(parser: AttrParser, name: str) -> tuple[int, ...]:
    start = parser.pos
    values = _parse_list(parser, name)
    if len(values) != 2:
        parser.raise_error(f"field {name!r} has {len(values)} numbers, want 2", start, parser.pos)
    return values


def _parse_loop(parser: AttrParser, name: str) -> tuple[int, ...]:
    dims = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_size(parser, name))
    return (_parse_size(parser, name),) if dims is None else tuple(dims)


def _print_list(values: Sequence[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _print_loops(loops: Loops) -> str:
    return _print_list([_print_list(loop) if len(loop) != 1 else loop[0] for loop in loops])


def _word(words: object) -> _Codec:
    """Returns the codec of a `Literal` of words."""
    choices: tuple[str, ...] = get_args(words)

    def parse(parser: AttrParser, name: str) -> str:
        start = parser.pos
        word = parser.parse_identifier(f" as field {name!r}, want {_choices(choices)}")
        if word not in choices:
            parser.raise_error(f"field {name!r} is {word!r}, want {_choices(choices)}", start, parser.pos)
        return word

    return _Codec(parse, str)


def _nested(record: type[Any]) -> _Codec:
    def parse(parser: AttrParser, name: str) -> object:
        with parser.in_angle_brackets():
            return _parse_fields(parser, record, name, True)

    return _Codec(parse, lambda value: f"<{_print_fields(value)}>")


_SIZE = _Codec(_parse_size, str)
_CODECS: Mapping[str, _Codec] = {
    "int": _SIZE,
    "int | None": _SIZE,
    "tuple[int, ...]": _Codec(_parse_list, _print_list),
    "tuple[int, int]": _Codec(_parse_pair, _print_list),
    "Loops": _Codec(lambda parser, name: _parse_list(parser, name, _parse_loop), _print_loops),
    "Packing": _word(Packing),
    "Instruction | None": _word(Instruction),
    "LookupInstruction | None": _word(LookupInstruction),
    "Filled": _word(Filled),
    "Sums": _word(Sums),
    "Scratch": _word(Scratch),
    "Stored": _word(Stored),
    "TileInstruction | None": _word(TileInstruction),
    "Tiles | None": _nested(Tiles),
    "Skinny | None": _nested(Skinny),
}
"""By the type of a field, as it is written above."""
