"""Which schedule takes which computation: the one place where kinds of computations are told apart.

| schedule | takes | emitted by |
|---|---|---|
| few rows | contractions of up to 8 rows (4 with 16 registers) whose other matrix lies along the columns or the reduction | few_rows |
| tiled | other contractions, packed or not, and convolutions | contraction_nest |
| turned | element-wise ops that read along another dim than they write | turned_nest |
| vectors | other element-wise ops and reductions | vector_nest |
| scalars | everything else: payloads with loads or regions, scattered writes | scalar_nest |

`grouping` decides what shares loops: element-wise ops after a contraction run on its tiles, row operations are joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ....targets.cpu import CpuTarget
from .accumulate import combiners_of
from .contraction import Contraction, Tiling, recognise, tile
from .iteration import Nest
from .parallel import estimate
from .payload import is_vectorisable
from .transposed_nest import turned_dim
from .vector_nest import VectorPlan, pick_vector_dim

MIN_WORK = 1 << 13
"""Multiplications below which a contraction is a reduction like others."""

MIN_COLUMNS = 4
"""Columns below which a contraction is not tiled."""

FEW_ROWS = {32: 8, 16: 4}
"""Rows up to which B is read in place, by the number of vector registers: a panel is written and read once more."""

FEW_DYNAMIC_ROWS = 4
"""The same where the number of rows is known at run time only, since there is code for each."""


@dataclass(frozen=True)
class Scalars:
    """Scalar loops."""


@dataclass(frozen=True)
class Vectors:
    """Vectors along one dim."""

    plan: VectorPlan


@dataclass(frozen=True)
class Turned:
    """Vectors along one dim, of which square blocks are turned in registers with another."""

    plan: VectorPlan
    other: int


@dataclass(frozen=True)
class FewRows:
    """B is read in place."""

    contraction: Contraction
    tiling: Tiling
    most: int


@dataclass(frozen=True)
class Tiled:
    """Panels of B and register tiles; as `FewRows` if there are at most `few` rows at run time (0: never)."""

    contraction: Contraction
    tiling: Tiling
    few: int


ContractionSchedule: TypeAlias = FewRows | Tiled
Schedule: TypeAlias = ContractionSchedule | Turned | Vectors | Scalars


def schedule_of(nest: Nest, target: CpuTarget) -> Schedule:
    """The schedule of a normalised nest that has its loops to itself."""
    contraction = contraction_schedule(nest, target)
    if contraction is not None:
        return contraction
    plan = vector_plan(nest)
    if plan is None:
        return Scalars()
    other = turned_dim(nest, plan, target.lanes)
    return Vectors(plan) if other is None else Turned(plan, other)


def contraction_schedule(nest: Nest, target: CpuTarget) -> ContractionSchedule | None:
    """The schedule of a normalised nest that is a contraction with enough work; None for others."""
    contraction = recognise(nest)
    if contraction is None:
        return None
    work = 1
    for size in nest.sizes:
        work *= estimate(size)
    if work < MIN_WORK:
        return None
    tiling = tile(contraction, target)
    most = _few_rows(contraction, tiling)
    row = contraction.tile_row
    rows = 1 if row is None else nest.sizes[row]
    column = nest.sizes[contraction.column]
    if isinstance(rows, int) and 0 < rows <= most:
        return FewRows(contraction, tiling, most)
    if isinstance(rows, int) and rows < 2 and not contraction.packed_block:
        return None
    if isinstance(column, int) and column < MIN_COLUMNS and not contraction.packed_block:
        return None
    return Tiled(contraction, tiling, 0 if isinstance(rows, int) else min(most, FEW_DYNAMIC_ROWS))


def _few_rows(k: Contraction, tiling: Tiling) -> int:
    """The most rows for which B may be read in place; 0 where its layout forbids it."""
    if k.packed_block or len(k.rows) > 1 or len(k.columns) > 1 or len(k.reduced) > 1:
        return 0
    (reduced,) = k.reduced
    if k.b.step(k.column) != 1 and not (k.b.step(reduced) == 1 and k.a.step(reduced) == 1):
        return 0
    return FEW_ROWS[tiling.budget]


def vector_plan(nest: Nest, first: int = 0) -> VectorPlan | None:
    """How to vectorise a nest along a dim that is not among the first; None where scalar loops are right.

    Element-wise: all dims are parallel. Reduction: each output combines its content with something new, and does not
    depend on the reduced dims.
    """
    if not is_vectorisable(nest) or nest.rank() <= first:
        return None
    reduced = {d for d in range(nest.rank()) if not nest.parallel[d]}
    combiners = []
    if reduced:
        found = combiners_of(nest)
        if found is None:
            return None
        combiners = found
    for output in nest.outputs:
        if output.dims() & reduced:
            return None
    candidates = [d for d in range(first, nest.rank()) if _can_vectorise(nest, d)]
    dim = pick_vector_dim(nest, candidates)
    if dim is None:
        return None
    size = nest.sizes[dim]
    if isinstance(size, int) and size < 2:
        return None
    return VectorPlan(dim, combiners)


def _can_vectorise(nest: Nest, dim: int) -> bool:
    if nest.parallel[dim]:
        # Every output must move with the dim, or its lanes would be written to one place.
        return all(dim in o.dims() for o in nest.outputs)
    return all(a.step(dim) is not None for a in nest.inputs)
