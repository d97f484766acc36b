"""TVM Relax to the dialect: modules, and the signatures by which their functions call each other.

The form of the result:

* A public function is public under its own name. The attribute `num_input` becomes `relax.num_input`, any other one `tvm.<name>`; the
  parameters after `num_input` keep their names in `relax.name`.
* A function returns one value: a tuple stays a tuple. What Relax writes as a tuple of results of one op is several results.
* A binding of one variable to another is resolved, one at the end of a block is kept as the attribute `tvm.alias` of the terminator.
* `tvm.implicit` marks a cast that has no counterpart: the types of the dialect must agree where a function returns or is called.
* A value of type `R.Prim("int64")` is a `!relax.shape` of one dim, marked `tvm.prim`.
* A `call_tir` kernel is a private function that calls the packed function of its name; `tvm.tir` holds the kernel's text.
"""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import tvm
from tvm import relax
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, TupleType, UnrankedTensorType, i1
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from ....dialects.relax.attrs import ShapeType, dims_of, tensor_type, vdevice_of
from ....dialects.relax.program import verify_program
from ....dialects.symbolic.expressions import Dim
from ....passes.analysis.effects import PureFunctions
from ..attributes import module_attributes
from ..diagnostics import Unsupported, UnsupportedError
from ..types import ImportScope
from ..vdevices import ImportDevices
from ..vocabulary import FORCE_PURE, PURE, TIR
from .context import ImportState, Signature
from .function import FunctionImporter, parameter_type


def import_module(ir_module: Any) -> ModuleOp:
    """Returns a `tvm.IRModule` as a module; raises `UnsupportedError` with all that has no counterpart."""
    ir_module = _lifted(_typed(ir_module))
    state = ImportState(ImportDevices(ir_module))
    items = [(variable.name_hint, function) for variable, function in ir_module.functions_items()]
    items.sort(key=lambda item: item[0])
    functions = [(name, function) for name, function in items if isinstance(function, relax.Function)]
    for name, function in items:
        if isinstance(function, relax.Function):
            state.attempt(name, "signature", lambda n=name, f=function: _sign(state, n, f))
        elif isinstance(function, tvm.tirx.PrimFunc):
            state.kernels.add(name, function)
        else:
            state.problems.append(f"@{name}: function of type {type(function).__name__}")
    for name, function in functions:
        if name in state.signatures:
            _agree(state, name, function)
    made = [
        state.attempt(name, "function", FunctionImporter(state, name, function).run)
        for name, function in functions
        if name in state.signatures
    ]
    attributes = state.attempt("", "attributes", lambda: module_attributes(ir_module))
    if state.problems:
        raise UnsupportedError("import", state.problems)
    module = ModuleOp([*made, *state.kernels.functions()], attributes)
    state.devices.write(module)
    _keep_purity(module, {name for name, function in functions if function.is_pure})
    try:
        verify_program(module)
    except VerifyException as error:
        raise UnsupportedError("import", [str(error)]) from None
    return module


def flaw_of(ir_module: Any) -> str | None:
    """Returns why a module of TVM is not well-formed, `None` if it is."""
    try:
        relax.analysis.well_formed(ir_module)
        return None
    except Exception as error:  # TVM raises under many types.
        return (str(error).strip() or type(error).__name__).splitlines()[0]


def _keep_purity(module: ModuleOp, declared: Collection[str]) -> None:
    """Notes which functions TVM declares pure, or impure, where what they compute does not tell."""
    pure = PureFunctions(module)
    for op in module.body.block.ops:
        if isinstance(op, func.FuncOp) and TIR not in op.attributes and FORCE_PURE not in op.attributes:
            name = op.sym_name.data
            if (name in declared) != (name in pure):
                op.attributes[PURE] = IntegerAttr(int(name in declared), i1)


def _typed(ir_module: Any) -> Any:
    """Returns a module of which every expression has a type."""
    if _is_typed(ir_module):
        return ir_module
    try:
        normalized = relax.transform.Normalize()(ir_module)
    except Exception as error:  # TVM raises under many types.
        reason = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise UnsupportedError("import", [f"types are missing, and cannot be inferred: {reason[0]}"]) from error
    if not _is_typed(normalized):
        raise UnsupportedError("import", ["types are missing, and cannot be inferred"])
    return normalized


def _is_typed(ir_module: Any) -> bool:
    missing: list[Any] = []

    def visit(expression: Any) -> None:
        if isinstance(expression, tvm.ir.Call) and expression.ty.is_missing():
            missing.append(expression)

    try:
        for _, function in ir_module.functions_items():
            if isinstance(function, relax.Function):
                relax.analysis.post_order_visit(function, visit)
    except Exception:  # TVM raises an internal error where a variable has no type.
        return False
    return not missing


def _lifted(ir_module: Any) -> Any:
    """Returns a module with the functions inside of functions as functions of their own, as TVM lifts them."""
    for _, function in ir_module.functions_items():
        if isinstance(function, relax.Function) and _has_inner(function):
            try:
                return relax.transform.LambdaLift()(ir_module)
            except Exception as error:  # TVM raises under many types.
                reason = str(error).strip().splitlines()[-1]
                raise UnsupportedError("import", [f"a function inside of a function: {reason}"]) from error
    return ir_module


def _has_inner(function: Any) -> bool:
    inner: list[Any] = []

    def visit(expression: Any) -> None:
        if isinstance(expression, relax.Function) and not expression.same_as(function):
            inner.append(expression)

    relax.analysis.post_order_visit(function, visit)
    return bool(inner)


def _sign(state: ImportState, name: str, function: Any) -> None:
    scope = ImportScope(state.devices)
    inputs = [parameter_type(scope, parameter) for parameter in function.params]
    output = scope.type(function.ret_ty)
    state.signatures[name] = Signature(inputs, output, output, scope)


def _agree(state: ImportState, name: str, function: Any) -> None:
    """Erases the symbols from the signatures of functions that are called with types that do not fit what they declare."""
    scope = state.signatures[name].scope

    def visit(expression: Any) -> None:
        if not isinstance(expression, tvm.ir.Call) or not isinstance(expression.op, tvm.ir.GlobalVar):
            return
        callee = state.signatures.get(expression.op.name_hint)
        if callee is None:
            return
        try:
            given = [scope.type(arg.ty) for arg in expression.args]
            result = scope.type(expression.ty)
        except Unsupported:
            return
        if not callee.fits(given, result):
            callee.inputs = [erased(item) for item in callee.inputs]
            callee.output = erased(callee.output)

    relax.analysis.post_order_visit(function, visit)


def erased(value_type: Attribute) -> Attribute:
    """Returns a type without its symbols."""
    match value_type:
        case TensorType() | UnrankedTensorType():
            dims = dims_of(value_type)
            numbers = None if dims is None else list(map(_number, dims))
            return tensor_type(numbers, value_type.element_type, vdevice_of(value_type))
        case ShapeType():
            return ShapeType(tuple(map(_number, value_type.data)))
        case TupleType():
            return TupleType(tuple(erased(item) for item in value_type.types.data))
        case _:
            return value_type


def _number(dim: Dim) -> int | None:
    return dim if isinstance(dim, int) else None
