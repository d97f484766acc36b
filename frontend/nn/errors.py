"""Errors of models: one line with the module path, what was called, and the user's source line."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from ...builder.locations import caller_location
from ...dialects.upstream.positions import located
from .symbols import plain


class ModelError(DiagnosticException):
    """A model, a specification or a call that no program follows from: `model.py:12:9: error: layers.3.mlp.down_proj: ...`."""

    def __init__(self, message: str, path: str = "", location: Attribute | None = None):
        where = caller_location() if location is None else location
        super().__init__(located(where, f"{path}: {plain(message)}" if path else plain(message)))


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Returns names in a row, cut where there are many."""
    shown = list(names)
    rest = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + rest
