"""The error that callers of a program can mend."""

from __future__ import annotations


class ArgumentError(ValueError):
    """Arguments or parameters that do not fit the function; the message may have several lines, one for each."""
