"""Safetensors files: read as memory maps, so that tensors cost no memory until they are read, and written one tensor at a time.

The format: 8 bytes with the size of the header (little endian), the header in JSON (`{name: {dtype, shape, data_offsets}}`), then the data.
(The safetensors package copies every tensor that it hands to numpy, or takes from it.)
"""

from __future__ import annotations

import json
import math
import mmap
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from ...dialects.relax.numpy_dtypes import dtype_named
from ...interpreter.host.errors import FileError
from ...whole_file import whole_file
from .progress import tracked

ELEMENTS: Mapping[str, str] = {
    "F64": "f64",
    "F32": "f32",
    "F16": "f16",
    "BF16": "bf16",
    **{f"I{width}": f"i{width}" for width in (64, 32, 16, 8)},
    **{f"U{width}": f"ui{width}" for width in (64, 32, 16, 8)},
    "BOOL": "i1",
}
"""The element types, by the names that the format has for them."""


@cache
def _names() -> Mapping[np.dtype[Any], str]:
    return {dtype_named(element): name for name, element in ELEMENTS.items()}


_MAX_HEADER = 100 << 20
_ALIGNMENT = 8
METADATA = "__metadata__"
PADDING = "padding.{}"


def write_safetensors(
    path: str | Path,
    tensors: Mapping[str, np.ndarray[Any, Any]],
    metadata: Mapping[str, str] | None = None,
    *,
    alignment: int = _ALIGNMENT,
    progress: bool = False,
) -> None:
    """Writes tensors to a file, those of the widest elements first; a file of that name is replaced at the end, or kept on an error.

    A tensor is read to say what it is, and once more when it is written: those that are read from files take the memory of one.

    Each begins at a multiple of its element size; with a larger `alignment` at a multiple of that, behind tensors `padding.N` where
    there would be a gap, which the format does not allow. With `progress` a person at a terminal sees how far it is.

    Raises `ArgumentError` for an element type or a name that the format does not have.
    """
    if METADATA in tensors:
        raise FileError(
            (str(path), f"a tensor cannot be called '{METADATA}', which is what the format calls its own data")
        )
    header: dict[str, Any] = {} if metadata is None else {METADATA: dict(metadata)}
    entries = {name: _description(path, name, array) for name, array in tensors.items()}
    names: list[str] = []
    offset = 0
    # The data of each tensor is then aligned to its elements.
    for name in sorted(tensors, key=lambda name: (-entries[name].itemsize, name)):
        gap = -offset % alignment if alignment > _ALIGNMENT else 0
        if gap:
            names.append(next(padding for padding in map(PADDING.format, count(len(names))) if padding not in entries))
            entries[names[-1]] = _Description(np.dtype(np.uint8), (gap,))
        names.append(name)
        offset += gap + entries[name].nbytes
    offset = 0
    for name in names:
        dtype, shape = entries[name]
        offsets = [offset, offset + entries[name].nbytes]
        header[name] = {"dtype": _names()[dtype], "shape": list(shape), "data_offsets": offsets}
        offset = offsets[1]
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % alignment)
    with whole_file(path) as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for name in tracked(names, f"writing {Path(path).name}", progress):
            array = tensors[name] if name in tensors else np.zeros(entries[name].shape, np.uint8)
            stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


