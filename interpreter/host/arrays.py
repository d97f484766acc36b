"""Arrays of other libraries as numpy arrays, and back, without a copy where their memory allows it.

DLPack is tried first, with the element types that it lacks as bits, then `__array__`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from ...dialects.nearest_name import suggestion
from .errors import ArgumentError

Array = np.ndarray[Any, np.dtype[Any]]

Library: TypeAlias = Literal["numpy", "torch", "jax"]

BITS = {
    "bfloat16": "int16",
    **{f"float8_{kind}": "uint8" for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")},
}
"""Element types that numpy does not have of itself, and the one that stands for their bits."""

_DLPACK_CPU = 1


class ForeignArrayError(ValueError):
    """An array whose memory numpy cannot reach, and why."""


def is_torch(value: Any) -> bool:
    """Returns whether a value is a tensor of torch, or of a class made of one."""
    return _is_of_torch(type(value))


@lru_cache(256)
def _is_of_torch(kind: type[Any]) -> bool:
    return any(base.__module__.partition(".")[0] == "torch" for base in kind.__mro__)


def is_masked(value: Any) -> bool:
    """Returns whether a value is a masked array; numpy's module for them, which is slow to import, is left alone where none is."""
    return type(value) is not np.ndarray and "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


def is_late(tensor: Any) -> bool:
    """Returns whether torch negates or conjugates a tensor when it is read: its elements are no data in memory yet."""
    return tensor.is_neg() or tensor.is_conj()


def to_numpy(value: Any) -> Any:
    """Returns an array of any library as a numpy array of the same memory where it can; anything else as it is.

    Raises `ForeignArrayError` for an array on another device, and for data that is no array in memory.
    """
    # A subclass of numpy may hold more than its data: a mask, two dims at all times.
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ndarray):
        if is_masked(value):
            raise ForeignArrayError("a masked array; its filled() has one value for each element")
        return np.asarray(value)
    if is_torch(value) and hasattr(value, "detach"):
        return _from_torch(value)
    if hasattr(value, "__dlpack__"):
        _require_on_cpu(value)
        try:
            return np.from_dlpack(value)
        # Element types that DLPack has and numpy has not, as those of jax; `__array__` may know better.
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            if not hasattr(value, "__array__"):
                raise ForeignArrayError(f"{_named(value)} that numpy cannot read ({_first_line(error)})") from None
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        try:
            return np.asarray(value)
        except (RuntimeError, TypeError, ValueError) as error:
            raise ForeignArrayError(f"{_named(value)} that numpy cannot read ({_first_line(error)})") from None
    return value


class _Lent:
    """Passes the memory of a tensor on by DLPack, without what torch does in Python for each tensor; numpy may only read it."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Any):
        self._tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return _to_dlpack()(self._tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DLPACK_CPU, 0


@cache
def _to_dlpack() -> Callable[[Any], Any]:
    # `Tensor.numpy` takes half the time of this, but it keeps a tensor from being resized for ever.
    return import_module("torch.utils.dlpack").to_dlpack


def lent(values: Sequence[Any], others: Collection[type[Any]]) -> tuple[Any, ...] | None:
    """Returns values with an array that is only read in the place of each tensor of torch, fast; values of `others` stay as they are.

    `None` where there is no tensor, one that is more than memory of the host, or a value of another type.
    """
    arrays: list[Any] = []
    has_tensors = False
    for value in values:
        kind = type(value)
        if kind in others:
            arrays.append(value)
            continue
        array = _lent(value) if _is_plain_tensor(kind) else None
        if array is None:
            return None
        has_tensors = True
        arrays.append(array)
    return tuple(arrays) if has_tensors else None


@lru_cache(256)
def _is_plain_tensor(kind: type[Any]) -> bool:
    return (kind.__module__, kind.__qualname__) in {("torch", "Tensor"), ("torch.nn.parameter", "Parameter")}


def _lent(tensor: Any) -> Array | None:
    if not tensor.is_cpu or is_late(tensor):
        return None
    try:
        return _shared(tensor, _Lent)
    # What has no memory, as sparse tensors: the slow way says so.
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None


def _shared(tensor: Any, lend: Callable[[Any], Any]) -> Array:
    """Returns what numpy sees of the memory of a tensor, which `lend` passes on by DLPack; raises what goes wrong on the way."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    bits = _bits_of(tensor.dtype)
    if bits is None:
        array = np.from_dlpack(lend(tensor))
    else:
        array = np.from_dlpack(lend(tensor.view(bits[0]))).view(bits[1])
    # Where there are elements and no memory, as in what `torch.func.functionalize` hands on, numpy takes memory of its own.
    if tensor.data_ptr() == 0 and array.size:
        raise BufferError("it has no memory")
    return array


