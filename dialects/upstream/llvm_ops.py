"""Operations and attributes of MLIR's `llvm` dialect that xDSL lacks or restricts to scalars.

Names, operands and properties are upstream's, so that the generic form goes through `mlir-translate --mlir-to-llvmir`.
`EXTENDED_LLVM` is xDSL's dialect with these definitions added or put in place of narrower ones; a driver that reads
such modules registers it under the name `llvm`.

For upstream: "`llvm` has poison, switch, atomicrmw, extractelement, masked loads and stores, the remaining casts and loop annotations;
fcmp and select take vectors."
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    AnyFloatConstr,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    LLVM,
    FastMathAttr,
    GenericCastOp,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure

from ..new_op import new_op


@irdl_attr_definition
class LoopUnrollAttr(ParametrizedAttribute):
    """How a loop may be unrolled: `#llvm.loop_unroll<disable = true>`."""

    name = "llvm.loop_unroll"

    disable: BoolAttr

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"disable = {'true' if self.disable.value.data else 'false'}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_characters("disable")
            parser.parse_punctuation("=")
            return (BoolAttr.from_bool(parser.parse_boolean()),)


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """The `!llvm.loop` metadata of a latch: `#llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>`."""

    name = "llvm.loop_annotation"

    unroll: LoopUnrollAttr | NoneAttr

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if isinstance(self.unroll, LoopUnrollAttr):
                printer.print_string("unroll = ")
                self.unroll.print_parameters(printer)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            if parser.parse_optional_keyword("unroll") is None:
                return (NoneAttr(),)
            parser.parse_punctuation("=")
            return (LoopUnrollAttr.new(LoopUnrollAttr.parse_parameters(parser)),)


NO_UNROLL = LoopAnnotationAttr(LoopUnrollAttr(BoolAttr.from_bool(True)))


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """A poison value of any LLVM type."""

    name = "llvm.mlir.poison"
    res = result_def(AnyAttr())
    traits = traits_def(NoMemoryEffect())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class FPToSIOp(GenericCastOp):
    """Rounds toward zero; out of range gives poison."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(GenericCastOp):
    """Rounds toward zero; out of range gives poison."""

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(GenericCastOp):
    """Converts an unsigned integer, rounding to nearest even."""

    name = "llvm.uitofp"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One element of a 1-D vector."""

    name = "llvm.extractelement"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)

    traits = traits_def(NoMemoryEffect())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """Compares floats or vectors of floats; the predicate is numbered as in `arith.cmpf`."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(I1 | VectorType[I1])
    predicate = prop_def(IntegerAttr)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($res)"


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Chooses between two values, or element-wise between two vectors."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(I1 | VectorType[I1])
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Reads a value from memory; `nontemporal` bypasses the caches."""

    name = "llvm.load"

    addr = operand_def(LLVMPointerType)
    res = result_def(AnyAttr())
    alignment = opt_prop_def(IntegerAttr[IntegerType])
    ordering = prop_def(IntegerAttr[IntegerType], default_value=IntegerAttr(0, i64))
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr attr-dict `:` type($addr) `->` type($res)"


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Changes a value in memory at once and gives the one before; `bin_op` 0 puts another one there, 1 adds one."""

    name = "llvm.atomicrmw"

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    res = result_def(T)
    bin_op = prop_def(IntegerAttr[IntegerType])
    ordering = prop_def(IntegerAttr[IntegerType])
    alignment = opt_prop_def(IntegerAttr[IntegerType])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $val attr-dict `:` type($ptr) `,` type($val)"


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """Reads the lanes whose mask is set; the others come from the pass-through vector."""

    name = "llvm.intr.masked.load"

    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    pass_thru = var_operand_def(VectorType)
    res = result_def(VectorType)
    alignment = prop_def(IntegerAttr[I32])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$data `,` $mask `,` $pass_thru attr-dict `:` type($data) `,` type($mask) `,` type($pass_thru) `->` type($res)"
    )


@irdl_op_definition
class MaskedStoreOp(IRDLOperation):
    """Writes the lanes whose mask is set."""

    name = "llvm.intr.masked.store"

    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    alignment = prop_def(IntegerAttr[I32])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"


@irdl_op_definition
class CondBrOp(IRDLOperation):
    """Branches on a bit; a loop's latch may carry an annotation."""

    name = "llvm.cond_br"

    cond = operand_def(i1)
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    loop_annotation = opt_prop_def(LoopAnnotationAttr)

    then_block = successor_def()
    else_block = successor_def()

    traits = traits_def(IsTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$cond `,` $then_block (`(` $then_arguments^ `:` type($then_arguments) `)`)? `,`"
        " $else_block (`(` $else_arguments^ `:` type($else_arguments) `)`)? attr-dict"
    )

    @staticmethod
    def build_branch(
        cond: SSAValue,
        then_block: Block,
        then_arguments: Sequence[SSAValue],
        else_block: Block,
        else_arguments: Sequence[SSAValue],
        annotation: LoopAnnotationAttr | None = None,
    ) -> CondBrOp:
        """Builds the branch without the checks of the generic constructor."""
        properties: dict[str, Attribute] = {
            "operandSegmentSizes": _branch_segments(len(then_arguments), len(else_arguments))
        }
        if annotation is not None:
            properties["loop_annotation"] = annotation
        return new_op(
            CondBrOp,
            operands=[cond, *then_arguments, *else_arguments],
            properties=properties,
            successors=[then_block, else_block],
        )


@cache
def _branch_segments(then: int, other: int) -> DenseArrayBase:
    """Returns the numbers of operands of a branch; attributes are immutable, so equal ones are made once."""
    return DenseArrayBase.from_list(i32, [1, then, other])


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """Branches to the block whose case equals the value, else to the default block."""

    name = "llvm.switch"

    value = operand_def(SignlessIntegerConstraint)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))

    default_destination = successor_def()
    case_destinations = var_successor_def()

    traits = traits_def(IsTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @staticmethod
    def build_switch(value: SSAValue, default: Block, cases: Sequence[int], blocks: Sequence[Block]) -> SwitchOp:
        """Builds a switch that passes no block arguments."""
        properties: dict[str, Attribute] = {
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 0]),
            "case_operand_segments": DenseArrayBase.from_list(i32, [0] * len(cases)),
        }
        if cases:
            properties["case_values"] = DenseIntOrFPElementsAttr.from_list(
                VectorType(value.type, [len(cases)]),  # pyright: ignore
                list(cases),
            )
        return SwitchOp.create(operands=[value], properties=properties, successors=[default, *blocks])


ADDED_OPS: tuple[type[Operation], ...] = (
    PoisonOp,
    FPToSIOp,
    FPToUIOp,
    UIToFPOp,
    ExtractElementOp,
    FCmpOp,
    SelectOp,
    LoadOp,
    AtomicRMWOp,
    MaskedLoadOp,
    MaskedStoreOp,
    CondBrOp,
    SwitchOp,
)
_ADDED_NAMES = {op.name for op in ADDED_OPS}

EXTENDED_LLVM = Dialect(
    "llvm",
    [*(op for op in LLVM.operations if op.name not in _ADDED_NAMES), *ADDED_OPS],
    [*LLVM.attributes, LoopUnrollAttr, LoopAnnotationAttr],
)
