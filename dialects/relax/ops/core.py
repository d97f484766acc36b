"""Structure of a program: dataflow blocks, constants, tuples, shape values, casts, calls of registered Python functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    StringAttr,
    TupleType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure, get_effects
from xdsl.utils.exceptions import VerifyException

from ....kinds import kind_test
from ...symbolic.conditions import SizeContext
from ..attrs import ObjectType, ShapeType, on_device
from ..base import BOOL, I64, INTS, STRING, RelaxOp, compatible_types, fail
from ..fusion_pattern import FusionPattern
from ..vocabulary.verify_attributes import verify_op_attributes

Value = TypeVar("Value")


@irdl_op_definition
class OutputOp(IRDLOperation):
    """Ends a dataflow block and names the values that leave it."""

    name = "relax.output"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(DataflowOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        verify_op_attributes(self)


@irdl_op_definition
class DataflowOp(IRDLOperation):
    """A dataflow block: pure, straight-line computation, ended by `relax.output`, whose values are the results.

    dataflow_c1: the types of the output values are the result types.
    dataflow_c2: everything inside is free of side effects.
    """

    name = "relax.dataflow"
    body = region_def("single_block")
    outputs = var_result_def()

    def __init__(self, body: Region | Block, result_types: Sequence[Attribute]):
        region = Region(body) if isinstance(body, Block) else body
        super().__init__(regions=[region], result_types=[result_types])

    @property
    def output(self) -> OutputOp:
        """The terminator."""
        last = self.body.block.last_op
        assert isinstance(last, OutputOp)
        return last

    def verify_(self) -> None:
        verify_op_attributes(self)
        last = self.body.block.last_op
        if not isinstance(last, OutputOp):
            raise VerifyException("a dataflow block must end with relax.output")
        types = [value.type for value in last.values]
        declared = [result.type for result in self.outputs]
        context = SizeContext()
        if len(types) != len(declared) or not all(
            compatible_types(*pair, context) for pair in zip(declared, types, strict=True)
        ):
            fail(
                "dataflow_c1",
                f"the output types must be the result types: got ({', '.join(map(str, types))}), "
                f"declared ({', '.join(map(str, declared))})",
            )
        for op in self.body.block.ops:
            if _is_impure(op) or get_effects(op):
                fail("dataflow_c2", f"{op.name} has side effects, move it out")
            if _is_packed_call(op) and not op.prop("pure", False):
                fail(
                    "dataflow_c2",
                    f"{op.name} {op.callee.data!r} may have side effects, mark it `pure = true` or move it out",
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region()
        types: list[Attribute] = []
        if parser.parse_optional_punctuation(":") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(
            regions=[region], result_types=types, attributes={} if attributes is None else dict(attributes.data)
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)
        if self.outputs:
            printer.print_string(" : ")
            printer.print_list([result.type for result in self.outputs], printer.print_attribute)


@irdl_op_definition
class ConstantOp(RelaxOp):
    """A constant tensor; a large one names an entry of the `dense_resource` section of the file.

    constant_c1: the type of the value is the result type, but for the device.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.constant"
    value = prop_def(base(DenseIntOrFPElementsAttr) | base(DenseResourceAttr))
    result = result_def()
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        value_type = self.value.type
        if self.results and on_device(self.result.type, None) != value_type:
            fail("constant_c1", f"the value has type {value_type}, the result {self.result.type}")
        return [value_type]


@irdl_op_definition
class MatchCastOp(RelaxOp):
    """Asserts at run time that a value has the result type, and defines the symbols that stand alone in it for the first time.

    match_cast_c1: the result type does not contradict what is known of the operand.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.match_cast"
    input = operand_def()
    result = result_def()

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.results:
            return [self.input.type]
        if isinstance(self.input.type, ObjectType):
            return [self.result.type]
        if not compatible_types(self.result.type, self.input.type, context):
            fail("match_cast_c1", f"a value of type {self.input.type} never has type {self.result.type}")
        return [self.result.type]


@irdl_op_definition
class TupleOp(RelaxOp):
    """Makes a tuple of values."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.tuple"
    fields = var_operand_def()
    result = result_def(TupleType)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [TupleType(tuple(cast(TypeAttribute, value.type) for value in self.fields))]

    def verify_types(self, context: SizeContext) -> None:
        declared = self.result.type.types.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        if len(declared) != len(self.fields) or not all(
            compatible_types(a, b.type, context) for a, b in zip(declared, self.fields, strict=True)
        ):
            raise VerifyException(f"result 0 has type {self.result.type}, but the op yields {self.infer(context)[0]}")


