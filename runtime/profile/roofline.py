"""Kernels under the roofline of a machine: speed over operations for each byte, as SVG without anything from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...records import record
from .markup import markup
from .peak import Peak

WIDTH, HEIGHT = 900, 560
LEFT, RIGHT, TOP, BOTTOM = 80, 30, 50, 60
MOST_LABELS = 12
"""The kernels that take the most time get their names."""

_STYLE = (
    "text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}.roof{stroke:#222;stroke-width:2;fill:none}"
    ".cache{stroke:#888;stroke-width:1.5;stroke-dasharray:6 4;fill:none}.kernel{fill:#1f77b4;fill-opacity:.6;stroke:#1f77b4}"
)


@record
class Point:
    """A kernel: operations for each byte, operations in a second, and its share of the time."""

    name: str
    source: str
    intensity: float
    speed: float
    share: float


@record
class _Axes:
    """Logarithmic axes, by powers of ten."""

    x: tuple[int, int]
    y: tuple[int, int]

    def at(self, intensity: float, speed: float) -> tuple[float, float]:
        """Returns where a point is drawn."""
        return (
            LEFT + (math.log10(intensity) - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (math.log10(speed) - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM),
        )


def roofline_svg(points: Sequence[Point], peak: Peak) -> str:
    """Returns the picture; a circle is a kernel, as large as its share, with its numbers in a tooltip."""
    axes = _axes(points, peak)
    slowest = sorted(points, key=lambda point: -point.share)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_grid(axes),
        _roof(axes, peak.memory, peak.flops, "roof", f"memory {peak.memory / 1e9:.1f} GB/s"),
        _roof(axes, peak.cache, peak.flops, "cache", f"second-level cache {peak.cache / 1e9:.1f} GB/s"),
        *(_circle(axes, point) for point in slowest),
        *_labels(axes, slowest[:MOST_LABELS]),
        f'<text x="{LEFT}" y="24">{markup(peak.text)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axes(points: Sequence[Point], peak: Peak) -> _Axes:
    ridges = [peak.flops / peak.memory, peak.flops / peak.cache]
    intensities = [*ridges, *(point.intensity for point in points)]
    speeds = [peak.flops, *(point.speed for point in points)]
    return _Axes(_decades([*intensities, min(ridges) / 10, max(ridges) * 10]), _decades([*speeds, peak.flops / 1e3]))


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Returns the powers of ten below and above all values."""
    logarithms = [math.log10(value) for value in values]
    return math.floor(min(logarithms)), math.ceil(max(logarithms) + 0.05)


def _grid(axes: _Axes) -> list[str]:
    lines: list[str] = []
    low, high = axes.at(10.0 ** axes.x[0], 10.0 ** axes.y[0]), axes.at(10.0 ** axes.x[1], 10.0 ** axes.y[1])
    for power in range(axes.x[0], axes.x[1] + 1):
        x, _ = axes.at(10.0**power, 10.0 ** axes.y[0])
        lines.append(f'<line class="grid" x1="{x:.1f}" y1="{low[1]:.1f}" x2="{x:.1f}" y2="{high[1]:.1f}"/>')
        lines.append(f'<text x="{x:.1f}" y="{low[1] + 18:.1f}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(axes.y[0], axes.y[1] + 1):
        _, y = axes.at(10.0 ** axes.x[0], 10.0**power)
        lines.append(f'<line class="grid" x1="{low[0]:.1f}" y1="{y:.1f}" x2="{high[0]:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** (power - 9):g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(f'<text x="{middle:.0f}" y="{HEIGHT - 16}" text-anchor="middle">operations for each byte</text>')
    turned = f'transform="rotate(-90 20 {HEIGHT / 2:.0f})"'
    lines.append(f'<text x="20" y="{HEIGHT / 2:.0f}" text-anchor="middle" {turned}>GFLOP/s</text>')
    return lines


def _roof(axes: _Axes, bandwidth: float, flops: float, style: str, label: str) -> str:
    """Returns the line of what memory of a bandwidth, and then arithmetic, allows."""
    lowest, highest = 10.0 ** axes.x[0], 10.0 ** axes.x[1]
    begin = max(lowest, 10.0 ** axes.y[0] / bandwidth)
    corners = [axes.at(i, min(flops, i * bandwidth)) for i in (begin, flops / bandwidth, highest)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    # The label lies along the slope.
    (x1, y1), (x2, y2) = corners[:2]
    x, y, angle = (x1 + x2) / 2, (y1 + y2) / 2, math.degrees(math.atan2(y2 - y1, x2 - x1))
    text = f'<text x="{x:.1f}" y="{y - 6:.1f}" text-anchor="middle" transform="rotate({angle:.1f} {x:.1f} {y:.1f})">{label}</text>'
    return f'<polyline class="{style}" points="{path}"/>{text}'


def _circle(axes: _Axes, point: Point) -> str:
    x, y = axes.at(point.intensity, point.speed)
    title = (
        f"{point.name} {point.source}: {point.speed / 1e9:.2f} GFLOP/s, {point.intensity:.2f} operations for each byte, "
        f"{100 * point.share:.1f} % of the time"
    )
    radius = 3 + 22 * math.sqrt(point.share)
    return f'<circle class="kernel" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{markup(title)}</title></circle>'


def _labels(axes: _Axes, points: Sequence[Point]) -> list[str]:
    """Returns names beside circles, moved down where another name is; one name for kernels of that name."""
    taken: list[tuple[float, float]] = []
    named: set[str] = set()
    lines: list[str] = []
    for point in points:
        if point.name in named:
            continue
        named.add(point.name)
        x, y = axes.at(point.intensity, point.speed)
        x, y = x + 5 + 22 * math.sqrt(point.share), y + 4
        end = x > WIDTH - RIGHT - 220
        x = x - 2 * (5 + 22 * math.sqrt(point.share)) if end else x
        while any(abs(x - other) < 220 and abs(y - level) < 14 for other, level in taken):
            y += 14
        taken.append((x, y))
        lines.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{"end" if end else "start"}">{markup(point.name)}</text>'
        )
    return lines
