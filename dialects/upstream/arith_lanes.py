"""Comparison, selection and integer casts lane by lane: xDSL defines them for scalars only.

`install` widens the definitions to what MLIR allows. Casts take vectors and tensors; a comparison of vectors (or
tensors) gives i1 lane by lane, which `arith.select` accepts as its condition. The custom form of such a select is
upstream's, `arith.select %c, %a, %b : vector<4xi1>, vector<4xf32>`.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, VectorType, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValues
from xdsl.irdl import AnyAttr, IRDLOperation, OperandDef, ResultDef
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


def condition_type(type_: Attribute) -> Attribute:
    """The type of a comparison of operands of this type."""
    if isinstance(type_, VectorType):
        return VectorType(i1, type_.shape, type_.scalable_dims)
    if isinstance(type_, TensorType):
        return TensorType(i1, type_.shape, type_.encoding)
    return i1


def _verify_comparison(self: Operation) -> None:
    expected = condition_type(self.operands[0].type)
    found = self.results[0].type
    if self.operands[0].type != self.operands[1].type:
        raise VerifyException(f"operands must have one type, found {self.operands[0].type} and {self.operands[1].type}")
    if found != expected:
        raise VerifyException(f"the result must be {expected}, found {found}")


def _verify_select(self: Operation) -> None:
    condition, chosen = self.operands[0].type, self.operands[1].type
    if condition != i1 and condition != condition_type(chosen):
        raise VerifyException(f"the condition must be i1 or {condition_type(chosen)}, found {condition}")


def _widen_comparison(op: Any) -> None:
    definition = op.get_irdl_definition()
    definition.results[:] = [("result", ResultDef(AnyAttr()))]
    op.verify_ = _verify_comparison
    scalar_init = op.__init__

    def init(self: IRDLOperation, operand1: Any, operand2: Any, *args: Any, **kwargs: Any) -> None:
        scalar_init(self, operand1, operand2, *args, **kwargs)
        expected = condition_type(self.operands[0].type)
        if expected != i1:
            self.results = SSAValues((OpResult(expected, self, 0),))

    op.__init__ = init


_INT_TO_FLOAT = (IntegerType, AnyFloat)
_FLOAT_TO_INT = (AnyFloat, IntegerType)
_INT_TO_INT = (IntegerType, IntegerType)

_CASTS: dict[type[IRDLOperation], tuple[Any, Any]] = {
    arith.SIToFPOp: _INT_TO_FLOAT,
    arith.UIToFPOp: _INT_TO_FLOAT,
    arith.FPToSIOp: _FLOAT_TO_INT,
    arith.FPToUIOp: _FLOAT_TO_INT,
    arith.TruncIOp: _INT_TO_INT,
    arith.ExtSIOp: _INT_TO_INT,
    arith.ExtUIOp: _INT_TO_INT,
}


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType | TensorType) else type_


def _widen_cast(op: Any, source: Any, target: Any) -> None:
    definition = op.get_irdl_definition()
    definition.operands[:] = [("input", OperandDef(AnyAttr()))]
    definition.results[:] = [("result", ResultDef(AnyAttr()))]

    def verify_(self: Operation) -> None:
        found, made = self.operands[0].type, self.results[0].type
        if not isinstance(_element(found), source) or not isinstance(_element(made), target):
            raise VerifyException(f"{self.name} cannot cast {found} to {made}")
        if condition_type(found) != condition_type(made):
            raise VerifyException(f"operand and result must have the same shape, found {found} and {made}")
        if source is target:
            before, after = (element.width.data for element in (_element(found), _element(made)))  # type: ignore
            if (before <= after) if op is arith.TruncIOp else (before >= after):
                raise VerifyException(f"{self.name} cannot cast {found} to {made}")

    op.verify_ = verify_


def _parse_select(cls: type[arith.SelectOp], parser: Parser) -> arith.SelectOp:
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
    op = cls(*parser.resolve_operands(names, [condition, type_, type_], parser.pos))
    op.attributes.update(attributes)
    return op


def _print_select(self: arith.SelectOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_operand)
    if self.attributes:
        printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    if self.cond.type != i1:
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
    printer.print_attribute(self.result.type)


def install() -> None:
    """Widens the definitions; a second call changes nothing."""
    select: Any = arith.SelectOp
    if select.print is _print_select:
        return
    for op in (arith.CmpfOp, arith.CmpiOp):
        _widen_comparison(op)
    for op, (source, target) in _CASTS.items():
        _widen_cast(op, source, target)
    operands = select.get_irdl_definition().operands
    operands[0] = ("cond", OperandDef(AnyAttr()))
    select.verify_ = _verify_select
    select.parse = classmethod(_parse_select)
    select.print = _print_select
