"""What `relax-opt --list-passes` prints: each pass of ours, its options, and its first sentence."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.passes import ModulePass

INDENT = "    "
WIDTH = 110


def pass_list(passes: Iterable[type[ModulePass]], stages: Mapping[str, Sequence[str]]) -> str:
    """Returns the text: the stages with what each adds to the one before, then the passes by name."""
    lines = ["Stages:"]
    before, done = "", list[str]()
    for name, members in stages.items():
        follows = bool(done) and list(members[: len(done)]) == done
        lines += [f"  {name}", *_wrapped(" ".join([before, *members[len(done) :]] if follows else members))]
        before, done = name, list(members)
    lines += ["", "Passes:"]
    for pass_type in sorted(passes, key=lambda pass_type: pass_type.name):
        lines += [f"  {pass_type.name}{_options(pass_type)}", *_wrapped(_first_sentence(pass_type))]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False, break_long_words=False
    )


def _options(pass_type: type[ModulePass]) -> str:
    """Returns the options with their defaults, as they are written in a pipeline."""
    if not dataclasses.is_dataclass(pass_type):
        return ""
    shown = [f"{field.name}={_default(field)}" for field in dataclasses.fields(pass_type)]
    return f"{{{' '.join(shown)}}}" if shown else ""


def _default(field: dataclasses.Field[Any]) -> str:
    """Returns the default of an option, `...` if it must be given or has none that is said in a word."""
    value = field.default
    return str(value).lower() if isinstance(value, bool | int | float | str) and value != "" else "..."


def _first_sentence(pass_type: type[ModulePass]) -> str:
    paragraph = inspect.cleandoc(pass_type.__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split())