class _Description(NamedTuple):
    """What the header says of a tensor."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def _description(path: str | Path, name: str, array: np.ndarray[Any, Any]) -> _Description:
    if array.dtype not in _names():
        raise FileError((str(path), f"tensor '{name}' of element type {array.dtype} cannot be written"))
    return _Description(array.dtype, array.shape)


class SafetensorsFile(Mapping[str, np.ndarray[Any, Any]]):
    """The tensors of a file by name, as read-only views of its memory map; `metadata` is the file's own.

    A tensor takes memory from when it is read to when its array is dropped.
    Raises `ArgumentError` if the file cannot be read or its header does not describe it.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        try:
            with self.path.open("rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise FileError((str(path), "no such file or directory")) from None
        except (OSError, ValueError) as error:
            raise FileError((str(path), f"not a readable safetensors file ({error})")) from None
        header, self._start = self._header()
        self.metadata = self._metadata(header.pop(METADATA, None))
        self._entries = {name: self._entry(name, entry) for name, entry in header.items()}
        self._require_no_gaps(header)

    def _bad(self, reason: str) -> FileError:
        return FileError((str(self.path), f"not a readable safetensors file ({reason})"))

    def _header(self) -> tuple[dict[str, Any], int]:
        if len(self._map) < 8:
            raise self._bad("it is shorter than 8 bytes")
        size = int.from_bytes(self._map[:8], "little")
        if size > min(_MAX_HEADER, len(self._map) - 8):
            raise self._bad(f"the header has {size} bytes, the file {len(self._map)}")
        try:
            # Python's decoder would also take the bytes of UTF-16 and numbers such as NaN.
            header = json.loads(self._map[8 : 8 + size].decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise self._bad("the header is not JSON") from None
        if not isinstance(header, dict):
            raise self._bad("the header is no JSON object")
        return cast(dict[str, Any], header), 8 + size

    def _metadata(self, metadata: Any) -> dict[str, str]:
        if metadata is None:
            return {}
        if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):  # pyright: ignore[reportUnknownVariableType]
            raise self._bad(f"{METADATA} is no object of strings")
        return cast(dict[str, str], metadata)

    def _entry(self, name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int]:
        try:
            dtype, shape, (begin, end) = (
                dtype_named(ELEMENTS[entry["dtype"]]),
                tuple(entry["shape"]),
                entry["data_offsets"],
            )
            are_sizes = all(type(size) is int and 0 <= size < 1 << 64 for size in (*shape, begin, end))
        except (KeyError, TypeError, ValueError):
            raise self._bad(f"tensor '{name}' is not described as one") from None
        if not are_sizes or end - begin != _bytes(shape, dtype) or self._start + end > len(self._map):
            raise self._bad(f"the data of tensor '{name}' does not fit its shape or the file")
        return dtype, shape, self._start + begin

    def _require_no_gaps(self, header: Mapping[str, Any]) -> None:
        """Refuses data that belongs to no tensor, or to two: each begins where the one before it ends, and the last ends with the file."""
        position = 0
        for (begin, end), name in sorted((entry["data_offsets"], name) for name, entry in header.items()):
            if begin != position:
                raise self._bad(
                    f"the data of tensor '{name}' begins at byte {begin}, that before it ends at {position}"
                )
            position = end
        if self._start + position != len(self._map):
            surplus = len(self._map) - self._start - position
            raise self._bad(f"the data of the tensors ends {surplus} bytes before the file")

    @property
    def start(self) -> int:
        """Where the data begins in the file, behind what describes it."""
        return self._start

    def offset(self, name: str) -> int:
        """Returns where the data of a tensor begins in the file."""
        return self._entries[name][2]

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        dtype, shape, offset = self._entries[name]
        count = math.prod(shape)
        if count == 0:
            return np.empty(shape, dtype)
        array = np.frombuffer(self._map, np.uint8, count * dtype.itemsize, offset).view(dtype).reshape(shape)
        weakref.finalize(array, _give_back, self._map, offset, array.nbytes).atexit = False
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _bytes(shape: Sequence[int], dtype: np.dtype[Any]) -> int | None:
    """Returns the bytes of a tensor; `None` where a product of its leading sizes does not fit 64 bits, although a later size is 0."""
    size = 1
    for factor in (*shape, dtype.itemsize):
        size *= factor
        if size >= 1 << 64:
            return None
    return size


def _give_back(pages: mmap.mmap, offset: int, nbytes: int) -> None:
    """Gives back the memory of what was read; other views of it read the file anew."""
    start = offset - offset % mmap.PAGESIZE
    pages.madvise(mmap.MADV_DONTNEED, start, offset + nbytes - start)


INDEX = ".safetensors.index.json"


def safetensors_paths(path: Path) -> list[Path]:
    """Returns the files that a path stands for: itself, the shards of an index, or those of a directory.

    Raises `ArgumentError` for an index that names no files, and a directory that holds none.
    """
    if path.is_dir():
        index = sorted(path.glob(f"*{INDEX}"))
        files = sorted(path.glob("*.safetensors"))
        if len(index) > 1 or not (index or files):
            raise FileError((str(path), f"expected one {INDEX[1:]} or safetensors files, got {len(index)} of them"))
        return safetensors_paths(index[0]) if index else files
    if path.suffix != ".json":
        return [path]
    try:
        shards = json.loads(path.read_bytes())["weight_map"].values()
        return [path.parent / name for name in sorted(set(shards))]
    except FileNotFoundError:
        raise FileError((str(path), "no such file or directory")) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError((str(path), f"not an index of safetensors files ({error})")) from None


class SafetensorsFiles(Mapping[str, np.ndarray[Any, Any]]):
    """The tensors of several files (the shards of one model); a name may stand in one file only."""

    def __init__(self, paths: Sequence[str | Path]):
        self._files = [SafetensorsFile(path) for path in paths]
        self._owner: dict[str, SafetensorsFile] = {}
        for file in self._files:
            for name in file:
                if name in self._owner:
                    raise FileError((str(file.path), f"tensor '{name}' is also in {self._owner[name].path}"))
                self._owner[name] = file

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self._owner[name][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner)

    def __len__(self) -> int:
        return len(self._owner)
