"""Elements along an axis combined one after the other, as a `Scan` over slices."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.symbolic.expressions import Known, add
from .table import Scope, is_positive, known


def scanned(
    scope: Scope, x: str, dims: Sequence[Known], axis: int, combine: str, neutral: int, exclusive: bool
) -> tuple[str, str]:
    """Returns what all slices along an axis come to, and what those before each slice, and it unless `exclusive`, come to."""
    nodes = scope.nodes
    element = nodes.element(x)
    others = [index for index in range(len(dims)) if index != axis]
    if not all(map(is_positive, dims)):
        # onnxruntime scans no empty tensor: there is one item more of each dim, which is cut off.
        for index in range(len(dims)):
            more = [*known([add(size, 1) for size in dims[:index]]), *dims[index:]]
            x = scope.with_one_more(x, more, index, neutral)
        total, result = scanned(scope, x, known([add(dim, 1) for dim in dims]), axis, combine, neutral, exclusive)
        for index, dim in enumerate(dims):
            result = nodes.sliced(result, index, nodes.integers([0]), scope.sizes.vector(dim))
        for index, other in enumerate(others):
            total = nodes.sliced(total, index, nodes.integers([0]), scope.sizes.vector(dims[other]))
        return total, result
    state = scope.filled(neutral, element, [dims[index] for index in others])
    with nodes.body() as body:
        so_far, item = (nodes.define(nodes.name(stem), element) for stem in ("so_far", "item"))
        updated = nodes.emit(combine, [so_far, item], [element])[0]
        seen = nodes.emit("Identity", [so_far if exclusive else updated], [element])[0]
    graph = scope.graph_of(body, [so_far, item], [updated, seen])
    total, result = nodes.emit(
        "Scan",
        [state, x],
        [element, element],
        body=graph,
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_output_axes=[axis],
    )
    return total, result
