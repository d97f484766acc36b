"""Text of which every character is visible: names of programs may hold any."""

from __future__ import annotations


def visible(text: str) -> str:
    """Returns a text in which line breaks, control characters and others that are not visible are escaped."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
