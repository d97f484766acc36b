"""What is known of machines, and the formats that leave the compiler. May not transform programs."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.utils.target import Target


def _graph_json() -> type[Target]:
    from .graph_json.graph_json import GraphJsonTarget

    return GraphJsonTarget


TARGETS: dict[str, Callable[[], type[Target]]] = {"graph-json": _graph_json}
"""What a program can be printed as, other than MLIR."""
