"""Export of single ops: by the table, and those that Relax writes in another way."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm
from tvm import relax
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Operation, SSAValue, TypeAttribute

from ....dialects.relax.attrs import ShapeType, dims_of
from ....dialects.relax.base import from_attr
from ....dialects.relax.ops.core import (
    CallDPSPackedOp,
    CallPackedOp,
    InvokeClosureOp,
    InvokePureClosureOp,
    PythonCallOp,
)
from ....dialects.relax.ops.linear_algebra import LinearOp
from ....dialects.relax.ops.vdevice import DeviceCopyOp, HintOnDeviceOp, ToVDeviceOp
from ..diagnostics import Unsupported
from ..table import TABLE, Number, Operand, Operands, Row
from ..types import dtype_of
from ..vdevices import device_number
from ..vocabulary import DTYPES, FREE_SIZES, FUNCTION, INPLACE, KEPT, OP, PRIM, TENSOR_TO_SHAPE, TIR
from .context import Exporter
from .memory import EXPORTS
from .opaque import function_variable, opaque_call, with_kept


def tuple_operands(op: Operation) -> Sequence[SSAValue] | None:
    """Returns the operands that are one tuple argument in Relax, `None` if there is no such argument."""
    if isinstance(op, CallDPSPackedOp):
        return op.args
    row = TABLE.get(op.name)
    if row is None or not any(isinstance(kind, Operands) for kind in row.args):
        return None
    return op.operands[_leading(row) :]


def _leading(row: Row) -> int:
    return sum(isinstance(kind, Operand) for kind in row.args)


def export_op(exporter: Exporter, op: Operation) -> None:
    """Exports an op that is not structure."""
    handler = _SPECIAL.get(op.name)
    if handler is not None:
        handler(exporter, op)
    elif (row := TABLE.get(op.name)) is not None:
        made = _table_call(exporter, op, row)
        exporter.bind(op, _with_literal_shapes(exporter, op, made))
    else:
        raise Unsupported("Relax has no such op")


def _with_literal_shapes(exporter: Exporter, op: Operation, made: Any) -> Any:
    """Returns a call with shapes written out, if Relax infers from their variables a type that says less than ours."""
    shapes = [index for index, value in enumerate(op.operands) if isinstance(value.type, ShapeType)]
    if not shapes or not any(isinstance(made.args[index], tvm.ir.Var) for index in shapes):
        return made
    inferred = exporter.inferred(made)
    if (
        not isinstance(inferred, relax.TensorType)
        or inferred.shape is None
        or isinstance(inferred.shape, relax.ShapeExpr)
    ):
        return made
    args = [relax.ShapeExpr(_dims(exporter, op.operands[i])) if i in shapes else arg for i, arg in enumerate(made.args)]
    return tvm.ir.Call(made.op, args, made.attrs, made.ty_args)


def call(name: str, args: Sequence[Any], attrs: Any = None, ty_args: Sequence[Any] = ()) -> Any:
    """Returns a call of a Relax op."""
    return tvm.ir.Call(tvm.ir.Op.get(name), list(args), attrs, list(ty_args))


def _table_call(exporter: Exporter, op: Operation, row: Row) -> Any:
    # The arguments are those of Relax's op, in its order: `row` says for each whether it is an operand, a list of them or a number.
    operands = list(op.operands)
    dtypes = op.attributes.get(DTYPES)
    args: list[Any] = []
    for kind in row.args:
        match kind:
            case Operand():
                if operands:
                    args.append(exporter.expression(operands.pop(0)))
                elif not kind.optional:
                    raise Unsupported("an operand is missing")
            case Operands():
                args.append(exporter.tuple_of(operands))
                operands = []
            case Number():
                value = _property(op, kind.name, kind.default)
                if value is None and kind.optional:
                    continue
                given = dtypes.data.get(kind.name) if isinstance(dtypes, DictionaryAttr) else None
                if kind.typed:
                    given = op.properties[kind.name].type  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
                args.append(literal(value, None if given is None else dtype_of(given)))
    if row.attrs is None:
        return call(op.name, args)
    if op.name == "relax.image.resize2d" and "scales" in op.properties:
        raise Unsupported("coordinates that follow given factors")
    fields = {name: _field(op, row.defaults, name) for name in row.defaults}
    return call(op.name, args, tvm.ir.make_node(row.attrs, **fields))


def literal(value: Any, dtype: str | None = None) -> Any:
    """Returns a number as a TVM literal, of type bool, int64 or float64 unless told."""
    if isinstance(value, bool):
        return tvm.tirx.IntImm("bool", int(value))
    if isinstance(value, int):
        return tvm.tirx.IntImm(dtype or "int64", value)
    return tvm.tirx.FloatImm(dtype or "float64", value)


def _property(op: Operation, name: str, default: Any = None) -> Any:
    attr = op.properties.get(name)
    if attr is None:
        return default
    return dtype_of(attr) if isinstance(attr, TypeAttribute) else from_attr(attr)


def _field(op: Operation, defaults: Mapping[str, Any], name: str) -> Any:
    """Returns a field of the attribute node."""
    # A field that the op leaves out has Relax's default, which may be the value of another field.
    default = defaults[name]
    if isinstance(default, str) and default.isupper() and default.lower() in defaults:
        default = _field(op, defaults, default.lower())
    value = _property(op, name, default)
    if op.name in ("relax.nn.attention", "relax.nn.attention_bias"):
        if name == "scale" and value is not None:
            return tvm.tirx.FloatImm("float32", value)
        if name == "window_size" and value is not None:
            return tvm.tirx.IntImm("int32", value)
    if name == "roi":
        return [tvm.tirx.FloatImm("float32", float(item)) for item in value or ()]
    if isinstance(value, tuple):
        return _spread(op.name, name, list(value))
    return value


def _spread(op: str, name: str, values: list[Any]) -> list[Any]:
    """Returns a list of a convolution or pooling in full length: one entry for each spatial dim, two of padding."""
    if name not in ("strides", "dilation", "padding", "output_padding", "pool_size", "output_size"):
        return values
    rank = int(re.sub(r"[^0-9]", "", op.split(".")[-1]))
    if len(values) == 1:
        values = values * rank
    return values * 2 if name == "padding" and len(values) == rank else values


def _dims(exporter: Exporter, value: SSAValue) -> list[Any]:
    """Returns the sizes of a shape operand."""
    assert isinstance(value.type, ShapeType)
    values = exporter.scope.shape(value.type.data)
    if values is None:
        raise Unsupported("a shape operand with an unknown size")
    return values


def _dtype_node(op: Operation, default: str | None = None) -> Any:
    return tvm.ir.make_node("relax.attrs.InitAttrs", dtype=_property(op, "dtype", default))


def _split(exporter: Exporter, op: Operation) -> None:
    sections, indices = _property(op, "sections"), _property(op, "indices")
    given = literal(sections) if sections is not None else [literal(index) for index in indices or ()]
    attrs = tvm.ir.make_node("relax.attrs.SplitAttrs", indices_or_sections=given, axis=_property(op, "axis", 0))
    exporter.bind(op, call(op.name, [exporter.expression(op.operands[0])], attrs))


def _literals(values: Sequence[int]) -> Any:
    return tvm.ir.Tuple([literal(value) for value in values])


def _strided_slice(exporter: Exporter, op: Operation) -> None:
    if len(op.operands) > 1:
        begin, end = (tvm.ir.Tuple(_dims(exporter, bound)) for bound in op.operands[1:])
    else:
        begin, end = _literals(_property(op, "begin")), _literals(_property(op, "end"))
    args = [exporter.expression(op.operands[0]), _literals(_property(op, "axes")), begin, end]
    strides = _property(op, "strides")
    if strides is not None:
        args.append(_literals(strides))
    inbound = _property(op, "assume_inbound", False)
    exporter.bind(op, call(op.name, args, tvm.ir.make_node("relax.attrs.StridedSliceAttrs", assume_inbound=inbound)))


def _slice_scatter(exporter: Exporter, op: Operation) -> None:
    args = [exporter.expression(value) for value in op.operands[:2]]
    if len(op.operands) > 2:
        args += [_dims(exporter, bound)[0] for bound in op.operands[2:]]
    else:
        args += [literal(_first(_property(op, name))) for name in ("start", "end")]
    args.append(literal(_first(_property(op, "step", 1))))
    attrs = tvm.ir.make_node("relax.attrs.SliceScatterAttrs", axis=_property(op, "axis", 0))
    exporter.bind(op, call(op.name, args, attrs))


def _first(value: Any) -> int:
    return int(value[0] if isinstance(value, tuple) else value)


def _arange(exporter: Exporter, op: Operation) -> None:
    if op.operands:
        args = _dims(exporter, op.operands[0])
    else:
        args = [literal(_property(op, name, default)) for name, default in (("start", 0), ("end", None), ("step", 1))]
    floats = any(isinstance(arg, tvm.tirx.FloatImm) for arg in args)
    exporter.bind(op, call(op.name, args, _dtype_node(op, "float32" if floats else "int64")))


def _eye(exporter: Exporter, op: Operation) -> None:
    args = [*_dims(exporter, op.operands[0]), literal(_property(op, "k", 0))]
    exporter.bind(op, call(op.name, args, _dtype_node(op, "float32")))


def _hamming_window(exporter: Exporter, op: Operation) -> None:
    args = [
        *_dims(exporter, op.operands[0]),
        literal(bool(_property(op, "periodic", True))),
        literal(_property(op, "alpha", 0.54)),
        literal(_property(op, "beta", 0.46)),
    ]
    exporter.bind(op, call(op.name, args, _dtype_node(op)))


def _reshape(exporter: Exporter, op: Operation) -> None:
    """Exports a reshape with its whole shape; Relax has no `-1` in calls."""
    shape = op.operands[1]
    assert isinstance(shape.type, ShapeType)
    target: Any = exporter.expression(shape)
    if -1 in shape.type.data:
        values = exporter.scope.shape(dims_of(op.results[0].type) or (None,))
        if values is None:
            raise Unsupported("a result with an unknown size in place of -1")
        target = relax.ShapeExpr(values)
    exporter.bind(op, call(op.name, [exporter.expression(op.operands[0]), target]))


def _tensor_to_shape(exporter: Exporter, op: Operation) -> None:
    if OP in op.attributes:
        args = [relax.ExternFunc(TENSOR_TO_SHAPE), exporter.expression(op.operands[0])]
        exporter.bind(op, call("relax.call_pure_packed", args, None, [exporter.result_type(op)]))
        return
    exporter.bind(op, call(op.name, [exporter.expression(op.operands[0])]))


def _linear(exporter: Exporter, op: Operation) -> None:
    """Exports what Relax's `linear` makes: a transposition, a product, a sum."""
    assert isinstance(op, LinearOp)
    weight = exporter.expression(op.weight)
    axes = tvm.ir.make_node("relax.attrs.PermuteDimsAttrs", axes=None)
    transposed = exporter.fresh(call("relax.permute_dims", [weight], axes))
    attrs = tvm.ir.make_node("relax.attrs.MatmulAttrs", out_dtype=_property(op, "out_dtype"))
    product = call("relax.matmul", [exporter.expression(op.data), transposed], attrs)
    if op.bias is not None:
        product = call("relax.add", [exporter.fresh(product), exporter.expression(op.bias)])
    exporter.bind(op, product)


