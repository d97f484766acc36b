"""Tensors of a model: symbolic values with a shape and a dtype, parameters, and values that are no tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue

from ...builder.errors import reason_of, shown
from ...builder.inserter import Names
from ...builder.locations import caller_location
from ...builder.numbers import converted, number_array
from ...builder.types import Size, element_type, tensor, unmasked
from ...dialects.relax.attrs import ObjectType, dims_of, element_type_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.dense import dense_from_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.ops.core import ConstantOp
from ...interpreter.host.arrays import ForeignArrayError, is_torch, to_numpy
from .annotations import checked
from .conversions import retype_expression, unchanged_on_error
from .errors import ModelError
from .marks import PARAMETER
from .scope import emit, expression, placeholder_value
from .symbols import IntExpr, dims_from, sizes_from

_default_dtype = "float32"
_NARROWED = {"float64": "float32", "int64": "int32"}


def get_default_dtype() -> str:
    """Returns the dtype of parameters that name none."""
    return _default_dtype


@checked
def set_default_dtype(dtype: str) -> None:
    """Sets the dtype of parameters that name none; float32 at first."""
    global _default_dtype
    try:
        _default_dtype = dtype_name(element_type(dtype))
    except ValueError as error:
        raise ModelError(f"set_default_dtype: {reason_of(error)}") from None


def dtype_name(element: Attribute) -> str:
    """Returns an element type as models write it: `float32`, `int64`, `bool`."""
    return numpy_dtype(element).name


def _is_known(value_type: Attribute) -> bool:
    dims = dims_of(value_type) if isinstance(value_type, TensorType | UnrankedTensorType) else ()
    return dims is not None and None not in dims


class Value:
    """What an op takes and gives in a model: a wrapped value of the program."""

    @checked
    def __init__(self, value: SSAValue):
        self.value = value
        """The value. One that is in no function is an expression, see `scope.py`."""


class Tensor(Value):
    """A tensor whose shape and dtype are known as soon as an op has made it."""

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **named: Any) -> Any:
        # `array + tensor` is an op of the tensor, not one of numpy for each element.
        if method == "__call__" and not named and ufunc.__name__ in _UFUNCS:
            return apply(_UFUNCS[ufunc.__name__], *of_one_dtype(*operands), name=_UFUNCS[ufunc.__name__])
        _refuse_foreign("np", ufunc.__name__)

    def __array_function__(self, function: Any, *_: Any) -> NoReturn:
        _refuse_foreign("np", function.__name__)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError("a tensor has no elements before the program runs, it is no array")

    @classmethod
    def __torch_function__(cls, function: Any, *_: Any) -> Any:
        name = function.__name__.strip("_")
        # Python goes on to ask the operand on the right.
        return NotImplemented if name in _OPERATORS else _refuse_foreign("torch", name)

    @checked
    def __init__(self, value: SSAValue):
        super().__init__(value)
        if not isinstance(value.type, TensorType) or not _is_known(value.type):
            raise ModelError(f"expected a tensor whose dims are known, got a value of type {value.type}")

    @staticmethod
    @checked
    def from_const(data: Any, dtype: str | None = None) -> Tensor:
        """Returns a constant with the data of an array, a number or nested lists; without a dtype, of 32 bits where the data has 64."""
        try:
            array = np.asarray(unmasked(data))
            if dtype is None:
                dtype = _NARROWED.get(array.dtype.name)
                if dtype == "int32" and not np.array_equal(array.astype(dtype), array):
                    raise ModelError("expected data that int32 holds, or a dtype")
            element = element_type(array.dtype if dtype is None else dtype)
            value = dense_from_numpy(converted(array, element), element)
        except (OverflowError, TypeError, ValueError) as error:
            raise ModelError(f"a constant: {reason_of(error)}") from None
        return Tensor(expression(ConstantOp.build_from(value=value)))

    @staticmethod
    def from_scalar(data: float | np.generic, dtype: str) -> Tensor:
        """Returns a constant of rank 0."""
        if not isinstance(data, int | float | np.generic):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected a tensor or a number, got {shown(data)}")
        try:
            return Tensor.from_const(number_array(data, element_type(dtype)), dtype)
        except ValueError as error:
            raise ModelError(f"a constant: {reason_of(error)}") from None

    @staticmethod
    @checked
    def placeholder(shape: Sequence[int | str | Size], dtype: str, name: str = "tensor") -> Tensor:
        """Returns a tensor without a value, which says the shape and dtype of what a function outside returns."""
        return Tensor(placeholder_value(tensor_type(shape, dtype, PARAMETER, "a placeholder"), name))

    @property
    def shape(self) -> list[IntExpr]:
        """The sizes, an `int` each where it is known, else an expression of symbolic variables."""
        return sizes_from(dims_of(self.value.type) or ())

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def dtype(self) -> str:
        """The element type, such as `float32`."""
        return dtype_name(element_type_of(self.value.type))

    def __repr__(self) -> str:
        return f'Tensor({self.shape}, "{self.dtype}")'

    def _with(self, op: str, other: Operand, name: str) -> Tensor:
        return apply(op, *of_one_dtype(self, other), name=name)

    def _after(self, op: str, other: Operand, name: str) -> Tensor:
        return apply(op, *of_one_dtype(other, self), name=name)

    def __bool__(self) -> bool:
        raise ModelError("a tensor has no value before the program runs; op.where chooses between tensors")

    def _is_no_data(self, *_: object) -> NoReturn:
        raise ModelError(
            "a tensor has no elements before the program runs; op.take, op.split and op.squeeze choose parts of it"
        )

    __getitem__ = __iter__ = __len__ = __int__ = __float__ = __index__ = __contains__ = _is_no_data

    def __add__(self, other: Operand) -> Tensor:
        return self._with("add", other, "add")

    def __radd__(self, other: Operand) -> Tensor:
        return self._with("add", other, "add")

    def __sub__(self, other: Operand) -> Tensor:
        return self._with("subtract", other, "subtract")

    def __rsub__(self, other: Operand) -> Tensor:
        return self._after("subtract", other, "subtract")

    def __mul__(self, other: Operand) -> Tensor:
        return self._with("multiply", other, "mul")

    def __rmul__(self, other: Operand) -> Tensor:
        return self._with("multiply", other, "mul")

    def __truediv__(self, other: Operand) -> Tensor:
        return self._with("divide", other, "divide")

    def __rtruediv__(self, other: Operand) -> Tensor:
        return self._after("divide", other, "divide")

    def __floordiv__(self, other: Operand) -> Tensor:
        return self._with("floor_divide", other, "floor_divide")

    def __rfloordiv__(self, other: Operand) -> Tensor:
        return self._after("floor_divide", other, "floor_divide")

    def __mod__(self, other: Operand) -> Tensor:
        return self._with("floor_mod", other, "mod")

    def __rmod__(self, other: Operand) -> Tensor:
        return self._after("floor_mod", other, "mod")

    def __pow__(self, other: Operand) -> Tensor:
        return self._with("power", other, "power")

    def __rpow__(self, other: Operand) -> Tensor:
        return self._after("power", other, "power")

    def __abs__(self) -> Tensor:
        return apply("abs", self, name="abs")

    def __neg__(self) -> Tensor:
        return apply("negative", self, name="neg")

    def __matmul__(self, other: Tensor) -> Tensor:
        return apply("matmul", self, other, name="matmul")

    def __lt__(self, other: Operand) -> Tensor:
        return self._with("less", other, "less")

    def __le__(self, other: Operand) -> Tensor:
        return self._with("less_equal", other, "less_equal")

    def __gt__(self, other: Operand) -> Tensor:
        return self._with("greater", other, "greater")

    def __ge__(self, other: Operand) -> Tensor:
        return self._with("greater_equal", other, "greater_equal")

    def astype(self, dtype: str) -> Tensor:
        """Returns the elements converted to a dtype; the tensor itself if it has that."""
        return self if self.dtype == dtype else apply("astype", self, dtype=dtype, name="astype")

    def maximum(self, other: Operand) -> Tensor:
        """Returns the larger element of each pair."""
        return self._with("maximum", other, "maximum")

    def minimum(self, other: Operand) -> Tensor:
        """Returns the smaller element of each pair."""
        return self._with("minimum", other, "minimum")

    def reshape(self, *shape: Any, name: str = "reshape") -> Tensor:
        """Returns the elements in another shape, given as sizes or one list of them.

        0 is the size that the tensor has at the same place, -1 what is left.
        """
        own = self.shape
        sizes = _unpacked(shape)
        kept = [own[axis] if size == 0 and axis < len(own) else size for axis, size in enumerate(sizes)]
        return apply("reshape", self, kept, name=name)

    def permute_dims(self, *axes: Any) -> Tensor:
        """Returns the tensor with its dims in another order, reversed without axes."""
        return apply("permute_dims", self, axes=_unpacked(axes) or None, name="permute_dims")

    def repeat(self, repeats: int, axis: int | None = None) -> Tensor:
        """Returns each element repeated along an axis, of the flattened tensor without one."""
        return apply("repeat", self, repeats=repeats, axis=axis, name="repeat")


Operand: TypeAlias = Tensor | float | np.generic | np.ndarray[Any, Any]
"""What an op takes for each of several tensors: a tensor, or a number or an array that gets the dtype of a tensor beside it."""


_UFUNCS = {"true_divide": "divide"} | {
    name: name for name in ("add", "subtract", "multiply", "divide", "less", "less_equal", "greater", "greater_equal")
}
"""What `array + tensor` and the like are to numpy, and to the dialect."""
_OPERATORS = ("add", "sub", "mul", "div", "truediv", "rsub", "rdiv", "lt", "le", "gt", "ge", "matmul")
"""What `tensor of torch + tensor` and the like are to torch."""

FUNCTIONS: set[str] = set()
"""The names of `nn.op`, which puts them here."""


def _refuse_foreign(library: str, name: str) -> NoReturn:
    """Raises `ModelError` for a function of a library that takes arrays, with the name of ours."""
    own = {"concatenate": "concat", "cat": "concat", "transpose": "permute_dims"}.get(name, name)
    hint = f"nn.op.{own}" if own in FUNCTIONS else "nn.op"
    reason = "takes arrays, a tensor has no elements before the program runs"
    raise ModelError(f"{library}.{name} {reason}: use {hint}", location=caller_location("numpy", "torch"))


def of_one_dtype(*operands: Operand) -> tuple[Tensor, ...]:
    """Returns tensors as they are, numbers and arrays as constants of the dtype of the first tensor among them."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    if not tensors:
        raise ModelError(f"expected a tensor among the operands, got {', '.join(map(shown, operands))}")
    dtype = tensors[0].dtype
    return tuple(
        operand
        if isinstance(operand, Tensor)
        else Tensor.from_const(operand, dtype)
        if isinstance(operand, np.ndarray)
        else Tensor.from_scalar(operand, dtype)
        for operand in (given if isinstance(given, Tensor) else to_numpy(given) for given in operands)
    )