@lru_cache(64)
def _bits_of(dtype: Any) -> tuple[Any, np.dtype[Any]] | None:
    """Returns torch's element type of the bits of one that numpy does not have of itself, and numpy's name for that."""
    name = str(dtype).removeprefix("torch.")
    if name not in BITS:
        return None
    return getattr(import_module("torch"), BITS[name]), np.dtype(getattr(import_module("ml_dtypes"), name))


def _from_torch(value: Any) -> Array:
    if value.device.type != "cpu":
        remedy = ", which holds no data" if value.is_meta else "; copy it with .cpu()"
        raise ForeignArrayError(f"one on {value.device}{remedy}")
    tensor = value.resolve_neg().resolve_conj() if is_late(value) else value
    try:
        return _shared(tensor, lambda memory: memory)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ForeignArrayError(f"a tensor of {value.dtype} that numpy cannot read ({_first_line(error)})") from None


def _require_on_cpu(value: Any) -> None:
    device = getattr(value, "__dlpack_device__", lambda: (_DLPACK_CPU, 0))()
    if int(device[0]) != _DLPACK_CPU:
        where = getattr(value, "device", f"a device of DLPack's type {int(device[0])}")
        raise ForeignArrayError(f"one on {where}; copy it to the CPU")


def _named(value: Any) -> str:
    return f"a {type(value).__name__}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def to_torch(array: Array) -> Any:
    """Returns a numpy array as a tensor of torch, of the same memory where that can be written to."""
    writable = array if array.flags.writeable else array.copy()
    from_numpy, bits, dtype = _torch_type(array.dtype)
    return from_numpy(writable) if bits is None else from_numpy(writable.view(bits)).view(dtype)


@lru_cache(64)
def _torch_type(dtype: np.dtype[Any]) -> tuple[Callable[[Array], Any], np.dtype[Any] | None, Any]:
    """Returns how torch takes arrays of an element type: as what bits of numpy, and as which element type of its own."""
    torch = import_module("torch")
    if dtype.name not in BITS:
        return torch.from_numpy, None, None
    return torch.from_numpy, np.dtype(BITS[dtype.name]), getattr(torch, dtype.name)


def _to_namespace(namespace: Any, array: Array) -> Any:
    try:
        return namespace.from_dlpack(array)
    # An element type or an alignment that the library does not share.
    except (BufferError, RuntimeError, TypeError, ValueError):
        return namespace.asarray(array)


Convert: TypeAlias = Callable[[Array], Any]
"""Makes a library's array of one of numpy."""


def converter_like(values: Iterable[Any]) -> Convert | None:
    """Returns how results become arrays of the library that the first foreign array in the values is of; `None` for numpy's."""
    for value in values:
        if isinstance(value, Mapping | str | bytes):
            continue
        if isinstance(value, tuple | list):
            convert = converter_like(cast("Iterable[Any]", value))
            if convert is not None:
                return convert
        elif is_torch(value):
            return to_torch
        elif not isinstance(value, np.ndarray | np.generic) and hasattr(value, "__array_namespace__"):
            namespace = value.__array_namespace__()
            return lambda array: _to_namespace(namespace, array)
    return None


def converter_to(library: Library) -> Convert | None:
    """Returns how results become arrays of a library; `None` for numpy's. Raises `ArgumentError` for another name."""
    match library:
        case "numpy":
            return None
        case "torch":
            _require_installed(library)
            return to_torch
        case "jax":
            _require_installed(library)
            return lambda array: _to_namespace(_jax(), array)
        case _:  # pyright: ignore[reportUnnecessaryComparison]
            near = suggestion(library, ("numpy", "torch", "jax")) if isinstance(library, str) else ""
            raise ArgumentError(f"results: expected 'numpy', 'torch' or 'jax', got {library!r:.40}{near}")


def _require_installed(library: str) -> None:
    if find_spec(library) is None:
        raise ArgumentError(
            f"results: expected arrays of an installed library, got {library!r}, which is not installed"
        )


def _jax() -> ModuleType:
    return import_module("jax.numpy")


def same_data(first: Any, second: Any) -> bool:
    """Returns whether two arrays of one shape and dtype, of any library, have equal bits."""
    if first is second:
        return True
    data, others = (np.ascontiguousarray(to_numpy(array)).reshape(-1).view(np.uint8) for array in (first, second))
    return np.array_equal(data, others)


def copied(array: Any) -> Any:
    """Returns a copy of an array: a tensor of torch for one, else an array of numpy."""
    return array.detach().clone() if is_torch(array) else np.array(to_numpy(array))
