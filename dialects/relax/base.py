"""The base of all relax ops: one textual form, shape rules shared by builders and verifier, numbered constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, NoReturn, Self, TypeAlias, cast

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation, OptionalDef, base, eq, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from ...entry_points import owner_of
from ..new_op import new_op
from ..symbolic.conditions import Condition, SizeContext
from ..symbolic.expressions import Dim, OperandDim, equal
from . import known_ops
from .attrs import UNKNOWN, ShapeType, dims_of, element_type_of, on_device, tensor_type, type_dims, vdevice_of
from .fusion_pattern import FusionPattern
from .known_op_parser import KnownOpParser
from .layout_rule import LayoutRule
from .symbol_ranges import ranges_at
from .type_dims import map_dims
from .type_text import print_function_type
from .unknown_elements import agreeing_types, is_unknown
from .vocabulary.verify_attributes import (
    verify_declared_attributes,
    verify_number_of_operands,
    verify_op_attributes,
)

AttrValue: TypeAlias = (
    "Attribute | int | float | bool | str | Sequence[int] | Sequence[float] | Mapping[str, AttrValue] | None"
)

I64 = IntegerAttr.constr(type=eq(i64))
F64 = FloatAttr.constr(type=eq(f64))
BOOL = IntegerAttr.constr(type=eq(i1))
STRING = base(StringAttr)
INTS = DenseArrayBase.constr(eq(i64))
FLOATS = DenseArrayBase.constr(eq(f64))
TENSOR = base(TensorType) | base(UnrankedTensorType)
DTYPE = base(TypeAttribute)
SHAPE = base(ShapeType)


class ConstraintError(VerifyException):
    """A numbered constraint of an op does not hold: `matmul_c2: contraction dimensions differ: ...`."""


def fail(constraint: str, message: str) -> NoReturn:
    """Raises the violation of a numbered constraint, `<op>_c<number>`."""
    raise ConstraintError(f"{constraint}: {message}")


def to_attr(value: AttrValue) -> Attribute | None:
    """Returns the attribute that stands for a Python value in the textual form; `None` stays `None`."""
    # `bool` stands before `int`, whose instance it is; a list with one float is one of floats.
    match value:
        case None:
            return None
        case Attribute():
            return value
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case Mapping():
            return DictionaryAttr({name: attr for name, item in value.items() if (attr := to_attr(item)) is not None})
        case _:
            if any(isinstance(item, float) for item in value):
                return DenseArrayBase.from_list(f64, [float(item) for item in value])
            return DenseArrayBase.from_list(i64, [int(item) for item in value])


def from_attr(attr: Attribute) -> Any:
    """Returns the Python value of an attribute (int, float, bool, str, tuple); a type stays as it is."""
    match attr:
        case IntegerAttr():
            return bool(attr.value.data) if attr.type == i1 else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case DenseArrayBase():
            return tuple(cast(DenseArrayBase[IntegerType], attr).get_values())
        case ArrayAttr():
            return tuple(from_attr(item) for item in attr.data)
        case _:
            return attr


def has_implicit_builder() -> bool:
    """Returns whether ops that this thread makes are inserted by one of xDSL's implicit builders."""
    try:
        Builder.assert_implicit()
    except ValueError:
        return False
    return True


@contextmanager
def drafts() -> Generator[None, None, None]:
    """Keeps the ops that are made inside from being inserted by an implicit builder: they are no part of the program."""
    if not has_implicit_builder():
        yield
        return
    with ImplicitBuilder(Block()):
        yield