def _symbol_value(exporter: Exporter, op: Operation) -> None:
    """Exports a size as the one element of a shape that becomes a tensor."""
    size = _dims(exporter, op.operands[0])[_property(op, "index", 0)]
    if PRIM in op.attributes:
        exporter.stand_for(op.results[0], size)
        return
    vector = exporter.fresh(call("relax.shape_to_tensor", [relax.ShapeExpr([size])]))
    scalar = call("relax.reshape", [vector, relax.ShapeExpr([])])
    dtype = _property(op, "dtype", "int64")
    if dtype != "int64":
        scalar = call(
            "relax.astype", [exporter.fresh(scalar)], tvm.ir.make_node("relax.attrs.AstypeAttrs", dtype=dtype)
        )
    exporter.bind(op, scalar)


def _astype(exporter: Exporter, op: Operation) -> None:
    """Exports a conversion; that of a size to a condition is the condition itself."""
    value = exporter.expression(op.operands[0])
    if PRIM not in op.attributes or not isinstance(value.ty, tvm.ir.PrimType):
        exporter.bind(op, _table_call(exporter, op, TABLE[op.name]))
        return
    is_condition = str(value.ty.dtype) == "bool"
    exporter.stand_for(op.results[0], value if is_condition else tvm.tirx.NE(value, literal(0)))


