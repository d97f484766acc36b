"""Comparison, selection and integer casts lane by lane: xDSL defines them for scalars only. The remainder of floats, which it lacks.

A comparison of vectors (or tensors) gives i1 lane by lane, which `arith.select` accepts as its condition; casts take vectors and tensors.
The custom form of such a select is upstream's, `arith.select %c, %a, %b : vector<4xi1>, vector<4xf32>`. Each op is a subclass of xDSL's
with the same name, so `isinstance` and patterns hold for both; `EXTENDED_ARITH` has them in place of xDSL's.

For upstream: "arith.cmpi, arith.cmpf, arith.select and the casts between integers and floats accept vectors and tensors, as in MLIR;
their predicates are verified; arith.remf exists."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, VectorType, i1
from xdsl.ir import Attribute, Dialect, Operation, OpResult, SSAValue, SSAValues
from xdsl.irdl import IRDLOperation, OpDef, irdl_op_definition, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from .redefinition import ANY_OPERAND, ANY_RESULT, redefined

ElementClass: TypeAlias = type[Attribute] | UnionType


def condition_type(type_: Attribute) -> Attribute:
    """Returns the type of a comparison of operands of a type."""
    if isinstance(type_, VectorType):
        return VectorType(i1, type_.shape, type_.scalable_dims)
    if isinstance(type_, TensorType):
        return TensorType(i1, type_.shape, type_.encoding)
    return i1


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType | TensorType) else type_


def _widen_result(op: Operation) -> None:
    expected = condition_type(op.operands[0].type)
    if expected != i1:
        op.results = SSAValues((OpResult(expected, op, 0),))


def _verify_comparison(op: arith.CmpiOp | arith.CmpfOp, predicates: Sequence[str]) -> None:
    predicate = op.predicate.value.data
    if not 0 <= predicate < len(predicates):
        raise VerifyException(f"the predicate must be from 0 to {len(predicates) - 1}, found {predicate}")
    lhs, rhs, result = op.operands[0].type, op.operands[1].type, op.results[0].type
    expected = condition_type(lhs)
    if lhs != rhs:
        raise VerifyException(f"operands must have one type, found {lhs} and {rhs}")
    if result != expected:
        raise VerifyException(f"the result must be {expected}, found {result}")


_CMPI = redefined(arith.CmpiOp, results={"result": ANY_RESULT})


class CmpiOp(arith.CmpiOp):
    """Compares integers, lane by lane."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _CMPI

    def __init__(self, operand1: Operation | SSAValue, operand2: Operation | SSAValue, arg: int | str):
        super().__init__(operand1, operand2, arg)
        _widen_result(self)

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_comparison(self, arith.CMPI_COMPARISON_OPERATIONS)


_CMPF = redefined(arith.CmpfOp, results={"result": ANY_RESULT})


class CmpfOp(arith.CmpfOp):
    """Compares floats, lane by lane."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _CMPF

    def __init__(self, operand1: Operation | SSAValue, operand2: Operation | SSAValue, *args: Any, **kwargs: Any):
        super().__init__(operand1, operand2, *args, **kwargs)
        _widen_result(self)

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_comparison(self, arith.CMPF_COMPARISON_OPERATIONS)


_SELECT = redefined(arith.SelectOp, operands={"cond": ANY_OPERAND})


class SelectOp(arith.SelectOp):
    """Chooses between two values, or lane by lane."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _SELECT

    def verify_(self) -> None:
        _SELECT.verify(self)
        condition, chosen = self.cond.type, self.lhs.type
        if condition != i1 and condition != condition_type(chosen):
            raise VerifyException(f"the condition must be i1 or {condition_type(chosen)}, found {condition}")

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        start = parser.pos
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition: Attribute = i1
        type_ = parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            condition, type_ = type_, parser.parse_type()
        op = cls(*parser.resolve_operands(names, [condition, type_, type_], start))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


def _verify_cast(op: Operation, source: ElementClass, target: ElementClass) -> None:
    """Checks element types, equal shapes, and that a cast between integers widens, or for `arith.trunci` narrows."""
    before, after = op.operands[0].type, op.results[0].type
    if not isinstance(_element(before), source) or not isinstance(_element(after), target):
        raise VerifyException(f"{op.name} cannot cast {before} to {after}")
    if condition_type(before) != condition_type(after):
        raise VerifyException(f"operand and result must have the same shape, found {before} and {after}")
    if source is target is IntegerType:
        widths = [_element(type_).width.data for type_ in (before, after)]  # pyright: ignore[reportAttributeAccessIssue]
        if (widths[0] <= widths[1]) if isinstance(op, arith.TruncIOp) else (widths[0] >= widths[1]):
            raise VerifyException(f"{op.name} cannot cast {before} to {after}")


def _cast(parent: type[IRDLOperation], source: ElementClass, target: ElementClass) -> type[Any]:
    """Returns the subclass of a cast that also takes vectors and tensors."""
    definition = redefined(parent, operands={"input": ANY_OPERAND}, results={"result": ANY_RESULT})

    def verify_(self: IRDLOperation) -> None:
        definition.verify(self)
        _verify_cast(self, source, target)

    def get_irdl_definition(cls: type[IRDLOperation]) -> OpDef:
        return definition

    members = {
        "__doc__": f"`{parent.name}`, lane by lane.",
        "__module__": __name__,
        "get_irdl_definition": classmethod(get_irdl_definition),
        "verify_": verify_,
    }
    return type(parent.__name__, (parent,), members)


SIToFPOp: type[arith.SIToFPOp] = _cast(arith.SIToFPOp, IntegerType, AnyFloat)
UIToFPOp: type[arith.UIToFPOp] = _cast(arith.UIToFPOp, IntegerType, AnyFloat)
FPToSIOp: type[arith.FPToSIOp] = _cast(arith.FPToSIOp, AnyFloat, IntegerType)
FPToUIOp: type[arith.FPToUIOp] = _cast(arith.FPToUIOp, AnyFloat, IntegerType)
TruncIOp: type[arith.TruncIOp] = _cast(arith.TruncIOp, IntegerType, IntegerType)
ExtSIOp: type[arith.ExtSIOp] = _cast(arith.ExtSIOp, IntegerType, IntegerType)
ExtUIOp: type[arith.ExtUIOp] = _cast(arith.ExtUIOp, IntegerType, IntegerType)

LANEWISE: Mapping[type[Operation], type[Operation]] = {
    **{op.__mro__[1]: op for op in (CmpiOp, CmpfOp, SelectOp)},
    **{op.__mro__[1]: op for op in (SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp, TruncIOp, ExtSIOp, ExtUIOp)},
}
"""The subclass for each op of xDSL that takes scalars only."""


def lanewise(op_type: type[Operation]) -> type[Operation]:
    """Returns the op class of that name that takes vectors: a pass that makes vectors of scalars creates its ops by it."""
    return LANEWISE.get(op_type, op_type)


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """The exact remainder of a division that truncates, with the sign of the dividend: `fmod` of C."""

    name = "arith.remf"

    traits = traits_def(Pure())


EXTENDED_ARITH = Dialect("arith", [*(lanewise(op) for op in arith.Arith.operations), RemFOp], [*arith.Arith.attributes])
