"""Masks of causal attention that are computed of constants, as exporters write them, and the condition that takes their place.

    %t = relax.tril %ones ; %z = relax.equal %t, %zero ; %m = relax.where %z, %lowest, %zero        a tensor as large as the scores
    %r = relax.add %scores, %m

becomes a `relax.where` of the scores, `%lowest`, and a triangle of bits that kernels compute of where an element is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, bf16, i1
from xdsl.ir import Operation, SSAValue

from ...dialects.relax.attrs import dims_of, element_type_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.dense import dense_to_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.ops.binary import AddOp, BinaryOp, DivideOp, MultiplyOp, WhereOp
from ...dialects.relax.ops.core import ConstantOp, ShapeOp
from ...dialects.relax.ops.create import FillOp, FullOp, OnesOp, TriangleOp, TrilOp
from ...dialects.relax.ops.manipulate import BroadcastToOp
from ...dialects.relax.ops.nn.softmax import SoftmaxOp
from ...dialects.relax.ops.unary import AsTypeOp, TanhOp, UnaryOp
from ...dialects.relax.triangle import Triangle, triangle_of
from ...dialects.relax.vocabulary.attributes import WEIGHTLESS
from ...dialects.symbolic.expressions import shapes_equal
from ...interpreter.evaluating_context import evaluator_of
from ...interpreter.rule import InterpreterError
from ..rewriting.emitter import Emitter

MOST_OPS = 32
"""Ops of a mask at most."""


_ELEMENT_BY_ELEMENT = UnaryOp | BinaryOp | WhereOp | AsTypeOp | FillOp | FullOp
"""Ops with one result that do not ask where an element is."""


_ZERO = Triangle(np.float32(0), np.float32(0), None)
"""What stands for scores, which are any numbers."""

_NO_DIMS = Triangle((), (), None)
"""What stands for shapes: one element is computed."""


def with_causal_condition(group: Sequence[Operation]) -> list[Operation]:
    """Replaces the op in front of the softmax of a group if it hides what is behind a diagonal of the scores; returns the ops of the group.

    A hidden score becomes the value of the mask, which its sum with that is, too, unless it is about as large, infinite or not a number.
    Between the product and the mask there may be factors that are constants, and `tanh`: a row that another mask hides as well would
    have no column left.
    """
    last = next(number for number, op in enumerate(group) if isinstance(op, SoftmaxOp)) - 1
    # Each reads the one before it, so that the mask alone is between the scores and the softmax.
    is_chain = all(before.results[0] in after.operands for before, after in pairwise(group[: last + 2]))
    if last < 1 or not is_chain or not all(map(_keeps_finite, group[1:last])):
        return [*group]
    scores = group[last - 1].results[0]
    mask = _mask_of_scores(group[last], scores)
    return [*group] if mask is None else [*group[:last], *_hidden_by(mask, group[last], scores), *group[last + 1 :]]


def _keeps_finite(op: Operation) -> bool:
    """Returns whether an op scales scores, or limits them."""
    if isinstance(op, MultiplyOp):
        return any(map(_is_number, op.operands))
    return isinstance(op, TanhOp) or (isinstance(op, DivideOp) and _is_number(op.rhs))


def _hidden_by(mask: Triangle, op: Operation, scores: SSAValue) -> list[Operation]:
    """Replaces an op that hides scores by a `where`; returns this behind the ops that make its condition."""
    shape = dims_of(scores.type)
    assert shape is not None and mask.diagonal is not None
    emitter = Emitter(op)
    ones = emitter.op(OnesOp, emitter.shape(*shape[-2:]), dtype=i1)
    triangle = emitter.op(TrilOp, ones, k=mask.diagonal)
    hidden = emitter.constant(mask.above, element_type_of(scores.type))
    masked = emitter.op(WhereOp, triangle, scores, hidden)
    emitter.replace(op, [masked])
    WEIGHTLESS.set(masked.owner)
    return [ones.owner, triangle.owner, masked.owner]


def _mask_of_scores(op: Operation, scores: SSAValue) -> Triangle | None:
    """Returns what an op adds to scores, or makes of them: 0 where they are seen, and a number below all of them; `None` for all else."""
    element_type, operands = element_type_of(scores.type), list(op.operands)
    if not isinstance(op, AddOp | WhereOp) or operands.count(scores) != 1 or not isinstance(element_type, AnyFloat):
        return None
    masks = [_ZERO if operand is scores else _mask(operand, [MOST_OPS]) for operand in operands]
    mask = _combined(op, masks)
    # With the diagonal or more, each row sees a column.
    if mask is None or mask.diagonal is None or mask.diagonal < 0 or mask.below != 0:
        return None
    if isinstance(op, WhereOp):
        condition, on_true, on_false = masks
        assert condition is not None
        if (on_true if condition.below else on_false) is not _ZERO:
            return None
    return mask if float(mask.above) <= _lowest(element_type) / 2 else None


def _lowest(element_type: AnyFloat) -> float:
    # bf16, which numpy does not have, goes about as far as f32.
    return float(np.finfo(np.float32 if element_type == bf16 else numpy_dtype(element_type)).min)


def _mask(value: SSAValue, left: list[int]) -> Triangle | None:
    """Returns the mask that a value is, `None` where it is none; counts the ops that compute it down from what is left."""
    op = value.owner
    left[0] -= 1
    if isinstance(op, ShapeOp):
        return _NO_DIMS
    if not isinstance(op, RelaxOp) or left[0] < 0:
        return None
    if isinstance(op, ConstantOp):
        return _mask_of_data(dense_to_numpy(op.value))
    if not isinstance(op, TriangleOp | BroadcastToOp | _ELEMENT_BY_ELEMENT):
        return None
    masks = [_mask(operand, left) for operand in op.operands]
    if isinstance(op, TriangleOp):
        return _triangle(op, masks[0])
    return _broadcast(op, masks[0]) if isinstance(op, BroadcastToOp) else _combined(op, masks)


def _mask_of_data(data: np.ndarray[Any, Any]) -> Triangle | None:
    """Returns the mask that an array is: a number, or one matrix that ops on constants made."""
    if data.size == 1:
        return Triangle(data.reshape(()), data.reshape(()), None)
    return triangle_of(data)


def _is_number(value: SSAValue) -> bool:
    """Returns whether a value is a constant of one element."""
    data = value.owner.value if isinstance(value.owner, ConstantOp) else None
    return isinstance(data, DenseIntOrFPElementsAttr) and prod(data.type.get_shape()) == 1


def _triangle(op: TriangleOp, mask: Triangle | None) -> Triangle | None:
    if mask is None or mask.diagonal is not None:
        return None
    k, zero = op.prop("k", 0), np.zeros_like(mask.below)
    return Triangle(mask.below, zero, k) if isinstance(op, TrilOp) else Triangle(zero, mask.below, k - 1)


def _broadcast(op: BroadcastToOp, mask: Triangle | None) -> Triangle | None:
    is_kept = mask is not None and (mask.diagonal is None or _has_same_matrices(op.operands[0], op.results[0]))
    return mask if is_kept else None


def _combined(op: RelaxOp, masks: Sequence[Triangle | None]) -> Triangle | None:
    """Returns what an element-wise op makes of masks of one diagonal; what it makes of constants alone is folded before."""
    known = [mask for mask in masks if mask is not None]
    diagonals = {mask.diagonal for mask in known if mask.diagonal is not None}
    if len(known) != len(masks) or len(diagonals) > 1 or not (diagonals or isinstance(op, FillOp | FullOp)):
        return None
    matrices = [operand for operand, mask in zip(op.operands, known, strict=True) if mask.diagonal is not None]
    if not all(_has_same_matrices(operand, op.results[0]) for operand in matrices):
        return None
    # Not that of the driver, which compiles what is large for the sizes of its type; made here, as the rules are slow to import.
    evaluator = evaluator_of(Context())
    try:
        (seen,) = evaluator.evaluate(op, [mask.below for mask in known])
        (hidden,) = evaluator.evaluate(op, [mask.above for mask in known])
    except InterpreterError:
        return None
    return Triangle(np.asarray(seen), np.asarray(hidden), next(iter(diagonals), None))


def _has_same_matrices(value: SSAValue, result: SSAValue) -> bool:
    """Returns whether the last two dims of two tensors are equal."""
    shape, wanted = dims_of(value.type), dims_of(result.type)
    return shape is not None and wanted is not None and shapes_equal(shape[-2:], wanted[-2:])
