"""Changes of dtype, and of parameters: the expressions that are made of them follow, and so do the constants beside them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnitAttr, UnrealizedConversionCastOp, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...builder.numbers import element_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.dense import dense_from_numpy, dense_to_numpy
from ...dialects.relax.dtypes import is_float, numpy_dtype
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.ops.unary import AsTypeOp
from ...passes.rewriting.value_types import retype
from .errors import ModelError
from .scope import ExpressionBlock, expression, operands_first

FIRST = "nn.first"
"""On an op that converts constants: their value in the dtype that they had at first, so that no change of dtype adds to the rounding."""


def retype_expression(value: SSAValue, value_type: Attribute) -> None:
    """Gives a placeholder another type, and every expression of it the types that follow.

    Constants beside it get its dtype where that holds them. An expression whose operands do not fit each other keeps its type: they
    change one by one.
    """
    # Invariant: `before` has the element types from before this change of all values that it changed.
    before = {value: element_of(value)}
    retype(value, value_type)
    waiting = _readers(value)
    while waiting:
        op = waiting.pop()
        try:
            types = _types(op, before)
        except VerifyException:
            continue
        for result, inferred in zip(op.results, types, strict=True):
            if result.type != inferred:
                before.setdefault(result, element_of(result))
                retype(result, inferred)
                waiting += _readers(result)


def replaced_in(value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """Returns an expression with other values in place of some, `known`, to which it adds what it computes.

    Raises `ModelError` where the operands of an op do not fit each other any more.
    """
    for part in operands_first(value, known):
        op = part.owner
        operands = [known[operand] for operand in op.operands] if isinstance(op, RelaxOp) else []
        if not isinstance(op, RelaxOp) or operands == list(op.operands):
            known[part] = part
            continue
        copy = type(op).build_from(*operands, result_types=[result.type for result in op.results], **op.properties)
        copy.location = op.location
        ExpressionBlock().add_op(copy)
        try:
            types = _types(copy, dict(zip(operands, map(element_of, op.operands), strict=True)))
        except VerifyException as error:
            copy.detach()
            copy.erase()
            raise ModelError(f"{op.name}: {error}", location=op.location) from None
        for old, new, inferred in zip(op.results, copy.results, types, strict=True):
            retype(new, inferred)
            new.name_hint = old.name_hint
            known[old] = new
    return known[value]


def require_fitting(values: Iterable[SSAValue], own: Iterable[SSAValue]) -> None:
    """Raises `ModelError` for an expression of `own` parameters alone whose operands do not fit each other."""
    known = {value: value for value in own}
    # What is made of the parameters of others may fit as soon as these change.
    others: set[SSAValue] = set()
    for value in values:
        for part in operands_first(value, known):
            known[part] = part
            op = part.owner
            if not isinstance(op, RelaxOp) or not others.isdisjoint(op.operands):
                others.add(part)
                continue
            try:
                op.inferred_types()
            except VerifyException as error:
                raise ModelError(f"{op.name}: {_unheld(op) or error}", location=op.location) from None


def _unheld(op: RelaxOp) -> str | None:
    """Returns which constant the dtype of the operand beside it does not hold."""
    elements = [element_of(operand) for operand in op.operands if not is_constant(operand)]
    # A condition stands beside numbers.
    targets = [element for element in elements if element is not None and element != i1]
    try:
        for operand in op.operands:
            if targets and is_constant(operand):
                _in_dtype(operand, targets[0])
    except VerifyException as error:
        return str(error)
    return None


def _readers(value: SSAValue) -> list[RelaxOp]:
    return [cast(RelaxOp, use.operation) for use in value.uses]


def _types(op: RelaxOp, before: dict[SSAValue, Any]) -> Sequence[Attribute]:
    """Returns the result types of an op of which some operands have changed their dtype; `before` has the former ones.

    Where they do not fit, constants that had the dtype of a changed operand get the one that it has now.
    """
    try:
        return op.inferred_types()
    except VerifyException:
        changed = [operand for operand in op.operands if operand in before and not is_constant(operand)]
        target = element_of(changed[0]) if changed else None
        if target is None:
            raise
        former = [before[operand] for operand in changed]
        given = list(op.operands)
        op.operands = [
            _in_dtype(operand, target)
            if is_constant(operand) and (_is_converted(operand) or element_of(operand) in former)
            else operand
            for operand in given
        ]
        try:
            return op.inferred_types()
        except VerifyException:
            op.operands = given
            raise


def is_constant(value: SSAValue) -> bool:
    """Returns whether an expression is made of no parameter."""
    known = dict[SSAValue, SSAValue]()
    for part in operands_first(value, known):
        if isinstance(part.owner, UnrealizedConversionCastOp) or not isinstance(part.owner, Operation):
            return False
        known[part] = part
    return True


def _is_converted(value: SSAValue) -> bool:
    return FIRST in cast(Operation, value.owner).attributes


def _in_dtype(constant: SSAValue, element: Attribute) -> SSAValue:
    """Returns a constant in a dtype, converted from the one that it had at first. Raises `VerifyException` for what that does not hold."""
    owner = constant.owner
    assert isinstance(owner, RelaxOp)
    first = owner.attributes.get(FIRST)
    if isinstance(owner, ConstantOp):
        value = cast(DenseIntOrFPElementsAttr, owner.value if first is None else first)
        made = ConstantOp.build_from(value=_converted(value, element))
        made.attributes[FIRST] = value
    else:
        source = constant if first is None else owner.operands[0]
        if element_of(source) == element:
            return source
        made = AsTypeOp.build_from(source, dtype=element)
        made.attributes[FIRST] = UnitAttr()
    made.location = owner.location
    made.results[0].name_hint = constant.name_hint
    return expression(made)


def _converted(value: DenseIntOrFPElementsAttr, element: Attribute) -> Attribute:
    data = dense_to_numpy(value)
    with np.errstate(all="ignore"):
        result = np.asarray(data, numpy_dtype(element))
        held = np.equal(*(np.isfinite(np.asarray(array, np.float64)) for array in (data, result)))
        if not is_float(element):
            held = np.asarray(data == result)
    if not held.all():
        wrong = data[np.unravel_index(int(np.argmin(held)), data.shape)]
        raise VerifyException(f"{result.dtype.name} does not hold the constant {wrong!s}")
    return dense_from_numpy(result, element)


_IS_KEPT = ContextVar("is_kept", default=False)


@contextmanager
def unchanged_on_error(
    kept: Callable[[], tuple[Iterable[object], Iterable[SSAValue]]],
) -> Generator[bool, None, None]:
    """Where an error leaves the block, gives objects back their attributes, and values and all expressions of them their types.

    Inside of another such block, which looks at more, it does nothing, and yields false.
    """
    if _IS_KEPT.get():
        yield False
        return
    parts, values = kept()
    attributes = [(part, dict(vars(part))) for part in parts]
    types = {value: value.type for value in values}
    operands: dict[Operation, list[SSAValue]] = {}
    waiting = [reader for value in types for reader in _readers(value)]
    while waiting:
        op = waiting.pop()
        if op not in operands:
            operands[op] = list(op.operands)
            types.update((result, result.type) for result in op.results)
            waiting += [reader for result in op.results for reader in _readers(result)]
    token = _IS_KEPT.set(True)
    try:
        yield True
    except BaseException:
        for part, known in attributes:
            vars(part).clear()
            vars(part).update(known)
        for op, given in operands.items():
            op.operands = given
        for value, value_type in types.items():
            retype(value, value_type)
        raise
    finally:
        _IS_KEPT.reset(token)
