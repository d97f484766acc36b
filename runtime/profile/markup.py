"""Text inside of XML and HTML."""

from __future__ import annotations

from html import escape

from ...visible import visible


def markup(text: str) -> str:
    """Returns a text of one line as it stands in a page or a picture, which hold no control characters."""
    return escape(visible(text))
