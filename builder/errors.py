"""Errors of the builder: one sentence that names the caller's line, what is wrong, and how the op is called."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from ..dialects.upstream.picklable_error import PicklableError
from ..dialects.upstream.positions import located


class BuilderError(PicklableError, DiagnosticException):
    """A call of the builder that is refused; its text starts with `file:line:col: error:` of the caller's line."""

    def __init__(self, location: Attribute, message: str):
        self.location = location
        """The caller's line, or the location that was given."""
        self.message = message
        """What is wrong."""
        super().__init__(located(location, message))


class TypeTextError(BuilderError, ValueError):
    """A type that is asked for in words that name none."""


class UnknownOpError(BuilderError, AttributeError):
    """An op, asked for as an attribute of a builder, that no dialect has."""