def _unpacked(items: tuple[Any, ...]) -> list[Any]:
    """Returns what was given one by one, or as one list."""
    return list(items[0]) if len(items) == 1 and isinstance(items[0], list | tuple) else list(items)


def apply(op: str | type[RelaxOp], *operands: Any, name: Names, **arguments: Any) -> Any:
    """Applies an op of the dialect to tensors, and returns its result as a tensor, a tuple of several, or `None`."""
    given = [operand.value if isinstance(operand, Value) else operand for operand in operands]
    for size in (size for shape in given if isinstance(shape, list | tuple) for size in cast(Sequence[Any], shape)):
        if isinstance(size, str):
            raise ModelError(
                f"expected sizes (numbers and symbolic variables), got {size!r}: names are for parameters and specifications"
            )
    named = {key: given.value if isinstance(given, Value) else given for key, given in arguments.items()}
    result = emit(op, *given, name=name, **named)
    for value in result if isinstance(result, tuple) else (result,):
        if isinstance(value, SSAValue) and not _is_known(value.type):
            types = ", ".join(str(item.type) for item in given if isinstance(item, SSAValue))
            raise ModelError(f"{op}: the sizes of the result {value.type} are not known (operands: {types})")
    return wrapped(result)


def wrapped(result: Any) -> Any:
    """Returns a value, or several, as a model sees them: tensors and objects, tuples of them, or `None`."""
    if isinstance(result, tuple):
        return tuple(map(wrapped, cast(tuple[Any, ...], result)))
    if not isinstance(result, SSAValue):
        return result
    return Object(result) if isinstance(result.type, ObjectType) else Tensor(result)


