"""`scf.if` and `scf.while` around relax ops: their blocks are written by functions that get a builder."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import LocationAttr, TensorType, i1
from xdsl.ir import Attribute, Block, SSAValue

from ..dialects.upstream.nesting import TOO_DEEP
from .errors import BuilderError
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
        with _enough_frames(where):
            values = values_of(branch(inner), "a branch of scf.if", where)
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
    with _enough_frames(where):
        flag = _flag(inner, condition(inner, *before.args), "scf.while", where)
    inner.insert(lambda: scf.ConditionOp(flag, *before.args), location=where)
    inner = builder.inner(after)
    with _enough_frames(where):
        values = values_of(body(inner, *after.args), "the body of scf.while", where)
    following = [value.type for value in values]
    if following != types:
        raise BuilderError(where, f"scf.while starts with {_listed(types)}, but its body yields {_listed(following)}")
    inner.insert(lambda: scf.YieldOp(*values), location=where)
    return builder.insert(lambda: scf.WhileOp(initial, types, [before], [after]), name=name, location=where)


@contextmanager
def _enough_frames(where: LocationAttr) -> Generator[None, None, None]:
    """Raises `BuilderError` where Python has no frames left for the functions that write blocks, one inside of the other."""
    try:
        yield
    except RecursionError:
        # Not `from` the error: its traceback is a thousand frames of no use.
        raise BuilderError(where, TOO_DEEP) from None


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


def _flag(builder: Inserter, condition: SSAValue, op: str, where: LocationAttr) -> SSAValue:
    """Returns a condition as an `i1`; the element of a tensor is extracted."""
    if condition.type == i1:
        return condition
    if isinstance(condition.type, TensorType) and condition.type.element_type == i1 and not condition.type.get_shape():
        return builder.insert(lambda: tensor.ExtractOp(condition, [], i1), location=where)
    raise BuilderError(where, f"the condition of {op} must be an i1 or a tensor<i1>, got {condition.type}")


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
