"""A model to a module with one public function: its signature, then its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, TypeProto, ValueInfoProto, helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import ParseError

from ...builder import ModuleBuilder
from ...builder.errors import BuilderError
from ...builder.functions import FunctionBuilder
from ...collector import collector_paused
from ...dialects.relax.attrs import tensor_type
from ...dialects.relax.function_signature import identifier
from ...dialects.symbolic.expressions import Dim, Symbol, symbols
from ...dialects.symbolic.parser import dim_from_string
from ..model.build import built_module
from ..model.locations import scoped_location
from ..model.problems import ModelImportError, Problem, Unsupported, UnsupportedModelError
from ..model.weights import ImportedModel
from .graph import GraphImporter
from .load import load_model
from .tensors import Origin, tensor_shape
from .types import is_small, kind_name, storage
from .values import Failed, Optional, Tensor, Value
from .values import Sequence as TensorSequence

Dims = Mapping[str, int | str | Sequence[int | str]]
Values = Mapping[str, "np.ndarray[Any, Any]"]


def from_onnx(
    model: str | Path | bytes | ModelProto, *, dims: Dims | None = None, values: Values | None = None
) -> ModuleOp:
    """Returns a model as a module; see `import_onnx`, which returns the weights too."""
    return import_onnx(model, dims=dims, values=values).module


def import_onnx(
    model: str | Path | bytes | ModelProto,
    *,
    dims: Dims | None = None,
    values: Values | None = None,
    name: str = "main",
) -> ImportedModel:
    """Returns a model as a module with the function `@main`, and its weights.

    `dims` gives sizes, or other names, to the named dims of the inputs (`{"batch": 4}`), and to those without a name, which are called
    `<input>_<axis>`; also the lengths of inputs that are sequences, and whole shapes, by the name of the input (items of a sequence `x` are
    `x_0`, ...). `values` fixes inputs: what the model is
    to know before it runs, such as a shape. Raises `ModelImportError` for what is no model, and `UnsupportedModelError` with everything
    in it that has no counterpart.
    """
    proto, origin = load_model(model)
    modules = ModuleBuilder()
    with collector_paused():
        return _import(proto, origin, modules, modules.function(name), dict(dims or {}), dict(values or {}))


def _import(
    model: ModelProto,
    origin: Origin,
    modules: ModuleBuilder,
    function: FunctionBuilder,
    dims: dict[str, Any],
    values: dict[str, np.ndarray[Any, Any]],
) -> ImportedModel:
    importer = GraphImporter(model, origin, modules, function)
    with modules.at(scoped_location(model.graph.name)):
        signature = Signature(importer, dims, values)
        stored = {item.name: item for item in model.graph.initializer}
        for info in model.graph.input:
            if info.name in stored:
                _require_declared(info, stored[info.name])
            else:
                signature.add(info)
        signature.finish()
        importer.initializers(model.graph)
        importer.run(model.graph.node)
        names: list[str] = []
        results: list[SSAValue] = []
        for info in model.graph.output:
            try:
                for label, tensor in _flat(info.name, importer.output(info.name)):
                    _require_kind(info, tensor)
                    names.append(label)
                    results.append(importer.materialized(tensor))
            except Unsupported as error:
                importer.note(error, "output", info.name)
        if importer.problems:
            raise UnsupportedModelError(importer.problems)
        function.returns(*results, names=names)
    return ImportedModel(
        built_module(modules, function.name),
        importer.weights,
        tuple(names),
        tuple(signature.names),
        files=sorted(origin.files),
    )


def _require_declared(info: ValueInfoProto, stored: TensorProto) -> None:
    """Raises `ModelImportError` for an input that is declared as another tensor than its initializer."""
    tensor = info.type.tensor_type
    if tensor.elem_type not in (TensorProto.UNDEFINED, stored.data_type):
        raise ModelImportError(
            f"the input '{info.name}': declared as {kind_name(tensor.elem_type)}, its initializer is {kind_name(stored.data_type)}"
        )
    sizes, own = _declared_sizes(tensor), tensor_shape(stored)
    if sizes is not None and not _fits(sizes, own):
        raise ModelImportError(
            f"the input '{info.name}': declared with the shape {_shown(sizes)}, its initializer has {list(own)}"
        )


def _declared_sizes(tensor: TypeProto.Tensor) -> list[int | None] | None:
    """Returns the sizes that a type declares, `None` for those that it leaves open."""
    if not tensor.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None for dim in tensor.shape.dim]


def _fits(sizes: Sequence[int | None], shape: Sequence[int]) -> bool:
    return len(sizes) == len(shape) and all(size in (None, own) for size, own in zip(sizes, shape, strict=True))


def _shown(sizes: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in sizes)}]"


def _flat(name: str, value: Value) -> list[tuple[str, Tensor]]:
    """Returns the tensors of an output; those of a sequence are numbered."""
    match value:
        case Tensor():
            return [(name, value)]
        case TensorSequence():
            return [(f"{name}.{index}", item) for index, item in enumerate(value.items)]
        case Optional():
            return [] if value.item is None else _flat(name, value.item)
        case Failed():
            raise Unsupported(value.reason)


def _require_kind(info: ValueInfoProto, tensor: Tensor) -> None:
    """Raises `Unsupported` for an output of another element type than the model declares."""
    declared = info.type.tensor_type.elem_type
    if declared and tensor.kind != declared and tensor.element != storage(declared):
        raise Unsupported(f"declared as {kind_name(declared)}, what is computed is {kind_name(tensor.kind)}")


def _fixed(info: ValueInfoProto, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the value that an input is fixed to; raises `ModelImportError` for one that the input cannot have."""
    tensor = info.type.tensor_type
    if not tensor.elem_type:
        return array
    expected = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    if array.dtype.newbyteorder("=") != expected and not is_small(tensor.elem_type):
        raise ModelImportError(f"the value of '{info.name}': expected element type {expected}, got {array.dtype}")
    sizes = _declared_sizes(tensor)
    if sizes is not None and not _fits(sizes, array.shape):
        raise ModelImportError(
            f"the value of '{info.name}': expected the shape {_shown(sizes)}, got {list(array.shape)}"
        )
    return array if is_small(tensor.elem_type) else array.astype(expected, copy=False)


