"""The dialect to TVM Relax: functions, blocks and bindings; the inverse of `importer/function.py`.

A constant, shape or tuple with a name becomes a binding of its own, one without a name stands where it is used.
"""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm
from tvm import relax
from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    TupleType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from ....dialects.relax.attrs import ShapeType
from ....dialects.relax.dense import dense_to_numpy
from ....dialects.relax.function_signature import is_private
from ....dialects.relax.ops.core import (
    ConstantOp,
    DataflowOp,
    InvokeClosureOp,
    InvokePureClosureOp,
    MatchCastOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from ....dialects.relax.vocabulary.attributes import NAME
from ....dialects.symbolic.expressions import Symbol
from ....passes.rewriting.kernel_functions import is_kernel
from ..attributes import relax_attributes
from ..constants import constant_expression
from ..diagnostics import Unsupported
from ..types import ExportScope, dtype_of
from ..vocabulary import CALLABLE, FORCE_PURE, IMPLICIT, PACKED, PRIM, PURE, RESULT_SIZES, SHAPE, SIZES
from .context import ExportState
from .ops import export_op, tuple_operands
from .values import TUPLES, aliases, items, maker, refined, root, writing

_MARKS = frozenset({PRIM, PACKED})


class FunctionExporter:
    """Exports one function."""

    def __init__(self, module: ExportState, function: func.FuncOp, is_pure: bool):
        self.module = module
        self.function = function
        declared = function.attributes.get(PURE)
        self.is_pure = is_pure or FORCE_PURE in function.attributes
        if isinstance(declared, IntegerAttr):
            self.is_pure = bool(declared.value.data)
        self.scope = ExportScope(function.attributes.get(SIZES), module.devices)
        self.env: dict[SSAValue, Any] = {}
        self.tuples: dict[Operation, Any] = {}
        self.blocks: list[Any] = []
        self.bindings: list[Any] = []
        self.leaving: set[SSAValue] | None = None
        """Inside of a dataflow block, the values that leave it under their own variable."""

    def run(self) -> Any:
        """Returns the Relax function, `None` after noting why there is none."""
        name = self.function.sym_name.data
        if not self.function.body.blocks:
            self.module.problems.append(f"@{name}: a function without a body")
            return None
        if is_kernel(self.function) and any(op.dialect_name() == "linalg" for op in self.function.walk()):
            self.note("a kernel on linalg; relax-fuse-ops{inline_kernels=false} keeps the calls of kernels")
            return None
        try:
            params = self._parameters()
            block = self.function.body.block
            body = self._sequence(block)
            returned = self._returned_types(block)
            result = returned[0] if len(returned) == 1 else TupleType(returned)
            attributes = relax_attributes(self.function, is_private(self.function))
            declared = self.scope.type(result, writing(self.function.attributes.get(RESULT_SIZES)))
            return relax.Function(params, body, declared, self.is_pure, tvm.ir.make_node("ir.DictAttrs", **attributes))
        except Unsupported as error:
            self.note(str(error))
            return None

    def _returned_types(self, block: Block) -> list[Attribute]:
        types = list(self.function.function_type.outputs.data)
        if (
            len(types) == 1
            and block.last_op is not None
            and isinstance(cast := block.last_op.operands[0].owner, MatchCastOp)
        ):
            if cast.attributes.get(IMPLICIT) == StringAttr("erases"):
                return [cast.input.type]
        return types

    def note(self, problem: str) -> None:
        """Notes what has no counterpart."""
        self.module.problems.append(f"@{self.function.sym_name.data}: {problem}")

    def _parameters(self) -> list[Any]:
        entries = self.function.arg_attrs.data if self.function.arg_attrs is not None else ()
        attributes = [entry.data for entry in entries] or [{} for _ in self.function.body.block.args]
        args = self.function.body.block.args
        for arg, entry in zip(args, attributes, strict=True):
            if PRIM in entry and isinstance(arg.type, ShapeType) and isinstance(arg.type.data[0], Symbol):
                variable = tvm.tirx.Var(_parameter_name(arg, entry), "int64")
                self.scope.bind(arg.type.data[0].name, variable)
                self.env[arg] = variable
        for arg, entry in zip(args, attributes, strict=True):
            if arg not in self.env:
                self.env[arg] = tvm.ir.Var(_parameter_name(arg, entry), self._parameter_type(arg, entry))
        return [self.env[arg] for arg in args]

    def _parameter_type(self, arg: BlockArgument, attributes: Any) -> Any:
        if SHAPE in attributes:
            return relax.ShapeType(ndim=-1)
        if CALLABLE in attributes:
            return _callable(self.scope, attributes[CALLABLE])
        for use in arg.uses:
            if isinstance(use.operation, InvokeClosureOp | InvokePureClosureOp) and use.index == 0:
                return _called_type(use.operation)
        return self.scope.type(refined(arg).type, writing(attributes.get(SIZES)))

    # Blocks.

    def _sequence(self, block: Block) -> Any:
        """Returns the body of a function or a branch."""
        outer = self.blocks, self.bindings
        self.blocks, self.bindings = [], []
        terminator = self._ops(block)
        values = terminator.operands
        body = self.expression(values[0]) if len(values) == 1 else tvm.ir.Tuple([self.expression(v) for v in values])
        for name in aliases(terminator):
            if name and len(values) == 1:
                variable = tvm.ir.Var(name, self._assignable(self.scope.type(root(values[0]).type), body))
                self.bindings.append(relax.VarBinding(variable, body))
                body = variable
        self._flush()
        made = relax.SeqExpr(self.blocks, body)
        self.blocks, self.bindings = outer
        return made

    def _flush(self) -> None:
        if self.bindings:
            self.blocks.append(relax.BindingBlock(self.bindings))
        self.bindings = []

    def _ops(self, block: Block) -> Operation:
        """Exports the ops of a block; returns its terminator."""
        for op in block.ops:
            if op.next_op is None:
                return op
            try:
                if isinstance(op, DataflowOp):
                    self._dataflow(op)
                elif not self._structure(op):
                    export_op(self, op)
            except Unsupported as error:
                self.note(f"{op.name}: {error}")
                for result in op.results:
                    self.env[result] = tvm.ir.Var("unsupported", relax.AnyType())
        raise Unsupported("a block without a terminator")

    def _dataflow(self, op: DataflowOp) -> None:
        # `leaving` holds the values whose variables other blocks see; a value that leaves twice, or under an alias, is bound again.
        self._flush()
        output = op.output
        names = aliases(output)
        self.leaving = set()
        direct: list[bool] = []
        for index, value in enumerate(output.values):
            source = root(value)
            inner = self._is_bound(source) and source not in self.leaving and not (names and names[index])
            direct.append(inner)
            if inner:
                self.leaving.add(source)
        self._ops(op.body.block)
        for index, (value, result) in enumerate(zip(output.values, op.outputs, strict=True)):
            expression = self.expression(value)
            if not direct[index]:
                name = (names[index] if names else "") or result.name_hint or "gv"
                variable = tvm.ir.Var(name, self._assignable(self.scope.type(result.type), expression))
                self.bindings.append(relax.VarBinding(variable, expression))
                expression = variable
            self.env[result] = expression
        self.leaving = None
        self.blocks.append(relax.DataflowBlock(self.bindings))
        self.bindings = []

    def _is_bound(self, value: SSAValue) -> bool:
        """Returns whether a value gets a variable in the dataflow block where it is made."""
        owner = value.owner
        if not isinstance(owner, Operation) or not isinstance(owner.parent_op(), DataflowOp):
            return False
        if isinstance(owner, TupleOp):
            return value.name_hint is not None or self._source(owner) is not None
        return value.name_hint is not None or not isinstance(owner, ConstantOp | ShapeOp | arith.ConstantOp)

    # Bindings.

    def type_of(self, value: SSAValue) -> Any:
        """Returns the type of a value in Relax."""
        value = refined(value)
        if not isinstance(value, OpResult):
            return self.scope.type(value.type)
        whole = self.result_type(value.op)
        return whole if len(value.op.results) == 1 else whole.fields[value.index]

    def result_type(self, op: Operation) -> Any:
        """Returns the type of what an op computes: that of its result, or a tuple of those of its results."""
        types = [result.type for result in op.results]
        return self.scope.type(types[0] if len(types) == 1 else TupleType(types), writing(op.attributes.get(SIZES)))

    def variable(self, value: SSAValue, ty: Any = None, name: str | None = None) -> Any:
        """Returns a new variable for a value."""
        ty = self.type_of(value) if ty is None else ty
        name = name or value.name_hint
        if self.leaving is None:
            return tvm.ir.Var(name or "gv", ty)
        if value in self.leaving:
            return tvm.ir.Var(name or "gv", ty)
        return relax.DataflowVar(name or "lv", ty)

    def _assignable(self, ty: Any, expression: Any) -> Any:
        """Returns the type of a variable for an expression: the given one, or what Relax infers where that is less, or a tuple."""
        match expression:
            case relax.If():
                ty = self._assignable(ty, expression.true_branch.body)
                return self._assignable(ty, expression.false_branch.body)
            case tvm.ir.Call() if expression.ty_args or isinstance(expression.op, tvm.ir.GlobalVar):
                return ty  # The call or the callee declares it.
            case tvm.ir.Tuple() | tvm.ir.TupleGetItem():
                return self._normalized(expression).ty
            case _:
                inferred = self._normalized(expression).ty
                if isinstance(inferred, tvm.ir.TupleType):
                    return ty if ty.is_base_of(inferred) else inferred
                return inferred if inferred.is_base_of(ty) and not ty.is_base_of(inferred) else ty

    def _normalized(self, expression: Any) -> Any:
        """Returns an expression with the type that Relax infers where the sizes of the function are known, none of which is negative."""
        builder = relax.BlockBuilder()
        builder.begin_scope([tvm.ir.Var("sizes", relax.ShapeType(self.scope.variables))])
        try:
            return builder.normalize(expression)
        except Exception as error:  # TVM raises what it finds wrong with an op under many types.
            raise Unsupported(str(error).splitlines()[0]) from error
        finally:
            builder.end_scope()

    def inferred(self, expression: Any) -> Any:
        """Returns the type that Relax infers of an expression."""
        return self._normalized(expression).ty

    def bind(self, op: Operation, expression: Any) -> None:
        """Binds the value of an op: its one result, or a tuple of which the results are the fields."""
        # Each result has a variable when this returns: its own, or a field of the tuple that the op is bound to.
        if len(op.results) == 1 and op.name not in TUPLES:
            result = op.results[0]
            variable = self.variable(result, self._assignable(self.type_of(result), expression))
            self.bindings.append(relax.VarBinding(variable, expression))
            self.env[result] = variable
            return
        declared = self.result_type(op)
        ty = self._assignable(declared, expression)
        packed = self._packed_value(op)
        leaves = packed is not None and self.leaving is not None and packed in self.leaving
        make = relax.DataflowVar if self.leaving is not None and not leaves else tvm.ir.Var
        variable = make((packed.name_hint if packed is not None else None) or "lv", ty)
        self.bindings.append(relax.VarBinding(variable, expression))
        self.tuples[op] = variable
        for index, result in enumerate(op.results):
            if result.name_hint is not None or any(not self._reads_whole(use.operation) for use in result.uses):
                item = tvm.ir.TupleGetItem(variable, index)
                self._bind_field(result, item, ty.fields[index], declared.fields[index])

    def _bind_field(self, result: SSAValue, expression: Any, ty: Any, wanted: Any) -> None:
        """Binds a result to a field of a type; one that Relax cannot tell to be the wanted one is cast to it."""
        if not (ty.is_base_of(wanted) or wanted.is_base_of(ty)):
            made = (tvm.ir.Var if self.leaving is None else relax.DataflowVar)("lv", ty)
            self.bindings.append(relax.VarBinding(made, expression))
            variable = self.variable(result, wanted)
            self.bindings.append(relax.MatchCast(variable, made, wanted))
        else:
            variable = self.variable(result, ty)
            self.bindings.append(relax.VarBinding(variable, expression))
        self.env[result] = variable

    def stand_for(self, value: SSAValue, expression: Any) -> None:
        """Lets an expression stand wherever a value is used."""
        self.env[value] = expression

    def fresh(self, expression: Any) -> Any:
        """Binds an expression that no value of ours stands for; returns its variable."""
        call = self._normalized(expression)
        variable = (tvm.ir.Var if self.leaving is None else relax.DataflowVar)("lv", call.ty)
        self.bindings.append(relax.VarBinding(variable, call))
        return variable

    def _packed_value(self, op: Operation) -> SSAValue | None:
        """Returns the value of the tuple that stands for all results of an op, if there is one."""
        for result in op.results:
            for use in result.uses:
                if isinstance(use.operation, TupleOp) and self._reads_whole(use.operation):
                    return use.operation.result
        return None

    def _reads_whole(self, user: Operation) -> bool:
        """Returns whether an op has all results of another one as its fields, and no other operands of it."""
        if isinstance(user, TupleOp):
            return self._source(user) is not None
        values = tuple_operands(user)
        return values is not None and self.whole(values) is not None

    def _source(self, op: TupleOp) -> Operation | None:
        """Returns the op of which a tuple is the value in Relax."""
        return maker(op.fields) if PACKED in op.attributes else None

    @staticmethod
    def whole(values: Sequence[SSAValue]) -> Operation | None:
        """Returns the op whose results, none of which has a name, are these values in order."""
        return None if any(value.name_hint is not None for value in values) else maker(values)

    def _structure(self, op: Operation) -> bool:
        """Exports an op of the program's structure; returns whether it is one."""
        # What has a name in the program is bound to a variable; a leaf without a name is written where it is read.
        match op:
            case ConstantOp() | ShapeOp() | TupleOp() if op.results[0].name_hint is None or not _MARKS.isdisjoint(
                op.attributes
            ):
                pass
            case ConstantOp() | ShapeOp() | TupleOp():
                self.bind(op, self._leaf(op))
            case arith.ConstantOp() | tensor.ExtractOp() | TupleGetItemOp() if op.results[
                0
            ].name_hint is None or not isinstance(op, TupleGetItemOp):
                pass
            case TupleGetItemOp():
                self.bind(op, tvm.ir.TupleGetItem(self.expression(op.tuple_value), op.index.value.data))
            case MatchCastOp():
                if IMPLICIT in op.attributes:
                    return True
                ty = self.type_of(op.result)
                variable = self.variable(op.result, ty)
                self.bindings.append(relax.MatchCast(variable, self.expression(op.input), ty))
                self.env[op.result] = variable
            case scf.IfOp():
                self._if(op)
            case _:
                return False
        return True

    def _if(self, op: scf.IfOp) -> None:
        branches = [self._sequence(region.block) if region.blocks else _empty() for region in op.regions]
        self.bind(op, relax.If(self.expression(op.cond), *branches))

    # Expressions.

    def expression(self, value: SSAValue) -> Any:
        """Returns what stands for a value where it is used."""
        value = root(value)
        expression = self.env.get(value)
        if expression is not None:
            return expression
        owner = value.owner
        match owner:
            case TupleOp() if (source := self._source(owner)) is not None and source in self.tuples:
                return self.tuples[source]
            case ConstantOp() | ShapeOp() | TupleOp() | arith.ConstantOp():
                return self._leaf(owner)
            case tensor.ExtractOp() if not owner.indices:
                return self.expression(owner.tensor)
            case TupleGetItemOp():
                self.bind(owner, tvm.ir.TupleGetItem(self.expression(owner.tuple_value), owner.index.value.data))
                return self.env[value]
            case _:
                raise Unsupported(
                    f"no counterpart for {value.owner.name if isinstance(owner, Operation) else 'a block argument'}"
                )

    def _leaf(self, op: Operation) -> Any:
        # Every op that `_structure` and `expression` take for a leaf has a case; `tvm.prim` makes a number of it.
        match op:
            case ConstantOp() if PRIM in op.attributes:
                number, dtype = dense_to_numpy(op.value).item(), dtype_of(op.value.get_element_type())  # pyright: ignore[reportAttributeAccessIssue]
                if isinstance(exact := op.attributes[PRIM], FloatAttr):
                    number = exact.value.data
                return (tvm.tirx.FloatImm if isinstance(number, float) else tvm.tirx.IntImm)(dtype, number)
            case ConstantOp():
                return constant_expression(op.value)
            case ShapeOp():
                values = self.scope.shape(op.result.type.data)
                if values is None:
                    raise Unsupported("a shape with an unknown size")
                return values[0] if PRIM in op.attributes else relax.ShapeExpr(values)
            case TupleOp():
                return self.tuple_of(op.fields)
            case arith.ConstantOp(value=IntegerAttr()):
                number = op.value.value.data  # pyright: ignore[reportAttributeAccessIssue]
                return tvm.tirx.IntImm(dtype_of(op.result.type), abs(number) if op.result.type == i1 else number)
            case arith.ConstantOp(value=FloatAttr()):
                return tvm.tirx.FloatImm(dtype_of(op.result.type), op.value.value.data)  # pyright: ignore[reportAttributeAccessIssue]
            case _:
                raise Unsupported("not a literal")

    def tuple_of(self, values: Sequence[SSAValue]) -> Any:
        """Returns a tuple argument."""
        source = self.whole(values)
        if source is not None and source in self.tuples:
            return self.tuples[source]
        if values and (whole := items(values)) is not None:
            return self.expression(whole)
        return tvm.ir.Tuple([self.expression(value) for value in values])


def _empty() -> Any:
    return relax.SeqExpr([], tvm.ir.Tuple([]))


def _parameter_name(arg: BlockArgument, attributes: Any) -> str:
    return NAME.of(attributes) or arg.name_hint or f"arg{arg.index}"


def _called_type(op: InvokeClosureOp | InvokePureClosureOp) -> Any:
    """Returns the type of a run-time function by one of its calls: sizes are integers, all else is an object."""
    pure = isinstance(op, InvokePureClosureOp)
    integers = [value.type == i64 for value in op.args]
    params = [tvm.ir.PrimType("int64") if passed is True else relax.AnyType() for passed in op.arguments(integers)]
    return relax.FuncType(params, relax.AnyType() if op.results else tvm.ir.TupleType([]), pure)


def _callable(scope: ExportScope, attr: Attribute) -> Any:
    """Returns the type of a function-valued parameter."""
    if not isinstance(attr, ArrayAttr):
        raise Unsupported("a function-valued argument of unknown type")
    purity = attr.data[0] == StringAttr("pure")
    if len(attr.data) == 1:
        return relax.FuncType.opaque_func(purity=purity)
    function_type = attr.data[1]
    assert isinstance(function_type, FunctionType)

    def item(field: Attribute) -> Any:
        return tvm.ir.PrimType(dtype_of(field)) if field in (i64, f64) else scope.type(field)

    params = [item(field) for field in function_type.inputs.data]
    return relax.FuncType(params, item(function_type.outputs.data[0]), purity)
