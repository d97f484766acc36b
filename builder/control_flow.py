"""`scf.if` and `scf.while` around relax ops: their blocks are written by functions that get a builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import LocationAttr, TensorType, i1
from xdsl.ir import Attribute, Block, SSAValue

from ..dialects.upstream.nesting import TOO_DEEP
from .errors import BuilderError, shown
from .inserter import Inserter, Names


def insert_if(
    builder: Inserter,
    condition: SSAValue,
    then: Callable[..., Any],
    otherwise: Callable[..., Any],
    name: Names,
    where: LocationAttr,
) -> Any:
    """Inserts `scf.if` and returns its results; see `BlockBuilder.if_`."""
    flag = _flag(builder, condition, "scf.if", where)
    blocks, types = list[Block](), list[list[Attribute]]()
    for branch in (then, otherwise):
        block = Block()
        inner = builder.inner(block)
        values = values_of(_written(branch, (inner,), "a branch of scf.if", where), "a branch of scf.if", where)
        inner.insert(lambda values=values: scf.YieldOp(*values), location=where)
        blocks.append(block)
        types.append([value.type for value in values])
    if types[0] != types[1]:
        raise BuilderError(where, f"the branches of scf.if yield {_listed(types[0])} and {_listed(types[1])}")
    return builder.insert(lambda: scf.IfOp(flag, types[0], [blocks[0]], [blocks[1]]), name=name, location=where)


def insert_while(
    builder: Inserter,
    initial: Sequence[SSAValue],
    condition: Callable[..., SSAValue],
    body: Callable[..., Any],
    name: Names,
    where: LocationAttr,
) -> Any:
    """Inserts `scf.while` and returns its results; see `BlockBuilder.while_`."""
    types = [value.type for value in initial]
    before, after = Block(arg_types=types), Block(arg_types=types)
    for block in (before, after):
        for argument, value in zip(block.args, initial, strict=True):
            argument.name_hint = value.name_hint
    inner = builder.inner(before)
    flag = _flag(
        inner, _written(condition, (inner, *before.args), "the condition of scf.while", where), "scf.while", where
    )
    inner.insert(lambda: scf.ConditionOp(flag, *before.args), location=where)
    inner = builder.inner(after)
    written = _written(body, (inner, *after.args), "the body of scf.while", where)
    values = values_of(written, "the body of scf.while", where)
    following = [value.type for value in values]
    if following != types:
        raise BuilderError(where, f"scf.while starts with {_listed(types)}, but its body yields {_listed(following)}")
    inner.insert(lambda: scf.YieldOp(*values), location=where)
    return builder.insert(lambda: scf.WhileOp(initial, types, [before], [after]), name=name, location=where)


def _written(write: Callable[..., Any], arguments: Sequence[Any], who: str, where: LocationAttr) -> Any:
    """Returns what a function that writes a block returns.

    Raises `BuilderError` where it does not take the builder and the values, and where Python has no frames left for functions
    inside of each other.
    """
    try:
        return write(*arguments)
    except RecursionError:
        # Not `from` the error: its traceback is a thousand frames of no use.
        raise BuilderError(where, TOO_DEEP) from None
    except TypeError as error:
        # An error from inside of the function went through a frame of its own.
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        values = f" and values ({len(arguments) - 1})" if len(arguments) > 1 else ""
        raise BuilderError(where, f"{who} must take a builder{values}: {error}") from None


def values_of(returned: Any, who: str, where: LocationAttr) -> list[SSAValue]:
    """Returns what a function that writes a block returned, as a list: one value, several, or none."""
    if returned is None:
        return []
    if isinstance(returned, SSAValue):
        return [returned]
    if isinstance(returned, list | tuple):
        values = cast(Sequence[Any], returned)
        if all(isinstance(value, SSAValue) for value in values):
            return list(values)
    raise BuilderError(where, f"{who} must return values, got {returned!r}")


def _flag(builder: Inserter, condition: object, op: str, where: LocationAttr) -> SSAValue:
    """Returns a condition as an `i1`; the element of a tensor is extracted."""
    if not isinstance(condition, SSAValue):
        raise BuilderError(where, f"the condition of {op} must be an i1 or a tensor<i1>, got {shown(condition)}")
    if condition.type == i1:
        return condition
    if isinstance(condition.type, TensorType) and condition.type.element_type == i1 and not condition.type.get_shape():
        return builder.insert(lambda: tensor.ExtractOp(condition, [], i1), location=where)
    raise BuilderError(where, f"the condition of {op} must be an i1 or a tensor<i1>, got {condition.type}")


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