class Signature:
    """The inputs of a model as arguments of a function."""

    def __init__(self, importer: GraphImporter, dims: dict[str, Any], values: dict[str, np.ndarray[Any, Any]]):
        self.names: list[str] = []
        """The names of the inputs that are arguments."""
        self._importer = importer
        self._dims = dims
        self._values = values
        self._used: set[str] = set()
        self._known: dict[str, Dim] = {}

    def add(self, info: ValueInfoProto) -> None:
        """Adds an input."""
        if info.name in self._values:
            array = _fixed(info, np.asarray(self._values[info.name]))
            self._importer.define(info.name, Tensor(known=array, kind=info.type.tensor_type.elem_type or None))
            self._used.add(info.name)
            return
        try:
            self._importer.define(info.name, self._argument(info.name, info.type))
        except Unsupported as error:
            self._importer.problems.append(Problem("input", str(error), info.name))
            self._importer.define(info.name, Failed())

    def finish(self) -> None:
        """Raises `ModelImportError` for sizes and values that no input has."""
        unknown = sorted({*self._dims, *self._values} - self._used)
        if unknown:
            known = ", ".join(sorted({*self._known, *self.names})) or "none"
            raise ModelImportError(f"no input or size of the model is named '{unknown[0]}', it has {known}")

    def _argument(self, name: str, declared: Any) -> Value:
        kind = declared.WhichOneof("value")
        if kind == "optional_type":
            return Optional(self._optional(name, declared.optional_type.elem_type))
        if kind == "sequence_type":
            length = self._dims.get(name)
            if not isinstance(length, int):
                raise Unsupported(
                    f"the length of the sequence is not known, give it as a size by the name of the input (--dim {name}=N)"
                )
            self._used.add(name)
            element = declared.sequence_type.elem_type
            return TensorSequence([self._tensor(f"{name}_{index}", element, name) for index in range(length)])
        if kind != "tensor_type":
            raise Unsupported(f"inputs of {str(kind).removesuffix('_type').replace('_', ' ')} type have no counterpart")
        return self._tensor(name, declared, name)

    def _optional(self, name: str, declared: Any) -> Tensor | TensorSequence | None:
        if self._dims.get(name) == 0:
            self._used.add(name)
            return None
        value = self._argument(name, declared)
        assert isinstance(value, Tensor | TensorSequence)
        return value

    def _tensor(self, name: str, declared: Any, origin: str) -> Tensor:
        tensor, given = declared.tensor_type, self._dims.get(name)
        if given is not None and not isinstance(given, int | str):
            self._used.add(name)
            sizes = [size if isinstance(size, int) else self._named(size) for size in given]
        elif not tensor.HasField("shape"):
            raise Unsupported("the number of dims is not known, give the shape (dims) by the name of the input")
        else:
            # The items of a sequence may differ where the sequence names one size.
            sizes = [
                self._dim(dim, f"{identifier(name)}_{axis}", name == origin)
                for axis, dim in enumerate(tensor.shape.dim)
            ]
        known = prod(size for size in sizes if isinstance(size, int) and size)
        if known * 8 > np.iinfo(np.int64).max:
            raise Unsupported(f"{' x '.join(map(str, sizes))} elements do not fit the memory of any machine")
        try:
            value = self._importer.function.input(name, tensor_type(sizes, storage(tensor.elem_type)))
        except BuilderError as error:
            raise Unsupported(error.message) from None
        self.names.append(name)
        return Tensor(value=value, kind=tensor.elem_type, origin=frozenset((origin,)))

    def _dim(self, dim: Any, default: str, may_share: bool) -> Dim:
        """Returns a dim of an input; a negative size, and a name without a letter, are none."""
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
            return int(dim.dim_value)
        return self._size(dim.dim_param if may_share and any(map(str.isalpha, dim.dim_param)) else default)

    def _size(self, label: str) -> Dim:
        """Returns the size that a dim is named by: what was given for it, the expression if its symbols are defined, else a symbol."""
        if label in self._known:
            return self._known[label]
        if label in self._dims:
            self._used.add(label)
            given = self._dims[label]
            size = int(given) if isinstance(given, int) else self._named(str(given))
        else:
            size = self._named(label)
        self._known[label] = size
        return size

    def _named(self, label: str) -> Dim:
        try:
            size = dim_from_string(label)
        except ParseError:
            size = None
        taken = self._importer.symbols
        if size is not None and not isinstance(size, Symbol) and set(symbols(size)) <= taken:
            return size
        if isinstance(size, Symbol):
            taken.add(size.name)
            return size
        return self._importer.fresh_symbol(identifier(label))
