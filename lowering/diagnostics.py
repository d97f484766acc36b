"""Errors of lowerings that name the op and where it stands."""

from __future__ import annotations

from ..dialects.upstream.op_error import OpError

__all__ = ["OpError"]
