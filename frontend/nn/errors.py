"""Errors of models: one line with the module path, what was called, and the user's source line."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar

from xdsl.dialects.builtin import NameLoc, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from ...builder.locations import caller_location
from ...dialects.upstream.picklable_error import PicklableError
from ...dialects.upstream.positions import located
from .marks import plain

CURRENT_PATH = ContextVar("path", default="")
"""The dotted path of the module whose `forward` runs; inside of one that is no part of the model, that of the module around it."""


class ModelError(PicklableError, DiagnosticException):
    """A model, a specification or a call that no program follows from: `model.py:12:9: error: layers.3.mlp.down_proj: ...`."""

    def __init__(self, message: str, *, location: Attribute | None = None):
        where = caller_location() if location is None else location
        module = CURRENT_PATH.get()
        if module and not (isinstance(where, NameLoc) and where.desc.data == module):
            where = NameLoc(StringAttr(module), where)
        super().__init__(located(where, plain(message)))


class ModelTypeError(ModelError, TypeError):
    """An argument is of another type than the function, or the container, takes: a `TypeError`, as in TVM."""


class UnusedParameterWarning(UserWarning):
    """Parameters of a model that no exported method reads: `layers.3.mlp.down_proj.weight: no exported method reads it`."""


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Returns names in a row, cut where there are many."""
    shown = list(names)
    rest = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + rest