class Parameter(Tensor):
    """A weight of a model: a tensor that every method takes as an argument under its dotted name; `data` may be bound to it."""

    @checked
    def __init__(self, shape: Sequence[int | str | Size], dtype: str | None = None):
        value_type = tensor_type(shape, _default_dtype if dtype is None else dtype, PARAMETER, "a parameter")
        super().__init__(placeholder_value(value_type, "param"))
        self._data: Any = None
        self.attrs: dict[str, Any] = {}
        """What a loader or a quantizer notes down about the parameter."""

    @property
    def data(self) -> Any:
        """The value that is bound: a numpy array, or a tensor of the framework that it came from; `None` without one."""
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        """Binds an array, without a copy; raises `ValueError` for another shape or dtype than that of the parameter."""
        if data is not None:
            self.check(data)
        self._data = data

    def check(self, data: Any) -> None:
        """Raises `ValueError` for what is no array, or has another shape or dtype than the parameter."""
        if isinstance(data, Value):
            raise ValueError(f"expected an array, got a {type(data).__name__} of a model, which has no data")
        if is_torch(data) or isinstance(data, np.ma.MaskedArray):
            # A tensor of torch may be without data in memory, or have no shape.
            try:
                to_numpy(data)
            except ForeignArrayError as error:
                raise ValueError(f"expected an array in this machine's memory, got {error}") from None
        if not hasattr(data, "shape") or not hasattr(data, "dtype"):
            raise ValueError(f"expected an array, got {type(data).__name__}")
        shape, dtype = tuple(data.shape), str(data.dtype).removeprefix("torch.")
        expected = tuple(self.shape)
        if len(shape) != len(expected) or any(
            isinstance(size, int) and size != given for size, given in zip(expected, shape, strict=True)
        ):
            raise ValueError(f"expected data of shape {expected}, got {shape}")
        if dtype != self.dtype:
            remedy = "convert the data, or change the model by to() before"
            raise ValueError(f"expected data of dtype {self.dtype}, got {dtype}; {remedy}")

    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype, and that of constants beside the parameter in expressions.

        Raises `ValueError` where data of another dtype is bound, and `ModelError` for a constant that the dtype does not hold; then nothing
        is changed.
        """
        if dtype is None or dtype == self.dtype:
            return
        value_type = tensor_type(self.shape, dtype, PARAMETER, "to")
        if self._data is not None:
            raise ValueError(f"expected a parameter without data to change {self.dtype} to {dtype}, convert the data")
        with unchanged_on_error(lambda: ([], [self.value])):
            retype_expression(self.value, value_type)


def tensor_type(shape: Sequence[int | str | Size], dtype: str, mark: str, who: str) -> Attribute:
    """Returns the type of a tensor; symbols in texts get a mark. Raises `ModelError` for what is no shape or dtype, `who` in front."""
    try:
        if isinstance(shape, str) or not isinstance(shape, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"expected a list of sizes as the shape of a tensor, got {shown(shape)}")
        return tensor(dims_from(shape, mark), element_type(dtype))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{who}: {reason_of(error)}") from None


class Object(Value):
    """A value that is no tensor, such as a cache."""

    @checked
    def __init__(self, value: SSAValue):
        super().__init__(value)
        if not isinstance(value.type, ObjectType):
            raise ModelError(f"expected an object, got a value of type {value.type}")

    @staticmethod
    @checked
    def placeholder(name: str = "object") -> Object:
        """Returns an object without a value, which says that a function outside returns one."""
        return Object(placeholder_value(ObjectType(), name))
