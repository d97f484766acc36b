"""Recognises contractions and decides how they are tiled."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr

from ....targets.cpu import CpuTarget
from .access import Access, coefficient, dims_in, strides_of
from .builder import Index
from .conversion import Conversion
from .dot_product import GROUP, DotProduct, dot_product
from .flat import static_step
from .iteration import Nest
from .micro_kernel import registers_needed
from .parallel import estimate

STEPS = 512
"""The length of a panel: at 64 columns of f32 it fills an eighth of a 1 MiB cache."""

MAX_ROWS = 8
"""Rows of A that are read in place: more would fall on the same lines of a 12-way cache."""

WIDTH = 4
"""Vectors in a row of the register tile."""

FEWEST_ROWS = 4
"""Rows that a register tile must have room for: each load of B is used that often."""


@dataclass
class Contraction:
    """`c += a * b`: the last of `columns` is contiguous in `c` and vectorised."""

    nest: Nest
    a: Access
    b: Access
    c: Access
    a_conversion: Conversion
    b_conversion: Conversion
    batch: list[int]
    rows: list[int]
    tile_row: int | None
    """The dim of the tile's rows; None where no dim belongs to `a` and `c` alone."""
    columns: list[int]
    reduced: list[int]
    packed_block: int
    """The width of the blocks in which B lies already, 0 if it does not."""
    packed_group: int
    """The steps that lie together in such a block, 1 if the columns of a step do."""

    @property
    def row(self) -> int:
        assert self.tile_row is not None
        return self.tile_row

    @property
    def column(self) -> int:
        return self.columns[-1]

    @property
    def acc_type(self) -> Attribute:
        return self.c.type.element_type


def recognise(nest: Nest) -> Contraction | None:
    """The contraction that a normalised nest computes, if it is one."""
    found = _factors(nest)
    if found is None:
        return None
    (first, first_conversion), (second, second_conversion) = found
    c = nest.outputs[0]
    reduced = [d for d in range(nest.rank()) if not nest.parallel[d]]
    if not reduced or c.dims() & set(reduced) or not _is_linear(c, nest.rank()):
        return None
    column = next((d for d in range(nest.rank()) if c.step(d) == 1), None)
    if column is None or not nest.parallel[column]:
        return None
    if column in first.dims() and column not in second.dims():
        first, second = second, first
        first_conversion, second_conversion = second_conversion, first_conversion
    if column in first.dims() or column not in second.dims():
        return None
    parallel = [d for d in range(nest.rank()) if nest.parallel[d]]
    batch = [d for d in parallel if d in first.dims() and d in second.dims()]
    rows = [d for d in parallel if d in first.dims() and d not in second.dims()]
    columns = [d for d in parallel if d not in first.dims()]
    if any(d not in c.dims() for d in parallel) or not _is_linear(first, nest.rank()):
        return None
    if any(d not in first.dims() or d not in second.dims() for d in reduced):
        return None
    block, group = _packed_block(nest, second, column)
    if not block and not _is_linear(second, nest.rank()):
        return None
    columns = [d for d in columns if d != column] + [column]
    row = _pick_row(nest, rows)
    return Contraction(
        nest, first, second, c, first_conversion, second_conversion, batch, rows, row, columns, reduced, block, group
    )


def _factors(nest: Nest) -> tuple[tuple[Access, Conversion], tuple[Access, Conversion]] | None:
    """The two operands of `yield (acc + a * b)`, each with its conversions."""
    if len(nest.inputs) != 2 or len(nest.outputs) != 1 or not all(i.is_memref for i in nest.inputs):
        return None
    total = nest.yielded[0].owner
    if not isinstance(total, Operation) or total.name not in ("arith.addf", "arith.addi"):
        return None
    acc = nest.output_arg(0)
    others = [o for o in total.operands if o is not acc]
    if len(others) != 1 or len(list(acc.uses)) != 1:
        return None
    product = others[0].owner
    if not isinstance(product, Operation) or product.name not in ("arith.mulf", "arith.muli"):
        return None
    if (product.name == "arith.mulf") != (total.name == "arith.addf"):
        return None
    if not isinstance(acc.type, AnyFloat | IntegerType):
        return None
    left, right = _chain(product.operands[0]), _chain(product.operands[1])
    if left is None or right is None:
        return None
    (x, x_ops), (y, y_ops) = left, right
    if {x, y} != set(nest.body.args[:2]) or x is y:
        return None
    accesses: dict[SSAValue, Access] = dict(zip(nest.body.args, nest.inputs, strict=False))
    return (accesses[x], Conversion(x_ops)), (accesses[y], Conversion(y_ops))


