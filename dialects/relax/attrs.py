"""Types and attributes of the dialect: symbolic dims on builtin tensors, shape values, opaque objects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from .symbolic import Dim, equal
from .symbolic_parser import parse_dim


def print_dims(dims: Sequence[Dim], printer: Printer) -> None:
    """Prints dims separated by commas, `?` for an unknown one."""
    printer.print_string(", ".join("?" if dim is None else str(dim) for dim in dims))


def _parse_list(parser: AttrParser) -> tuple[Dim, ...]:
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: parse_dim(parser)))


@irdl_attr_definition
class SymAttr(Data[tuple[Dim, ...]]):
    """Names the dynamic dims of a tensor type, one expression per `?`, in order: `#relax.sym<n, 2 * n + 1>`.

    An entry `?` leaves its dim unknown, so does the absence of the attribute.
    """

    name = "relax.sym"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Dim, ...]:
        return _parse_list(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_dims(self.data, printer)


@irdl_attr_definition
class ShapeType(Data[tuple[Dim, ...]], TypeAttribute):
    """The type of a shape value: `!relax.shape<[n, 4096]>`; `?` stands for a size that is not known."""

    name = "relax.shape"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Dim, ...]:
        with parser.in_angle_brackets():
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_dim(parser)))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets(), printer.in_square_brackets():
            print_dims(self.data, printer)


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """The type of an opaque run-time object, such as an effect token."""

    name = "relax.object"


def tensor_type(dims: Sequence[Dim] | None, element_type: Attribute) -> Attribute:
    """Returns the tensor type with these dims; `None` for the dims means an unknown rank."""
    if dims is None:
        return UnrankedTensorType(element_type)
    return _tensor_type(tuple(dims), element_type)


@lru_cache(maxsize=16384)
def _tensor_type(dims: tuple[Dim, ...], element_type: Attribute) -> TensorType[Attribute]:
    dynamic = tuple(dim for dim in dims if not isinstance(dim, int))
    named = any(dim is not None for dim in dynamic)
    shape = [dim if isinstance(dim, int) else DYNAMIC_INDEX for dim in dims]
    return TensorType(element_type, shape, SymAttr(dynamic) if named else NoneAttr())


def dims_of(value_type: Attribute) -> tuple[Dim, ...] | None:
    """Returns the dims of a tensor type, `None` if its rank is unknown.

    Raises `VerifyException` if the encoding does not list one expression per dynamic dim, and `TypeError` for another type.
    """
    if isinstance(value_type, TensorType):
        return _dims_of_ranked(value_type)
    if isinstance(value_type, UnrankedTensorType):
        return None
    raise TypeError(f"not a tensor type: {value_type}")


@lru_cache(maxsize=16384)
def _dims_of_ranked(value_type: TensorType[Attribute]) -> tuple[Dim, ...]:
    shape = value_type.get_shape()
    if not isinstance(value_type.encoding, SymAttr):
        return tuple(None if dim == DYNAMIC_INDEX else dim for dim in shape)
    names = value_type.encoding.data
    dynamic = shape.count(DYNAMIC_INDEX)
    if len(names) != dynamic:
        raise VerifyException(f"#relax.sym lists {len(names)} dims, the tensor type has {dynamic} dynamic dims")
    remaining = iter(names)
    return tuple(next(remaining) if dim == DYNAMIC_INDEX else dim for dim in shape)


def element_type_of(value_type: Attribute) -> Attribute:
    """Returns the element type of a tensor type."""
    if isinstance(value_type, TensorType | UnrankedTensorType):
        return value_type.element_type
    raise TypeError(f"not a tensor type: {value_type}")


def compatible_dims(declared: Sequence[Dim] | None, inferred: Sequence[Dim] | None) -> bool:
    """Returns whether a declared shape may stand for an inferred one: no dim is provably different."""
    if declared is None or inferred is None:
        return True
    return len(declared) == len(inferred) and all(
        equal(a, b) is not False for a, b in zip(declared, inferred, strict=True)
    )
