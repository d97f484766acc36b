"""Calls of Python: the declarations that stand for packed functions and closures, and where what they lend is given back.

An object is a handle of type i64. A packed function that returns one tensor lends its memory (`relax.borrowed`): the caller reads it
where it is, and gives it back after the last use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    LocationAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.relax.attrs import ObjectType, ShapeType, dims_of
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.ops import core
from ...dialects.relax.vocabulary.attribute_name import Tree
from ...dialects.relax.vocabulary.attributes import (
    ARGUMENTS,
    BORROWED,
    DESTINATION_PASSING,
    ELEMENT_TYPES,
    OPAQUE,
    PACKED,
    RESULT_SIZES,
    RUNTIME_FUNCTION,
)
from ...dialects.relax.vocabulary.symbols import PACKED_FUNCTION, RUNTIME_CALL, SymbolNames
from ...dialects.symbolic.expressions import Dim
from ...dialects.upstream.positions import located
from ...dialects.walks import ops_inside
from ..emit.constructors import call
from .builder import LoweringError

HANDLE = i64
"""What an object becomes."""

PackedOp = (
    core.CallPackedOp
    | core.CallDPSPackedOp
    | core.InvokeClosureOp
    | core.InvokePureClosureOp
    | core.MatchCastOp
    | core.NullValueOp
)


def callee_of(op: PackedOp) -> dict[str, Attribute]:
    """Returns what says on a declaration which function an op calls, and with what."""
    counter = count()
    values = [_grouped(operand.type, counter) for operand in op.operands]
    match op:
        case core.CallPackedOp() | core.CallDPSPackedOp():
            name, arguments = PACKED.entry(op.callee.data), op.passed(values)
        case core.InvokeClosureOp() | core.InvokePureClosureOp():
            name, arguments = RUNTIME_FUNCTION.entry("invoke_closure"), [values[0], *op.passed(values[1:])]
        case core.NullValueOp():
            name, arguments = RUNTIME_FUNCTION.entry("null_value"), values
        case core.MatchCastOp():
            element_type = _element_types(op.result.type)[0]
            name, arguments = RUNTIME_FUNCTION.entry("tensor_of_object"), [*values, element_type]
    is_flat = arguments == list(range(next(counter)))
    return name if is_flat else {**name, **ARGUMENTS.entry(tuple(arguments))}


def _grouped(value_type: Attribute, positions: Iterator[int]) -> Tree:
    """Returns what Python gets of an argument: its leaf, or a tuple of them."""
    match value_type:
        case ShapeType():
            return tuple(next(positions) for _ in value_type.data)
        case TupleType():
            return tuple(_grouped(field, positions) for field in value_type.types.data)
        case _:
            return next(positions)


def result_dims(value_type: Attribute) -> Sequence[Dim]:
    """Returns the dims of a result of a packed function."""
    if isinstance(value_type, TensorType):
        return dims_of(value_type) or ()
    if isinstance(value_type, ShapeType | TupleType):
        raise LoweringError(f"its result must be a tensor, a scalar or an object, got {value_type}")
    return ()


def _element_types(value_type: Attribute) -> list[str]:
    """Returns what Python sees of each leaf of a type: `object`, `index` for a size, or the name of its element type."""
    match value_type:
        case ObjectType():
            return ["object"]
        case ShapeType():
            return ["index"] * len(value_type.data)
        case TupleType():
            return [name for field in value_type.types.data for name in _element_types(field)]
        case TensorType():
            return [numpy_dtype(value_type.element_type).name]
        case _:
            return [numpy_dtype(value_type).name]


class PackedDeclarations:
    """The private declarations of the packed functions that a module calls, one per name, type and place in the source."""

    def __init__(self, symbols: SymbolNames) -> None:
        self.declarations: dict[tuple[object, ...], func.FuncOp] = {}
        self._symbols = symbols

    def call(
        self,
        op: PackedOp,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        devices: tuple[ArrayAttr[DictionaryAttr] | None, ArrayAttr[DictionaryAttr] | None],
    ) -> func.CallOp:
        """Returns the call; `operands` and `results` are lowered, the sizes of the dynamic dims of results stand last in `operands`.

        `devices` are the attributes of arguments and of results that tell where tensors live.
        """
        tensors = sum(isinstance(result_type, TensorType) for result_type in results)
        if tensors != len(results) and len(results) > 1:
            raise LoweringError("it must return tensors, or one scalar or object")
        dps = isinstance(op, core.CallDPSPackedOp)
        attributes: dict[str, Attribute] = {}
        if dps:
            attributes |= DESTINATION_PASSING.entry()
        elif tensors == 1 and devices[1] is None:
            attributes |= BORROWED.entry()
        attributes |= callee_of(op)
        reason = OPAQUE.of(op)
        if reason is not None:
            attributes |= OPAQUE.entry(reason)
        sizes = sum(not isinstance(dim, int) for result in op.results for dim in result_dims(result.type))
        types = [name for value in (*op.operands, *op.results) for name in _element_types(value.type)]
        attributes |= RESULT_SIZES.entry(sizes)
        return self._call(operands, results, types, attributes, devices, op.location)

    def _call(
        self,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        element_types: Sequence[str],
        attributes: dict[str, Attribute],
        devices: tuple[ArrayAttr[DictionaryAttr] | None, ArrayAttr[DictionaryAttr] | None] = (None, None),
        location: LocationAttr | None = None,
    ) -> func.CallOp:
        function_type = FunctionType.from_lists([value.type for value in operands], results)
        attributes = {**attributes, **ELEMENT_TYPES.entry(tuple(element_types))}
        place = "" if location is None else located(location, "")
        key = (function_type, place, *attributes.items(), *devices)
        if key not in self.declarations:
            packed = PACKED.of(attributes)
            stem = (
                RUNTIME_CALL.format(RUNTIME_FUNCTION.of(attributes))
                if packed is None
                else PACKED_FUNCTION.format(packed)
            )
            declaration = func.FuncOp(
                self._symbols.fresh(stem),
                function_type,
                Region(),
                "private",
                arg_attrs=devices[0],
                res_attrs=devices[1],
            )
            if location is not None:
                declaration.location = location
            declaration.attributes.update(attributes)
            self.declarations[key] = declaration
        declaration = self.declarations[key]
        new = call(SymbolRefAttr(declaration.sym_name), operands, results)
        if BORROWED.is_on(attributes):
            BORROWED.set(new)
        return new

    def release_after_last_use(self, function: func.FuncOp) -> None:
        """Gives back what Python functions have lent to a function, where only calls in the same block read it."""
        lenders = {
            declaration.sym_name.data: (ELEMENT_TYPES.of(declaration) or ("object",))[-1]
            for declaration in self.declarations.values()
            if BORROWED.is_on(declaration) or list(declaration.function_type.outputs.data) == [HANDLE]
        }
        for op in ops_inside(function):
            if not isinstance(op, func.CallOp) or op.callee.string_value() not in lenders:
                continue
            element_type = lenders[op.callee.string_value()]
            (value,) = op.results
            if isinstance(value.type, TensorType) or element_type == "object":
                self._release(value, element_type, op)

    def _release(self, value: SSAValue, element_type: str, lender: func.CallOp) -> None:
        block = lender.parent
        users = [use.operation for use in value.uses]
        is_object = not isinstance(value.type, TensorType)
        if block is None or not all(self._is_call(user, block, is_object) for user in users):
            return
        last = max(users, key=block.get_operation_index, default=lender)
        block.insert_op_after(self._call([value], [], [element_type], RUNTIME_FUNCTION.entry("release")), last)

    def _is_call(self, user: Operation, block: Block, of_python: bool) -> bool:
        """Returns whether an op is a call in a block; with `of_python`, one of Python, as others could return the handle that they get."""
        if not isinstance(user, func.CallOp) or user.parent is not block:
            return False
        return not of_python or user.callee.string_value() in {
            declaration.sym_name.data for declaration in self.declarations.values()
        }
