"""Errors of the builder: one sentence that names the caller's line, what is wrong, and how the op is called."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import DiagnosticException, VerifyException

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


class ArgumentError(BuilderError, TypeError, ValueError):
    """An argument of a public function that is none: of another kind, too many, unknown, or a text that names no type."""


class InvalidProgramError(BuilderError, VerifyException):
    """A program that the verifier refuses."""


class UnknownOpError(BuilderError, AttributeError):
    """An op, asked for as an attribute of a builder, that no dialect has."""


def reason_of(error: Exception) -> str:
    """Returns what is wrong, without the line of the caller."""
    return error.message if isinstance(error, BuilderError) else str(error)


def shown(given: object) -> str:
    """Returns a value that was given in the words of an error, cut where it is long."""
    text = str(given.type) if isinstance(given, SSAValue) else " ".join(repr(given).split())
    return text if len(text) <= 60 else f"{text[:60]}..."
