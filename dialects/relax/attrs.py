"""Types and attributes of the dialect: symbolic dims and devices of builtin tensors, shape values, opaque objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntAttr,
    NoneAttr,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..symbolic.expressions import Dim
from ..symbolic.parser import parse_dim
from .device_label import GLOBAL, device_label, parse_device_label


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
class VDeviceAttr(ParametrizedAttribute):
    """A virtual device, `#relax.vdevice<"cpu", 1, "global">`: kind, index and memory scope.

    As the encoding of a tensor type it says where the tensor lives. A type that also names dims has the list of both encodings:
    `tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1, "global">]>`.
    """

    name = "relax.vdevice"
    kind: StringAttr
    index: IntAttr
    scope: StringAttr

    @classmethod
    def of(cls, kind: str, index: int = 0, scope: str = GLOBAL) -> VDeviceAttr:
        """Returns the attribute of a device."""
        return cls(StringAttr(kind), IntAttr(index), StringAttr(scope))

    @classmethod
    def from_label(cls, label: str) -> VDeviceAttr:
        """Returns the attribute of a device as people write it, see `label`; raises `ValueError` for any other text."""
        return cls.of(*parse_device_label(label))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            kind, index, scope = parser.parse_str_literal(), 0, GLOBAL
            if parser.parse_optional_punctuation(",") is not None:
                index = parser.parse_integer(allow_boolean=False, allow_negative=False)
                if parser.parse_optional_punctuation(",") is not None:
                    scope = parser.parse_str_literal()
        return (StringAttr(kind), IntAttr(index), StringAttr(scope))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.kind.data)
            printer.print_string(f", {self.index.data}, ")
            printer.print_string_literal(self.scope.data)

    @property
    def label(self) -> str:
        """The device as people write it: `cpu:1`, with the scope if that is not `global`."""
        return device_label(self.kind.data, self.index.data, self.scope.data)


HOST = VDeviceAttr.of("cpu")
"""Where a value lives of which nothing is said."""


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


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, TypeAttribute):
    """The element type of a tensor of which the element type is not known: `tensor<?x4x!relax.unknown>`.

    `relax-bind-element-types` tells those of arguments; a program is compiled, and run, when all are known.
    """

    name = "relax.unknown"


UNKNOWN = UnknownType()


def tensor_type(dims: Sequence[Dim] | None, element_type: Attribute, vdevice: VDeviceAttr | None = None) -> Attribute:
    """Returns the tensor type with these dims, on a device; `None` for the dims means an unknown rank, and no device."""
    if dims is None:
        return UnrankedTensorType(element_type)
    return _tensor_type(tuple(dims), element_type, vdevice)


@lru_cache(maxsize=16384)
def _tensor_type(dims: tuple[Dim, ...], element_type: Attribute, vdevice: VDeviceAttr | None) -> TensorType[Attribute]:
    dynamic = tuple(dim for dim in dims if not isinstance(dim, int))
    named = any(dim is not None for dim in dynamic)
    shape = [dim if isinstance(dim, int) else DYNAMIC_INDEX for dim in dims]
    encodings = [*([SymAttr(dynamic)] if named else []), *([] if vdevice is None else [vdevice])]
    encoding = ArrayAttr(encodings) if len(encodings) > 1 else encodings[0] if encodings else NoneAttr()
    return TensorType(element_type, shape, encoding)


def _encodings(value_type: TensorType[Attribute]) -> Sequence[Attribute]:
    encoding = value_type.encoding
    return encoding.data if isinstance(encoding, ArrayAttr) else (encoding,)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def has_encoding(value_type: TensorType[Attribute]) -> bool:
    """Returns whether a tensor type names dims or a device."""
    return any(isinstance(encoding, SymAttr | VDeviceAttr) for encoding in _encodings(value_type))


def vdevice_of(value_type: Attribute) -> VDeviceAttr | None:
    """Returns the device that a tensor type names."""
    if not isinstance(value_type, TensorType) or isinstance(value_type.encoding, NoneAttr):
        return None
    return next((encoding for encoding in _encodings(value_type) if isinstance(encoding, VDeviceAttr)), None)  # pyright: ignore[reportUnknownArgumentType]


def known_sizes(value_type: Attribute) -> tuple[int, ...] | None:
    """Returns the dims of a tensor type; `None` if its rank or one of them is unknown, or one is 0."""
    dims = dims_of(value_type)
    known = tuple(size for size in dims or () if isinstance(size, int) and size)
    return known if dims is not None and len(known) == len(dims) else None


def on_device(value_type: Attribute, vdevice: VDeviceAttr | None) -> Attribute:
    """Returns a tensor type, or a tuple type with all its fields, on another device; any other type as it is."""
    if isinstance(value_type, TupleType):
        return TupleType(tuple(on_device(field, vdevice) for field in value_type.types.data))  # pyright: ignore[reportArgumentType]
    if not isinstance(value_type, TensorType) or vdevice_of(value_type) == vdevice:  # pyright: ignore[reportUnknownArgumentType]
        return value_type
    return tensor_type(dims_of(value_type), value_type.element_type, vdevice)  # pyright: ignore[reportUnknownArgumentType]


def dims_of(value_type: Attribute) -> tuple[Dim, ...] | None:
    """Returns the dims of a tensor type, `None` if its rank is unknown.

    Raises `VerifyException` if the encoding does not list one expression per dynamic dim, and `TypeError` for another type.
    """
    if isinstance(value_type, TensorType):
        known = _known_dims.get(id(value_type))
        if known is None or known[0] is not value_type:
            if len(_known_dims) >= _MOST_KNOWN:
                _known_dims.clear()
            known = _known_dims[id(value_type)] = value_type, _dims_of_ranked(value_type)
        return known[1]
    if isinstance(value_type, UnrankedTensorType):
        return None
    raise TypeError(f"not a tensor type: {value_type}")


_MOST_KNOWN = 16384

_known_dims: dict[int, tuple[TensorType[Attribute], tuple[Dim, ...]]] = {}
"""The dims of the types that were asked last, by their addresses: the hash of a type takes longer than what is asked of it."""


@lru_cache(maxsize=16384)
def _dims_of_ranked(value_type: TensorType[Attribute]) -> tuple[Dim, ...]:
    shape = value_type.get_shape()
    encoding = next((encoding for encoding in _encodings(value_type) if isinstance(encoding, SymAttr)), None)
    if encoding is None:
        return tuple(None if dim == DYNAMIC_INDEX else dim for dim in shape)
    names = encoding.data
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


def type_dims(value_type: Attribute) -> Iterator[Dim]:
    """Yields all dims of a tensor, shape or tuple type."""
    match value_type:
        case TensorType():
            yield from dims_of(value_type) or ()
        case ShapeType():
            yield from value_type.data
        case TupleType():
            for field in value_type.types.data:
                yield from type_dims(field)
        case _:
            pass
