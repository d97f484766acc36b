"""A kernel of TIR as the body of a function on tensors."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import FunctionType, IndexType, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from ....dialects.relax.attrs import ShapeType, dims_of
from ....dialects.symbolic.expressions import Dim, Symbol
from ....lowering.emit.tensor_builder import Size
from ....lowering.relax_to_linalg.builder import LinalgBuilder, LoweringError, signless
from ..diagnostics import Unsupported
from ..types import element_of, identifier, key
from .kernel import Kernel
from .nodes import kind
from .statements import emit


def plain(value_type: Attribute) -> TensorType[Attribute]:
    """Returns the type of a tensor as linalg has it: without symbols, integers without a sign."""
    if not isinstance(value_type, TensorType):
        raise Unsupported(f"a kernel on {value_type}")
    return TensorType(signless(value_type.element_type), value_type.get_shape())


def _converted(b: LinalgBuilder, value: SSAValue, wanted: Attribute) -> SSAValue:
    """Returns a tensor of the dialect as one of linalg, or the other way."""
    if value.type == wanted:
        return value
    return b.insert(UnrealizedConversionCastOp.get([value], [wanted]))


def kernel_body(kernel: Any, signature: FunctionType, inplace: Sequence[int] | None = None) -> Block:
    """Returns the body of a function of this signature that computes what a kernel writes into its last buffers.

    With `inplace` result `i` is what it writes into argument `inplace[i]`; those of -1 are in the last buffers.

    A `!relax.shape` argument at the end holds the sizes that the kernel takes as scalars; the last one, if the results need it, the sizes
    that no other argument tells. Raises `Unsupported` for what has no counterpart.
    """
    return _Function(kernel, signature, inplace).run()


class _Function:
    def __init__(self, kernel: Any, signature: FunctionType, inplace: Sequence[int] | None):
        self.signature = signature
        self.inplace = inplace if inplace is not None else (-1,) * len(signature.outputs.data)
        self.block = Block(arg_types=signature.inputs.data)
        self.b = LinalgBuilder(InsertPoint.at_end(self.block), {})
        self.kernel = Kernel(self.b)
        self.tensors = [arg for arg in self.block.args if not isinstance(arg.type, ShapeType)]
        self.shapes = [arg for arg in self.block.args if isinstance(arg.type, ShapeType)]
        self.entries: list[Sequence[SSAValue]] = []
        """The sizes that each of `shapes` holds."""
        self.buffers = [parameter for parameter in kernel.params if kind(parameter.ty) == "BufferType"]
        self.scalars = [parameter for parameter in kernel.params if kind(parameter.ty) != "BufferType"]
        self.body = kernel.body
        count = len(self.tensors) + self.inplace.count(-1)
        if inplace is not None and (self.scalars or max(inplace, default=-1) >= len(self.tensors)):
            raise Unsupported("a kernel that writes its arguments and takes scalars")
        if len(self.buffers) != count:
            raise Unsupported(f"{count} buffers are passed, the kernel takes {len(self.buffers)}")

    def run(self) -> Block:
        inputs, fresh = self.buffers[: len(self.tensors)], iter(self.buffers[len(self.tensors) :])
        outputs = [next(fresh) if index < 0 else inputs[index] for index in self.inplace]
        results = self.signature.outputs.data
        value_types = [*(arg.type for arg in self.tensors), *results]
        for buffer, value_type in zip([*inputs, *outputs], value_types, strict=True):
            self._check(buffer, value_type)
        for buffer, arg in zip(inputs, self.tensors, strict=True):
            arg.name_hint = identifier(buffer.name, "arg")
        values = [_converted(self.b, arg, plain(arg.type)) for arg in self.tensors]
        self._define_symbols(values)
        self._define_scalars()
        for buffer, arg, value in zip(inputs, self.tensors, values, strict=True):
            self._define_sizes(buffer, dims_of(arg.type), value)
        for buffer, result in zip(outputs, results, strict=True):
            self._define_sizes(buffer, dims_of(result), None)
        for buffer, value in zip(inputs, values, strict=True):
            self.kernel.tensors[key(buffer)] = self.kernel.refined(value, buffer)
        given = dict(self.kernel.tensors)
        emit(self.kernel, self.body)
        written = {key(buffer) for buffer in outputs}
        if any(self.kernel.tensors[name] is not value for name, value in given.items() if name not in written):
            raise Unsupported("a kernel that writes its arguments")
        self.b.insert_op(func.ReturnOp(*map(self._result, outputs, results)))
        return self.block

    def _check(self, buffer: Any, value_type: Attribute) -> None:
        """Checks that a buffer has the rank and element type of what is passed for it."""
        tensor_type = plain(value_type)
        if len(tensor_type.get_shape()) != len(buffer.ty.shape):
            raise Unsupported(f"{value_type} is passed for buffer {buffer.name} of rank {len(buffer.ty.shape)}")
        if tensor_type.element_type != signless(element_of(buffer.ty.dtype)):
            raise Unsupported(f"{value_type} is passed for buffer {buffer.name} of dtype {buffer.ty.dtype}")

    def _define_symbols(self, values: Sequence[SSAValue]) -> None:
        for arg, value in zip(self.tensors, values, strict=True):
            for axis, dim in enumerate(dims_of(arg.type) or ()):
                if isinstance(dim, Symbol) and dim.name not in self.b.symbols:
                    self.b.symbols[dim.name] = self.b.as_index(self.b.dim(value, axis))
        for shape in self.shapes:
            assert isinstance(shape.type, ShapeType)
            entries = self.b.insert_op(UnrealizedConversionCastOp.get([shape], [IndexType()] * len(shape.type.data)))
            self.entries.append(entries)
            for dim, entry in zip(shape.type.data, entries, strict=True):
                if isinstance(dim, Symbol):
                    self.b.symbols.setdefault(dim.name, entry)

    def _size(self, dim: Dim) -> Size:
        try:
            return self.b.size(dim)
        except LoweringError as error:
            raise Unsupported(str(error)) from None

    def _define_scalars(self) -> None:
        if not self.scalars:
            return
        sizes = self.shapes[0].type if self.shapes else None
        if not isinstance(sizes, ShapeType) or len(sizes.data) != len(self.scalars):
            raise Unsupported("scalar arguments that are not passed as sizes")
        for variable, dim, entry in zip(self.scalars, sizes.data, self.entries[0], strict=True):
            self.kernel.define(variable, dim if isinstance(dim, int) else entry)

    def _define_sizes(self, buffer: Any, dims: Sequence[Dim] | None, value: SSAValue | None) -> None:
        """Defines the variables that stand alone as a size of a buffer."""
        assert dims is not None
        for axis, (size, dim) in enumerate(zip(buffer.ty.shape, dims, strict=True)):
            if kind(size) == "Var" and key(size) not in self.kernel.variables:
                known = self._size(dim) if value is None or dim is not None else self.b.dim(value, axis)
                self.kernel.define(size, known)
                self.kernel.bounds.bind_size(size)

    def _result(self, buffer: Any, wanted: Attribute) -> SSAValue:
        value = self.kernel.tensors.get(key(buffer))
        if value is None:
            raise Unsupported(f"buffer {buffer.name} is not written")
        target = plain(wanted)
        if value.type != target:
            value = self.b.insert(tensor.CastOp(value, target))
        return _converted(self.b, value, wanted)
