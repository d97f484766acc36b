"""Reductions over small windows (pooling, depthwise convolutions), whose steps are written out for several rows of results at once.

y[i, j] max= x[2 * i + k, 2 * j + l]    of 3 x 3 steps: rows i and i + 1 share row 2 * i + 2 of x
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, f32
from xdsl.dialects.linalg import ops as linalg

from ....dialects.relax.schedule import FETCHED_BYTES
from ....targets.cpu import CpuTarget
from .access import Access, coefficient
from .nest import Nest, is_vectorizable
from .payload_loads import has_loads

MOST_STEPS = 49
"""Steps of a window that are written out: more are loops."""

MOST_ROWS = 8
"""Rows that go together at most: as many sums as a core adds to at once."""

MOST_FETCHED = 32
"""Lines that a vector fetches at most."""

MOST_WRITTEN = 360
"""Steps of all rows together that are written out, 7 x 7 of seven rows: their code must stay in the first-level cache."""


def pick_window_fetched(nest: Nest, image: Access, along: int, rows: int, target: CpuTarget) -> int:
    """Returns the lines that each vector of some rows fetches of an image, so that all of the next rows is fetched.

    0 where the second-level cache holds the image, or where rows do not go together.
    """
    sizes, step = image.type.get_shape(), coefficient(image.exprs[-2], along - 1) if len(image.exprs) > 1 else None
    columns = nest.sizes[along]
    if not step or not columns or rows < 2 or DYNAMIC_INDEX in sizes:
        return 0
    element = f32.size
    if prod(sizes) * element < target.l2.size:
        return 0
    nbytes = rows * step * sizes[-1] * element
    vectors = -(-columns // (target.vector_bits // f32.bitwidth))
    return min(MOST_FETCHED, -(-nbytes // (vectors * FETCHED_BYTES)))


def is_window(nest: Nest, along: int) -> bool:
    """Returns whether the reductions of a nest with vectors along a parallel loop can be written out."""
    # From the reductions to the operands: sizes are numbers then, and the distance of any two steps is known.
    sizes = [nest.sizes[d] for d in nest.reduced]
    if not sizes or not nest.parallel[along] or any(size is None for size in sizes):
        return False
    if not 1 < prod(size or 0 for size in sizes) <= MOST_STEPS or not is_vectorizable(nest) or has_loads(nest):
        return False
    if any(isinstance(op, linalg.IndexOp) for op in nest.payload) or len(nest.outputs) != 1:
        return False
    if any(coefficient(e, d) is None for a in nest.accesses for e in a.exprs for d in range(nest.rank())):
        return False
    is_whole = all(a.step(along) is not None or a.spread(along) is not None for a in nest.inputs)
    return is_whole and nest.outputs[0].step(along) == 1


def pick_window_rows(nest: Nest, along: int, first: int, target: CpuTarget) -> int:
    """Returns how many iterations of the loop before the vectors go together, not among the first loops; 0 where reductions are loops."""
    if not is_window(nest, along):
        return 0
    row = along - 1
    if row < first or not nest.parallel[row]:
        return 1
    size = nest.sizes[row]
    steps = prod(nest.sizes[d] or 0 for d in nest.reduced)
    most = min(MOST_ROWS, target.vector_registers // 2, max(1, MOST_WRITTEN // steps))
    if size is None:
        return 1
    return max(
        (r for r in range(1, most + 1) if size % r == 0 and (r > 1 or size < most)), default=min(most, max(size, 1))
    )