def _arguments(exporter: Exporter, op: PythonCallOp) -> list[Any]:
    """Returns the arguments of a call of foreign code, strings in their places."""
    args = [
        tvm.ir.StringImm(arg) if isinstance(arg, str) else exporter.expression(arg) for arg in op.arguments(op.args)
    ]
    for position in op.integers():
        if isinstance(args[position], relax.ShapeExpr):
            args[position] = args[position].values[0]
    return args


def _call_packed(exporter: Exporter, op: Operation) -> None:
    """Writes a call of a packed function: as what an import kept of it where it kept something, else by its effects."""
    assert isinstance(op, CallPackedOp)
    callee, args = relax.ExternFunc(op.callee.data), _arguments(exporter, op)
    kept = op.attributes.get(OP)
    match kept.data.get(FUNCTION) if isinstance(kept, DictionaryAttr) else None:
        case SymbolRefAttr() as function:
            exporter.stand_for(op.results[0], function_variable(exporter, function))
            return
        case StringAttr() as function:
            exporter.stand_for(op.results[0], relax.ExternFunc(function.data))
            return
        case _:
            pass
    if isinstance(kept, DictionaryAttr):
        exporter.bind(op, opaque_call(exporter, op, args, kept.data))
        return
    if isinstance(kept := op.attributes.get(KEPT), DictionaryAttr):
        args = with_kept(exporter, args, kept.data)
    ty_args = [exporter.result_type(op)]
    indices = op.prop("inplace_indices")
    if indices is not None:
        if not op.prop("pure", False):
            raise Unsupported("a call that writes in place and has other effects")
        attrs = tvm.ir.make_node("relax.attrs.CallInplacePackedAttrs", inplace_indices=list(indices))
        exporter.bind(op, call("relax.call_inplace_packed", [callee, *args], attrs, ty_args))
    elif op.prop("pure", False):
        exporter.bind(op, call("relax.call_pure_packed", [callee, *args], None, ty_args))
    else:
        exporter.bind(op, tvm.ir.Call(callee, args, None, ty_args))


