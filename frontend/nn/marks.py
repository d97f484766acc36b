"""Marks behind the names of symbols, which tell symbols of one name apart while a model is exported."""

from __future__ import annotations

import re

ARGUMENT = "$argument"
"""The mark of a name in a specification: equal names are one symbol in the arguments of a method."""

PARAMETER = "$parameter"
"""The mark of a name in the shape of a parameter: equal names are one symbol in all parameters."""

_MARK = re.compile(r"\$\w+")


def plain(text: str) -> str:
    """Returns a text without the marks behind symbols."""
    return _MARK.sub("", text)