class RelaxOp(IRDLOperation, ABC):
    """An op of the dialect in its one textual form: `relax.op operands attr-dict : (operand types) -> result types`.

    An op, or the family that it belongs to, declares its fusion pattern; one without is refused when its class is made.
    """

    FUSION_PATTERN: ClassVar[FusionPattern]
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.FIXED

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and not hasattr(cls, "FUSION_PATTERN"):
            raise TypeError(
                f"{cls.__name__} ({cls.name}) declares no fusion pattern: expected FUSION_PATTERN: ClassVar[FusionPattern]"
            )

    @classmethod
    def __subclasshook__(cls, other: type, /) -> bool:
        """Answers by inheritance alone: `ABCMeta` would ask each of the dialect's ops about a class that is none of them."""
        return cls in other.__mro__

    @property
    def stem(self) -> str:
        """The name of the op in the numbers of its constraints: without `relax.` and `nn.`."""
        return self.name.removeprefix("relax.").removeprefix("nn.")

    @abstractmethod
    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        """Returns the result types that follow from the operand types and properties.

        The context answers questions about sizes. Raises `ConstraintError` when a numbered constraint does not hold.
        """

    def infer_known(self, context: SizeContext) -> Sequence[Attribute]:
        """Returns what `infer` does; an element type that depends on that of an operand is unknown where that one is."""
        operands = [value.type for value in self.operands]
        if not any(map(is_unknown, operands)):
            return self._infer(context)

        def infer(types: Sequence[Attribute]) -> Sequence[Attribute]:
            with drafts():
                draft = type(self).create(
                    operands=Block(arg_types=types).args,
                    result_types=[value.type for value in self.results],
                    properties=dict(self.properties),
                )
            return draft._infer(context)

        return agreeing_types(operands, infer)

    def _infer(self, context: SizeContext) -> Sequence[Attribute]:
        """Returns what `infer` does. Raises `VerifyException` where the rule of an op from another package fails by accident."""
        try:
            return self.infer(context)
        except (DiagnosticException, RecursionError):
            raise
        except Exception as error:
            self._refuse_accident("shape rule", error)
            raise

    def _refuse_accident(self, part: str, error: Exception) -> None:
        package = owner_of(type(self))
        if package is not None:
            reason = f"{type(error).__name__}: {error}"
            raise VerifyException(f"the {part} of {self.name} from {package} fails with {reason}") from error

    def inferred_types(self) -> Sequence[Attribute]:
        """Returns the result types that follow from the operand types and properties where the op stands, see `infer`."""
        return known_ops.inferred(self, self._inferred_types)

    def _inferred_types(self) -> Sequence[Attribute]:
        context = self.size_context()
        inferred = self.infer_known(context)
        _require_sizes(inferred)
        return [map_dims(result_type, context.simplify) for result_type in inferred] if context.ranges else inferred

    def size_context(self) -> SizeContext:
        """Returns what is known of sizes where the op stands."""
        return SizeContext(ranges_at(self))

    @classmethod
    def build_from(
        cls, *operands: SSAValue, result_types: Sequence[Attribute] | None = None, **attrs: AttrValue
    ) -> Self:
        """Builds the op from operands in order and attributes as Python values, and infers its result types."""
        properties = {name: attr for name, value in attrs.items() if (attr := to_attr(value)) is not None}
        if result_types is None:
            inferred = known_ops.inferred_before(cls, operands, properties)
            if inferred is None:
                inferred = cls._drafted_types(operands, properties)
            result_types = [_placed(result_type, operands) for result_type in inferred]
        # An implicit builder inserts what `create` makes.
        make = cls.create if has_implicit_builder() or cls.get_irdl_definition().regions else partial(new_op, cls)
        return make(operands=operands, properties=properties, result_types=result_types)

    @classmethod
    def _drafted_types(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> Sequence[Attribute]:
        with drafts():
            draft = cls.create(operands=operands, properties=properties)
        try:
            return draft.inferred_types()
        finally:
            # Or the operands would count it among their uses for ever.
            draft.drop_all_references()

    def prop(self, name: str, default: Any = None) -> Any:
        """Returns a property as a Python value, or the default where it is left out."""
        attr = self.properties.get(name)
        return default if attr is None else from_attr(attr)

    def conditions(self) -> Sequence[Condition]:
        """Returns what must hold of the sizes at run time: what the constraints leave open, and that results have none below 0.

        For an unknown dim of an operand stands an `OperandDim`.
        """
        if _is_static(self):
            return ()
        types = [with_operand_dims(value.type, index) for index, value in enumerate(self.operands)]
        checked = self
        if types != [value.type for value in self.operands]:
            with drafts():
                checked = type(self).create(
                    operands=Block(arg_types=types).args,
                    result_types=[value.type for value in self.results],
                    properties=dict(self.properties),
                )
        context = self.size_context()
        checked.verify_types(context)
        for result in self.results:
            if not isinstance(result.type, ShapeType):
                for dim in type_dims(result.type):
                    context.is_below(dim, 0)
        return context.conditions

    def verify(self, verify_nested_ops: bool = True) -> None:
        key = known_ops.verified_key(self)
        if known_ops.is_verified(key):
            return
        try:
            super().verify(verify_nested_ops)
        except VerifyException:
            # xDSL's constraints say what is wrong with an attribute, but not with which, and how many operands, but not of what.
            verify_declared_attributes(self)
            verify_number_of_operands(self)
            raise
        except (DiagnosticException, RecursionError):
            raise
        except Exception as error:
            self._refuse_accident("verifier", error)
            raise
        known_ops.remember_verified(self, key)

    def verify_(self) -> None:
        verify_op_attributes(self)
        self.verify_types(self.size_context())

    def verify_types(self, context: SizeContext) -> None:
        """Checks the result types against those that the shape rule infers."""
        number = self.number_of_results()
        if number is not None and number > len(self.results):
            raise VerifyException(f"expected {number} results, got {len(self.results)}")
        inferred = self.infer_known(context)
        _require_sizes(inferred)
        if len(inferred) != len(self.results):
            raise VerifyException(f"expected {len(inferred)} results, got {len(self.results)}")
        for index, (result, expected) in enumerate(zip(self.results, inferred, strict=True)):
            if not compatible_types(result.type, expected, context):
                raise VerifyException(f"result {index} has type {result.type}, but the op yields {expected}")

    def number_of_results(self) -> int | None:
        """Returns how many results an attribute asks for, so that a wrong number is not inferred first; `None` if none does."""
        return None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        known = parser.parse_known_op(cls) if isinstance(parser, KnownOpParser) else None
        if known is not None:
            return known
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        if parser.parse_optional_punctuation(":") is None:
            parser.raise_error(f"{cls.name}: expected ':', {cls._form()}", position, parser.pos)
        position = parser.pos
        function_type = parser.parse_optional_type()
        if not isinstance(function_type, FunctionType):
            parser.raise_error(f"{cls.name}: expected a function type, {cls._form()}", position, parser.pos)
        given, types = len(unresolved or []), len(function_type.inputs.data)
        if given != types:
            parser.raise_error(
                f"{cls.name}: expected {given} operand type{'s' * (given != 1)}, got {types}", position, parser.pos
            )
        operands = parser.resolve_operands(unresolved or [], function_type.inputs.data, position)
        names = cls.get_irdl_definition().properties
        properties = {name: attr for name, attr in attributes.items() if name in names}
        rest = {name: attr for name, attr in attributes.items() if name not in names}
        return cls.create(
            operands=operands, properties=properties, attributes=rest, result_types=function_type.outputs.data
        )

    @classmethod
    def _form(cls) -> str:
        """Returns the textual form of the op in words, for errors."""
        definition = cls.get_irdl_definition()
        names = ", ".join(f"%{name}" for name, _ in definition.operands)
        needed = [name for name, declared in definition.properties.items() if not isinstance(declared, OptionalDef)]
        shown = [*(f"{name} = ..." for name in needed), *(["..."] if len(needed) < len(definition.properties) else [])]
        attributes = f" {{{', '.join(shown)}}}" if shown else ""
        types = ", ".join("type" for _ in definition.operands)
        return f"the form is: {cls.name}{f' {names}' if names else ''}{attributes} : ({types}) -> type"

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        attributes = {**self.properties, **self.attributes}
        if attributes:
            printer.print_string(" ")
            printer.print_attr_dict(attributes)
        printer.print_string(" : ")
        print_function_type(printer, [operand.type for operand in self.operands], [r.type for r in self.results])


class TensorOp(RelaxOp, ABC):
    """A pure op whose one result is a tensor: most ops of the dialect."""

    result = result_def(TENSOR)
    traits = traits_def(Pure())


def _require_sizes(inferred: Sequence[Attribute]) -> None:
    """Refuses results with a size below 0, which a slice may have that is said to be inside of its operand, or of more than 64 bits."""
    for index, result_type in enumerate(inferred):
        numbers = [dim for dim in type_dims(result_type) if isinstance(dim, int)]
        if numbers and min(numbers) < 0 and not isinstance(result_type, ShapeType):
            raise VerifyException(f"a size of result {index} is negative: got {min(numbers)}")
        if numbers and max(numbers) >= 1 << 63:
            raise VerifyException(f"a size of result {index} is too large: got {max(numbers)}, expected less than 2^63")


def _placed(inferred: Attribute, operands: Sequence[SSAValue]) -> Attribute:
    """Returns the type of a result: it lives where all operands do, unless the op's own rule says where."""
    if not isinstance(inferred, TensorType) or vdevice_of(inferred) is not None:
        return inferred
    devices = {vdevice for operand in operands if (vdevice := vdevice_of(operand.type)) is not None}
    return on_device(inferred, devices.pop()) if len(devices) == 1 else inferred


def with_operand_dims(operand_type: Attribute, index: int) -> Attribute:
    """Returns the type of an operand in which an `OperandDim` stands for each unknown dim of a tensor."""
    if not isinstance(operand_type, TensorType) or None not in (known := dims_of(operand_type) or ()):
        return operand_type
    named = [OperandDim(index, axis) if dim is None else dim for axis, dim in enumerate(known)]
    return tensor_type(named, operand_type.element_type, vdevice_of(operand_type))


def _is_static(op: Operation) -> bool:
    """Returns whether all sizes in the types of an op's operands and results are numbers."""
    types = [value.type for value in (*op.operands, *op.results)]
    return all(isinstance(dim, int) for value_type in types for dim in type_dims(value_type))


def compatible_types(declared: Attribute, inferred: Attribute, context: SizeContext) -> bool:
    """Returns whether a declared result type may stand for an inferred one (less or more is known, nothing contradicts).

    Devices do not count: where values live is checked of the whole program, by `relax-verify-devices`.
    """
    # An unknown rank, dim or element type contradicts nothing; kinds are always known.
    if declared == inferred:
        return True
    if isinstance(declared, ShapeType) and isinstance(inferred, ShapeType):
        return context.compatible(declared.data, inferred.data)
    if isinstance(declared, TupleType) and isinstance(inferred, TupleType):
        fields = declared.types.data, inferred.types.data
        if len(fields[0]) != len(fields[1]):
            return False
        return all(compatible_types(*pair, context) for pair in zip(*fields, strict=True))
    if not isinstance(declared, TensorType | UnrankedTensorType):
        return False
    if not isinstance(inferred, TensorType | UnrankedTensorType):
        return False
    elements = {element_type_of(declared), element_type_of(inferred)} - {UNKNOWN}
    return len(elements) < 2 and context.compatible(dims_of(declared), dims_of(inferred))


def implied_type(declared: Attribute, known: Attribute) -> bool:
    """Returns whether each value of a known type has the declared one too, which says as much or less."""
    # Invariant: an unknown rank, dim, element type or device is implied by any; kinds must be the same.
    if declared == known:
        return True
    if isinstance(declared, ShapeType) and isinstance(known, ShapeType):
        return _implied_dims(declared.data, known.data)
    if isinstance(declared, TupleType) and isinstance(known, TupleType):
        fields = declared.types.data, known.types.data
        return len(fields[0]) == len(fields[1]) and all(implied_type(*pair) for pair in zip(*fields, strict=True))
    if not isinstance(declared, TensorType | UnrankedTensorType) or not isinstance(
        known, TensorType | UnrankedTensorType
    ):
        return False
    if element_type_of(declared) not in (UNKNOWN, element_type_of(known)) or vdevice_of(declared) not in (
        None,
        vdevice_of(known),
    ):
        return False
    return _implied_dims(dims_of(declared), dims_of(known))


def _implied_dims(declared: Sequence[Dim] | None, known: Sequence[Dim] | None) -> bool:
    if declared is None or known is None:
        return declared is None
    return len(declared) == len(known) and all(
        dim is None or equal(dim, actual) is True for dim, actual in zip(declared, known, strict=True)
    )


def dims(value: SSAValue) -> tuple[Dim, ...] | None:
    """Returns the dims of a tensor value, `None` if its rank is unknown."""
    return dims_of(value.type)


def element(value: SSAValue) -> Attribute:
    """Returns the element type of a tensor value."""
    return element_type_of(value.type)


def shape_value(value: SSAValue) -> tuple[Dim, ...]:
    """Returns the dims that a shape value holds."""
    assert isinstance(value.type, ShapeType)
    return value.type.data


def normalized_axis(axis: int, rank: int, constraint: str) -> int:
    """Returns an axis counted from 0; a negative one counts from the end."""
    if not -rank <= axis < rank:
        fail(constraint, f"axis must be in [{-rank}, {rank}) for rank {rank}, got {axis}")
    return axis % rank if rank else 0


def normalized_axes(axes: Sequence[int] | None, rank: int, constraint: str) -> tuple[int, ...]:
    """Returns axes counted from 0, all of them for `None`; repetitions are refused."""
    if axes is None:
        return tuple(range(rank))
    result = tuple(normalized_axis(axis, rank, constraint) for axis in axes)
    if len(set(result)) != len(result):
        fail(constraint, f"axes must not repeat, got {list(axes)}")
    return result


def require_same_element(constraint: str, *values: SSAValue) -> Attribute:
    """Returns the common element type of tensor values."""
    first = element(values[0])
    for value in values[1:]:
        if element(value) != first:
            fail(constraint, f"element types must be equal, got {first} and {element(value)}")
    return first


def dtype_attr(attr: Any) -> Attribute:
    """Returns an element type given as a property."""
    assert isinstance(attr, TypeAttribute)
    return attr
