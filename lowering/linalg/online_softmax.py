"""Finds the softmax of a chain that can be computed some columns at a time, where each part corrects what those before it made.

    %m[i]    max= %s[i, j]
    %e[i, j] = exp(%s[i, j] - %m[i])
    %l[i]    += %e[i, j]
    %p[i, j] = %e[i, j] / %l[i]
    %o[i, d] += %p[i, j] * %v[j, d]

is, with m, l and o of the columns before,

    %new[i]  = the greater of %m[i] and all %s[i, j]
    %c[i]    = exp(%m[i] - %new[i])
    %l[i]    = %c[i] * %l[i] + the sum of exp(%s[i, j] - %new[i])
    %o[i, d] = %c[i] * %o[i, d] + the sum of exp(%s[i, j] - %new[i]) * %v[j, d]

and %o[i, d] / %l[i] in the end (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DYNAMIC_INDEX, Float32Type, Float64Type, FloatAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...records import record
from ..emit.tensor_builder import REDUCTION, element, tensor_shape
from .attention_chain import Chain, is_product, position_of

UNKNOWN_COLUMNS = 1 << 20
"""The columns of a row where their number is not known."""


@record
class OnlineSoftmax:
    """The ops of a chain in groups, each in program order."""

    scores: Sequence[linalg.GenericOp]
    """What makes the scores: the first product, and masks."""
    greatest: linalg.GenericOp
    """The greatest score of each row."""
    weights: linalg.GenericOp
    """The exponential functions of scores less the greatest."""
    total: linalg.GenericOp
    """The sums of the rows of weights."""
    scaled: linalg.GenericOp | None
    """What divides the weights by their sum, where that is done before the second product. Parts leave them as they are."""
    casts: Sequence[linalg.GenericOp]
    """Conversions of the weights to another type."""
    product: linalg.GenericOp
    """The second product."""
    rest: Sequence[linalg.GenericOp]
    """What follows it."""
    excess: float
    """What is taken from scores beside the greatest one: with it weights sum up to 1 at most, so that their products with large values are
    no larger, as those of weights that are divided first."""
    along: AffineMap
    """Which element of what there is one of for each row belongs to an element of the second product."""


def find_online_softmax(chain: Chain) -> OnlineSoftmax | None:
    """Returns the parts of a chain whose columns can be taken some at a time; None where it has other ops."""
    # From the first reduction of rows on, each op must be the only reader of the one before it; what is left over must know no columns.
    position = next((k for k, op in enumerate(chain.ops) if _is_row_reduction(chain, op)), None)
    if position is None:
        return None
    greatest, readers = chain.ops[position], _Readers(chain)
    scores = chain.ops[:position]
    weights = readers.only(greatest)
    if weights is None or not _is_exp_of_difference(weights, greatest):
        return None
    if not all(op in chain.columns for op in scores) or not all(map(_is_parallel, scores[1:])):
        return None
    total, reader = readers.two(weights)
    if total is None or reader is None or not _is_row_reduction(chain, total) or not _is_sum(total):
        return None
    scaled = _scaled(readers, weights, total, reader)
    product = reader if scaled is None else readers.only(scaled)
    casts: list[linalg.GenericOp] = []
    while product is not None and _names(product) in (["arith.truncf"], ["arith.extf"]):
        casts.append(product)
        product = readers.only(product)
    if product is None or not _sums_weights(chain, product):
        return None
    kinds = {element(op.results[0]) for op in (greatest, total, product)}
    along = _along(chain, greatest, product)
    inverse = readers.only(total) if scaled is not None else None
    known = {*scores, greatest, weights, total, inverse, scaled, *casts, product}
    rest = [op for op in chain.ops if op not in known]
    if along is None or len(kinds) != 1 or any(op in chain.columns for op in rest):
        return None
    return OnlineSoftmax(
        scores, greatest, weights, total, scaled, casts, product, rest, _excess(chain, scaled, casts), along
    )


def _excess(chain: Chain, scaled: linalg.GenericOp | None, casts: Sequence[linalg.GenericOp]) -> float:
    """Returns the logarithm of the number of columns; 0 where the program itself divides sums of products, or weights are narrowed: the
    exponents of f16 leave no room for that.
    """
    if scaled is None or casts:
        return 0.0
    count = tensor_shape(chain.product.results[0])[chain.column_axis]
    return log(max(UNKNOWN_COLUMNS if count == DYNAMIC_INDEX else count, 1))


def _scaled(
    readers: _Readers, weights: linalg.GenericOp, total: linalg.GenericOp, op: linalg.GenericOp
) -> linalg.GenericOp | None:
    """Returns the op that divides weights by their sum; None where it is another one."""
    inverse = readers.only(total)
    if inverse is op:
        return op if _is_scaled(op, weights, total, "arith.divf") else None
    if inverse is None or readers.only(inverse) is not op or not _is_inverse(inverse):
        return None
    return op if _is_scaled(op, weights, inverse, "arith.mulf") else None


class _Readers:
    """Which ops of a chain read what another one makes."""

    def __init__(self, chain: Chain):
        self._ops = chain.ops

    def _of(self, op: linalg.GenericOp) -> list[linalg.GenericOp]:
        return [each for each in self._ops if op.results[0] in each.inputs]

    def only(self, op: linalg.GenericOp) -> linalg.GenericOp | None:
        """Returns the one op that reads a result; None for several."""
        readers = self._of(op)
        return readers[0] if len(readers) == 1 else None

    def two(self, op: linalg.GenericOp) -> tuple[linalg.GenericOp | None, linalg.GenericOp | None]:
        """Returns the two ops that read a result, in program order; None for others."""
        readers = self._of(op)
        return (readers[0], readers[1]) if len(readers) == 2 else (None, None)


def _payload(op: linalg.GenericOp) -> list[Operation]:
    """Returns the operations of a body without constants and the yield."""
    return [each for each in op.body.block.ops if not isinstance(each, arith.ConstantOp | linalg.YieldOp)]


def _names(op: linalg.GenericOp) -> list[str]:
    return [each.name for each in _payload(op)]


def _is_row_reduction(chain: Chain, op: linalg.GenericOp) -> bool:
    """Returns whether an op reduces columns, and nothing else, and is no product."""
    kinds = op.iterator_types.data
    reduced = [loop for loop, kind in enumerate(kinds) if kind == REDUCTION]
    return not is_product(op) and reduced == [chain.columns.get(op)]


def _initial(op: linalg.GenericOp) -> float | None:
    """Returns the number that an op adds to, or compares with, everywhere."""
    fill = op.outputs[0].owner
    constant = fill.inputs[0].owner if isinstance(fill, linalg.FillOp) else None
    value = constant.value if isinstance(constant, arith.ConstantOp) else None
    return value.value.data if isinstance(value, FloatAttr) else None


def _expression(op: linalg.GenericOp, value: SSAValue) -> tuple[object, ...]:
    """Returns what a value of a body is: the same for two ops that compute it in the same way of the same elements."""
    owner = value.owner
    if owner is op.body.block:
        position = op.body.block.args.index(value)
        return ("input", op.inputs[position], op.indexing_maps.data[position])
    if isinstance(owner, Operation) and owner.parent is op.body.block:
        return (owner.name, owner.properties, *(_expression(op, operand) for operand in owner.operands))
    return ("outside", value)


def _greatest_of(op: linalg.GenericOp) -> tuple[object, ...] | None:
    """Returns what an op has the greatest of; None where it reduces in another way."""
    present = op.body.block.args[-1]
    made = op.body.block.last_op.operands[0].owner if op.body.block.last_op is not None else None
    if isinstance(made, arith.MaximumfOp):
        candidates = [operand for operand in made.operands if operand is not present]
        return _expression(op, candidates[0]) if len(candidates) == 1 else None
    if not isinstance(made, arith.SelectOp) or not isinstance(made.cond.owner, arith.CmpfOp):
        return None
    compare = made.cond.owner
    is_greater = compare.predicate.value.data in _GREATER and compare.lhs is not present
    operands = [*compare.operands, made.lhs, made.rhs]
    return _expression(op, compare.lhs) if is_greater and operands == [compare.lhs, present] * 2 else None


_GREATER = [arith.CMPF_COMPARISON_OPERATIONS.index(name) for name in ("ogt", "oge")]


def _is_exp_of_difference(op: linalg.GenericOp, greatest: linalg.GenericOp) -> bool:
    """Returns whether an op has exp(score - greatest), of the scores that the greatest are of."""
    last = op.body.block.last_op
    exponential = None if last is None else last.operands[0].owner
    difference = exponential.operands[0].owner if isinstance(exponential, math.ExpOp) else None
    if not isinstance(difference, arith.SubfOp) or not _is_parallel(op):
        return False
    return _expression(op, difference.rhs)[:2] == ("input", greatest.results[0]) and _expression(
        op, difference.lhs
    ) == _greatest_of(greatest)


def _is_sum(op: linalg.GenericOp) -> bool:
    """Returns whether an op has the sums of its only input."""
    if len(op.inputs) != 1 or _names(op) != ["arith.addf"] or _initial(op) != 0:
        return False
    (addition,) = _payload(op)
    return set(addition.operands) == set(op.body.block.args) and _yields(op, addition)


def _is_inverse(op: linalg.GenericOp) -> bool:
    """Returns whether an op has one over its input."""
    if _names(op) != ["arith.divf"] or len(op.inputs) != 1 or not _is_parallel(op):
        return False
    dividend, divisor = _payload(op)[0].operands
    value = dividend.owner.value if isinstance(dividend.owner, arith.ConstantOp) else None
    return isinstance(value, FloatAttr) and value.value.data == 1 and divisor is op.body.block.args[0]


def _is_scaled(op: linalg.GenericOp, weights: linalg.GenericOp, factor: linalg.GenericOp, operation: str) -> bool:
    """Returns whether an op has weights times, or over, a factor of their row."""
    if list(op.inputs) != [weights.results[0], factor.results[0]] or not _is_parallel(op):
        return False
    return _names(op) == [operation] and list(_payload(op)[0].operands) == list(op.body.block.args[:2])


def _is_parallel(op: linalg.GenericOp) -> bool:
    return REDUCTION not in op.iterator_types.data


def _yields(op: linalg.GenericOp, made: Operation) -> bool:
    last = op.body.block.last_op
    return last is not None and list(last.operands) == list(made.results)


def _sums_weights(chain: Chain, op: linalg.GenericOp) -> bool:
    """Returns whether an op is a product in f32 or f64 that sums weights times another factor over columns, from zero."""
    column, last = chain.columns.get(op), op.body.block.last_op
    if column is None or last is None or len(op.inputs) != 2 or op.iterator_types.data[column] != REDUCTION:
        return False
    # What is no more than one product of both is linear in the weights, which parts correct by a factor.
    addition = last.operands[0].owner
    factor, other, present = op.body.block.args
    if not isinstance(addition, arith.AddfOp) or present not in addition.operands or _initial(op) != 0:
        return False
    product = next((operand.owner for operand in addition.operands if operand is not present), None)
    if not isinstance(product, arith.MulfOp) or {_source(operand) for operand in product.operands} != {factor, other}:
        return False
    return isinstance(element(op.results[0]), Float32Type | Float64Type)


def _source(value: SSAValue) -> SSAValue:
    """Returns what a value was before conversions between types of floats."""
    owner = value.owner
    return _source(owner.operands[0]) if isinstance(owner, arith.ExtFOp | arith.TruncFOp) else value


def _along(chain: Chain, of_rows: linalg.GenericOp, product: linalg.GenericOp) -> AffineMap | None:
    """Returns which element of what there is one of for each row belongs to each element of a product."""
    results = product.indexing_maps.data[-1].data.results
    shared, own = chain.loops[product], chain.loops[of_rows]
    axes = {shared.get(position_of(e)): axis for axis, e in enumerate(results)}
    indices: list[AffineExpr] = []
    for e in of_rows.indexing_maps.data[-1].data.results:
        loop = own.get(position_of(e))
        if loop is None or loop not in axes:
            return None
        indices.append(AffineExpr.dimension(axes[loop]))
    return AffineMap(len(results), 0, tuple(indices))
