"""Types, dims and element types of Relax and of the dialect, both ways."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import tvm
from tvm import relax, tirx
from tvm_ffi import structural_equal
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from ...dialects.relax.attrs import ObjectType, ShapeType, dims_of, tensor_type, vdevice_of
from ...dialects.relax.dtypes import ui8, ui16, ui32, ui64
from ...dialects.relax.symbolic import Apply, Dim, Known, Symbol, simplify
from .problems import Unsupported
from .vdevices import ExportDevices, vdevice_attribute

ELEMENTS: dict[str, Attribute] = {
    "float64": f64,
    "float32": f32,
    "float16": f16,
    "bfloat16": bf16,
    "int8": i8,
    "int16": i16,
    "int32": i32,
    "int64": i64,
    "uint8": ui8,
    "uint16": ui16,
    "uint32": ui32,
    "uint64": ui64,
    "bool": i1,
}

_NAMES = {element: name for name, element in ELEMENTS.items()}
_RESERVED = frozenset({"min", "max", "mod", "floordiv"})
_OPERATORS = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "FloorDiv": "floordiv",
    "FloorMod": "mod",
    "Min": "min",
    "Max": "max",
}


def element_of(dtype: Any) -> Attribute:
    """Returns the element type of a TVM dtype."""
    name = str(getattr(dtype, "dtype", dtype))
    element = ELEMENTS.get(name)
    if element is None:
        raise Unsupported(f"dtype {name}")
    return element


def dtype_of(element: Attribute) -> str:
    """Returns the TVM name of an element type."""
    name = _NAMES.get(element)
    if name is None:
        raise Unsupported(f"element type {element}")
    return name


def key(value: Any) -> int:
    """Returns what identifies a TVM object; `==` of TVM's variables makes an expression."""
    return hash(value)


def identifier(name: str, fallback: str) -> str:
    """Returns a name of letters, digits and underscores that is close to the given one."""
    cleaned = re.sub(r"[^A-Za-z0-9_]", "_", name)
    # xDSL drops numbers at the end, and does not take what is left of `_1`.
    if not re.match(r"[A-Za-z_]", cleaned) or re.fullmatch(r"(_\d+)+", cleaned):
        cleaned = f"{fallback}{cleaned}"
    return cleaned


class ImportScope:
    """The symbols of one function: TVM's variables are told apart by identity, ours by name."""

    def __init__(self) -> None:
        self._symbols: dict[int, Dim] = {}
        self._names: set[str] = set()
        self._keep: list[Any] = []
        self.written: dict[Dim, Known] = {}
        """How the dims that are expressions were written at first, before simplification."""

    def define(self, variable: Any, dim: Dim) -> None:
        """Lets a variable stand for a dim."""
        self._keep.append(variable)
        self._symbols[key(variable)] = dim

    def symbol(self, variable: Any) -> Dim:
        """Returns the symbol of a variable, under a name that no other one has."""
        found = self._symbols.get(key(variable))
        if found is not None:
            return found
        base = identifier(variable.name, "s")
        name, count = f"{base}_" if base in _RESERVED else base, 0
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        symbol = Symbol(name)
        self.define(variable, symbol)
        return symbol

    def dim(self, expression: Any) -> Dim:
        """Returns a dim for a TVM expression, simplified."""
        written = self._written(expression)
        if not isinstance(written, Apply):
            return written
        dim = simplify(written)
        self.written.setdefault(dim, written)
        return dim

    def _written(self, expression: Any) -> Any:
        kind = type(expression).__name__
        if isinstance(expression, int):
            return expression
        if kind == "IntImm":
            return int(expression.value)
        if kind == "Var":
            return self.symbol(expression)
        if kind == "Cast":
            return self._written(expression.value)
        operator = _OPERATORS.get(kind)
        if operator is None:
            raise Unsupported(f"dimension expression {expression} ({kind})")
        return Apply(operator, self._written(expression.a), self._written(expression.b))

    def forms(self) -> dict[str, Attribute]:
        """Returns how dims were written, by their text, where export would write them in another way."""
        scope = ExportScope()
        return {
            str(dim): _encoded(written)
            for dim, written in self.written.items()
            if dim is not None and not structural_equal(scope.expression(dim), scope.exact(written))
        }

    def type(self, ty: Any) -> Attribute:
        """Returns the type for a Relax type."""
        match ty:
            case relax.TensorType():
                return self._tensor(ty)
            case relax.ShapeType():
                if ty.values is not None:
                    return ShapeType(tuple(self.dim(value) for value in ty.values))
                if ty.ndim < 0:
                    raise Unsupported(f"type {_text(ty)} of unknown rank")
                return ShapeType((None,) * ty.ndim)
            case tvm.ir.TupleType():
                return TupleType(tuple(self.type(field) for field in ty.fields))
            case relax.AnyType() | tvm.ir.FuncType() | relax.FuncType():
                return ObjectType()
            case tvm.ir.PrimType():
                if str(ty.dtype) == "int64":
                    return ShapeType((None,))
                return element_of(ty)
            case _:
                raise Unsupported(f"type {_text(ty)}")

    def _tensor(self, ty: Any) -> Attribute:
        if ty.dtype is None:
            raise Unsupported(f"type {_text(ty)} of unknown dtype")
        vdevice = None if ty.vdevice is None else vdevice_attribute(ty.vdevice)
        element = element_of(ty.dtype)
        if ty.shape is None:
            if ty.ndim < 0 and vdevice is not None:
                raise Unsupported(f"type {_text(ty)} of unknown rank on a virtual device")
            return tensor_type(None if ty.ndim < 0 else (None,) * ty.ndim, element, vdevice)
        if not isinstance(ty.shape, relax.ShapeExpr):
            # The shape is a variable; what its type says is known.
            shape = self.type(ty.shape.ty)
            assert isinstance(shape, ShapeType)
            return tensor_type(shape.data, element, vdevice)
        return tensor_type([self.dim(value) for value in ty.shape.values], element, vdevice)


