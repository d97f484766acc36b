"""Devices as people write them: `cpu:1`, with the memory scope if that is not `global`."""

from __future__ import annotations

GLOBAL = "global"
"""The scope of which nothing is said."""

HOST_LABEL = "cpu:0"
"""Where a value lives of which nothing is said."""


def device_label(kind: str, index: int, scope: str) -> str:
    """Returns a device as people write it."""
    return f"{kind}:{index}{'' if scope == GLOBAL else f':{scope}'}"


def parse_device_label(label: str) -> tuple[str, int, str]:
    """Returns the kind, the index and the scope of a device as people write it; raises `ValueError` for any other text."""
    kind, *rest = label.split(":")
    index, scope = rest[0] if rest else "0", rest[1] if len(rest) > 1 else GLOBAL
    if not kind or not scope or not index.isdecimal() or len(rest) > 2:
        raise ValueError(f"expected a device as KIND:INDEX or KIND:INDEX:SCOPE, got {label!r}")
    return kind, int(index), scope