@irdl_op_definition
class TupleGetItemOp(RelaxOp):
    """Takes field `index` of a tuple.

    tuple_get_item_c1: the index is less than the number of fields.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.tuple_get_item"
    tuple_value = operand_def(TupleType)
    index = prop_def(I64)
    result = result_def()
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        assert isinstance(self.tuple_value.type, TupleType)
        fields = self.tuple_value.type.types.data
        index = self.index.value.data
        if not 0 <= index < len(fields):
            fail("tuple_get_item_c1", f"index must be in [0, {len(fields)}), got {index}")
        return [fields[index]]


@irdl_op_definition
class ShapeOp(RelaxOp):
    """Makes a shape value from the dims of its result type: `relax.shape : () -> !relax.shape<[n, 4]>`.

    shape_c1: no dim is unknown.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.shape"
    result = result_def(ShapeType)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.results:
            return [ShapeType(())]
        if any(dim is None for dim in self.result.type.data):  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            fail("shape_c1", f"every dim must be known, got {self.result.type}")
        return [self.result.type]


@irdl_op_definition
class NullValueOp(RelaxOp):
    """Makes an object that stands for nothing, `None` in Python: the first state of an effect that orders calls."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.null_value"
    result = result_def(ObjectType)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [ObjectType()]


class PythonCallOp(RelaxOp):
    """A call of Python; `literals` are the strings among its arguments, by position: `{"1" = "name"}`.

    Python gets arrays, numbers for scalars, and tuples of integers for shapes; an integer for a shape of one dim whose position, among all
    arguments, `sizes` names.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    args = var_operand_def()
    literals = opt_prop_def(DictionaryAttr)
    sizes = opt_prop_def(INTS)
    outputs = var_result_def()

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        texts = self.texts()
        count = len(self.args) + len(texts)
        outside = [position for position in texts if not 0 <= position < count]
        if outside:
            fail(f"{self.stem}_c1", f"a position of literals must be in [0, {count}), got {outside[0]}")
        self.integers()
        return [result.type for result in self.results]

    def texts(self) -> dict[int, str]:
        """Returns the strings among the arguments, by position. Raises `ConstraintError` for what is no string or no position."""
        texts: dict[int, str] = {}
        for position, text in sorted({} if self.literals is None else self.literals.data.items()):
            if not position.isdecimal() or not isinstance(text, StringAttr):
                fail(f"{self.stem}_c1", f"literals must be strings by position, got {position!r} = {text}")
            texts[int(position)] = text.data
        return texts

    def integers(self) -> Sequence[int]:
        """Returns the positions of shapes that Python gets as an integer. Raises `ConstraintError` for what is no shape of one dim."""
        positions = self.prop("sizes") or ()
        types = self.arguments([value.type for value in self.args]) if positions else ()
        for position in positions:
            stands = types[position] if 0 <= position < len(types) else "nothing"
            if not isinstance(stands, ShapeType) or len(stands.data) != 1:
                fail(f"{self.stem}_c1", f"sizes must be positions of shapes of one dim, at {position} stands {stands}")
        return positions

    def passed(self, values: Sequence[Any]) -> list[Any]:
        """Returns what Python is called with: what `arguments` returns, and of shapes in `sizes` the one element."""
        integers = self.integers()
        return [value[0] if i in integers else value for i, value in enumerate(self.arguments(values))]

    def arguments(self, values: Sequence[Value]) -> list[Value | str]:
        """Returns what stands for the operands, and the strings, in order."""
        texts, remaining = self.texts(), iter(values)
        return [texts[i] if i in texts else next(remaining) for i in range(len(values) + len(texts))]


