"""Sums of tiles that lie on the stack, where the epilogue of each tile reads them.

    linalg.generic %c += %a * %b, linalg.generic %d = f(%c)    with tiles = <..., sums = stack>

becomes

    memref.alloca of 6 x 64                         once for all tiles
    scf.for tiles of 6 rows
      func.call @relax.contract.6x64...             writes there, not to %c
      f on a view of the stack as the tile of %c
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from ....emit.emitter import Index
from ...schedule.access import Access
from ...schedule.sums import uncollapsed
from ..loop_nest import LoopNest
from .tiled_contraction import TiledContraction


def reading_sums(whole: TiledContraction, sums: SSAValue, row_size: int, point: Sequence[Index]) -> Sequence[LoopNest]:
    """Returns the epilogue of the tile at a point, which reads sums on the stack in place of the output, of which a row has so many."""
    b, row, column = whole.b, whole.t.row, whole.k.column
    loops = [loop for loop in (whole.joined, row, column) if loop is not None]
    strides = [whole.t.pitch * row_size, row_size, 1][-len(loops) :]
    start: Index = 0
    for loop, stride in zip(loops, strides, strict=True):
        # Of rows of two loops all are there, of others those of the tile.
        if whole.joined is None or loop == column:
            start = b.sub(start, b.mul(point[loop], stride))
    unknown = [DYNAMIC_INDEX] * len(loops)
    view = memref.ReinterpretCastOp(
        sums,
        [b.as_index(start)],
        [b.as_index(whole.sizes[loop]) for loop in loops],
        [],
        [DYNAMIC_INDEX],
        unknown,
        strides,
        MemRefType(whole.k.acc_type, unknown, StridedLayoutAttr(strides, None)),
    )
    access = Access(b.insert(view), tuple(AffineExpr.dimension(loop) for loop in loops))
    output = uncollapsed(whole.k.c.value)
    return [
        replace(nest, inputs=[access if uncollapsed(a.value) is output else a for a in nest.inputs])
        for nest in whole.epilogue
    ]
