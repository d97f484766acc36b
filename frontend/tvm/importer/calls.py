"""Calls of Relax: ops by the table, extern functions, kernels, functions of the module, run-time values."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import tvm
import tvm_ffi
from tvm import relax
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....builder import BuilderError
from ....dialects.relax.attrs import ObjectType
from ....dialects.relax.base import RelaxOp
from ....dialects.relax.dialect import OPS
from ....dialects.relax.function_signature import Attributes
from ....dialects.relax.ops.core import (
    CallDPSPackedOp,
    CallPackedOp,
    InvokeClosureOp,
    InvokePureClosureOp,
    KillObjectOp,
)
from ....dialects.upstream.func_ops import CallOp
from ..diagnostics import Unsupported
from ..table import TABLE, Number, Operand, Operands
from ..types import element_of
from ..vdevices import device_attribute
from ..vocabulary import CALLEE, DTYPES, KEPT, OP, TENSOR_TO_SHAPE
from .context import Importer, Results, Value
from .memory import IMPORTS, import_kernel_call
from .opaque import import_opaque_call, is_dtype
from .sizes import add_free_sizes

_OPS: dict[str, Any] = {op.name: op for op in OPS}


def import_call(importer: Importer, call: Any, ty: Any) -> Value:
    """Imports a call whose value has the Relax type `ty`."""
    match call.op:
        case tvm.ir.Op():
            handler = _SPECIAL.get(call.op.name)
            if handler is not None and call.op.name in _CALLS:
                return handler(importer, call, ty)
            try:
                return (handler or _table_call)(importer, call, ty)
            except (Unsupported, BuilderError, VerifyException) as error:
                # Relax takes what the op of the dialect does not, such as sums of bool.
                return import_opaque_call(importer, call, ty, str(error))
        case tvm.ir.GlobalVar():
            return _function_call(importer, call, ty)
        case relax.ExternFunc():
            return _packed_call(importer, call.op, call.args, call.ty_args, ty, pure=False)
        case tvm.ir.Var():
            return _closure_call(importer, call, ty)
        case _:
            raise Unsupported(f"call of {call.op}")


def insert(
    importer: Importer,
    op: str | type[RelaxOp],
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    several: bool,
    properties: Mapping[str, Any] = MappingProxyType({}),
    attributes: Attributes | None = None,
) -> Value:
    """Inserts an op with the types that Relax declares; with `several` its results stand for a tuple, as in Relax."""
    results = importer.builder.results(op, *operands, result_types=types, attributes=attributes, **properties)
    return Results(results) if several else results[0]


def build(
    importer: Importer,
    name: str,
    operands: Sequence[SSAValue],
    properties: dict[str, Any],
    ty: Any,
    attributes: Attributes | None = None,
) -> Value:
    """Inserts the op with a name that a value of the Relax type `ty` is made by."""
    if name not in _OPS:
        raise Unsupported("the dialect has no such op")
    several = isinstance(ty, tvm.ir.TupleType)
    return insert(importer, _OPS[name], operands, importer.result_types(ty), several, properties, attributes)


def plain(value: Any) -> Any:
    """Returns the Python value (int, float, bool, str, list, element type) of a field of an attribute node; `None` if it is not set."""
    # A dtype stands before `str`, whose instance it is.
    match value:
        case None | bool() | int() | float():
            return value
        case tvm_ffi.dtype():
            return element_of(value)
        case str():
            return str(value) or None
        case tvm.tirx.IntImm():
            return bool(value.value) if str(value.ty.dtype) == "bool" else int(value.value)
        case tvm.tirx.FloatImm():
            return float(value.value)
        case tvm.ir.Array():
            return tuple(plain(item) for item in value)
        case tvm.ir.Expr():
            raise Unsupported(f"attribute value {value}")
        case _:
            raise Unsupported(f"attribute value {value} ({type(value).__name__})")


def number(value: Any, name: str) -> int | float | bool:
    """Returns a number argument that has to be known at compile time."""
    if not isinstance(value, tvm.tirx.IntImm | tvm.tirx.FloatImm):
        raise Unsupported(f"argument {name} = {value} is not a literal")
    return plain(value)


def typed_number(value: Any, name: str) -> Attribute:
    """Returns a number argument as an attribute of its own dtype."""
    plain_value, element = number(value, name), element_of(value.ty)
    if isinstance(plain_value, float):
        return FloatAttr(plain_value, element)  # pyright: ignore[reportArgumentType]
    return IntegerAttr(int(plain_value), element)  # pyright: ignore[reportArgumentType]


def numbers(value: Any, name: str) -> list[Any]:
    """Returns the entries of a tuple argument of numbers, which need not be literals."""
    if isinstance(value, relax.ShapeExpr):
        return list(value.values)
    if not isinstance(value, tvm.ir.Tuple):
        raise Unsupported(f"argument {name} = {value} is not written out")
    return list(value.fields)


def _table_call(importer: Importer, call: Any, ty: Any) -> Value:
    # Arguments that a call leaves out at the end, and fields that are not set, are left out of the op.
    name = str(call.op.name)
    row = TABLE.get(name)
    if row is None:
        return import_opaque_call(importer, call, ty)
    operands: list[SSAValue] = []
    properties: dict[str, Any] = {}
    dtypes: dict[str, Attribute] = {}
    for index, kind in enumerate(row.args):
        if index >= len(call.args):
            break
        arg = call.args[index]
        match kind:
            case Operand():
                operands.append(importer.tensor(arg))
            case Operands():
                operands += importer.fields(arg)
            case Number():
                properties[kind.name] = typed_number(arg, kind.name) if kind.typed else number(arg, kind.name)
                if not kind.typed and str(arg.ty.dtype) not in ("int64", "float64", "bool"):
                    dtypes[kind.name] = element_of(arg.ty)
    for field in row.defaults:
        properties[field] = plain(getattr(call.attrs, field)) if call.attrs is not None else None
    attributes = {DTYPES: DictionaryAttr(dtypes)} if dtypes else None
    return build(importer, name, operands, properties, ty, attributes)


def _split(importer: Importer, call: Any, ty: Any) -> Value:
    given = plain(call.attrs.indices_or_sections)
    name = "sections" if isinstance(given, int) else "indices"
    properties = {name: given, "axis": int(call.attrs.axis)}
    return build(importer, "relax.split", [importer.value(call.args[0])], properties, ty)


def _strided_slice(importer: Importer, call: Any, ty: Any) -> Value:
    x, axes, begin, end = call.args[:4]
    properties: dict[str, Any] = {
        "axes": [int(number(axis, "axes")) for axis in numbers(axes, "axes")],
        "assume_inbound": bool(call.attrs.assume_inbound),
    }
    if len(call.args) > 4:
        properties["strides"] = [int(number(item, "strides")) for item in numbers(call.args[4], "strides")]
    first = [importer.scope.dim(item) for item in numbers(begin, "begin")]
    last = [importer.scope.dim(item) for item in numbers(end, "end")]
    operands = [importer.value(x)]
    if all(isinstance(item, int) for item in (*first, *last)):
        properties |= {"begin": first, "end": last}
    else:
        operands += [importer.builder.shape(*first), importer.builder.shape(*last)]
    return build(importer, "relax.strided_slice", operands, properties, ty)


def _slice_scatter(importer: Importer, call: Any, ty: Any) -> Value:
    operands = [importer.value(arg) for arg in call.args[:2]]
    properties: dict[str, Any] = {"axis": int(call.attrs.axis), "step": int(number(call.args[4], "step"))}
    first, last = (importer.scope.dim(arg) for arg in call.args[2:4])
    if isinstance(first, int) and isinstance(last, int):
        properties |= {"start": first, "end": last}
    else:
        operands += [importer.builder.shape(first), importer.builder.shape(last)]
    return build(importer, "relax.slice_scatter", operands, properties, ty)


def _arange(importer: Importer, call: Any, ty: Any) -> Value:
    properties: dict[str, Any] = {"dtype": plain(call.attrs.dtype)}
    operands: list[SSAValue] = []
    if all(isinstance(arg, tvm.tirx.IntImm | tvm.tirx.FloatImm) for arg in call.args):
        properties |= dict(zip(("start", "end", "step"), map(plain, call.args), strict=True))
    else:
        operands = [importer.builder.shape(*(importer.scope.dim(arg) for arg in call.args))]
    return build(importer, "relax.arange", operands, properties, ty)


def _eye(importer: Importer, call: Any, ty: Any) -> Value:
    operand = importer.builder.shape(*(importer.scope.dim(arg) for arg in call.args[:2]))
    properties = {"k": int(number(call.args[2], "k")), "dtype": plain(call.attrs.dtype)}
    return build(importer, "relax.eye", [operand], properties, ty)


def _hamming_window(importer: Importer, call: Any, ty: Any) -> Value:
    size, periodic, alpha, beta = call.args
    properties = {
        "periodic": bool(number(periodic, "periodic")),
        "alpha": float(number(alpha, "alpha")),
        "beta": float(number(beta, "beta")),
        "dtype": plain(call.attrs.dtype),
    }
    operand = importer.builder.shape(importer.scope.dim(size))
    return build(importer, "relax.hamming_window", [operand], properties, ty)


def _arguments(importer: Importer, args: Sequence[Any]) -> tuple[list[SSAValue], dict[str, Any]]:
    """Returns the operands of a call of foreign code, and as properties, by position, the strings and sizes among its arguments."""
    operands: list[SSAValue] = []
    literals: dict[str, str] = {}
    sizes: list[int] = []
    for index, arg in enumerate(args):
        if isinstance(arg, tvm.ir.StringImm):
            literals[str(index)] = str(arg.value)
        elif isinstance(arg, tvm.tirx.IntImm | tvm.tirx.FloatImm):
            operands.append(importer.number(arg))
        else:
            if isinstance(arg.ty, tvm.ir.PrimType):
                sizes.append(index)
            operands.append(importer.value(arg))
    return operands, {"literals": literals or None, "sizes": sizes or None}


def _declared(importer: Importer, ty: Any, ty_args: Sequence[Any]) -> tuple[list[Attribute], bool]:
    """Returns the result types of a call of foreign code, and whether they stand for a tuple: all but tuples of one."""
    if len(ty_args) == 1 and isinstance(ty_args[0], tvm.ir.Type) and not ty_args[0].is_missing():
        ty = ty_args[0]
    several = isinstance(ty, tvm.ir.TupleType) and len(ty.fields) != 1
    return (importer.result_types(ty) if several else [importer.scope.type(ty)]), several


def _packed_call(
    importer: Importer,
    callee: Any,
    args: Any,
    ty_args: Any,
    ty: Any,
    pure: bool,
    inplace_indices: Sequence[int] | None = None,
) -> Value:
    if isinstance(callee, tvm.ir.Var):
        raise Unsupported(f"packed call of the variable {callee.name}")
    kept = {str(index): StringAttr(tvm.ir.save_json(arg)) for index, arg in enumerate(args) if is_dtype(arg)}
    args = [arg for arg in args if not is_dtype(arg)]
    operands, passed = _arguments(importer, args)
    types, several = _declared(importer, ty, ty_args)
    properties = {
        "callee": str(callee.global_symbol),
        "pure": pure or None,
        **passed,
        "inplace_indices": inplace_indices,
    }
    attributes = {KEPT: DictionaryAttr(kept)} if kept else None
    return insert(importer, CallPackedOp, operands, types, several, properties, attributes)


def _holds_sizes(ty: Any) -> bool:
    """Returns whether a value of a type may become a shape."""
    return isinstance(ty, relax.TensorType) and str(ty.dtype) == "int64" and ty.ndim == 1


def _call_pure_packed(importer: Importer, call: Any, ty: Any) -> Value:
    callee = call.args[0]
    if (
        isinstance(callee, relax.ExternFunc)
        and callee.global_symbol == TENSOR_TO_SHAPE
        and _holds_sizes(call.args[1].ty)
    ):
        # What Relax lowers the op to.
        attributes = {OP: DictionaryAttr({CALLEE: StringAttr(TENSOR_TO_SHAPE)})}
        return build(importer, "relax.tensor_to_shape", [importer.value(call.args[1])], {}, ty, attributes)
    return _packed_call(importer, call.args[0], call.args[1:], call.ty_args, ty, pure=True)


def _call_inplace_packed(importer: Importer, call: Any, ty: Any) -> Value:
    indices = [int(index) for index in call.attrs.inplace_indices]
    return _packed_call(importer, call.args[0], call.args[1:], call.ty_args, ty, pure=True, inplace_indices=indices)


def _null_value(importer: Importer, call: Any, ty: Any) -> Value:
    return importer.builder.null_value()


def _call_dps_packed(importer: Importer, call: Any, ty: Any) -> Value:
    types, several = _declared(importer, ty, call.ty_args)
    given, passed = call.args[1], dict[str, Any]()
    if isinstance(given, tvm.ir.Tuple):
        operands, passed = _arguments(importer, given.fields)
    else:
        operands = importer.fields(given)
    properties = {"callee": str(call.args[0].global_symbol), **passed}
    return insert(importer, CallDPSPackedOp, operands, types, several, properties)


def _call_tir(importer: Importer, call: Any, ty: Any) -> Value:
    types, several = _declared(importer, ty, call.ty_args)
    operands = importer.fields(call.args[1])
    if len(call.args) > 2:
        operands.append(importer.value(call.args[2]))
    free = add_free_sizes(importer, operands, types)
    made = importer.module.kernels.call(call.args[0].name_hint, operands, types, free)
    result = importer.builder.insert(made)
    return Results.of(result) if several else result


def _call_tir_inplace(importer: Importer, call: Any, ty: Any) -> Value:
    """Imports a call of a kernel that writes its arguments, as one that computes what they become."""
    types, several = _declared(importer, ty, call.ty_args)
    operands = importer.fields(call.args[1])
    indices = tuple(int(index) for index in call.attrs.inplace_indices)
    if len(call.args) > 2:
        operands.append(importer.value(call.args[2]))
    free = add_free_sizes(importer, operands, types)
    try:
        made = importer.module.kernels.call(call.args[0].name_hint, operands, types, free, indices)
    except (Unsupported, VerifyException):
        # The kernel has no counterpart.
        return import_opaque_call(importer, call, ty)
    result = importer.builder.insert(made)
    return Results.of(result) if several else result


def _function_call(importer: Importer, call: Any, ty: Any) -> Value:
    if call.op.name_hint in importer.module.kernels.kernels:
        return import_kernel_call(importer, call, ty)
    signature = importer.module.signatures.get(call.op.name_hint)
    if signature is None:
        raise Unsupported(f"@{call.op.name_hint} is not an imported Relax function")
    operands, wanted = [importer.value(arg) for arg in call.args], importer.scope.type(ty)
    if signature.fits([operand.type for operand in operands], wanted):
        return importer.builder.insert(CallOp(call.op.name_hint, operands, [wanted]))
    operands = [importer.cast(operand, declared) for operand, declared in zip(operands, signature.inputs, strict=True)]
    result = importer.builder.insert(CallOp(call.op.name_hint, operands, [signature.output]))
    return importer.cast(result, wanted, "refines")


def _closure_call(importer: Importer, call: Any, ty: Any) -> Value:
    closure = importer.value(call.op)
    if not isinstance(closure.type, ObjectType):
        raise Unsupported(f"call of {call.op}")
    operands, passed = _arguments(importer, call.args)
    types, several = _declared(importer, ty, call.ty_args)
    op_type = InvokePureClosureOp if getattr(call.op.ty, "purity", False) else InvokeClosureOp
    return insert(importer, op_type, [closure, *operands], types, several, passed)


def _kill_object(importer: Importer, call: Any, ty: Any) -> Value:
    return insert(importer, KillObjectOp, [importer.value(call.args[0])], [], True)


def _hint_on_device(importer: Importer, call: Any, ty: Any) -> Value:
    attrs = call.attrs
    vdevice = device_attribute(int(attrs.device_type), int(attrs.index), str(attrs.memory_scope))
    operands = [importer.value(call.args[0])]
    return build(importer, "relax.hint_on_device", operands, {"dst_vdevice": vdevice}, ty)


def _to_vdevice(importer: Importer, call: Any, ty: Any) -> Value:
    properties = {"dst_vdevice": importer.scope.devices.attribute(call.attrs.dst_vdevice)}
    return build(importer, "relax.to_vdevice", [importer.value(call.args[0])], properties, ty)


Handler = Callable[[Importer, Any, Any], Value]

_CALLS = frozenset(
    {
        f"relax.{name}"
        for name in "call_pure_packed call_inplace_packed call_dps_packed call_tir call_tir_inplace".split()
    }
)
"""Ops that call a function."""

_SPECIAL: dict[str, Handler] = {
    "relax.split": _split,
    "relax.strided_slice": _strided_slice,
    "relax.slice_scatter": _slice_scatter,
    "relax.arange": _arange,
    "relax.eye": _eye,
    "relax.hamming_window": _hamming_window,
    "relax.call_pure_packed": _call_pure_packed,
    "relax.call_inplace_packed": _call_inplace_packed,
    "relax.null_value": _null_value,
    "relax.call_dps_packed": _call_dps_packed,
    "relax.call_tir": _call_tir,
    "relax.call_tir_inplace": _call_tir_inplace,
    "relax.vm.kill_object": _kill_object,
    "relax.hint_on_device": _hint_on_device,
    "relax.to_vdevice": _to_vdevice,
    **IMPORTS,
}