def _null_value(exporter: Exporter, op: Operation) -> None:
    exporter.bind(op, call(op.name, []))


def _call_dps_packed(exporter: Exporter, op: Operation) -> None:
    assert isinstance(op, CallDPSPackedOp)
    given = exporter.tuple_of(op.args) if op.literals is op.sizes is None else tvm.ir.Tuple(_arguments(exporter, op))
    args = [relax.ExternFunc(op.callee.data), given]
    exporter.bind(op, call(op.name, args, None, [exporter.result_type(op)]))


def _closure(exporter: Exporter, op: Operation) -> None:
    assert isinstance(op, InvokeClosureOp | InvokePureClosureOp)
    closure, args = exporter.expression(op.closure), _arguments(exporter, op)
    if not isinstance(closure.ty, relax.FuncType):
        raise Unsupported("the closure is not an argument of function type")
    opaque = closure.ty.params is None
    exporter.bind(op, tvm.ir.Call(closure, args, None, [exporter.result_type(op)] if opaque else []))


def _kill_object(exporter: Exporter, op: Operation) -> None:
    exporter.bind(op, call(op.name, [exporter.expression(op.operands[0])]))


def _hint_on_device(exporter: Exporter, op: Operation) -> None:
    assert isinstance(op, HintOnDeviceOp)
    device = op.dst_vdevice
    attrs = tvm.ir.make_node(
        "relax.attrs.HintOnDeviceAttrs",
        device_type=device_number(device),
        index=device.index.data,
        memory_scope=device.scope.data,
    )
    exporter.bind(op, call(op.name, [exporter.expression(op.x)], attrs))


