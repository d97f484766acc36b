"""Types, dims and element types of Relax and of the dialect, both ways."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import tvm
from tvm import relax, tirx
from tvm_ffi import structural_equal
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DictionaryAttr,
    FunctionType,
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

from ...dialects.relax.attrs import UNKNOWN, ObjectType, ShapeType, dims_of, tensor_type, vdevice_of
from ...dialects.relax.dtypes import ui8, ui16, ui32, ui64
from ...dialects.symbolic.expressions import Apply, Dim, Known, Symbol, simplify
from .diagnostics import Unsupported
from .dims import Form, decoded, dim_of, encoded, expression_of, form_of
from .vdevices import ExportDevices, ImportDevices

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

    def __init__(self, devices: ImportDevices) -> None:
        self.devices = devices
        self._symbols: dict[int, Dim] = {}
        self._names: set[str] = set()
        self._keep: list[Any] = []
        self.written: dict[Dim, Form] = {}
        """How the dims that are expressions were written at first, before simplification."""

    def define(self, variable: Any, dim: Dim) -> None:
        """Lets a variable stand for a dim."""
        self._keep.append(variable)
        self._symbols[key(variable)] = dim

    def symbol(self, variable: Any) -> Dim:
        """Returns the symbol of a variable, under a name that no other one has."""
        dim = self._symbols.get(key(variable))
        if dim is not None:
            return dim
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
        if type(expression).__name__ == "Var":
            return self.symbol(expression)
        form = form_of(expression, self.symbol)
        dim = simplify(dim_of(form))
        if isinstance(form, tuple):
            self.written.setdefault(dim, form)
        return dim

    def forms(self) -> dict[str, Attribute]:
        """Returns how dims were written, by their text, where export would write them in another way."""
        scope = ExportScope()
        return {
            str(dim): encoded(written)
            for dim, written in self.written.items()
            if isinstance(dim, Apply) and not structural_equal(scope.expression(dim), scope.exact(written))
        }

    def writing(self, ty: Any) -> ArrayAttr[Attribute] | None:
        """Returns how the dims of a type are written, `None` if that is how the function writes them all."""
        sizes = _sizes_in(ty)
        forms: list[Attribute] = []
        is_usual = all(size is not NUMBER for size in sizes)
        for size in sizes:
            if isinstance(size, StringAttr):
                forms.append(size)
                continue
            dim, form = self.dim(size), form_of(size, self.symbol)
            if dim is None:
                return None
            is_usual &= not isinstance(form, tuple) or (isinstance(dim, Apply) and form == self.written.get(dim))
            forms.append(encoded(form))
        return None if is_usual else ArrayAttr(forms)

    def type(self, ty: Any) -> Attribute:
        """Returns the type for a Relax type."""
        # Every type of the dialect is made here; a type without a counterpart is refused with its text.
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
        vdevice = None if ty.vdevice is None else self.devices.attribute(ty.vdevice)
        element = UNKNOWN if ty.dtype is None else element_of(ty.dtype)
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
    # TVM does not print a type that is not filled in.
    return "that is missing" if value.is_missing() else " ".join(str(value).split())


NUMBER, VECTOR = StringAttr("#number"), StringAttr("#vector")
"""What the types of the dialect do not tell apart, among the sizes of a type: a number, and a shape of one dim of unknown size."""


def _sizes_in(ty: Any) -> list[Any]:
    """Returns the expressions in a type, in order, with `NUMBER` and `VECTOR` for what has none."""
    match ty:
        case relax.TensorType():
            return list(ty.shape.values) if isinstance(ty.shape, relax.ShapeExpr) else []
        case relax.ShapeType():
            return list(ty.values) if ty.values is not None else [VECTOR] * (ty.ndim == 1)
        case tvm.ir.PrimType() if str(ty.dtype) == "int64":
            return [NUMBER]
        case tvm.ir.TupleType():
            return [size for field in ty.fields for size in _sizes_in(field)]
        case _:
            return []


class ExportScope:
    """The variables of one function, one for each of our symbols."""

    def __init__(self, forms: Attribute | None = None, devices: ExportDevices | None = None) -> None:
        self._devices = devices
        self._forms: dict[str, Form] = {}
        if isinstance(forms, DictionaryAttr):
            self._forms = {text: decoded(form) for text, form in forms.data.items()}
        self._writing: Iterator[Attribute] = iter(())
        self._variables: dict[str, Any] = {}
        self._analyzer = tvm.sym.Analyzer()

    def bind(self, name: str, variable: Any) -> None:
        """Lets a variable stand for a symbol."""
        self._variables[name] = variable

    def symbol(self, name: str) -> Any:
        """Returns the variable of a symbol."""
        return self._variables.setdefault(name, tirx.Var(name, "int64"))

    @property
    def variables(self) -> list[Any]:
        """The variables so far."""
        return list(self._variables.values())

    def expression(self, dim: Known) -> Any:
        """Returns a dim as a TVM expression, in TVM's canonical form."""
        if isinstance(dim, int):
            return tirx.IntImm("int64", dim)
        if isinstance(dim, Symbol):
            return self.symbol(dim.name)
        form = self._forms.get(str(dim))
        return self._analyzer.simplify(self._build(dim)) if form is None else self.exact(form)

    def exact(self, form: Form) -> Any:
        """Returns a TVM expression that is written like a form."""
        return expression_of(form, self.symbol)

    def _build(self, dim: Known) -> Any:
        """Returns a dim as a TVM expression with numbers on the right."""
        if not isinstance(dim, Apply):
            return self.expression(dim)
        commutes = dim.op in ("+", "*", "min", "max") and isinstance(dim.lhs, int)
        lhs, rhs = (dim.rhs, dim.lhs) if commutes else (dim.lhs, dim.rhs)
        return expression_of((dim.op, "lhs", "rhs"), {"lhs": self._build(lhs), "rhs": self._build(rhs)}.__getitem__)

    def shape(self, dims: Sequence[Dim]) -> list[Any] | None:
        """Returns dims as TVM expressions, `None` if one is unknown."""
        known = [dim for dim in dims if dim is not None]
        return [self._written(dim) for dim in known] if len(known) == len(dims) else None

    def _written(self, dim: Known) -> Any:
        """Returns a dim of a type; it is written as the importer found it if it has not changed since."""
        attr = next(self._writing, None)
        form = None if attr is None else decoded(attr)
        return self.exact(form) if isinstance(form, tuple) and simplify(dim_of(form)) == dim else self.expression(dim)

    def _vdevice(self, ty: Attribute) -> Any:
        attr = vdevice_of(ty)
        return None if attr is None or self._devices is None else self._devices.vdevice(attr)

    def type(self, ty: Attribute, writing: Iterable[Attribute] = ()) -> Any:
        """Returns the Relax type for a type; `writing` is `ImportScope.writing` of it."""
        self._writing = iter(writing)
        return self._type(ty)

    def _type(self, ty: Attribute) -> Any:
        # The reverse of `ImportScope.type`; a type that Relax cannot write is refused.
        match ty:
            case TensorType() | UnrankedTensorType():
                dims, dtype = dims_of(ty), None if ty.element_type == UNKNOWN else dtype_of(ty.element_type)
                if dims is None:
                    return relax.TensorType(None, dtype)
                values, vdevice = self.shape(dims), self._vdevice(ty)
                if values is None:
                    return relax.TensorType(ndim=len(dims), dtype=dtype, vdevice=vdevice)
                return relax.TensorType(values, dtype, vdevice)
            case ShapeType(data=(None,)) if next(self._writing, None) == NUMBER:
                return tvm.ir.PrimType("int64")
            case ShapeType():
                values = self.shape(ty.data)
                return relax.ShapeType(ndim=len(ty.data)) if values is None else relax.ShapeType(values)
            case TupleType():
                return tvm.ir.TupleType([self._type(field) for field in ty.types.data])
            case ObjectType():
                return relax.AnyType()
            case FunctionType():
                return relax.FuncType([self._type(item) for item in ty.inputs.data], self._type(ty.outputs.data[0]))
            case IntegerType() | BFloat16Type() if ty not in _NAMES:
                raise Unsupported(f"type {ty}")
            case _:
                return tvm.ir.PrimType(dtype_of(ty))