@irdl_op_definition
class CallPackedOp(PythonCallOp):
    """Calls a registered Python function on arrays; its results have the declared types. Opaque to passes.

    It may have side effects unless `pure = true`. Result `i` may have the memory of argument `inplace_indices[i]`, where that is not
    -1: the function may write there. Arrays that the caller has passed to the program are copied before.

    call_packed_c1: the positions of `literals` are those of arguments, those of `sizes` of shapes of one dim.
    call_packed_c2: `inplace_indices` has, for each result, the position of an argument that is no string, or -1.
    call_packed_c3: an argument that is written in place is not read afterwards.
    """

    name = "relax.call_packed"
    callee = prop_def(STRING)
    pure = opt_prop_def(BOOL)
    inplace_indices = opt_prop_def(INTS)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        self.written()
        return types

    def written(self) -> list[SSAValue]:
        """Returns the operands that the function may write to. Raises `ConstraintError` for positions that have none."""
        indices = self.prop("inplace_indices")
        if indices is None:
            return []
        arguments = self.arguments(self.args)
        values = [arguments[index] if 0 <= index < len(arguments) else None for index in indices]
        if len(indices) != len(self.results) or any(
            index != -1 and not isinstance(value, SSAValue) for index, value in zip(indices, values, strict=True)
        ):
            fail(
                "call_packed_c2",
                f"inplace_indices must be the position of an argument, or -1, for each of {len(self.results)} results, "
                f"got {list(indices)}",
            )
        return [value for value in values if isinstance(value, SSAValue)]

    def verify_(self) -> None:
        super().verify_()
        for value in self.written():
            for use in value.uses:
                if self._is_before(use.operation):
                    fail(
                        "call_packed_c3",
                        f"an argument that {self.callee} writes in place is read by {use.operation.name}",
                    )

    def _is_before(self, other: Operation) -> bool:
        """Returns whether an op stands behind this one in its block, or in a region of such an op."""
        block = self.parent
        inside = None if block is None else block.find_ancestor_op_in_block(other)
        return block is not None and inside is not None and inside is not self and self.is_before_in_block(inside)


@irdl_op_definition
class CallDPSPackedOp(PythonCallOp):
    """Calls a registered Python function that writes its results into arrays given after the arguments. Pure, opaque to passes.

    call_dps_packed_c1: the positions of `literals` are those of arguments, those of `sizes` of shapes of one dim.
    """

    name = "relax.call_dps_packed"
    callee = prop_def(STRING)
    traits = traits_def(Pure())


@irdl_op_definition
class StopLiftParamsOp(RelaxOp):
    """The operand itself; nothing that depends on it is lifted out of the function by `relax-lift-transform-params`."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.builtin.stop_lift_params"
    x = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [self.x.type]


@irdl_op_definition
class InvokeClosureOp(PythonCallOp):
    """Calls a run-time value: `relax.invoke_closure %f, args...`, where `%f` is an object. It may have side effects.

    Positions of `literals` are counted behind `%f`.

    invoke_closure_c1: the positions of `literals` are those of arguments, those of `sizes` of shapes of one dim.
    """

    name = "relax.invoke_closure"
    closure = operand_def(ObjectType)


@irdl_op_definition
class InvokePureClosureOp(PythonCallOp):
    """Calls a run-time value without side effects: `relax.invoke_pure_closure %f, args...`.

    invoke_pure_closure_c1: the positions of `literals` are those of arguments, those of `sizes` of shapes of one dim.
    """

    name = "relax.invoke_pure_closure"
    closure = operand_def(ObjectType)
    traits = traits_def(Pure())


@irdl_op_definition
class KillObjectOp(RelaxOp):
    """Says that a value is not read any more, so that its memory may be released."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.vm.kill_object"
    x = operand_def()

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return []


# Behind the classes that they name.
_is_impure = kind_test(InvokeClosureOp, KillObjectOp)
_is_packed_call = kind_test(CallPackedOp)