def _text(value: Any) -> str:
    return " ".join(str(value).split())


def _encoded(dim: Known) -> Attribute:
    """Returns an expression as an attribute: operator, then operands."""
    match dim:
        case Apply():
            return ArrayAttr([StringAttr(dim.op), _encoded(dim.lhs), _encoded(dim.rhs)])
        case Symbol():
            return StringAttr(dim.name)
        case _:
            return IntegerAttr(dim, i64)


def _decoded(attr: Attribute) -> Known:
    match attr:
        case ArrayAttr(data=(StringAttr() as op, lhs, rhs)):
            return Apply(op.data, _decoded(lhs), _decoded(rhs))
        case StringAttr():
            return Symbol(attr.data)
        case IntegerAttr():
            return attr.value.data
        case _:
            raise Unsupported(f"dimension expression {attr}")


class ExportScope:
    """The variables of one function, one for each of our symbols."""

    def __init__(self, forms: Attribute | None = None, devices: ExportDevices | None = None) -> None:
        self._devices = devices
        self._forms: dict[str, Known] = {}
        if isinstance(forms, DictionaryAttr):
            self._forms = {text: _decoded(form) for text, form in forms.data.items()}
        self._variables: dict[str, Any] = {}
        self._analyzer = tvm.sym.Analyzer()

    def bind(self, name: str, variable: Any) -> None:
        """Lets a variable stand for a symbol."""
        self._variables[name] = variable

    def symbol(self, name: str) -> Any:
        """Returns the variable of a symbol."""
        return self._variables.setdefault(name, tirx.Var(name, "int64"))

    def expression(self, dim: Known) -> Any:
        """Returns a dim as a TVM expression, in TVM's canonical form."""
        if isinstance(dim, int):
            return tirx.IntImm("int64", dim)
        if isinstance(dim, Symbol):
            return self.symbol(dim.name)
        form = self._forms.get(str(dim))
        return self._analyzer.simplify(self._build(dim)) if form is None else self.exact(form)

    def exact(self, dim: Known) -> Any:
        """Returns a dim as a TVM expression that is written like it."""
        if not isinstance(dim, Apply):
            return self.expression(dim)
        return self._apply(dim.op, self.exact(dim.lhs), self.exact(dim.rhs))

    def _build(self, dim: Known) -> Any:
        if not isinstance(dim, Apply):
            return self.expression(dim)
        commutes = dim.op in ("+", "*", "min", "max") and isinstance(dim.lhs, int)
        lhs, rhs = self._build(dim.rhs if commutes else dim.lhs), self._build(dim.lhs if commutes else dim.rhs)
        return self._apply(dim.op, lhs, rhs)

    @staticmethod
    def _apply(op: str, lhs: Any, rhs: Any) -> Any:
        match op:
            case "+":
                return lhs + rhs
            case "-":
                return lhs - rhs
            case "*":
                return lhs * rhs
            case "floordiv":
                return tirx.floordiv(lhs, rhs)
            case "mod":
                return tirx.floormod(lhs, rhs)
            case "min":
                return tirx.min(lhs, rhs)
            case _:
                return tirx.max(lhs, rhs)

    def shape(self, dims: Sequence[Dim]) -> list[Any] | None:
        """Returns dims as TVM expressions, `None` if one is unknown."""
        known = [dim for dim in dims if dim is not None]
        return [self.expression(dim) for dim in known] if len(known) == len(dims) else None

    def _vdevice(self, ty: Attribute) -> Any:
        attr = vdevice_of(ty)
        return None if attr is None or self._devices is None else self._devices.vdevice(attr)

    def type(self, ty: Attribute) -> Any:
        """Returns the Relax type for a type."""
        match ty:
            case TensorType() | UnrankedTensorType():
                dims, dtype = dims_of(ty), dtype_of(ty.element_type)
                if dims is None:
                    return relax.TensorType(None, dtype)
                values, vdevice = self.shape(dims), self._vdevice(ty)
                if values is None:
                    return relax.TensorType(ndim=len(dims), dtype=dtype, vdevice=vdevice)
                return relax.TensorType(values, dtype, vdevice)
            case ShapeType():
                values = self.shape(ty.data)
                return relax.ShapeType(ndim=len(ty.data)) if values is None else relax.ShapeType(values)
            case TupleType():
                return tvm.ir.TupleType([self.type(field) for field in ty.types.data])
            case ObjectType():
                return relax.AnyType()
            case FunctionType():
                return relax.FuncType([self.type(item) for item in ty.inputs.data], self.type(ty.outputs.data[0]))
            case IntegerType() | BFloat16Type() if ty not in _NAMES:
                raise Unsupported(f"type {ty}")
            case _:
                return tvm.ir.PrimType(dtype_of(ty))
