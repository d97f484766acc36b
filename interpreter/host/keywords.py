"""Arguments by position and by name, as Python's functions take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...dialects.nearest_name import suggestion
from .errors import ArgumentError


def bind_names(
    function: str,
    names: Sequence[str],
    args: Sequence[Any],
    named: Mapping[str, Any],
    aliases: Mapping[str, str] | None = None,
) -> list[Any]:
    """Returns all arguments of a function in order, some of which were given by name.

    `aliases` are further names that an argument may be given by. Raises `ArgumentError` for a name that is unknown, or given twice, and
    for arguments that are missing.
    """
    if len(args) > len(names):
        given = len(args) + len(named)
        raise ArgumentError(f"{function}: expected {len(names)} arguments ({', '.join(names)}), got {given}")
    values = dict(zip(names, args, strict=False))
    for key, value in named.items():
        name = key if key in names else (aliases or {}).get(key)
        if name is None:
            near = suggestion(key, [*names, *(aliases or ())])
            has = f"its arguments are {', '.join(names)}" if names else "it takes no arguments"
            raise ArgumentError(f"{function}: no argument '{key}'{near or ';'} {'' if near else has}".rstrip())
        if name in values:
            how = "by position and by name" if name in names[: len(args)] else "by two names"
            raise ArgumentError(f"{function}: argument '{name}' is given twice, {how}")
        values[name] = value
    missing = [name for name in names if name not in values]
    if missing:
        noun = "argument" if len(missing) == 1 else "arguments"
        listed = ", ".join(f"'{name}'" for name in missing)
        raise ArgumentError(f"{function}: {noun} {listed} missing: expected {', '.join(names)}")
    return [values[name] for name in names]
