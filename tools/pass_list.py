"""What `relax-opt` prints of our passes: all of them in brief (`--list-passes`), or what is to know of some (`--describe-pass`)."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
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


def pass_description(pass_type: type[ModulePass]) -> str:
    """Returns the whole text of a pass: its options, what each of them means, and what it does."""
    lines = [f"{pass_type.name}{_options(pass_type)}", ""]
    meanings = _meanings(pass_type)
    fields = dataclasses.fields(pass_type) if dataclasses.is_dataclass(pass_type) else ()
    for field in fields:
        lines += [f"  {field.name}={_default(field)}", *_wrapped(" ".join(meanings.get(field.name, "").split()))]
    lines += ["", *textwrap.indent(inspect.cleandoc(pass_type.__doc__ or ""), "  ").splitlines()]
    return "\n".join(lines)


def _meanings(pass_type: type[ModulePass]) -> dict[str, str]:
    """Returns what stands behind each option in the source of a pass and its bases; none where there is no source."""
    meanings: dict[str, str] = {}
    for base in pass_type.__mro__:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        for name, text in _documented(tree):
            meanings.setdefault(name, text)
    return meanings


def _documented(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yields the attributes of a class with the text behind them."""
    (definition,) = tree.body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    for statement, behind in pairwise(body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        text = behind.value if isinstance(behind, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield statement.target.id, text.value