_CONVERSIONS = frozenset(
    ("arith.extf", "arith.truncf", "arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp", "arith.uitofp")
)


def _chain(value: SSAValue) -> tuple[SSAValue, tuple[Operation, ...]] | None:
    ops: list[Operation] = []
    while not isinstance(value, BlockArgument):
        op = value.owner
        if not isinstance(op, Operation) or op.name not in _CONVERSIONS:
            return None
        ops.append(op)
        value = op.operands[0]
    return value, tuple(reversed(ops))


def _is_linear(access: Access, rank: int) -> bool:
    return all(coefficient(e, d) is not None for e in access.exprs for d in range(rank))


def _packed_block(nest: Nest, access: Access, column: int) -> tuple[int, int]:
    """The width w of the blocks of `(n floordiv w, k, n mod w)`, and the group g of `(n floordiv w, k floordiv g, n mod w, k mod g)`.

    The width is 0 for other maps, the group is 1 for plain blocks. Where there is one block, the first index is 0.
    """
    *outer, last = access.exprs
    *sizes, size = access.type.get_shape()
    *strides, stride = strides_of(access.type)
    group = 1
    reduced = [AffineDimExpr(d) for d in range(nest.rank()) if not nest.parallel[d]]
    if size > 1 and len(outer) > 1 and len(reduced) == 1 and last == reduced[0] % size:
        if outer[-2] != reduced[0] // size or strides[-2:] != [size * sizes[-1], size]:
            return 0, 1
        group = size
        *outer, _, last = outer
        size = sizes[-1]
    match last:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mod, AffineDimExpr(d), AffineConstantExpr(width)) if d == column:
            pass
        case _:
            return 0, 1
    if size != width or stride != 1:
        return 0, 1
    users = [e for e in outer if column in dims_in(e)]
    columns = nest.sizes[column]
    is_one_block = not users and isinstance(columns, int) and columns <= width
    return (width, group) if is_one_block or users == [AffineDimExpr(column) // width] else (0, 1)


def _pick_row(nest: Nest, rows: list[int]) -> int | None:
    """The dim with the most rows; the innermost of equals."""
    return max(rows, key=lambda d: (estimate(nest.sizes[d]), d), default=None)


@dataclass
class Tiling:
    """The register tile, the panel of B and the loops over the reduced dims."""

    lanes: int
    budget: int
    """Vector registers."""
    rows: int
    vectors: int
    joined_rows: int
    """How many rows of the second-last column dim lie in one panel, one after the other; 1 for plain columns."""
    outer: list[int]
    """Reduced dims that are loops around panels."""
    chunked: int
    chunk: int
    """The reduced dim of which `chunk` steps make a panel."""
    whole: list[int]
    """Reduced dims that lie in a panel as a whole, in order."""
    group: int
    """Steps that lie together in a panel."""
    dot: DotProduct | None
    """The instruction that takes a group; None if there is none."""

    @property
    def width(self) -> int:
        return self.lanes * self.vectors


def tile(contraction: Contraction, target: CpuTarget) -> Tiling:
    """Decides the shape of tiles and panels."""
    nest = contraction.nest
    lanes = max(2, target.vector_bits // max(32, _bits(contraction.acc_type)))
    column = nest.sizes[contraction.column]
    dot = _dot_product(contraction, target)
    # A row of sums for zeros in A takes registers as other rows do, and is no row of the tile.
    extra = 0 if dot is None else dot.rows_of_sums(0)
    widest = WIDTH
    while registers_needed(FEWEST_ROWS + extra, widest) > target.vector_registers and widest > 1:
        widest -= 1
    # What a panel is wide must be known first: all joined rows lie in one.
    joined = _joined_rows(contraction, widest * lanes)
    extent: Index = column if joined == 1 or not isinstance(column, int) else column * joined
    vectors = widest if not isinstance(extent, int) else min(widest, -(-extent // lanes))
    if contraction.packed_block:
        while contraction.packed_block % (vectors * lanes):
            vectors -= 1
    row = contraction.tile_row
    rows = 1 if row is None else _pick_rows(nest.sizes[row], vectors, target.vector_registers, extra)
    group = contraction.packed_group if dot is None else GROUP
    outer, chunked, chunk, whole = _panel_dims(contraction, STEPS * group)
    if chunk > group:
        chunk -= chunk % group
    return Tiling(lanes, target.vector_registers, rows, vectors, joined, outer, chunked, chunk, whole, group, dot)


def _dot_product(contraction: Contraction, target: CpuTarget) -> DotProduct | None:
    """The dot product of a target whose four steps are neighbours in A."""
    k = contraction
    a, b = ((x.type.element_type, c) for x, c in ((k.a, k.a_conversion), (k.b, k.b_conversion)))
    found = dot_product(a, b, k.acc_type, target)
    if found is None or (k.packed_group != GROUP and k.packed_block):
        return None
    _, chunked, _, whole = _panel_dims(contraction, STEPS)
    return found if static_step(k.a, whole[-1] if whole else chunked) == 1 else None


def _bits(type_: Attribute) -> int:
    return type_.bitwidth if isinstance(type_, AnyFloat | IntegerType) else 64


def _joined_rows(contraction: Contraction, width: int) -> int:
    """Short rows of the output that follow one another share a panel (rows of pixels in convolutions)."""
    nest = contraction.nest
    if len(contraction.columns) < 2 or contraction.packed_block:
        return 1
    size, second = nest.sizes[contraction.column], contraction.columns[-2]
    if not isinstance(size, int) or static_step(contraction.c, second) != size:
        return 1
    count = nest.sizes[second]
    most = max(1, width // size)
    return min(most, count) if isinstance(count, int) else most


def _cycles(rows: int, vectors: int) -> float:
    """Cycles of one step: two multiplications and two loads each; the latency of a multiplication is 4."""
    return max(rows * vectors / 2, (rows + vectors) / 2, 4.0) + 0.2


def _pick_rows(size: Index, vectors: int, budget: int, extra: int) -> int:
    choices = [r for r in range(1, MAX_ROWS + 1) if registers_needed(r + extra, vectors) <= budget]
    if not isinstance(size, int):
        return choices[-1]

    def cost(rows: int) -> float:
        tiles, rest = divmod(size, rows)
        return tiles * _cycles(rows, vectors) + (_cycles(rest, vectors) + 1 if rest else 0)

    return min(choices, key=lambda r: (cost(r), -r))


def _panel_dims(contraction: Contraction, steps_of_panel: int) -> tuple[list[int], int, int, list[int]]:
    """Splits the reduced dims into loops around panels, the one that is cut into chunks, and those inside.

    Inside a panel the steps of A must be even, so the dims of a panel follow one another in A, and in a B that is
    read in place.
    """
    nest, a = contraction.nest, contraction.a
    in_place = {d: static_step(contraction.b, d) for d in contraction.reduced} if contraction.packed_block else None
    steps = {d: static_step(a, d) for d in contraction.reduced}
    order = list(contraction.reduced)
    known = [d for d in order if steps[d] is not None]
    if len(known) == len(order):
        order.sort(key=lambda d: -(steps[d] or 0))
    elif len(known) == 1 and len(order) > 1:
        order = [d for d in order if d not in known] + known
    whole: list[int] = []
    inside = 1
    chunked = order.pop()
    while True:
        size, step = nest.sizes[chunked], steps[chunked]
        if not isinstance(size, int) or step is None or inside * size > steps_of_panel or not order:
            break
        if steps[order[-1]] != step * size:
            break
        if in_place is not None and in_place[order[-1]] != (in_place[chunked] or 0) * size:
            break
        whole.insert(0, chunked)
        inside *= size
        chunked = order.pop()
    return order, chunked, max(1, steps_of_panel // inside), whole
