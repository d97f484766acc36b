"""Errors of passes that name the op and where it stands; xDSL's `PassFailedException` has a text alone.

For upstream: "`PassFailedException` takes the operation at fault, so that a driver can print its location."
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from .positions import located


class OpError(PassFailedException):
    """An error about one op; its text starts with `file:line:col: error:` where the op was parsed from a file."""

    def __init__(self, op: Operation, reason: str):
        self.op = op
        self.reason = reason
        super().__init__(located(op.location, reason))
