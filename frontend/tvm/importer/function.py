"""TVM Relax to the dialect: functions, blocks, bindings and expressions. `module.py` tells the form of the result."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import tvm
from tvm import relax
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
    UnknownLoc,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.attrs import ObjectType, ShapeType
from ....dialects.relax.dense import dense_from_numpy
from ....dialects.relax.dtypes import numpy_dtype
from ....dialects.relax.ops.core import (
    CallPackedOp,
    ConstantOp,
    MatchCastOp,
    ShapeOp,
)
from ....dialects.relax.ops.shape import SymbolValueOp
from ....dialects.relax.ops.unary import AsTypeOp
from ....dialects.relax.symbol_ranges import drop_stale_ranges
from ....dialects.relax.vocabulary.attributes import NAME
from ..attributes import function_attributes
from ..constants import constant_value
from ..diagnostics import Unsupported
from ..types import ImportScope, element_of, identifier, key
from ..vdevices import ImportDevices
from ..vocabulary import ALIAS, CALLABLE, FUNCTION, IMPLICIT, OP, PACKED, PRIM, RESULT_SIZES, SHAPE, SIZES
from .calls import import_call
from .context import ImportState, Results, Value


def _has_unknown_rank(ty: Any) -> bool:
    return isinstance(ty, relax.ShapeType) and ty.values is None and ty.ndim < 0


def parameter_type(scope: ImportScope, parameter: Any) -> Attribute:
    """Returns the type of a parameter; a scalar size is a symbol from here on, a shape of unknown rank an object until it is cast."""
    if _has_unknown_rank(parameter.ty):
        return ObjectType()
    if isinstance(parameter.ty, tvm.ir.PrimType) and str(parameter.ty.dtype) == "int64":
        return ShapeType((scope.symbol(parameter),))
    return scope.type(parameter.ty)


class FunctionImporter:
    """Imports one function."""

    def __init__(self, module: ImportState, name: str, function: Any):
        self.module = module
        self.name = name
        self.function = function
        self.signature = module.signatures[name]
        self.scope = self.signature.scope
        self.env: dict[int, Value] = {}
        self.block = Block(arg_types=self.signature.inputs)
        self.builder = BlockBuilder(self.block, location=UnknownLoc())

    def run(self) -> func.FuncOp:
        """Returns the function; what has no counterpart is noted."""
        signature, function = self.signature, self.function
        for arg, parameter in zip(self.block.args, function.params, strict=True):
            arg.name_hint = identifier(parameter.name, "arg")
            self.env[key(parameter)] = self.cast(arg, parameter_type(self.scope, parameter), "refines")
        value, alias = self._sequence(function.body)
        value = self.cast(self.cast(value, signature.declared), signature.output, "erases")
        self.builder.insert(func.ReturnOp(value))
        _set_alias(self.block, [alias])
        made = func.FuncOp(
            self.name,
            FunctionType.from_lists(signature.inputs, [signature.output]),
            Region(self.block),
            arg_attrs=ArrayAttr([DictionaryAttr(attrs) for attrs in self._argument_attributes()]),
        )
        attributes = (
            self.module.attempt(self.name, "attributes", lambda: function_attributes(function, self.name)) or {}
        )
        if "sym_visibility" in attributes:
            made.sym_visibility = StringAttr("private")
            del attributes["sym_visibility"]
        made.attributes.update(attributes)
        # TVM takes bounds of variables that the function does not have.
        drop_stale_ranges(made)
        forms = self.scope.forms()
        if forms:
            made.attributes[SIZES] = DictionaryAttr(forms)
        writing = self.scope.writing(function.ret_ty)
        if writing is not None:
            made.attributes[RESULT_SIZES] = writing
        return made

    def _argument_attributes(self) -> list[dict[str, Attribute]]:
        # The attributes hold what the types of the dialect cannot, so that the export writes the parameter as it was.
        count = self.function.attrs.get("num_input") if self.function.attrs else None
        attributes: list[dict[str, Attribute]] = []
        for index, parameter in enumerate(self.function.params):
            entry: dict[str, Attribute] = {}
            if (count is not None and index >= int(count)) or identifier(parameter.name, "arg") != parameter.name:
                entry |= NAME.entry(parameter.name)
            if isinstance(parameter.ty, tvm.ir.PrimType) and str(parameter.ty.dtype) == "int64":
                entry[PRIM] = UnitAttr()
            if _has_unknown_rank(parameter.ty):
                entry[SHAPE] = UnitAttr()
            if isinstance(parameter.ty, relax.FuncType):
                entry[CALLABLE] = (
                    self.attempt(parameter.name, lambda p=parameter: _callable(p.ty, self.module.devices)) or UnitAttr()
                )
            writing = self.scope.writing(parameter.ty)
            if writing is not None and PRIM not in entry:
                entry[SIZES] = writing
            attributes.append(entry)
        return attributes

    def attempt(self, what: str, action: Callable[[], Any]) -> Any:
        """Returns the result of an action, `None` after noting why it failed."""
        return self.module.attempt(self.name, what, action)

    # Blocks.

    def _sequence(self, expression: Any) -> tuple[SSAValue, str]:
        """Imports a sequence; returns its value, and the name under which the last binding repeats it."""
        if not isinstance(expression, relax.SeqExpr):
            return self.value(expression), ""
        for block in expression.blocks:
            if isinstance(block, relax.DataflowBlock):
                self._dataflow(block)
            else:
                for binding in block.bindings:
                    self._binding(binding)
        body, last = expression.body, None
        if expression.blocks and not isinstance(expression.blocks[-1], relax.DataflowBlock):
            last = expression.blocks[-1].bindings[-1] if len(expression.blocks[-1].bindings) else None
        repeats = last is not None and _is_alias(last) and key(last.var) == key(body)
        return self.value(body), identifier(body.name, "v") if repeats else ""

    def _dataflow(self, block: Any) -> None:
        with self._inside(self.builder.dataflow()) as inner:
            for binding in block.bindings:
                self._binding(binding)
            leaving = [binding for binding in block.bindings if not isinstance(binding.var, relax.DataflowVar)]
            values = [self.value(binding.var) for binding in leaving]
        names = [identifier(binding.var.name, "v") for binding in leaving]
        results = Results.of(inner.output(*values, name=names))
        _set_alias(inner.block, [name if _is_alias(b) else "" for b, name in zip(leaving, names, strict=True)])
        for binding, result in zip(leaving, results.values, strict=True):
            self.env[key(binding.var)] = result

    @contextmanager
    def _inside(self, builder: BlockBuilder) -> Generator[Any, None, None]:
        """Imports what follows into another block."""
        outer, self.builder = self.builder, builder
        try:
            yield builder
        finally:
            self.builder = outer

    def _binding(self, binding: Any) -> None:
        """Imports a binding; a variable whose value has no counterpart gets one, so that the rest is looked at as well."""
        variable, value = binding.var, binding.value
        result = self.attempt(_describe(value), lambda: self._bound(binding))
        if result is None:
            result = self._placeholder(variable)
        self.env[key(variable)] = result
        if isinstance(result, SSAValue) and result.name_hint is None:
            result.name_hint = identifier(variable.name, "v")
        if isinstance(binding, relax.MatchCast) or not isinstance(value, tvm.ir.Var):
            self._keep_writing(result, variable.ty)

    def _keep_writing(self, value: Value, ty: Any) -> None:
        """Notes on the op that made a value how the type of its variable is written."""
        writing = self.scope.writing(ty)
        values = value.values if isinstance(value, Results) else (value,)
        if writing is None or not values or not isinstance(op := values[0].owner, Operation) or PRIM in op.attributes:
            return
        if op.results == values:
            op.attributes[SIZES] = writing

    def _placeholder(self, variable: Any) -> SSAValue:
        placeholder_type = self.attempt(variable.name, lambda: self.scope.type(variable.ty)) or ObjectType()
        return self.builder.call_packed(result_types=[placeholder_type], callee="unsupported")

    def _bound(self, binding: Any) -> Value:
        # The class of a value decides how it is imported; a scalar size defines a symbol as well.
        variable, value = binding.var, binding.value
        if isinstance(binding, relax.MatchCast):
            target = self.scope.type(binding.ty)
            return self.builder.match_cast(self.value(value), target)
        match value:
            case tvm.ir.Var() if key(value) in self.env:
                return self.env[key(value)]
            case relax.If():
                return self._if(value, self.scope.type(variable.ty))
            case tvm.ir.TupleGetItem():
                return self._tuple_get_item(value)
            case tvm.ir.Call() if _is_imported(value):
                return import_call(self, value, variable.ty)
            case relax.Function():
                raise Unsupported("a function inside of a function")
            case _ if isinstance(value.ty, tvm.ir.PrimType) and str(value.ty.dtype) == "int64":
                self.scope.define(variable, self.scope.dim(value))
                return self.value(value)
            case _:
                return self.value(value)

    def _tuple_get_item(self, expression: Any) -> SSAValue:
        source = expression.tuple_value
        value = self.env[key(source)] if isinstance(source, tvm.ir.Var) else self.value(source)
        index = int(expression.index)
        if isinstance(value, Results):
            if index >= value.taken and self._is_next(value):
                value.taken = index + 1
                return value.values[index]
            value = self.pack(value)
        return self.builder.tuple_get_item(value, index=index)

    def _is_next(self, results: Results) -> bool:
        """Returns whether nothing stands between an op and the reading of its results."""
        block = self.builder.block
        return bool(results.values) and block.last_op is results.values[0].owner

    def _if(self, expression: Any, result_type: Attribute) -> SSAValue:
        aliases: list[str] = []

        def importing(branch: Any) -> Callable[[BlockBuilder], SSAValue]:
            def write(inner: BlockBuilder) -> SSAValue:
                with self._inside(inner):
                    value, alias = self._sequence(branch)
                    aliases.append(alias)
                    return self.cast(value, result_type)

            return write

        branches = importing(expression.true_branch), importing(expression.false_branch)
        result = self.builder.if_(self.value(expression.cond), *branches)
        for region, alias in zip(result.owner.regions, aliases, strict=True):
            _set_alias(region.block, [alias])
        return result

    # Values.

    def cast(self, value: SSAValue, wanted: Attribute, reason: str = "forgets") -> SSAValue:
        """Returns a value as one of another type, by a cast that has no counterpart in Relax: `vocabulary.IMPLICIT`."""
        if value.type == wanted:
            return value
        attributes = {IMPLICIT: StringAttr(reason)}
        return self.builder.op(MatchCastOp, value, result_types=[wanted], attributes=attributes, name=value.name_hint)

    def pack(self, value: Value) -> SSAValue:
        """Returns a value as one SSA value; several results of an op become a tuple."""
        if isinstance(value, SSAValue):
            return value
        return self.builder.tuple(*value.values, attributes={PACKED: UnitAttr()})

    def value(self, expression: Any) -> SSAValue:
        """Returns the value of an expression that may stand as an argument."""
        # Every class of expression without bindings has a case; what is no value in the dialect is refused with its text.
        match expression:
            case tvm.ir.Var():
                bound = self.env.get(key(expression))
                return self._size(expression) if bound is None else self.pack(bound)
            case tvm.ir.GenericConst():
                if not isinstance(expression.value, tvm.runtime.Tensor):
                    raise Unsupported(f"{_describe(expression)} as a value")
                return self.builder.op(ConstantOp, value=constant_value(expression.value))
            case relax.ShapeExpr():
                return self.builder.shape(*map(self.scope.dim, expression.values))
            case tvm.ir.Tuple():
                return self.builder.tuple(*map(self.value, expression.fields))
            case tvm.ir.TupleGetItem():
                return self._tuple_get_item(expression)
            case tvm.ir.GlobalVar():
                return self._function(expression.name_hint)
            case relax.ExternFunc():
                return self._function_value(StringAttr(str(expression.global_symbol)))
            case tvm.ir.Call() if _is_imported(expression):
                return self.pack(import_call(self, expression, expression.ty))
            case _ if isinstance(getattr(expression, "ty", None), tvm.ir.PrimType):
                return self._scalar(expression)
            case _:
                raise Unsupported(f"expression {_describe(expression)} ({type(expression).__name__})")

    def _scalar(self, expression: Any) -> SSAValue:
        dtype = str(expression.ty.dtype)
        if dtype == "int64":
            return self._size(expression)
        if dtype == "bool" and not isinstance(expression, tvm.tirx.IntImm):
            return self._condition(expression)
        return self.number(expression)

    def _condition(self, expression: Any) -> SSAValue:
        """Returns a condition on sizes as a tensor of rank 0; as a size it is 1 or 0."""
        marks: dict[str, Attribute] = {PRIM: UnitAttr()}
        number = self.builder.op(SymbolValueOp, self._size(expression), index=0, attributes=marks)
        return self.builder.op(AsTypeOp, number, dtype=i1, attributes=marks)

    def _function(self, name: str) -> SSAValue:
        """Returns a function of the module as a value."""
        if name not in self.module.signatures and name not in self.module.kernels.kernels:
            raise Unsupported(f"@{name} is not an imported function")
        return self._function_value(SymbolRefAttr(name))

    def _function_value(self, name: SymbolRefAttr | StringAttr) -> SSAValue:
        """Returns a function as a value: one of the module, or one outside of it, whose name is a string."""
        return self.builder.op(
            CallPackedOp,
            result_types=[ObjectType()],
            attributes={OP: DictionaryAttr({FUNCTION: name})},
            callee=FUNCTION,
            pure=True,
        )

    def number(self, expression: Any) -> SSAValue:
        """Returns a literal number as a scalar."""
        element = element_of(expression.ty)
        match type(expression).__name__:
            case "IntImm":
                return self.builder.insert(arith.ConstantOp(IntegerAttr(int(expression.value), element)))  # pyright: ignore[reportArgumentType]
            case "FloatImm":
                return self.builder.insert(arith.ConstantOp(FloatAttr(float(expression.value), element)))  # pyright: ignore[reportArgumentType]
            case _:
                raise Unsupported(f"scalar expression {_describe(expression)}")

    def tensor(self, expression: Any) -> SSAValue:
        """Returns the value of an operand of an op on tensors, where Relax takes a number as well; the number is a tensor of rank 0."""
        ty = getattr(expression, "ty", None)
        if not isinstance(ty, tvm.ir.PrimType):
            return self.value(expression)
        marks: dict[str, Attribute] = {PRIM: UnitAttr()}
        is_literal = isinstance(expression, tvm.tirx.IntImm | tvm.tirx.FloatImm)
        value = None if is_literal else self.value(expression)
        if value is None or isinstance(value.owner, arith.ConstantOp):
            literal = expression if value is None else value.owner.value.value  # pyright: ignore[reportAttributeAccessIssue]
            number = literal.value if value is None else literal.data
            element = element_of(ty)
            constant = dense_from_numpy(np.array(number, numpy_dtype(element)), element)
            if isinstance(number, float):
                marks = {PRIM: FloatAttr(number, f64)}
            return self.builder.op(ConstantOp, value=constant, attributes=marks)
        if isinstance(value.type, ShapeType):
            return self.builder.op(SymbolValueOp, value, index=0, attributes=marks)
        raise Unsupported(f"scalar {_describe(expression)} as an operand")

    def _size(self, expression: Any) -> SSAValue:
        types = [ShapeType((self.scope.dim(expression),))]
        return self.builder.op(ShapeOp, result_types=types, attributes={PRIM: UnitAttr()})

    def fields(self, expression: Any) -> list[SSAValue]:
        """Returns the fields of a tuple argument."""
        if isinstance(expression, tvm.ir.Tuple):
            return [self.value(item) for item in expression.fields]
        value = self.env[key(expression)] if isinstance(expression, tvm.ir.Var) else self.value(expression)
        if isinstance(value, Results):
            if not value.taken:
                return list(value.values)
            value = self.pack(value)
        if not isinstance(value.type, TupleType):
            raise Unsupported(f"argument {_describe(expression)} is not a tuple")
        count = len(value.type.types.data)
        return [self.builder.tuple_get_item(value, index=index) for index in range(count)]

    def result_types(self, ty: Any) -> list[Attribute]:
        """Returns the types of the results of an op whose value has a Relax type; a tuple is several results."""
        if isinstance(ty, tvm.ir.TupleType):
            return [self.scope.type(field) for field in ty.fields]
        return [self.scope.type(ty)]


def _callable(ty: Any, devices: ImportDevices) -> Attribute:
    """Returns the attribute that keeps the type of a function-valued parameter."""
    scope = ImportScope(devices)

    def item(field: Any) -> Attribute:
        prim = isinstance(field, tvm.ir.PrimType)
        return (
            i64
            if prim and str(field.dtype) == "int64"
            else f64
            if prim and "float64" in str(field.dtype)
            else scope.type(field)
        )

    purity = StringAttr("pure" if ty.purity else "impure")
    if ty.params is None:
        return ArrayAttr([purity])
    return ArrayAttr([purity, FunctionType.from_lists([item(field) for field in ty.params], [item(ty.ret)])])


def _is_imported(call: Any) -> bool:
    """Returns whether a call is one of Relax; any other one is part of a size."""
    return not isinstance(call.ty, tvm.ir.PrimType) or isinstance(call.op, tvm.ir.GlobalVar | relax.ExternFunc)


def _is_alias(binding: Any) -> bool:
    return isinstance(binding, relax.VarBinding) and isinstance(binding.value, tvm.ir.Var)


def _set_alias(block: Block, names: Sequence[str]) -> None:
    """Notes on the terminator of a block which of its values repeat others, under which names."""
    if any(names) and block.last_op is not None:
        block.last_op.attributes[ALIAS] = ArrayAttr([StringAttr(name) for name in names])


def _describe(expression: Any) -> str:
    text = " ".join(str(expression).split()) if not isinstance(expression, relax.If) else "if"
    return text if len(text) <= 80 else f"{text[:77]}..."
