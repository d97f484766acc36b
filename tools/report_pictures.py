"""The pictures of a report: the graph of kernels, and what lies in the workspace while a call runs, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..runtime.profile.markup import markup
from .report import bytes_text

STYLE = (
    "text{font:12px sans-serif;fill:#222}.edge{stroke:#999;fill:none}.node{stroke:#555}.buffer{stroke:#fff;stroke-width:.5}"
    ".axis{stroke:#bbb}"
)
NODE_WIDTH, NODE_HEIGHT, GAP_X, GAP_Y = 230, 34, 20, 26
MEMORY_WIDTH, MEMORY_HEIGHT, MARGIN = 1000, 360, 70
COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")


@dataclass(frozen=True)
class KernelNode:
    """A call of a kernel: its name, the positions of its ops, and the calls that it reads."""

    name: str
    places: tuple[str, ...]
    reads: tuple[int, ...]


@dataclass(frozen=True)
class PlannedBuffer:
    """What lies in the workspace from one op to another, in bytes."""

    label: str
    offset: int
    size: int
    begin: int
    end: int


def picture(width: float, height: float, parts: Sequence[str]) -> str:
    """Returns an SVG picture."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">'
    return "\n".join((head, f"<style>{STYLE}</style>", *parts, "</svg>"))


def graph_svg(nodes: Sequence[KernelNode], shares: Sequence[float]) -> str:
    """Returns the graph of kernels, each below all that it reads; the more time one takes, the darker it is."""
    level: list[int] = []
    for node in nodes:
        level.append(1 + max((level[other] for other in node.reads), default=-1))
    columns: dict[int, int] = {}
    places: list[tuple[float, float]] = []
    for depth in level:
        column = columns.get(depth, 0)
        columns[depth] = column + 1
        places.append((10 + column * (NODE_WIDTH + GAP_X), 10 + depth * (NODE_HEIGHT + GAP_Y)))
    width = 20 + max(columns.values(), default=1) * (NODE_WIDTH + GAP_X)
    height = 20 + (max(level, default=0) + 1) * (NODE_HEIGHT + GAP_Y)
    parts: list[str] = []
    for node, (x, y) in zip(nodes, places, strict=True):
        for other in node.reads:
            from_x, from_y = places[other]
            start, end = (from_x + NODE_WIDTH / 2, from_y + NODE_HEIGHT), (x + NODE_WIDTH / 2, y)
            middle = (start[1] + end[1]) / 2
            parts.append(
                f'<path class="edge" d="M{start[0]:.0f},{start[1]:.0f} C{start[0]:.0f},{middle:.0f} {end[0]:.0f},{middle:.0f} '
                f'{end[0]:.0f},{end[1]:.0f}"/>'
            )
    largest = max(shares, default=0.0) or 1.0
    for node, (x, y), share in zip(nodes, places, shares, strict=True):
        light = 97 - 45 * share / largest
        name = node.name if len(node.name) <= 32 else f"{node.name[:31]}…"
        title = markup(f"{node.name} {', '.join(node.places)}: {100 * share:.1f} % of the time")
        parts.append(
            f'<g><title>{title}</title><rect class="node" x="{x}" y="{y}" width="{NODE_WIDTH}" height="{NODE_HEIGHT}" rx="4" '
            f'fill="hsl(24 90% {light:.0f}%)"/><text x="{x + 8}" y="{y + 14}">{markup(name)}</text>'
            f'<text x="{x + 8}" y="{y + 28}">{100 * share:.1f} %</text></g>'
        )
    return picture(width, height, parts)


def memory_svg(buffers: Sequence[PlannedBuffer]) -> str:
    """Returns the workspace over time: a rectangle is a buffer, from the op that makes it to the last that reads it."""
    total = max((buffer.offset + buffer.size for buffer in buffers), default=1)
    first = min((buffer.begin for buffer in buffers), default=0)
    last = max((buffer.end for buffer in buffers), default=0) + 1
    width, height = MEMORY_WIDTH - 2 * MARGIN, MEMORY_HEIGHT - 2 * 30
    parts = [
        f'<line class="axis" x1="{MARGIN}" y1="{30 + height}" x2="{MARGIN + width}" y2="{30 + height}"/>',
        f'<line class="axis" x1="{MARGIN}" y1="30" x2="{MARGIN}" y2="{30 + height}"/>',
        f'<text x="{MARGIN - 6}" y="{34 + height}" text-anchor="end">0</text>',
        f'<text x="{MARGIN - 6}" y="34" text-anchor="end">{bytes_text(total)}</text>',
        f'<text x="{MARGIN + width / 2:.0f}" y="{MEMORY_HEIGHT - 8}" text-anchor="middle">ops in the order in which they run</text>',
    ]
    for number, buffer in enumerate(buffers):
        x = MARGIN + width * (buffer.begin - first) / (last - first)
        right = MARGIN + width * (buffer.end + 1 - first) / (last - first)
        y = 30 + height * (1 - (buffer.offset + buffer.size) / total)
        tall = height * buffer.size / total
        title = markup(f"{buffer.label}: {bytes_text(buffer.size)} at offset {buffer.offset}")
        parts.append(
            f'<rect class="buffer" x="{x:.1f}" y="{y:.2f}" width="{right - x:.1f}" height="{tall:.2f}" '
            f'fill="{COLORS[number % len(COLORS)]}"><title>{title}</title></rect>'
        )
    return picture(MEMORY_WIDTH, MEMORY_HEIGHT, parts)
