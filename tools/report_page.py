"""The page of `relax-run --report`: one file of HTML that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..lowering.buffers.arena import Item
from ..lowering.sizes.index_expr import Atom, Expr, const
from ..passes.analysis.remarks import Topic
from ..runtime.profile.markup import markup
from ..runtime.profile.profile import COLUMNS, Profile
from ..runtime.profile.roofline import roofline_svg
from .explanation import explanation
from .history import History
from .report_pictures import KernelNode, PlannedBuffer, graph_svg, memory_svg

_STYLE = (
    "body{font:14px sans-serif;margin:2em;color:#222;max-width:1200px}table{border-collapse:collapse}td,th{padding:2px 10px;"
    "text-align:left;border-bottom:1px solid #eee}td.n,th.n{text-align:right}pre{white-space:pre-wrap;font-size:12px;margin:4px 0 12px 2em}"
    "summary{cursor:pointer;font-family:monospace}.picture{overflow:auto;max-height:640px;border:1px solid #ddd}"
)


def page(history: History, profile: Profile, entry: str, leaves: Sequence[np.ndarray[Any, Any]]) -> str:
    """Returns the page of a function that was profiled in a call with these arrays."""
    nodes = history.graphs.get(entry, [])
    buffers = planned_buffers(history, entry, leaves)
    sections = (
        ("Kernels", _table(profile)),
        ("Graph", f'<div class="picture">{graph_svg(nodes, shares_of(nodes, profile, entry))}</div>'),
        ("Roofline", roofline_svg(profile.points, profile.peak)),
        ("Memory of the workspace", memory_svg(buffers) if buffers else "<p>The function needs none.</p>"),
        ("Ops of the source: fused, lifted, scheduled, and why", _ops(history, entry)),
    )
    body = "\n".join(f"<h2>{title}</h2>\n{content}" for title, content in sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>@{markup(entry)}</title><style>{_STYLE}</style></head>\n'
        f"<body><h1>@{markup(entry)}</h1>\n<p>{markup(profile.summary())}; {markup(profile.peak.text)}</p>\n{body}\n</body></html>\n"
    )


def shares_of(nodes: Sequence[KernelNode], profile: Profile, entry: str) -> list[float]:
    """Returns the share of the time of each call of a kernel; calls of the same ops are in the order of the program in both lists."""
    measured = {row.region: row.share for row in profile.kernels}
    by_places: dict[tuple[str, ...], list[float]] = {}
    for region in profile.recording.regions:
        if region.function == entry and region.kind == "kernel":
            by_places.setdefault(region.places, []).append(measured.get(region, 0.0))
    return [shares.pop(0) if (shares := by_places.get(node.places)) else 0.0 for node in nodes]


def _table(profile: Profile) -> str:
    def row(tag: str, cells: Sequence[str]) -> str:
        right = [name.endswith(">") for name in COLUMNS]
        return "".join(
            f"<{tag}{' class=n' if is_right else ''}>{markup(cell)}</{tag}>"
            for cell, is_right in zip(cells, right, strict=True)
        )

    rows = [row("th", [name.removesuffix(">") for name in COLUMNS]), *(row("td", cells) for cells in profile.table())]
    return f"<table>{''.join(f'<tr>{cells}</tr>' for cells in rows)}</table>"


def _ops(history: History, entry: str) -> str:
    parts: list[str] = []
    for op in history.ops:
        if op.function == entry:
            title, _, answers = explanation(op, history.remarks, history.passes).partition("\n")
            lines = "\n".join(map(markup, answers.split("\n")))
            parts.append(f"<details><summary>{markup(title)}</summary><pre>{lines}</pre></details>")
    return "\n".join(parts) or (
        "<p>The model has no lines of source to name ops by: write it to a file with <code>relax-import</code> and run that.</p>"
    )


def planned_buffers(history: History, entry: str, leaves: Sequence[np.ndarray[Any, Any]]) -> list[PlannedBuffer]:
    """Returns what lies in the workspace of a function in a call with these arrays; what depends on data counts with its bound."""

    def value_of(atom: Atom) -> Expr:
        array = leaves[atom.argument]
        return const(int(array)) if atom.kind == "arg" else const(array.shape[atom.dim])

    buffers: list[PlannedBuffer] = []
    for remark in history.remarks:
        if remark.topic is not Topic.MEMORY or remark.function != entry or not isinstance(remark.detail, Item):
            continue
        item = remark.detail
        sizes = [expr.substitute(value_of) for expr in (item.offset, item.size)]
        offset, size = (None if expr is None else expr.constant for expr in sizes)
        if offset is not None and size:
            buffers.append(PlannedBuffer(_label(remark.text), offset, size, item.start, item.end))
    return buffers


def _label(text: str) -> str:
    return text.partition(": its ")[0]