def _to_vdevice(exporter: Exporter, op: Operation) -> None:
    """Exports a move, or a copy, which says in Relax only where it goes to."""
    assert isinstance(op, ToVDeviceOp | DeviceCopyOp)
    device = exporter.module.devices.vdevice(op.dst_vdevice)
    attrs = tvm.ir.make_node("relax.attrs.ToVDeviceAttrs", dst_vdevice=device)
    exporter.bind(op, call("relax.to_vdevice", [exporter.expression(op.x)], attrs))


def _function_call(exporter: Exporter, op: Operation) -> None:
    assert isinstance(op, func.CallOp)
    callee = exporter.module.functions.get(op.callee.string_value())
    if callee is None:
        raise Unsupported(f"no function @{op.callee.string_value()}")
    variable = exporter.module.variable(callee)
    if TIR not in callee.attributes:
        exporter.bind(op, tvm.ir.Call(variable, [exporter.expression(value) for value in op.arguments]))
        return
    operands = list(op.arguments)
    if FREE_SIZES in callee.attributes:
        operands.pop()
    # A size by itself (`tvm.prim`) is one of the arguments.
    last = exporter.expression(operands[-1]) if operands and isinstance(operands[-1].type, ShapeType) else None
    sizes = [last] if last is not None and isinstance(last.ty, relax.ShapeType) else []
    args = [variable, exporter.tuple_of(operands[: len(operands) - len(sizes)]), *sizes]
    name, attrs = "relax.call_tir", None
    indices = callee.attributes.get(INPLACE)
    if isinstance(indices, DenseArrayBase):
        values = [int(index) for index in indices.get_values()]
        name, attrs = (
            "relax.call_tir_inplace",
            tvm.ir.make_node("relax.attrs.CallTIRInplaceAttrs", inplace_indices=values),
        )
    exporter.bind(op, call(name, args, attrs, [exporter.result_type(op)]))


_SPECIAL: dict[str, Callable[[Exporter, Operation], None]] = {
    "relax.split": _split,
    "relax.strided_slice": _strided_slice,
    "relax.slice_scatter": _slice_scatter,
    "relax.arange": _arange,
    "relax.astype": _astype,
    "relax.eye": _eye,
    "relax.hamming_window": _hamming_window,
    "relax.reshape": _reshape,
    "relax.tensor_to_shape": _tensor_to_shape,
    "relax.linear": _linear,
    "relax.symbol_value": _symbol_value,
    "relax.null_value": _null_value,
    "relax.call_packed": _call_packed,
    "relax.call_dps_packed": _call_dps_packed,
    "relax.invoke_closure": _closure,
    "relax.invoke_pure_closure": _closure,
    "relax.vm.kill_object": _kill_object,
    "relax.hint_on_device": _hint_on_device,
    "relax.to_vdevice": _to_vdevice,
    "relax.device_copy": _to_vdevice,
    **EXPORTS,
    "func.call": _function_call,
}
