"""Tensors of which the element type is not known, and what ops yield for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product

from xdsl.dialects.builtin import TensorType, TupleType, UnrankedTensorType, f32, i1, i8, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from .attrs import UNKNOWN, dims_of, element_type_of, tensor_type, vdevice_of
from .dtypes import ALL

_MIXED: tuple[Attribute, ...] = (f32, i64, i1, i8)
_MOST_MIXED = 4


def is_tensor(value_type: Attribute) -> bool:
    """Returns whether a type is that of a tensor."""
    return isinstance(value_type, TensorType | UnrankedTensorType)


def is_unknown(value_type: Attribute) -> bool:
    """Returns whether a type is that of a tensor of unknown element type."""
    return isinstance(value_type, TensorType | UnrankedTensorType) and value_type.element_type == UNKNOWN


def has_unknown(value_type: Attribute) -> bool:
    """Returns whether a type is that of a tensor of unknown element type, or of a tuple with one."""
    if isinstance(value_type, TupleType):
        return any(map(has_unknown, value_type.types.data))
    return is_unknown(value_type)


def with_element(value_type: Attribute, element_type: Attribute) -> Attribute:
    """Returns the type of a tensor with another element type."""
    return tensor_type(dims_of(value_type), element_type, vdevice_of(value_type))


def agreeing_types(
    operands: Sequence[Attribute], infer: Callable[[Sequence[Attribute]], Sequence[Attribute]]
) -> Sequence[Attribute]:
    """Returns the result types that `infer` gives for some operand types; an element type is unknown that depends on an unknown one.

    Raises what `infer` raises where no element types fit.
    """
    # Invariant: `agreed` says what all choices so far agree on; a choice that the op refuses says nothing.
    unknown = [index for index, operand in enumerate(operands) if is_unknown(operand)]
    agreed: Sequence[Attribute] | None = None
    refusal: VerifyException | None = None
    known = [element_type_of(operand) for operand in operands if isinstance(operand, TensorType | UnrankedTensorType)]
    for choice in _choices(len(unknown), [element_type for element_type in known if element_type != UNKNOWN]):
        types = list(operands)
        for index, element_type in zip(unknown, choice, strict=True):
            types[index] = with_element(operands[index], element_type)
        try:
            inferred = infer(types)
        except VerifyException as error:
            refusal = refusal or error
            continue
        agreed = inferred if agreed is None else [_common(*pair) for pair in zip(agreed, inferred, strict=True)]
        if all(map(has_unknown, agreed)):
            break
    if agreed is None:
        assert refusal is not None
        raise refusal
    return agreed


def _choices(count: int, known: Sequence[Attribute]) -> Iterator[Sequence[Attribute]]:
    """Yields element types for some operands: each type for all, then such that differ: kinds of types, and those of other operands."""
    same = ((element_type,) * count for element_type in ALL)
    mixed = dict.fromkeys((*known, *_MIXED))
    return chain(same, product(mixed, repeat=count) if 1 < count <= _MOST_MIXED else ())


def _common(left: Attribute, right: Attribute) -> Attribute:
    """Returns a type in which the element types are unknown that two types have different ones of."""
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        return TupleType(tuple(_common(*pair) for pair in zip(left.types.data, right.types.data, strict=True)))  # pyright: ignore[reportArgumentType]
    if left == right or not isinstance(left, TensorType | UnrankedTensorType):
        return left
    return left if element_type_of(left) == element_type_of(right) else with_element(left, UNKNOWN)
