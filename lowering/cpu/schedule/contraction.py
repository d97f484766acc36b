"""Recognizes contractions: which operand is which, and what each loop is to them.

    yield (acc + a * b)    with a indexed by (m, k), b by (k, n), acc by (m, n)

has the row m, the column n (contiguous in the output), and the reduction k; a loop of all three operands is a batch.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr

from ....records import record
from .access import Access, coefficient, strides_of
from .nest import Nest


@record
class Conversion:
    """What happens to an operand before it is multiplied: operations with one operand each, first to last."""

    ops: tuple[Operation, ...]

    @property
    def key(self) -> str:
        """A text that is equal for equal conversions."""
        return "".join(f".{op.name.rpartition('.')[2]}.{op.results[0].type}" for op in self.ops)


@record(frozen=False)
class Contraction:
    """`c += a * b`: the last of `columns` is contiguous in `c` and vectorized. Loops are positions in the nest."""

    nest: Nest
    a: Access
    b: Access
    c: Access
    a_conversion: Conversion
    b_conversion: Conversion
    batch: list[int]
    rows: list[int]
    """Loops that belong to `a` and `c` alone."""
    columns: list[int]
    """Loops that belong to `b` and `c` alone."""
    reduced: list[int]
    packed_block: int
    """The width of the blocks in which B lies already, 0 if it does not."""
    packed_group: int
    """The steps that lie together in such a block, 1 if the columns of a step do."""

    @property
    def column(self) -> int:
        return self.columns[-1]

    @property
    def grouped(self) -> int | None:
        """The reduction of which groups of steps lie together in B; None where the columns of a step do."""
        return next(iter(self.b.exprs[-1].used_dims())) if self.packed_group > 1 else None

    def step_of_b(self, loop: int) -> int | None:
        """Returns how many elements B moves when a loop grows by one, where types tell; on average for the steps that lie together."""
        step = self.b.static_step(loop)
        return self.packed_block if loop == self.grouped else step

    @property
    def acc_type(self) -> Attribute:
        return self.c.type.element_type


def recognize(nest: Nest) -> Contraction | None:
    """Returns the contraction that a merged nest computes; None if it is none.

    The operand with the column of the output is B, whatever its position.
    """
    factors = factors_of(nest)
    if factors is None:
        return None
    # Invariant: every parallel loop is one of C, and every loop is one of A or of B; the reductions are loops of both.
    c = nest.outputs[0]
    column = next((d for d in range(nest.rank()) if c.step(d) == 1), None)
    if column is None or not nest.parallel[column]:
        return None
    (a, a_conversion), (b, b_conversion) = sorted(factors, key=lambda factor: column in factor[0].dims())
    if column in a.dims() or column not in b.dims():
        return None
    reduced = set(nest.reduced)
    parallel = [d for d in range(nest.rank()) if nest.parallel[d]]
    if not reduced or c.dims() != set(parallel) or not reduced <= a.dims() & b.dims():
        return None
    block, group = packed_block(nest, b, column)
    if not all(is_linear(access, nest.rank()) for access in ((a, c) if block else (a, b, c))):
        return None
    return Contraction(
        nest,
        a,
        b,
        c,
        a_conversion,
        b_conversion,
        batch=[d for d in parallel if d in a.dims() and d in b.dims()],
        rows=[d for d in parallel if d in a.dims() and d not in b.dims()],
        columns=[*(d for d in parallel if d not in a.dims() and d != column), column],
        reduced=nest.reduced,
        packed_block=block,
        packed_group=group,
    )


def factors_of(nest: Nest) -> tuple[tuple[Access, Conversion], tuple[Access, Conversion]] | None:
    """Returns the two operands of `yield (acc + a * b)`, each with its conversions."""
    if len(nest.inputs) != 2 or len(nest.outputs) != 1 or not all(i.is_memref for i in nest.inputs):
        return None
    product = added_product(nest)
    chains = [_chain(operand) for operand in product.operands] if product is not None else []
    ends = [chain[0] for chain in chains if chain is not None]
    if len(ends) != 2 or set(ends) != set(nest.body.args[:2]):
        return None
    accesses: dict[SSAValue, Access] = dict(zip(nest.body.args, nest.inputs, strict=False))
    x, y = ((accesses[chain[0]], Conversion(chain[1])) for chain in chains if chain is not None)
    return x, y


def added_product(nest: Nest) -> Operation | None:
    """Returns the product that is added to the output, which nothing else reads."""
    acc, total = nest.output_arg(0), nest.yielded[0].owner
    multiply = _MULTIPLY.get(total.name) if isinstance(total, Operation) else None
    if multiply is None or len(list(acc.uses)) != 1 or not isinstance(acc.type, AnyFloat | IntegerType):
        return None
    assert isinstance(total, Operation)
    others = [operand.owner for operand in total.operands if operand is not acc]
    product = others[0] if len(others) == 1 else None
    return product if isinstance(product, Operation) and product.name == multiply else None


_MULTIPLY = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}


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


def is_linear(access: Access, rank: int) -> bool:
    return all(coefficient(e, d) is not None for e in access.exprs for d in range(rank))


def packed_block(nest: Nest, access: Access, column: int) -> tuple[int, int]:
    """Returns the width w of the blocks, and the group g of steps, of a B that lies in blocks.

    Its map is `(n floordiv w, k, n mod w)`, or `(n floordiv w, k floordiv g, n mod w, k mod g)`, with further indices before that of k.
    The width is 0 for other maps, the group is 1 for plain blocks. Where there is one block, or one group, the index of it is 0.
    """
    # Invariant: `last` is the index inside of a block of `size` columns, each `stride` from the next; a group of steps inside of a
    # column is taken off first.
    *outer, last = access.exprs
    *sizes, size = access.type.get_shape()
    *strides, stride = strides_of(access.type)
    group = 1
    reduced = [AffineDimExpr(d) for d in range(nest.rank()) if not nest.parallel[d]]
    grouped = next((d for d in reduced if size > 1 and outer and last == d % size), None)
    if grouped is not None:
        *outer, last = outer
        if strides[-1] != size:
            return 0, 1
        if (nest.sizes[grouped.position] or size + 1) > size:
            if outer[-1:] != [grouped // size] or strides[-2] != size * sizes[-1]:
                return 0, 1
            outer.pop()
        if any(grouped.position in e.used_dims() for e in outer):
            return 0, 1
        group, size = size, sizes[-1]
    match last:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mod, AffineDimExpr(d), AffineConstantExpr(width)) if d == column:
            pass
        case _:
            return 0, 1
    if size != width or stride != 1:
        return 0, 1
    users = [e for e in outer if column in e.used_dims()]
    if any(coefficient(e, d) is None for e in outer if e not in users for d in e.used_dims()):
        return 0, 1
    columns = nest.sizes[column]
    is_one_block = not users and isinstance(columns, int) and columns <= width
    return (width, group) if is_one_block or users == [AffineDimExpr(column) // width] else (0, 1)
